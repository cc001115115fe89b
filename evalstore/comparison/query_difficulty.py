"""The hard queries of a collection, and the queries that decide a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_judged_queries, kept_relevant
from evalstore.comparison.collection_values import CollectionRun, load_collection_values
from evalstore.measures import Measure
from evalstore.stats.inputs import in_units
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.queries.evaluations import list_evaluations, load_aggregates
from evalstore.store.queries.leaderboard import list_leaderboard_runs

F64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class QueryDifficulty:
    """The values of some runs of a collection for each query.

    Attributes:
        runs: the best mean first; equal ones in natural order of engine and name.
        qids: the judged queries, the hardest first: ordered by the median of their values, equal
            ones in natural order. If neither high nor low values are better, the lowest first.
        values: float64, queries x runs; a query that a run does not answer has the value of an
            empty ranking.
    """

    qrels: str
    measure: Measure
    runs: tuple[CollectionRun, ...]
    qids: tuple[str, ...]
    texts: Mapping[str, str]
    relevant: I64
    values: F64
    notes: tuple[str, ...]

    @property
    def median(self) -> F64:
        """The median of each query; for an even number of runs, the mean of the middle two."""
        median: F64 = np.median(self.values, axis=1)
        return median

    @property
    def spread(self) -> F64:
        """The highest minus the lowest value of each query."""
        spread: F64 = np.ptp(self.values, axis=1)
        return spread

    def position(self, run: str) -> int:
        """The column of a run."""
        return [one.name for one in self.runs].index(run)


def all_fail(values: F64, higher_is_better: bool | None) -> Bools:
    """The queries for which every run has 0; none unless high values of the measure are better."""
    if higher_is_better is not True:
        return np.zeros(len(values), bool)
    return np.asarray((values <= 0).all(axis=1), bool)


def runs_disagree(values: F64) -> Bools:
    """The queries whose spread over the runs is at least half of the widest; none if that is 0."""
    spread = np.ptp(values, axis=1) if values.size else np.zeros(len(values))
    widest = spread.max(initial=0.0)
    return np.asarray((spread > 0) & (spread >= widest / 2), bool)


def deciding(differences: F64) -> Bools:
    """The fewest queries without which the mean difference would vanish or change its sign.

    They are those with the largest differences in favour of the side that is ahead; of equal ones,
    the first. There are none if neither side is ahead. They describe the sample and are not a test.
    """
    units = in_units(differences)
    total = units.sum()
    decide = np.zeros(len(units), bool)
    if total == 0:
        return decide
    towards = units * np.sign(total)
    order = np.argsort(-towards, kind="stable")
    left = abs(total) - np.cumsum(towards[order])
    decide[order[: int(np.argmax(left <= 0)) + 1]] = True
    return decide


def leading_runs(
    store: Store,
    collection: str,
    measure: Measure,
    qrels: str | None,
    most: int,
    always: str | None = None,
) -> list[str]:
    """The names of the runs with the best stored aggregates, the best first; runs without one last.

    If the run `always` is not among the first, it takes the last place.
    """

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            return _best_runs(store, connection, collection, measure, qrels)

    names = list(store.keep(("leading runs", collection, str(measure), qrels), read, bytes_of))
    first = names[:most]
    if always in names and always not in first:
        first = [*first[: most - 1], str(always)]
    return first


def _best_runs(
    store: Store, connection: Connection, collection: str, measure: Measure, qrels: str | None
) -> tuple[str, ...]:
    """The names of all evaluated runs of a collection, the best first."""
    collection_id, chosen = kept_choice(store, collection, qrels)
    evaluation_of = {
        evaluation.run.id: evaluation.id
        for evaluation in list_evaluations(connection, None, collection)
        if evaluation.qrels.id == chosen.id
    }
    active = list_leaderboard_runs(connection, collection_id)
    runs = [run for run in active if run.id in evaluation_of]
    ids = [evaluation_of[run.id] for run in runs]
    aggregates = load_aggregates(connection, str(measure), ids)
    runs.sort(key=lambda run: (natural(run.engine), natural(run.name)))
    value_of = dict(zip(ids, aggregates.tolist(), strict=True))
    values = np.array([value_of[evaluation_of[run.id]] for run in runs])
    return tuple(runs[at].name for at in _best_first(values, measure))


def query_difficulty(
    store: Store,
    collection: str,
    measure: Measure,
    qrels: str | None,
    run_ids: Collection[int],
) -> QueryDifficulty:
    """Load the values of some runs for every query; MeasureError if there are none."""
    name = str(measure)
    loaded = load_collection_values(store, collection, {name: measure}, qrels, run_ids)
    with store.read() as connection:
        collection_id, _ = kept_choice(store, collection, loaded.qrels)
        relevant = kept_relevant(store, connection, loaded.qrels_id)
        judged = kept_judged_queries(store, collection_id, loaded.qrels_id)
    of = loaded.measures[name]
    columns = _best_first(of.aggregates, measure)
    values = of.values[:, columns]
    rows = _hardest_first(values, loaded.qids, measure)
    qids = tuple(loaded.qids[row] for row in rows)
    return QueryDifficulty(
        qrels=loaded.qrels,
        measure=measure,
        runs=tuple(of.runs[column] for column in columns),
        qids=qids,
        texts=judged.queries.texts,
        relevant=np.array([relevant.get(qid, 0) for qid in qids], np.int64),
        values=values[rows],
        notes=(*loaded.notes, *of.notes),
    )


def _best_first(aggregates: F64, measure: Measure) -> list[int]:
    """Positions sorted by value, the best first and NaN last; equal ones keep their order."""
    sign = 1.0 if measure.descriptor.higher_is_better is False else -1.0
    order: list[int] = np.argsort(sign * aggregates, kind="stable").tolist()
    return order


def _hardest_first(values: F64, qids: tuple[str, ...], measure: Measure) -> list[int]:
    sign = -1.0 if measure.descriptor.higher_is_better is False else 1.0
    medians = np.median(values, axis=1) if values.size else np.zeros(len(qids))
    return sorted(
        range(len(qids)), key=lambda row: (sign * float(medians[row]), natural(qids[row]))
    )
