"""Stored runs: remove, restore, purge, rename and tag them, change their engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import natural
from evalstore.errors import Conflict
from evalstore.store import Store
from evalstore.store.models import run_t
from evalstore.store.queries import events
from evalstore.store.queries import runs as stored
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.events import Event
from evalstore.store.queries.rankings import packed_bytes
from evalstore.store.queries.runs import StoredRun
from evalstore.store.queries.tracking import find_baseline
from evalstore.store.rows import change_row

NameAndCollection = tuple[str, str | None]
"""A run's name or id, and its collection (None if no other collection has such a run)."""


@dataclass(frozen=True)
class Purged:
    """The deleted runs, and the bytes of their packed rankings and of the database.

    Rankings that other runs share stay, and do not count.
    """

    runs: tuple[StoredRun, ...]
    packed_bytes: int
    before: int
    after: int


def remove_runs(
    store: Store, names: Sequence[str | NameAndCollection], collection: str | None = None
) -> list[StoredRun]:
    """Mark runs as removed: they are no longer shown or counted. All of them or none.

    `collection` applies to names or ids that are given without a collection.
    """
    return _mark(store, names, collection, removed=True)


def restore_runs(
    store: Store, names: Sequence[str | NameAndCollection], collection: str | None = None
) -> list[StoredRun]:
    """Restore runs that `remove_runs` has removed. All of them or none."""
    return _mark(store, names, collection, removed=False)


def _mark(
    store: Store, names: Sequence[str | NameAndCollection], collection: str | None, *, removed: bool
) -> list[StoredRun]:
    def work(connection: Connection) -> list[StoredRun]:
        now = datetime.now(UTC)
        runs = _runs_named(connection, names, collection, removed=not removed)
        for run in runs:
            change_row(connection, run_t, run.id, deleted_at=now if removed else None)
            action: events.Action = "rm" if removed else "restore"
            events.log(connection, action, run.collection, run.name, now)
        return runs

    return store.transact(work)


def removed_runs(store: Store, collection: str | None = None) -> list[StoredRun]:
    """The runs that are marked as removed, by collection and name in natural order."""
    with store.read() as connection:
        runs = stored.list_runs(connection, collection=collection, removed=True)
    return sorted(runs, key=lambda run: (natural(run.collection), natural(run.name)))


def purge_runs(store: Store, names: Sequence[str] = (), collection: str | None = None) -> Purged:
    """Delete removed runs permanently: the named ones, or all."""

    def work(connection: Connection) -> tuple[list[StoredRun], int]:
        runs = (
            _runs_named(connection, names, collection, removed=True)
            if names
            else stored.list_runs(connection, collection=collection, removed=True)
        )
        total = 0
        for run in runs:
            size = packed_bytes(connection, run.id)
            content = stored.content_hash_of(connection, run.id)
            baseline = find_baseline(connection, find_collection(connection, run.collection) or 0)
            if baseline is not None and baseline.id == run.id:
                events.log(connection, "baseline", run.collection, run.name, unset=True)
            freed = 0 if stored.delete_run(connection, run.id) else size
            details = {"packed_bytes": freed, "deleted_content": content}
            events.log(connection, "purge", run.collection, run.name, **details)
            total += freed
        if runs:
            stored.delete_unused(connection)
        return runs, total

    before = store.size()
    purged, freed_bytes = store.transact(work)
    if purged:
        store.reclaim_space()
    return Purged(tuple(purged), freed_bytes, before, store.size())


def change_run(
    connection: Connection,
    run: StoredRun,
    *,
    now: datetime,
    name: str | None = None,
    engine: str | None = None,
    experiment: str | None = None,
) -> dict[str, tuple[str | None, str | None]]:
    """Change the given attributes that are different, and log an event; `experiment` "" is none.

    Returns the changes: the value before and the value after, by attribute. Conflict: another run
    of the collection has that name, even a removed one.
    """
    changes: dict[str, tuple[str | None, str | None]] = {}
    if name is not None and name != run.name:
        _check_free(connection, run.collection, name)
        change_row(connection, run_t, run.id, name=name)
        events.log(connection, "rename", run.collection, name, now, before=run.name)
        changes["name"] = (run.name, name)
    before = stored.run_engine(connection, run.id)
    if engine is not None and engine != before:
        stored.set_run_engine(connection, run.id, stored.ensure_engine(connection, engine))
        changes["engine"] = (before, engine)
    group = stored.run_experiment(connection, run.id)
    if experiment is not None and experiment != (group or ""):
        stored.set_run_experiment(connection, run.id, experiment or None)
        changes["experiment"] = (group, experiment or None)
    details = {kind: list(pair) for kind, pair in changes.items() if kind != "name"}
    if details:
        events.log(connection, "edit", run.collection, name or run.name, now, **details)
    return changes


def _check_free(connection: Connection, collection: str, name: str) -> None:
    taken = stored.lookup_run(connection, find_collection(connection, collection) or 0, name)
    if taken is not None:
        kind = "run" if taken.removed_at is None else "removed run"
        raise Conflict(f"there is a {kind} named {name!r} in collection {collection!r} already")


def change_tags(
    connection: Connection, run: StoredRun, add: Sequence[str], remove: Sequence[str], now: datetime
) -> list[str]:
    """Add tags to a run and remove others; returns its tags afterwards, in byte order."""
    had = set(stored.run_tags(connection, run.id))
    has = (had | set(add)) - set(remove)
    words = sorted(has, key=str.encode)
    if has != had:
        change_row(connection, run_t, run.id, tags=words or None)
        old = sorted(had - has, key=str.encode)
        new = sorted(has - had, key=str.encode)
        events.log(connection, "tag", run.collection, run.name, now, added=new, removed=old)
    return words


def history(
    store: Store, collection: str | None = None, subject: str | None = None, last: int | None = None
) -> list[Event]:
    """The events, oldest first; only the newest `last` of them unless it is None."""
    with store.read() as connection:
        return events.events(connection, collection=collection, subject=subject, last=last)


def _runs_named(
    connection: Connection,
    names: Sequence[str | NameAndCollection],
    collection: str | None,
    *,
    removed: bool,
) -> list[StoredRun]:
    pairs = [(name, collection) if isinstance(name, str) else name for name in names]
    runs = [stored.find_run(connection, name, of, removed=removed) for name, of in pairs]
    return list({run.id: run for run in runs}.values())
