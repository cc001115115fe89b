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

    `name` is that in CSV and TSV, `heading` that in documents (Markdown, LaTeX); None leaves the
    column out. `style` is how documents write its floats: `signed` with + or -, `p` as a
    probability.
    """

    name: str | None
    heading: str | None
    style: Style = "number"


@dataclass(frozen=True)
class Table:
    """Rows, a value a column, None for none, no float NaN or infinite; and what documents add.

    `title` says in a phrase what the table shows, `caption` are sentences that explain its signs,
    `notes` others on its figures; LaTeX makes its label of `label`. `best` are the cells (row,
    column) that are bold, `marks` the superscripts behind cells: letters and the dagger, no names.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    title: str = ""
    label: str = ""
    caption: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
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
    """A line of TREC text; `qid` is None for the figure over all queries."""

    run: str
    measure: str
    qid: str | None
    value: float
    is_count: bool


@dataclass(frozen=True)
class Export:
    """An export in any format.

    `table` is for CSV, TSV, Markdown and LaTeX, `document` for JSON, `figures` for TREC text;
    `notes` are sentences that formats without a caption do not hold.
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

    `format` rounds half to even if that is exact. A p that the decimals would make 0 is written as
    less than the least they can write.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int):
        return str(value)
    if style == "p" and float(f"{value:.{digits}f}") == 0 and digits > 0:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:{'+' if style == 'signed' else ''}.{digits}f}"


def written_size(number: float) -> str:
    """The number without its sign, with four decimals; more if they would make it 0."""
    size = abs(number)
    text = f"{size:.4f}"
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
    """The positions of the best of some numbers: several if they are tied.

    None is best among fewer than two numbers, if all are the same, and of a measure without a
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
