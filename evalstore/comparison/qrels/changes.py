"""Changes on the leaderboards of a collection from one qrels to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.comparison.collection_values import (
    MeasureValues,
    load_collection_values,
)
from evalstore.measures import Measure
from evalstore.stats import kendall_tau_b, tau_ap
from evalstore.stats.inputs import in_units
from evalstore.stats.ranks import strict_ranks
from evalstore.store import Store
from evalstore.store.queries.qrels import (
    JudgmentChanges,
    QrelsSummary,
    count_judgment_changes,
    summarize_qrels,
)
from evalstore.tables.table import finite

F64 = npt.NDArray[np.float64]

CHANGE_COLUMNS = (
    *("measure", "engine", "run", "before", "after", "difference", "rank_before", "rank_after"),
)


@dataclass(frozen=True)
class ChangedRun:
    """A run on a measure under both qrels; its rank is 1 + the number of strictly better runs."""

    run: str
    engine: str
    before: float
    after: float
    rank_before: int
    rank_after: int


@dataclass(frozen=True)
class SwappedPair:
    """Two runs that changed places: `a` was better before, `b` is better after."""

    a: ChangedRun
    b: ChangedRun


@dataclass(frozen=True)
class MeasureChanges:
    """The leaderboards of one measure under two qrels, with the runs evaluated under both.

    The run that was best before comes first. A tie is not a swap. Kendall's tau-b is NaN for fewer
    than two runs, or if all runs tie; tau-AP takes the order before as reference.
    """

    measure: str
    runs: tuple[ChangedRun, ...]
    swapped: tuple[SwappedPair, ...]
    kendall_tau_b: float
    tau_ap: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class QrelsChanges:
    """Changes from one qrels of a collection to another."""

    collection: str
    before: QrelsSummary
    after: QrelsSummary
    judgments: JudgmentChanges
    measures: tuple[MeasureChanges, ...]
    notes: tuple[str, ...]

    @property
    def every_note(self) -> tuple[str, ...]:
        """The notes, including those of the measures."""
        return (*self.notes, *(note for measure in self.measures for note in measure.notes))

    def rows(self) -> list[tuple[str | float | int, ...]]:
        """One row per measure and run, with the columns `CHANGE_COLUMNS`."""
        return [
            (
                *(measure.measure, run.engine, run.run, run.before, run.after),
                *(run.after - run.before, run.rank_before, run.rank_after),
            )
            for measure in self.measures
            for run in measure.runs
        ]

    def to_dict(self) -> dict[str, object]:
        """The changes for JSON; None for NaN."""
        return {
            "collection": self.collection,
            "before": _summary(self.before),
            "after": _summary(self.after),
            "judgments": vars(self.judgments),
            "measures": [
                {
                    "measure": measure.measure,
                    "kendall_tau_b": finite(measure.kendall_tau_b),
                    "tau_ap": finite(measure.tau_ap),
                    "swapped": [{"a": pair.a.run, "b": pair.b.run} for pair in measure.swapped],
                    "runs": [vars(run) for run in measure.runs],
                }
                for measure in self.measures
            ],
            "notes": list(self.every_note),
        }


def qrels_changes(
    store: Store, collection: str, measures: Mapping[str, Measure], before: str, after: str
) -> QrelsChanges:
    """Compare the leaderboards of a collection under two qrels; nothing is written.

    Aggregates that differ by less than 1e-9 are equal; for tau-AP such runs are ordered by engine
    and name. MeasureError for a measure that can't be computed for any of the runs.
    """
    with store.read() as connection:
        ids = [choose_qrels(connection, collection, name)[1].id for name in (before, after)]
        judgments = count_judgment_changes(connection, *ids)
        summaries = {qrels.id: qrels for qrels in summarize_qrels(connection, collection)}
    old = load_collection_values(store, collection, measures, before)
    new = load_collection_values(store, collection, measures, after)
    notes = list(dict.fromkeys([*old.notes, *new.notes]))
    all_before = summaries[ids[0]].judgments
    if 2 * judgments.removed > all_before:
        notes.append(
            f"{judgments.removed:,} of {all_before:,} judgments of qrels {before!r} are not in "
            f"{after!r}: add a file of corrections alone to the other judgments"
        )
    if old.qids != new.qids:
        notes.append(
            f"the figures are over different queries: {len(old.qids):,} before, "
            f"{len(new.qids):,} after, {len(set(old.qids).intersection(new.qids)):,} of them in "
            "both"
        )
    return QrelsChanges(
        collection=collection,
        before=summaries[ids[0]],
        after=summaries[ids[1]],
        judgments=judgments,
        measures=tuple(_changes(name, old.measures[name], new.measures[name]) for name in measures),
        notes=tuple(notes),
    )


def _changes(name: str, old: MeasureValues, new: MeasureValues) -> MeasureChanges:
    """The two leaderboards of one measure, with the runs that are on both."""
    after_of = dict(zip((run.id for run in new.runs), new.aggregates.tolist(), strict=True))
    kept = [number for number, run in enumerate(old.runs) if run.id in after_of]
    runs = [(old.runs[number].name, old.runs[number].engine) for number in kept]
    after = np.array([after_of[old.runs[number].id] for number in kept], np.float64)
    notes = (*old.notes, *new.notes)
    return leaderboard_changes(name, old.measure, runs, old.aggregates[kept], after, notes)


def leaderboard_changes(
    name: str,
    measure: Measure,
    runs: Sequence[tuple[str, str]],
    before: F64,
    after: F64,
    notes: Sequence[str] = (),
) -> MeasureChanges:
    """The changes from one leaderboard to another; `runs` are names and engines.

    Equal runs keep the order of `runs` where an order is needed.
    """
    if measure.descriptor.higher_is_better is None:
        neither = f"{name} calls neither high nor low values better: high ones come first"
        notes = (*notes, neither)
    sign = measure.descriptor.sign_of_better
    orders = sign * in_units(before), sign * in_units(after)
    columns = (before, after, strict_ranks(orders[0]), strict_ranks(orders[1]))
    changed = [
        ChangedRun(*run, *figures)
        for run, *figures in zip(runs, *(column.tolist() for column in columns), strict=True)
    ]
    order = np.argsort(-orders[0], kind="stable").tolist()
    return MeasureChanges(
        measure=name,
        runs=tuple(changed[number] for number in order),
        swapped=_swapped(changed, order, orders),
        kendall_tau_b=kendall_tau_b(*orders),
        tau_ap=tau_ap(*orders),
        notes=tuple(dict.fromkeys(notes)),
    )


def _swapped(
    runs: list[ChangedRun], order: list[int], orders: tuple[F64, F64]
) -> tuple[SwappedPair, ...]:
    """The pairs whose order was reversed, sorted by the ranks before."""
    before, after = orders[0][order], orders[1][order]
    pairs = []
    for place in range(len(order)):
        below = np.flatnonzero((before < before[place]) & (after > after[place]))
        pairs += [SwappedPair(runs[order[place]], runs[order[other]]) for other in below.tolist()]
    return tuple(pairs)


def _summary(qrels: QrelsSummary) -> dict[str, object]:
    names = ("queries", "judgments", "relevant", "is_default")
    return {"qrels": qrels.name, **{name: getattr(qrels, name) for name in names}}
