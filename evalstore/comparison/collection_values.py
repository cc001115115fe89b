"""The values of all runs of a collection under one qrels, for statistics over many runs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import listed, natural
from evalstore.catalog.qrels import origin_note
from evalstore.comparison.cached import kept_answers, kept_judged_ids, kept_values
from evalstore.comparison.comparability import RunValues, notes_on_values
from evalstore.comparison.loading import Medians, check_number_of_values
from evalstore.errors import DataError, NoRankings
from evalstore.evaluation.measure import compute_values
from evalstore.measures import Measure
from evalstore.stats.inputs import UNITS_PER_ONE
from evalstore.store import Store
from evalstore.store.queries.evaluations import (
    StoredEvaluation,
    list_evaluations,
    load_value_tables,
)
from evalstore.store.queries.leaderboard import (
    LeaderboardRun,
    list_figures,
    list_leaderboard_runs,
)
from evalstore.store.queries.qrels import StoredQrels, load_qrels

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

MOST_RUNS = 5
"""The most runs that a sentence names; for more it gives the number."""


@dataclass(frozen=True)
class CollectionRun:
    """An active run and its evaluation; `values_only` if it was imported without rankings."""

    id: int
    evaluation_id: int
    engine: str
    name: str
    values_only: bool = False


R = TypeVar("R", CollectionRun, LeaderboardRun)


def best_first(runs: Iterable[R], figures: Mapping[int, float], measure: Measure) -> list[R]:
    """Runs in the order of their figures (by run id): the best first, those without one last.

    If neither high nor low values are better, the highest come first. Figures that are equal to
    1e-9 are in natural order of engine and name.
    """
    sign = -measure.descriptor.sign_of_better

    def key(run: R) -> tuple[object, ...]:
        figure = figures.get(run.id, math.nan)
        place = math.inf if math.isnan(figure) else round(sign * figure * UNITS_PER_ONE)
        return place, natural(run.engine), natural(run.name)

    return sorted(runs, key=key)


@dataclass(frozen=True, eq=False)
class MeasureValues:
    """The values of one measure for the runs that have them, ordered by engine and name.

    `values` are queries x runs, without NaN; `aggregates`, one per run, are the figures of a
    leaderboard.
    """

    measure: Measure
    runs: tuple[CollectionRun, ...]
    values: F64
    aggregates: F64
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CollectionValues:
    """All active runs of a collection that were evaluated under one qrels.

    Attributes:
        qids: the queries that the qrels judges, in byte order; every figure is over all of them,
            and a query that a run does not answer counts as an empty ranking.
        runs: ordered by engine and name, in natural order.
        notes_on_others: sentences on runs that are left out.
        notes_on_these: sentences on runs that can't be compared.
        not_evaluated: the names of the other active runs, which have no values under the qrels.
    """

    collection: str
    qrels: str
    qrels_id: int
    qids: tuple[str, ...]
    runs: tuple[CollectionRun, ...]
    measures: Mapping[str, MeasureValues]
    notes_on_others: tuple[str, ...]
    notes_on_these: tuple[str, ...]
    not_evaluated: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes: those on runs left out and those on runs included."""
        return (*self.notes_on_others, *self.notes_on_these)


def load_collection_values(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    run_ids: Collection[int] | None = None,
    *,
    aggregates_only: bool = False,
    most_values: int | None = None,
) -> CollectionValues:
    """Load the values of the active runs of a collection under a qrels; nothing is written.

    Values that are not stored are computed from the stored rankings. `aggregates_only` leaves out
    the values per query, which are most of the data for many runs: `MeasureValues.values` then has
    no rows. DataError for more than `most_values` (runs x measures x queries), MeasureError or
    NoRankings for a measure of which no run has a value.
    """
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        stored = list_leaderboard_runs(connection, collection_id, run_ids)
        ids = None if run_ids is None else [run.id for run in stored]
        evaluation_of = {
            evaluation.run.id: evaluation
            for evaluation in list_evaluations(connection, ids, collection)
            if evaluation.qrels.id == chosen.id
        }
        runs = sorted(
            (
                CollectionRun(
                    run.id, evaluation_of[run.id].id, run.engine, run.name, run.values_only
                )
                for run in stored
                if run.id in evaluation_of
            ),
            key=lambda run: (natural(run.engine), natural(run.name)),
        )
        judged = kept_judged_ids(store, connection, chosen.id)
        if not aggregates_only:
            remedy = "name fewer measures"
            check_number_of_values(len(runs), len(measures), len(judged.qids), most_values, remedy)
        figures = list_figures(connection, chosen.id, list(map(str, measures.values())), ids)
        values = {
            name: MeasureValues(
                measure,
                tuple(runs),
                np.empty((0, len(runs)))
                if aggregates_only
                else _stored_values(store, connection, chosen.id, judged.ids, measure, runs),
                np.array([figures[str(measure)].get(run.id, np.nan) for run in runs], np.float64),
                (),
            )
            for name, measure in measures.items()
        }
        left_out = _compute_missing(connection, chosen, runs, evaluation_of, values)
        answered = kept_answers(store, connection, chosen.id, [run.id for run in runs])
    missing = [run.name for run in stored if run.id not in evaluation_of]
    return CollectionValues(
        collection=collection,
        qrels=chosen.name,
        qrels_id=chosen.id,
        qids=judged.qids,
        runs=tuple(runs),
        measures={name: _without(values[name], left_out[name]) for name in measures},
        notes_on_others=_notes_on_others(collection, chosen.name, runs, missing),
        notes_on_these=(
            *_notes_on_rules(runs, evaluation_of),
            *_notes_on_answers([(run.name, answered[run.id]) for run in runs], len(judged.qids)),
            *notes_on_values([run.name for run in runs if run.values_only]),
            *filter(None, [origin_note(chosen)]),
        ),
        not_evaluated=tuple(missing),
    )


def _stored_values(
    store: Store,
    connection: Connection,
    qrels_id: int,
    query_ids: I64,
    measure: Measure,
    runs: Sequence[CollectionRun],
) -> F64:
    """The stored values of a measure: float64, queries x runs; NaN if not stored."""
    ranked = np.array([not run.values_only for run in runs], bool)
    ids = np.array([run.evaluation_id for run in runs], np.int64)
    values = np.empty((len(query_ids), len(runs)))
    values[:, ranked] = kept_values(
        store, connection, qrels_id, query_ids, measure, ids[ranked].tolist()
    )
    if not ranked.all():
        others = ids[~ranked].tolist()
        tables = load_value_tables(connection, qrels_id, query_ids, [str(measure)], others)
        values[:, ~ranked] = tables[str(measure)]
    return values


def _compute_missing(
    connection: Connection,
    qrels: StoredQrels,
    runs: Sequence[CollectionRun],
    evaluation_of: Mapping[int, StoredEvaluation],
    values: Mapping[str, MeasureValues],
) -> dict[str, dict[int, DataError]]:
    """Compute the values that are not stored, reading each ranking once.

    Returns the reasons why a value can't be computed, by measure and number of the run.
    """
    judgments = None
    left_out: dict[str, dict[int, DataError]] = {name: {} for name in values}
    for column, run in enumerate(runs):
        lacking = {name: str(of.measure) for name, of in values.items() if _is_lacking(of, column)}
        if not lacking:
            continue
        judgments = judgments or load_qrels(connection, qrels)
        measures = [values[name].measure for name in lacking]
        computed = compute_values(connection, evaluation_of[run.id], judgments, measures)
        for name, canonical in lacking.items():
            if canonical in computed.lacking:
                left_out[name][column] = computed.lacking[canonical]
                continue
            if len(values[name].values):
                values[name].values[:, column] = computed.rows.values[canonical]
            values[name].aggregates[column] = computed.rows.aggregates[canonical]
    return left_out


def _is_lacking(values: MeasureValues, column: int) -> bool:
    return bool(np.isnan(values.aggregates[column]) or np.isnan(values.values[:, column]).any())


def _without(values: MeasureValues, left_out: Mapping[int, DataError]) -> MeasureValues:
    """The values without the runs in `left_out`; MeasureError or NoRankings if none is left."""
    if not left_out:
        return values
    if len(left_out) == len(values.runs):
        raise min(left_out.values(), key=lambda error: isinstance(error, NoRankings))
    kept = [column for column in range(len(values.runs)) if column not in left_out]
    by_kind: dict[type[DataError], list[int]] = {}
    for column, error in left_out.items():
        by_kind.setdefault(type(error), []).append(column)
    return MeasureValues(
        measure=values.measure,
        runs=tuple(values.runs[column] for column in kept),
        # Rows must be contiguous, as when no run is left out: otherwise means are rounded
        # differently.
        values=np.ascontiguousarray(values.values[:, kept]),
        aggregates=values.aggregates[kept],
        notes=tuple(
            f"{listed([values.runs[column].name for column in columns], MOST_RUNS)} left out: "
            f"{left_out[columns[0]]}"
            for columns in by_kind.values()
        ),
    )


def _notes_on_others(
    collection: str, qrels: str, runs: Sequence[CollectionRun], not_evaluated: Sequence[str]
) -> tuple[str, ...]:
    if not runs:
        return (f"no run of collection {collection!r} was evaluated under qrels {qrels!r}",)
    if not not_evaluated:
        return ()
    verb = "was" if len(not_evaluated) == 1 else "were"
    names = listed(not_evaluated, MOST_RUNS)
    return (f"left out: {names}, which {verb} never evaluated under qrels {qrels!r}",)


def _notes_on_rules(
    runs: Sequence[CollectionRun], evaluation_of: Mapping[int, StoredEvaluation]
) -> tuple[str, ...]:
    by_rules: dict[str, list[str]] = {}
    for run in runs:
        by_rules.setdefault(evaluation_of[run.id].compat, []).append(run.name)
    if len(by_rules) < 2:
        return ()
    each = "; ".join(
        f"{rules}: {listed(names, MOST_RUNS)}" for rules, names in sorted(by_rules.items())
    )
    return (f"the values follow different rules of trec_eval ({each})",)


def _notes_on_answers(answered: Sequence[tuple[str, int]], queries: int) -> tuple[str, ...]:
    """A sentence on the runs that do not answer every judged query."""
    fewer = [f"{name} ({number:,})" for name, number in answered if number < queries]
    if not fewer:
        return ()
    return (
        f"not all of the {queries:,} judged queries are answered by {listed(fewer, MOST_RUNS)}; "
        "the others count as empty rankings",
    )


def medians_of_collection(store: Store, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
    """The median of each query over the active runs of a stored run's collection.

    It is over the runs evaluated under the same qrels by the same rules, including the run itself,
    as in NIST's reports. Runs that lack one of the measures are left out. A query that a run does
    not answer has the value of an empty ranking. With an even number of runs the median is the mean
    of the two middle values.
    """
    collection = str(run.collection)
    with store.read() as connection:
        ids = {
            evaluation.run.id
            for evaluation in list_evaluations(connection, None, collection)
            if evaluation.qrels.name == run.qrels and evaluation.compat == run.compat
        }
    loaded = load_collection_values(store, collection, measures, run.qrels, ids)
    having = [{one.id for one in of.runs} for of in loaded.measures.values()]
    common = set.intersection(*having)
    wanted = frozenset(run.qids)  # not all if the run was restricted
    rows = np.array([qid in wanted for qid in loaded.qids], bool)
    medians = {}
    for name, of in loaded.measures.items():
        columns = np.array([one.id in common for one in of.runs], bool)
        medians[name] = np.median(of.values[np.ix_(rows, columns)], axis=1)
    return Medians(len(common), medians)
