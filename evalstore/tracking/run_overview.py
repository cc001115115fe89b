"""The data of a run's page other than its values: facts, lineage, events, and positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.given_facts import flat
from evalstore.catalog.names import natural
from evalstore.errors import MeasureError
from evalstore.leaderboard.positions import SIZE_OF_VALUE, in_order
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries.events import Event, events
from evalstore.store.queries.facts import (
    Ancestor,
    RunFacts,
    ancestors,
    derived_runs,
    load_run_facts,
)
from evalstore.store.queries.leaderboard import list_figures
from evalstore.store.queries.runs import find_run

LAST_EVENTS = 30
SAME = 1e-9
"""Aggregates that differ by less count as equal: means differ in their last bits."""


@dataclass(frozen=True)
class RunOverview:
    """The facts of a run and of its parent, with its lineage and newest events.

    Active children are in natural order; the newest event is first. `parent` is None if it was
    removed.
    """

    facts: RunFacts
    parent: RunFacts | None
    ancestors: tuple[Ancestor, ...]
    children: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Position:
    """The figure of a run for a measure, and its position among the active runs with a value.

    The rank is 1 + the number of better runs; None if neither high nor low values are better. The
    difference is to the baseline; None for the baseline itself, and if there is none with a value.
    """

    measure: str
    value: float
    rank: int | None
    runs: int
    difference: float | None


def run_overview(store: Store, run: str, collection: str) -> RunOverview:
    """The facts, lineage and events of a stored run."""
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


def run_positions(
    store: Store, run: str, collection: str, qrels: str, baseline: str | None = None
) -> list[Position]:
    """The stored figures of a run under a qrels, in the order of the registry."""
    with store.read() as connection:
        _, chosen = kept_choice(store, collection, qrels)
        own = find_run(connection, run, collection).id
        base = None if baseline is None else find_run(connection, baseline, collection).id
        figures = store.keep(
            ("figures", chosen.id),
            lambda: list_figures(connection, chosen.id),
            lambda of: SIZE_OF_VALUE * sum(map(len, of.values())),
        )
    positions = []
    for name in in_order({name for name, of in figures.items() if own in of}):
        of = figures[name]
        value = of[own]
        higher = sum(other > value + SAME for other in of.values())
        lower = sum(other < value - SAME for other in of.values())
        better = {True: higher, False: lower, None: None}[_higher_is_better(name)]
        rank = None if better is None else 1 + better
        difference = value - of[base] if base in of and base != own else None
        positions.append(Position(name, value, rank, len(of), difference))
    return positions


def _higher_is_better(measure: str) -> bool | None:
    try:
        return parse(measure).descriptor.higher_is_better
    except MeasureError:  # stored by a version with more measures
        return None


ORDER = (
    *("id", "collection", "engine", "experiment", "tag", "created_at", "queries", "retrieved"),
    "values_only",
    *("content_hash", "parent", "parameters", "tags", "note", "commit", "commit_dirty", "command"),
    *("host", "started_by", "started_at", "ended_at", "index_version", "collection_version"),
    *("index_bytes", "memory_bytes", "money", "currency", "energy_joules", "header"),
)
"""The facts of a run in the order in which they are shown."""


def run_facts(store: Store, run: str, collection: str | None = None) -> RunFacts:
    """The facts of a run; NotFound if several collections have one of that name."""
    with store.read() as connection:
        return load_run_facts(connection, find_run(connection, run, collection).id)


def ancestor_ids(store: Store, run_id: int) -> list[int]:
    """The ids of a run's parent, grandparent and so on, including removed ones."""
    with store.read() as connection:
        return [ancestor.id for ancestor in ancestors(connection, run_id)]


def as_dict(facts: RunFacts) -> dict[str, Any]:
    """All facts for JSON: None if a fact was not given, times in ISO 8601."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in _in_order(facts).items()
    }


def rows(facts: RunFacts) -> list[tuple[str, Any]]:
    """The facts that were given, as (name, value): one row per parameter and per key of the header.

    A parameter `k1` has the name `parameters.k1`. `values_only` is included only if it is true.
    """
    listed: list[tuple[str, Any]] = []
    for name, value in _in_order(facts).items():
        if isinstance(value, Mapping):
            listed += flat(name, value) if value else []
        elif isinstance(value, list):
            listed += [(name, ", ".join(value))] if value else []
        elif value is not None and (name, value) != ("values_only", False):
            listed.append((name, value))
    return listed


def _in_order(facts: RunFacts) -> dict[str, Any]:
    values = {**asdict(facts), "parameters": facts.parameters or {}, "tags": list(facts.tags)}
    return {"run": facts.name, **{name: values[name] for name in ORDER}}
