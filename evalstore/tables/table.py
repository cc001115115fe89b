"""The table that is written in every format."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Value = str | int | float | None
Style = Literal["text", "number", "signed", "p"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: in CSV and TSV; None for a column that only documents (Markdown, LaTeX) have.
        heading: in documents; None for a column that only CSV and TSV have.
        style: how documents write its floats: `signed` with + or -, `p` as a probability.
    """

    name: str | None
    heading: str | None
    style: Style = "number"


@dataclass(frozen=True)
class Table:
    """Rows and what a reader has to know of them.

    Attributes:
        columns: what the rows hold.
        rows: a value a column; None where there is none. No float is NaN or infinite.
        caption: sentences that stand with the table in documents.
        best: the cells (row, column) that documents print bold.
        marks: by cell, the superscripts behind it: letters and the dagger, no names.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def for_files(cls, names: Iterable[str], rows: Iterable[tuple[Value, ...]]) -> Table:
        """A table that only CSV and TSV have."""
        return cls(tuple(Column(name, None) for name in names), tuple(rows))

    @property
    def in_documents(self) -> tuple[int, ...]:
        """The numbers of the columns that documents have."""
        return tuple(n for n, column in enumerate(self.columns) if column.heading is not None)

    @property
    def rows_in_documents(self) -> tuple[int, ...]:
        """The numbers of the rows that have something in the columns of documents."""
        columns = self.in_documents
        return tuple(
            n for n, row in enumerate(self.rows) if any(row[c] is not None for c in columns)
        )

    @property
    def in_files(self) -> tuple[int, ...]:
        """The numbers of the columns that CSV and TSV have."""
        return tuple(n for n, column in enumerate(self.columns) if column.name is not None)


@dataclass(frozen=True)
class Figure:
    """A line of TREC text.

    Attributes:
        run, measure: their names.
        qid: the query; None for the figure over all queries.
        value: the figure.
        is_count: whether it is a whole number by nature.
    """

    run: str
    measure: str
    qid: str | None
    value: float
    is_count: bool


@dataclass(frozen=True)
class Export:
    """What is exported, for any format.

    Attributes:
        table: for CSV, TSV, Markdown and LaTeX.
        document: for JSON; of dictionaries, lists, texts, numbers, booleans and None.
        figures: for TREC text.
        notes: sentences that formats without a caption do not hold.
    """

    table: Table
    document: object
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


def finite(value: Value) -> Value:
    """The value; None for NaN and infinity, which tables and JSON have no number for."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def written_value(value: Value, style: Style, digits: int) -> str:
    """A value as documents write it: floats with so many decimals, None as an empty text.

    `format` rounds the double that it is given, half to even where that is exact. A p that the
    decimals would make 0 is written as less than the least they can write.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int):
        return str(value)
    if style == "p" and float(f"{value:.{digits}f}") == 0 and digits > 0:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:{'+' if style == 'signed' else ''}.{digits}f}"


def written_size(number: float, digits: int = 4) -> str:
    """The number without its sign, with so many decimals; more where they would make it 0.

    So 0.00002 stays what it is, while 0 is written as 0.0000.
    """
    size = abs(number)
    text = f"{size:.{digits}f}"
    if size == 0 or float(text):
        return text
    text = f"{size:.{1 - math.floor(math.log10(size))}f}".rstrip("0")
    return text if len(text) <= LONGEST_NUMBER else f"{size:.0e}"


LONGEST_NUMBER = 10
"""Characters of a number; a smaller one is written like 3e-12."""


# Which figures of a column are the best

SAME = 1e-12
"""Figures that differ by less are tied: sums of the same numbers in another order do."""


def best(numbers: Sequence[float | None], higher_is_better: bool | None) -> set[int]:
    """The positions of the best of some numbers: several where they are tied.

    None is best among fewer than two numbers, where all are the same, and of a measure that has no
    direction.
    """
    present = [number for number in numbers if number is not None]
    if higher_is_better is None or not present or max(present) - min(present) <= SAME:
        return set()
    extreme = max(present) if higher_is_better else min(present)
    return {
        position
        for position, number in enumerate(numbers)
        if number is not None and abs(number - extreme) <= SAME
    }
