"""What the page of a run shows beside its values: facts, lineage, events, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import natural
from evalstore.errors import MeasureError
from evalstore.leaderboard.leaderboard import in_order
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries.comparison import list_evaluation_aggregates
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.events import Event, events
from evalstore.store.queries.leaderboard import F64, list_standings, load_sorted_aggregates
from evalstore.store.queries.run_facts import (
    Ancestor,
    RunFacts,
    ancestors,
    derived_runs,
    load_run_facts,
)
from evalstore.store.queries.runs import find_run

__all__ = ["Event", "RunFacts", "RunOverview", "Standing", "run_overview", "run_standings"]

LAST_EVENTS = 30


@dataclass(frozen=True)
class RunOverview:
    """A run, and the runs that it stands in a line with.

    Attributes:
        facts: what is recorded of the run.
        parent: what is recorded of its parent; None where it has none, or that was removed.
        ancestors: its parent, the parent of that, and so on.
        children: the names of the active runs that were derived from it, in natural order.
        events: the newest events of the run under its present name, the newest first.
    """

    facts: RunFacts
    parent: RunFacts | None
    ancestors: tuple[Ancestor, ...]
    children: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Standing:
    """The figure of a run for a measure, and where it stands among all runs of its collection.

    Attributes:
        measure: its canonical name.
        value: the aggregate over all judged queries.
        rank: 1 + how many runs are better; equal values share a rank. None where neither a high
            nor a low value is better.
        runs: how many active runs have a value.
        difference: the value less that of the baseline; None where that has none, or there is no
            baseline, and for the baseline itself.
    """

    measure: str
    value: float
    rank: int | None
    runs: int
    difference: float | None


def run_overview(store: Store, run: str, collection: str) -> RunOverview:
    """The facts, lineage and events of a stored run.

    Raises:
        NotFound: there is no such run.
    """
    with store.read() as connection:
        stored = find_run(connection, run, collection)
        line = tuple(ancestors(connection, stored.id))
        parent = line[0] if line and not line[0].is_removed else None
        newest = events(connection, collection=collection, subject=stored.name, last=LAST_EVENTS)
        return RunOverview(
            facts=load_run_facts(connection, stored.id),
            parent=None if parent is None else load_run_facts(connection, parent.id),
            ancestors=line,
            children=tuple(sorted(derived_runs(connection, stored.id), key=natural)),
            events=tuple(reversed(newest)),
        )


def run_standings(
    store: Store, run: str, collection: str, qrels: str, baseline: str | None = None
) -> list[Standing]:
    """The stored figures of a run under a qrels, in the order of the registry of measures.

    Empty where it was never evaluated under the qrels.

    Raises:
        NotFound: there is no such run, qrels or baseline.
    """
    with store.read() as connection:
        _, chosen = kept_choice(store, collection, qrels)
        run_id = find_run(connection, run, collection).id
        aggregates = _sorted_aggregates(store, chosen.id)
        rows = list_standings(connection, chosen.id, run_id, aggregates)
        stored = {row.measure: row for row in rows}
        base: dict[str, float] = {}
        if baseline is not None:
            base_id = find_run(connection, baseline, collection).id
            evaluation = find_evaluation(connection, base_id, chosen.id)
            if base_id != run_id and evaluation is not None:
                of_base = list_evaluation_aggregates(connection, [evaluation.id])
                base = {row.measure: row.value for row in of_base}
    standings = []
    for name in in_order(set(stored)):
        row = stored[name]
        better = {True: row.higher, False: row.lower, None: None}[_higher_is_better(name)]
        rank = None if better is None else 1 + better
        difference = row.value - base[name] if name in base else None
        standings.append(Standing(name, row.value, rank, row.runs, difference))
    return standings


def _sorted_aggregates(store: Store, qrels_id: int) -> dict[str, F64]:
    """Those of all runs, read once for the pages of all of them."""

    def read() -> dict[str, F64]:
        with store.read() as connection:
            return load_sorted_aggregates(connection, qrels_id)

    return store.keep(
        ("sorted aggregates", qrels_id), read, lambda kept: sum(of.nbytes for of in kept.values())
    )


def _higher_is_better(measure: str) -> bool | None:
    try:
        return parse(measure).descriptor.higher_is_better
    except MeasureError:  # stored by a version with more measures
        return None
