"""Change a stored run and its facts; each kind of change is an event."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.collection_facts import delete_outdated
from evalstore.catalog.given_facts import GivenFacts, check_times, flat
from evalstore.catalog.names import check_name
from evalstore.catalog.runs import change_run, change_tags
from evalstore.errors import DataError, NotFound, did_you_mean
from evalstore.formats.facts.parameters import MOST
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.facts import (
    COLUMNS,
    ancestors,
    load_values,
    set_parent,
    set_values,
)
from evalstore.store.queries.runs import StoredRun, find_run, run_tags

Changes = Mapping[str, tuple[Any, Any]]
"""The value before and the value after, by fact; a parameter is `parameters.k1`, a key of the
header `header.actor.team`.
"""

TOGETHER = {"commit": "commit_dirty", "money": "currency"}
"""A second fact that means nothing without the first, and is removed with it."""

NESTED = ("parameters", "header")
"""Facts that contain names; the value of each name counts as a separate change."""

UNSETTABLE = (*(name for name in COLUMNS if name not in TOGETHER.values()), "parent")
"""The facts that can be removed."""


def check_unset(facts: GivenFacts, unset: Sequence[str]) -> None:
    """Raise a DataError for a name that isn't a fact, or a fact that is both set and removed."""
    for name in unset:
        if name not in UNSETTABLE:
            known = ", ".join(UNSETTABLE)
            raise DataError(f"there is no fact {name!r}{did_you_mean(name, UNSETTABLE)}: {known}")
        if getattr(facts, name):
            raise DataError(f"{name} can't be set and taken away at once")


def change_facts(
    connection: Connection, run: StoredRun, change: RunChange, now: datetime
) -> Changes:
    """Add, correct or remove facts of a stored run; returns the changes."""
    before = load_values(connection, run.id)
    after = _after(run.name, before, change)
    changed = [name for name in COLUMNS if not _same(before[name], after[name])]
    set_values(connection, run.id, {name: after[name] for name in changed})
    changes = _changes(before, after, changed)
    if change.facts.parent is not None or "parent" in change.unset:
        changes |= change_parent(connection, run, change.facts.parent)
    if changes:
        collection_id = find_collection(connection, run.collection) or 0
        delete_outdated(connection, changed, collection_id, run.id)
        details = {
            name: [value.isoformat() if isinstance(value, datetime) else value for value in pair]
            for name, pair in changes.items()
        }
        events.log(connection, "annotate", run.collection, run.name, now, **details)
    return changes


def other_facts(connection: Connection, run: StoredRun, facts: GivenFacts) -> tuple[str, ...]:
    """The names of the facts that a stored run does not have as given, like `parameters.k1`."""
    before = load_values(connection, run.id)
    after = _after(run.name, before, RunChange(facts=facts))
    changed = [name for name in COLUMNS if not _same(before[name], after[name])]
    parent = next(ancestors(connection, run.id), None)
    other = facts.parent is not None and (parent is None or parent.name != facts.parent)
    return (*_changes(before, after, changed), *(("parent",) if other else ()))


def facts_of_new_run(name: str, facts: GivenFacts) -> dict[str, Any]:
    """The facts of a run that is to be stored, by column of `run_facts`, except its parent."""
    values = _after(name, dict.fromkeys(COLUMNS), RunChange(facts=facts))
    return {name: value for name, value in values.items() if value is not None}


def _after(name: str, before: Mapping[str, Any], change: RunChange) -> dict[str, Any]:
    """The facts of a run by column, after a change."""
    facts, unset = change.facts, change.unset
    removed = [*unset, *(TOGETHER[fact] for fact in unset if fact in TOGETHER)]
    after = {**before, **_given(before, facts), **dict.fromkeys(removed)}
    after["parameters"] = _parameters(name, before["parameters"] or {}, change)
    tags = sorted({*(before["tags"] or ()), *facts.tags}, key=str.encode)
    after["tags"] = None if "tags" in unset else tags or None
    check_times(after["started_at"], after["ended_at"])
    return after


def _given(before: Mapping[str, Any], facts: GivenFacts) -> dict[str, Any]:
    """The columns to set; for another commit, `commit_dirty` is unknown unless given."""
    values = {name: getattr(facts, name) for name in COLUMNS}
    given = {name: value for name, value in values.items() if value is not None}
    if facts.commit not in (None, before["commit"]):
        given["commit_dirty"] = facts.commit_dirty
    return given


def _parameters(run: str, had: Mapping[str, Any], change: RunChange) -> dict[str, Any] | None:
    facts = change.facts
    for name in change.unset_parameters:
        if name not in had:
            raise NotFound(f"run {run!r} has no parameter {name!r}{did_you_mean(name, had)}")
        if name in facts.parameters:
            raise DataError(f"the parameter {name!r} can't be set and taken away at once")
    if "parameters" in change.unset:
        return None
    has = {name: value for name, value in had.items() if name not in change.unset_parameters}
    has.update(facts.parameters)
    if len(has) > MOST:
        raise DataError(f"more than {MOST:,} parameters")
    return has or None


def _same(one: object, other: object) -> bool:
    """Whether two values are stored in the same way: 1, 1.0 and true are three different values."""
    as_text = partial(json.dumps, default=str, sort_keys=True)
    return one is other or as_text(one) == as_text(other)


def _changes(
    before: Mapping[str, Any], after: Mapping[str, Any], changed: Sequence[str]
) -> dict[str, tuple[Any, Any]]:
    changes: dict[str, tuple[Any, Any]] = {}
    for name in changed:
        if name not in NESTED:
            changes[name] = (before[name], after[name])
            continue
        old, new = (
            dict(flat(name, values[name])) if values[name] else {} for values in (before, after)
        )
        for fact in dict.fromkeys([*old, *new]):
            pair = (old.get(fact), new.get(fact))
            if not _same(*pair):
                changes[fact] = pair
    return changes


def change_parent(
    connection: Connection, run: StoredRun, parent: str | None
) -> dict[str, tuple[Any, Any]]:
    """Set the run that a run was derived from (None: no run); returns the names before and after.

    DataError: the parent is the run itself, or was derived from it.
    """
    had = next(ancestors(connection, run.id), None)
    new = None if parent is None else find_run(connection, parent, run.collection)
    if new is not None and new.id == run.id:
        raise DataError(f"run {run.name!r} can't be its own parent")
    if (had and had.id) == (new and new.id):
        return {}
    if new is not None and run.id in [one.id for one in ancestors(connection, new.id)]:
        raise DataError(f"run {new.name!r} is itself derived from run {run.name!r}")
    set_parent(connection, run.id, None if new is None else new.id)
    return {"parent": (had and had.name, new and new.name)}


# Changes of a stored run (its names, tags and facts), all in one transaction


@dataclass(frozen=True)
class RunChange:
    """The changes to make to a run; those not given are None or empty.

    Attributes:
        experiment: the experiment's name; "" for none.
        facts: facts to set; parameters and tags are added to the run's existing ones.
        unset: names of facts to remove (`UNSETTABLE`), none of which is also set.
    """

    name: str | None = None
    engine: str | None = None
    experiment: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    facts: GivenFacts = field(default_factory=GivenFacts)
    unset: tuple[str, ...] = ()
    unset_parameters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the changes."""
        names = {"run": self.name, "engine": self.engine, "experiment": self.experiment or None}
        for kind, name in names.items():
            if name is not None:
                check_name(kind, name)
        for tag in self.add_tags:
            check_name("tag", tag)
        check_unset(self.facts, self.unset)


@dataclass(frozen=True)
class ChangedRun:
    """A run that was changed, with its name before and after, and its new tags in byte order.

    `changes` has the value before and the value after, by `name`, `engine`, `experiment`, `tags` or
    fact.
    """

    collection: str
    before: str
    name: str
    changes: Changes
    tags: tuple[str, ...]


def apply_change(
    store: Store, run: str, change: RunChange, collection: str | None = None
) -> ChangedRun:
    """Change a stored run, given by name or id; each kind of change is an event."""

    def work(connection: Connection) -> ChangedRun:
        stored = find_run(connection, run, collection)
        now = datetime.now(UTC)
        had = run_tags(connection, stored.id)
        names = change_run(
            connection,
            stored,
            now=now,
            name=change.name,
            engine=change.engine,
            experiment=change.experiment,
        )
        named = replace(stored, name=change.name or stored.name)
        change_tags(connection, named, change.add_tags, change.remove_tags, now)
        facts = change_facts(connection, named, change, now)
        has = run_tags(connection, stored.id)
        changes: dict[str, tuple[Any, Any]] = {**names, **facts}
        if has != had:
            changes["tags"] = (had or None, has or None)
        return ChangedRun(stored.collection, stored.name, named.name, changes, tuple(has))

    return store.transact(work)
