"""What new judgments change, as frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalstore.comparison.qrels_changes import COLUMNS, QrelsChanges
from evalstore.ingest.reevaluate import Reevaluated

if TYPE_CHECKING:
    import pandas as pd


class Reevaluation:
    """The runs of a collection under the judgments before and after; `Store.reevaluate` makes it.

    Attributes:
        done: the status of every run.
        changes: the figures, from which the frames are made.
    """

    def __init__(self, done: Reevaluated, changes: QrelsChanges) -> None:
        self.done = done
        self.changes = changes

    @property
    def judgments(self) -> dict[str, int]:
        """How many judgments were `added`, `removed` and `changed` (another grade)."""
        return vars(self.changes.judgments)

    @property
    def values(self) -> pd.DataFrame:
        """A row a measure and run, the best run before first.

        Columns: measure, engine, run, before, after, difference (after - before), rank_before,
        rank_after (1 + how many runs are strictly better).
        """
        return _frame(self.changes.rows(), COLUMNS)

    @property
    def agreement(self) -> pd.DataFrame:
        """A row a measure: between the leaderboards before and after.

        Columns: measure, runs, swapped (how many pairs of runs), kendall_tau_b, tau_ap (its
        reference is the order before). NaN where there is none.
        """
        rows = [
            (of.measure, len(of.runs), len(of.swapped), of.kendall_tau_b, of.tau_ap)
            for of in self.changes.measures
        ]
        return _frame(rows, ("measure", "runs", "swapped", "kendall_tau_b", "tau_ap"))

    @property
    def swapped(self) -> pd.DataFrame:
        """A row a measure and pair of runs: `a` was better before, `b` is better after."""
        rows = [
            (of.measure, pair.a.run, pair.b.run)
            for of in self.changes.measures
            for pair in of.swapped
        ]
        return _frame(rows, ("measure", "a", "b"))

    @property
    def runs(self) -> pd.DataFrame:
        """A row a run: run, engine, status (`evaluated`, `already evaluated`, ...), reason."""
        rows = [(run.run, run.engine, run.status, run.reason) for run in self.done.runs]
        return _frame(rows, ("run", "engine", "status", "reason"))

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known to read the figures, and warnings, a sentence each."""
        return (*self.done.warnings, *self.changes.every_note)

    def __repr__(self) -> str:
        """The collection and the two qrels."""
        return f"<Reevaluation of {self.done.collection}: {self.done.before} to {self.done.after}>"


def _frame(rows: Sequence[tuple[object, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

    return pd.DataFrame(rows, columns=list(columns))
