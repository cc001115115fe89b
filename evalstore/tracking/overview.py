"""The collections of a store, its latest events and its news: the data of the home page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_judged_tops
from evalstore.comparison.choosing.baselines import active_baseline
from evalstore.comparison.collection_values import best_first
from evalstore.leaderboard.positions import kept_collection_runs
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.events import Action, Event
from evalstore.store.queries.leaderboard import (
    LeaderboardRun,
    count_evaluated,
    count_judged_queries,
    list_figures,
    list_leaderboard_runs,
)
from evalstore.store.queries.qrels import StoredQrels, list_qrels
from evalstore.store.restriction import OF_SERVER

EARLIEST = datetime.min.replace(tzinfo=UTC)

MEASURE = "AP"
"""The measure by which an overview names the best run."""


@dataclass(frozen=True)
class BestRun:
    """The run with the best aggregate of a collection; `slot` is the colour slot of its engine.

    `newer` is the number of newer active runs of that engine in the collection.
    """

    run: str
    slot: int
    newer: int
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
        values = list_figures(connection, qrels[0].id, [MEASURE])[MEASURE]
        best = _best(values, runs, evaluated)
        in_time = sorted(runs, key=lambda run: run.date)
        course = tuple(values[run.id] for run in in_time if run.id in values)
    newest = max((run.created_at for run in runs), default=None)
    names = tuple(stored.name for stored in qrels)
    return CollectionOverview(name, queries, names, len(runs), newest, best, course)


def _best(
    values: Mapping[int, float], runs: Sequence[LeaderboardRun], evaluated: int
) -> BestRun | None:
    """The best active run; None if an evaluated run with rankings lacks a value."""
    without = [run for run in runs if run.values_only and run.id not in values]
    if not values or len(values) + len(without) < evaluated:
        return None
    best = best_first(runs, values, parse(MEASURE))[0]
    return BestRun(best.name, best.slot, best.newer, values[best.id])


# The news of a store: what changed in its collections since a time

LATEST = 11
"""The most new runs of a collection whose judged shares are read, the newest."""
LEAST_JUDGED = 0.8
"""Below this share of judged documents in its top 10, a run lacks judgments."""
MOST_EVENTS = 1_000
QRELS_CHANGES: tuple[Action, ...] = ("ingest", "default", "rm", "restore", "purge")
"""The actions on qrels after which other judgments may count."""


@dataclass(frozen=True)
class Gate:
    """A gate that did not pass: the checked run, its baseline, and the outcome in one line."""

    run: str
    is_stored: bool
    baseline: str | None
    outcome: str
    summary: str


@dataclass(frozen=True)
class ChangedQrels:
    """A qrels that changed: the actions on it, the oldest first.

    `judgments` is the number of its judgments if it was stored, `is_active` whether it can be
    chosen now.
    """

    name: str
    actions: tuple[str, ...]
    judgments: int | None
    is_active: bool


@dataclass(frozen=True)
class CollectionNews:
    """The news of a collection.

    Attributes:
        runs: the new active runs, the newest first.
        baseline: the run to compare them with, if the collection has one.
        gates: those whose latest result did not pass: those that failed, then the newest.
        qrels: those that changed, the latest change first.
        unjudged: of the `LATEST` new runs those that lack judgments under the default qrels, each
            with the judged share of its top 10.
    """

    collection: str
    runs: tuple[str, ...] = ()
    baseline: str | None = None
    gates: tuple[Gate, ...] = ()
    qrels: tuple[ChangedQrels, ...] = ()
    unjudged: tuple[tuple[str, float], ...] = ()


def news_since(store: Store, time: datetime) -> tuple[CollectionNews, ...]:
    """The active collections with news since a time (with time zone), the latest news first."""
    with store.read() as connection:
        names = {row.id: row.name for row in list_collections(connection)}
        runs: dict[int, list[LeaderboardRun]] = defaultdict(list)
        changes: dict[int, list[Event]] = defaultdict(list)
        latest: dict[int, datetime] = {}
        for id_ in names:
            every_run = kept_collection_runs(store, id_).values()
            new = [run for run in every_run if run.created_at > time]
            if new:
                runs[id_] = sorted(new, key=lambda run: run.id, reverse=True)
                latest[id_] = max(run.created_at for run in new)
        actions = ("gate", *QRELS_CHANGES)
        for id_, event in events.events_since(connection, time, actions, MOST_EVENTS):
            if event.action == "gate" or (event.details or {}).get("kind") == "qrels":
                changes[id_].append(event)
                latest[id_] = max(event.at, latest.get(id_, time))
        every = [
            _of_collection(store, connection, (id_, names[id_]), runs[id_], changes[id_])
            for id_ in sorted(latest, key=lambda id_: latest[id_], reverse=True)
            if id_ in names
        ]
    return tuple(news for news in every if news != CollectionNews(news.collection))


def _of_collection(
    store: Store,
    connection: Connection,
    collection: tuple[int, str],
    runs: Sequence[LeaderboardRun],
    changes: Sequence[Event],
) -> CollectionNews:
    """The news of a collection, given by id and name."""
    id_, name = collection
    base = active_baseline(connection, id_) if runs else None
    qrels = list_qrels(connection, id_)
    changed = [event for event in changes if event.action != "gate"]
    return CollectionNews(
        collection=name,
        runs=tuple(run.name for run in runs),
        baseline=None if base is None else base.name,
        gates=tuple(_gates(event for event in changes if event.action == "gate")),
        qrels=tuple(_qrels(changed, [one.name for one in qrels])),
        unjudged=_unjudged(store, connection, qrels, runs[:LATEST]),
    )


def _gates(events: Iterable[Event]) -> list[Gate]:
    """The gates that did not pass; of a run and the same rules only the newest result counts."""
    newest: dict[object, Gate] = {}
    for event in events:
        details = event.details or {}
        rules = tuple(str(rule.get("rule")) for rule in details.get("rules") or ())
        gate = Gate(
            event.subject,
            details.get("is_stored", True),
            details.get("baseline"),
            str(details.get("outcome")),
            str(details.get("summary") or ""),
        )
        newest.setdefault((gate.run, gate.baseline, rules), gate)
    left = [gate for gate in newest.values() if gate.outcome != "passed"]
    return sorted(left, key=lambda gate: gate.outcome != "failed")


def _qrels(events: Sequence[Event], active: Sequence[str]) -> list[ChangedQrels]:
    by_name: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_name[event.subject].insert(0, event)
    return [
        ChangedQrels(
            name,
            tuple(dict.fromkeys(event.action for event in changes)),
            next((n for e in changes if (n := (e.details or {}).get("judgments"))), None),
            name in active,
        )
        for name, changes in by_name.items()
    ]


def _unjudged(
    store: Store,
    connection: Connection,
    qrels: Sequence[StoredQrels],
    runs: Sequence[LeaderboardRun],
) -> tuple[tuple[str, float], ...]:
    """The runs that lack judgments under the first qrels, each with its judged share."""
    if not runs or not qrels:
        return ()
    shares = kept_judged_tops(store, connection, qrels[0].id, [run.id for run in runs])
    return tuple((run.name, shares[run.id]) for run in runs if shares[run.id] < LEAST_JUDGED)
