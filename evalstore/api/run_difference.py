"""What differs between two stored runs, as Python users see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evalstore.api.comparison import Comparison
from evalstore.api.pair_tables import pairs_frame
from evalstore.api.tables import text_table
from evalstore.client.differences import Difference
from evalstore.formats.source import printable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class RunDifference:
    """The facts that two runs do not share, and the measures that moved; prints itself.

    Attributes:
        difference: the same as frozen objects.
    """

    difference: Difference

    @property
    def line(self) -> str | None:
        """How one run was derived from the other, as a sentence; None where it was not."""
        return self.difference.line

    @cached_property
    def facts(self) -> pd.DataFrame:
        """A row a fact that differs (index `fact`): a, b; None where a run does not have it."""
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

        facts = self.difference.facts
        values = {"a": [fact.a for fact in facts], "b": [fact.b for fact in facts]}
        names = pd.Index([fact.fact for fact in facts], name="fact", dtype="str")
        return pd.DataFrame(values, index=names, dtype=object)

    @cached_property
    def moved(self) -> pd.DataFrame:
        """A row a measure whose value differs on a query; columns as of `Comparison.pairs`."""
        return pairs_frame([pair.row() for pair in self.difference.moved])

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The names of the measures that have the same value on every query."""
        return self.difference.unchanged

    @property
    def comparison(self) -> Comparison:
        """The comparison of the values: whether it may be made, figures, sentences."""
        return Comparison(self.difference.compared)

    def __repr__(self) -> str:
        """The facts that differ, and the comparison."""
        a, b = self.difference.a.name, self.difference.b.name
        values = self.facts.fillna("(none)").astype(str)
        rows = [tuple(row) for row in values.reset_index().to_numpy().tolist()]
        facts = text_table(["fact", a, b], rows) if rows else "no recorded fact differs"
        line = [printable(self.line)] if self.line else []
        return "\n".join([*line, facts, repr(self.comparison)])
