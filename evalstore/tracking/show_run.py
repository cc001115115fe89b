"""All that is recorded of a run, in the order in which people read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from evalstore.catalog.given_facts import flat
from evalstore.store import Store
from evalstore.store.queries.run_facts import RunFacts, ancestors, load_run_facts
from evalstore.store.queries.runs import find_run

ORDER = (
    *("id", "collection", "engine", "experiment", "tag", "created_at", "queries", "retrieved"),
    "values_only",
    *("content_hash", "parent", "parameters", "tags", "note", "commit", "commit_dirty", "command"),
    *("host", "started_by", "started_at", "ended_at", "index_version", "collection_version"),
    *("index_bytes", "memory_bytes", "money", "currency", "energy_joules", "header"),
)


def run_facts(store: Store, run: str, collection: str | None = None) -> RunFacts:
    """What is recorded of a run.

    Raises:
        NotFound: there is no such run, or several collections have one of that name.
    """
    with store.read() as connection:
        return load_run_facts(connection, find_run(connection, run, collection).id)


def ancestor_ids(store: Store, run_id: int) -> list[int]:
    """The ids of the runs that a run was derived from: its parent, the parent of that, and so on.

    Runs that were removed are among them.
    """
    with store.read() as connection:
        return [ancestor.id for ancestor in ancestors(connection, run_id)]


def as_dict(facts: RunFacts) -> dict[str, Any]:
    """The facts as JSON has them: every one, None where it was not given, times in ISO 8601."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in _in_order(facts).items()
    }


def rows(facts: RunFacts) -> list[tuple[str, Any]]:
    """The facts that were given, as (name, value): a row for each parameter and key of the header.

    A parameter `k1` has the name `parameters.k1`, as in the events. `values_only` is there only
    where it is true.
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
