"""The queries of a collection in the order of the difference between two runs, and by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_judged_ids
from evalstore.comparison.stored_runs import load_stored_runs
from evalstore.errors import MeasureError, NoRankings
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.kept import bytes_of
from evalstore.store.queries.comparison import list_differences
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.leaderboard import (
    list_aggregated_measures,
    list_aggregates,
    list_leaderboard_runs,
)
from evalstore.store.queries.tracking import find_baseline

DIGITS = 9
"""Differences are equal that agree to so many decimals."""


@dataclass(frozen=True)
class QueryOrder:
    """The judged queries of a collection.

    Attributes:
        qids: in natural order.
        differences: run - baseline by query; empty where there are no values of both.
    """

    qids: tuple[str, ...]
    differences: Mapping[str, float] = field(default_factory=dict)

    @property
    def by_difference(self) -> tuple[str, ...]:
        """The queries by |difference|, the largest first; equal ones in natural order."""
        sizes = {qid: round(abs(d), DIGITS) for qid, d in self.differences.items()}
        compared = [qid for qid in self.qids if qid in sizes]
        return tuple(sorted(compared, key=lambda qid: -sizes[qid]))


def query_order(
    store: Store,
    collection: str,
    measure: Measure,
    baseline: int,
    run: int | None,
    qrels: str | None = None,
) -> QueryOrder:
    """The judged queries of a collection, with the differences between two runs.

    Args:
        store: where the runs are.
        collection: its name.
        measure: what the differences are of; computed where it is not stored for both runs.
        baseline: the id of a run.
        run: the id of the other run; without it there are no differences.
        qrels: the name of the judgments; the default ones of the collection where None.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        _, chosen = kept_choice(store, collection, qrels)
        keys = [find_evaluation(connection, id_, chosen.id) for id_ in (baseline, run) if id_]
        ids = [key.id for key in keys if key is not None]
        if len(ids) == 2:
            differences = list_differences(connection, str(measure), *ids)
            if differences:
                return QueryOrder(tuple(sorted(differences, key=natural)), differences)
        judged = kept_judged_ids(store, connection, chosen.id).qids
    if len(ids) == 2 and run is not None:
        order = store.keep(
            ("query order", collection, str(measure), baseline, run, chosen.id),
            lambda: _computed_order(store, collection, measure, (baseline, run), chosen.name),
            lambda order: sum(map(len, order.qids)) + 100 * len(order.qids),
        )
        if order.differences:
            return order
    return QueryOrder(tuple(sorted(judged, key=natural)))


def _computed_order(
    store: Store, collection: str, measure: Measure, runs: tuple[int, int], qrels: str
) -> QueryOrder:
    """The order by the differences of values that are computed; no query where they can't be."""
    try:
        loaded = load_stored_runs(
            store, [str(run) for run in runs], {"": measure}, collection=collection, qrels=qrels
        )
    except (MeasureError, NoRankings):
        return QueryOrder(())
    a, b = loaded.runs
    by_qid = dict(zip(a.qids, (b.values[""] - a.values[""]).tolist(), strict=True))
    return QueryOrder(tuple(sorted(by_qid, key=natural)), by_qid)


def usual_runs(
    store: Store, collection: str, measure: Measure, qrels: str | None = None
) -> tuple[str, ...]:
    """The names of the two runs that are shown unless others are chosen.

    The baseline of the collection and the best other run on the measure; the first two in natural
    order where there is no baseline, or no run has a stored figure.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    return store.keep(
        ("usual runs", collection, str(measure), qrels),
        lambda: _usual_runs(store, collection, measure, qrels),
        bytes_of,
    )


def _usual_runs(
    store: Store, collection: str, measure: Measure, qrels: str | None
) -> tuple[str, ...]:
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        runs = sorted(
            list_leaderboard_runs(connection, collection_id), key=lambda run: natural(run.name)
        )
        baseline = find_baseline(connection, collection_id)
        measure_id = list_aggregated_measures(connection, chosen.id).get(str(measure))
        rows = [] if measure_id is None else list_aggregates(connection, chosen.id, [measure_id])
    names = {run.id: run.name for run in runs}
    if baseline is None or baseline.id not in names:
        return tuple(names.values())[:2]
    towards = -1 if measure.descriptor.higher_is_better is False else 1
    others = {row.run_id: towards * row.value for row in rows if row.run_id != baseline.id}
    ranked = sorted((id_ for id_ in names if id_ in others), key=lambda id_: -others[id_])
    rest = [id_ for id_ in names if id_ != baseline.id]
    return tuple(names[id_] for id_ in (baseline.id, *(ranked or rest)[:1]))
