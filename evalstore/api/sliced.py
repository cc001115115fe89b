"""A comparison split by an attribute of the queries, as Python users see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evalstore.api.pair_tables import HEADERS, pair_cells, pairs_frame, paragraphs
from evalstore.api.tables import Cell, html_table, text_table
from evalstore.comparison.claims import sentences, verdict
from evalstore.comparison.significance import COLUMNS
from evalstore.comparison.slices import Slices
from evalstore.formats.source import printable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class SlicedComparison:
    """A comparison split by an attribute; `Comparison.by` gives it.

    Prints itself with the figures of all queries first, and shows as tables in a notebook.

    Attributes:
        slices: the figures as frozen objects.
    """

    slices: Slices

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row a slice, pair and measure.

        Columns: slice (the value of the attribute, a range of numbers, or `(none)`), and those of
        `Comparison.pairs`. Corrected p are corrected over all slices, pairs and measures.
        """
        return pairs_frame(self.slices.rows(), ("slice", *COLUMNS))

    @property
    def queries(self) -> dict[str, tuple[str, ...]]:
        """The judged queries of every slice, in byte order."""
        return {part.label: part.qids for part in self.slices.slices}

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known to read the figures, a sentence each; small slices are named."""
        return self.slices.notes

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the figures say, a sentence a slice, pair and measure, which names the slice."""
        return self.slices.sentences

    def to_dict(self) -> dict[str, object]:
        """The whole and the slices, as `evalstore compare --by --format json` has them."""
        return {**self.slices.whole.to_dict(), **self.slices.to_dict()}

    def __repr__(self) -> str:
        """The verdict, the whole, and then the slices, as text."""
        whole = self.slices.whole
        lines = [verdict(whole), *whole.notes, *sentences(whole), *self.notes]
        lines = [printable(line) for line in lines]
        if self._rows():
            lines.append(text_table((self.slices.attribute, *HEADERS), self._rows()))
            lines += [printable(sentence) for sentence in self.sentences]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same with the table in HTML, for notebooks."""
        whole = self.slices.whole
        before = [verdict(whole), *whole.notes, *sentences(whole), *self.notes]
        headers = (self.slices.attribute, *HEADERS)
        table = html_table(headers, self._rows()) if self._rows() else ""
        return paragraphs(before) + table + paragraphs(self.sentences)

    def _rows(self) -> list[list[Cell]]:
        test = self.slices.settings.test
        return [
            [part.label, *pair_cells(pair, test)]
            for part in self.slices.slices
            for pair in part.pairs
        ]
