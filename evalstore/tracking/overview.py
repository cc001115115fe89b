"""The collections of a store and its latest events: the data of the home page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import natural
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.leaderboard import (
    LeaderboardRun,
    count_evaluated,
    count_judged_queries,
    list_aggregated_measures,
    list_aggregates,
    list_leaderboard_runs,
)
from evalstore.store.queries.qrels import list_qrels
from evalstore.store.restriction import OF_SERVER

EARLIEST = datetime.min.replace(tzinfo=UTC)

MEASURE = "AP"
"""The measure by which an overview names the best run."""


@dataclass(frozen=True)
class BestRun:
    """The run with the best aggregate of a collection; `slot` is the colour slot of its engine."""

    run: str
    slot: int
    value: float


@dataclass(frozen=True)
class CollectionOverview:
    """A collection with its qrels (the default first) and its number of active runs.

    The queries are those of the default qrels, 0 if there is none. The best run is by `MEASURE`
    under the default qrels. It is None if no run has a stored value, or if a run with rankings
    lacks one, since that run may be the best. `course` are the values of the runs by their date.
    """

    name: str
    queries: int
    qrels: tuple[str, ...]
    runs: int
    last_run: datetime | None
    best: BestRun | None
    course: tuple[float, ...] = ()


@dataclass(frozen=True)
class Overview:
    """All collections in natural order, and the newest events first, except those on accounts."""

    collections: tuple[CollectionOverview, ...]
    events: tuple[events.Event, ...]

    @property
    def newest(self) -> CollectionOverview:
        """The collection with the newest run; the first one if there are no runs."""
        return max(self.collections, key=lambda one: one.last_run or EARLIEST)


def overview(store: Store, last: int = 200) -> Overview:
    """The collections of a store, and the `last` events."""
    with store.read() as connection:
        rows = sorted(list_collections(connection), key=lambda row: natural(row.name))
        collections = tuple(_overview(connection, row.id, row.name) for row in rows)
        newest = tuple(reversed(events.events(connection, last=last, without=OF_SERVER)))
    return Overview(collections, newest)


def _overview(connection: Connection, collection_id: int, name: str) -> CollectionOverview:
    runs = list_leaderboard_runs(connection, collection_id)
    qrels = list_qrels(connection, collection_id)
    queries, best = 0, None
    course: tuple[float, ...] = ()
    if qrels:
        queries = count_judged_queries(connection, qrels[0].id)
        _, evaluated = count_evaluated(connection, collection_id, qrels[0].id)
        values = _values(connection, qrels[0].id)
        best = _best(values, {run.id: run for run in runs}, evaluated)
        in_time = sorted(runs, key=lambda run: run.date)
        course = tuple(values[run.id] for run in in_time if run.id in values)
    newest = max((run.created_at for run in runs), default=None)
    names = tuple(stored.name for stored in qrels)
    return CollectionOverview(name, queries, names, len(runs), newest, best, course)


def _values(connection: Connection, qrels_id: int) -> dict[int, float]:
    """The stored values of the active runs, by run id."""
    ids = list_aggregated_measures(connection, qrels_id)
    if MEASURE not in ids:
        return {}
    aggregates = list_aggregates(connection, qrels_id, [ids[MEASURE]])
    return {run_id: value for run_id, _, value in aggregates}


def _best(
    values: Mapping[int, float], runs: Mapping[int, LeaderboardRun], evaluated: int
) -> BestRun | None:
    """The best active run; None if an evaluated run with rankings lacks a value."""
    without = [run for run in runs.values() if run.values_only and run.id not in values]
    if not values or len(values) + len(without) < evaluated:
        return None
    sign = -1 if parse(MEASURE).descriptor.higher_is_better is False else 1
    best = min(values, key=lambda run: (-sign * values[run], natural(runs[run].name)))
    return BestRun(runs[best].name, runs[best].slot, values[best])
