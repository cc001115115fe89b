"""Change stored runs: remove, restore, purge, rename, edit and tag them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import check_name, natural
from evalstore.errors import Conflict
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.events import Event
from evalstore.store.queries.rankings import packed_bytes
from evalstore.store.queries.runs import (
    StoredRun,
    content_hash_of,
    delete_run,
    delete_unused,
    ensure_engine,
    find_run,
    list_runs,
    lookup_run,
    run_engine,
    run_experiment,
    run_tags,
    set_removed,
    set_run_engine,
    set_run_experiment,
    set_run_name,
    set_run_tags,
)
from evalstore.store.queries.tracking import find_baseline

NameAndCollection = tuple[str, str | None]
"""A run by its name or id, and the name of its collection where several have one of that name."""


@dataclass(frozen=True)
class Purged:
    """The result of a purge.

    Attributes:
        runs: the runs that were deleted.
        packed_bytes: the bytes of their packed rankings.
        before, after: the bytes of the database on disk.
    """

    runs: tuple[StoredRun, ...]
    packed_bytes: int
    before: int
    after: int


def remove_runs(
    store: Store, names: Sequence[str], collection: str | None = None
) -> list[StoredRun]:
    """Mark runs as removed: they are no longer shown or counted. All of them or none.

    Raises:
        NotFound: a run that the store does not hold, or that was removed before.
    """
    return remove_each(store, [(name, collection) for name in names])


def remove_each(store: Store, named: Sequence[NameAndCollection]) -> list[StoredRun]:
    """As `remove_runs`, each run of a collection of its own."""

    def work(connection: Connection) -> list[StoredRun]:
        now = datetime.now(UTC)
        runs = _runs_named(connection, named, removed=False)
        for run in runs:
            set_removed(connection, run.id, now)
            events.log(connection, "rm", run.collection, run.name, now)
        return runs

    return store.transact(work)


def restore_runs(
    store: Store, names: Sequence[str], collection: str | None = None
) -> list[StoredRun]:
    """Bring back runs that were removed. All of them or none.

    Raises:
        NotFound: no run of that name was removed.
    """
    return restore_each(store, [(name, collection) for name in names])


def restore_each(store: Store, named: Sequence[NameAndCollection]) -> list[StoredRun]:
    """As `restore_runs`, each run of a collection of its own."""

    def work(connection: Connection) -> list[StoredRun]:
        now = datetime.now(UTC)
        runs = _runs_named(connection, named, removed=True)
        for run in runs:
            set_removed(connection, run.id, None)
            events.log(connection, "restore", run.collection, run.name, now)
        return runs

    return store.transact(work)


def removed_runs(store: Store, collection: str | None = None) -> list[StoredRun]:
    """The runs that are marked as removed, by collection and name in natural order."""
    with store.read() as connection:
        runs = list_runs(connection, collection=collection, removed=True)
    return sorted(runs, key=lambda run: (natural(run.collection), natural(run.name)))


def purge_runs(store: Store, names: Sequence[str] = (), collection: str | None = None) -> Purged:
    """Delete removed runs for good: those named, or all.

    Raises:
        NotFound: a run that is named was not removed.
    """

    def work(connection: Connection) -> tuple[list[StoredRun], int]:
        now = datetime.now(UTC)
        runs = (
            _runs_named(connection, [(name, collection) for name in names], removed=True)
            if names
            else list_runs(connection, collection=collection, removed=True)
        )
        total = 0
        for run in runs:
            freed, content = packed_bytes(connection, run.id), content_hash_of(connection, run.id)
            baseline = find_baseline(connection, find_collection(connection, run.collection) or 0)
            if baseline is not None and baseline.id == run.id:
                events.log(connection, "baseline", run.collection, run.name, now, unset=True)
            delete_run(connection, run.id)
            details = {"packed_bytes": freed, "deleted_content": content}
            events.log(connection, "purge", run.collection, run.name, now, **details)
            total += freed
        if runs:
            delete_unused(connection)
        return runs, total

    before = store.size()
    purged, freed_bytes = store.transact(work)
    if purged:
        store.reclaim_space()
    return Purged(tuple(purged), freed_bytes, before, store.size())


def rename_run(store: Store, name: str, new: str, collection: str | None = None) -> StoredRun:
    """Give a run another name; returns the run as it was.

    Raises:
        DataError: a name that can't be shown.
        NotFound: there is no such run.
        Conflict: a run of the collection has that name, be it one that was removed.
    """
    check_name("run", new)

    def work(connection: Connection) -> StoredRun:
        run = find_run(connection, name, collection)
        change_run(connection, run, name=new, now=datetime.now(UTC))
        return run

    return store.transact(work)


def edit_run(
    store: Store,
    name: str,
    collection: str | None = None,
    *,
    engine: str | None = None,
    experiment: str | None = None,
) -> dict[str, tuple[str | None, str | None]]:
    """Change the engine of a run, or its experiment ("" for none).

    Returns:
        The changes: `engine` or `experiment`, each with the value before and the value now.

    Raises:
        DataError: a name that can't be shown.
        NotFound: there is no such run.
    """
    if engine is not None:
        check_name("engine", engine)
    if experiment:
        check_name("experiment", experiment)

    def work(connection: Connection) -> dict[str, tuple[str | None, str | None]]:
        run = find_run(connection, name, collection)
        now = datetime.now(UTC)
        return change_run(connection, run, engine=engine, experiment=experiment, now=now)

    return store.transact(work)


def change_run(
    connection: Connection,
    run: StoredRun,
    *,
    now: datetime,
    name: str | None = None,
    engine: str | None = None,
    experiment: str | None = None,
) -> dict[str, tuple[str | None, str | None]]:
    """Change the given attributes that differ, and record an event.

    Args:
        connection: of a transaction that writes.
        run: the run as it is.
        now: the time of the event.
        name: the new name.
        engine: the engine that made it.
        experiment: the group that it belongs to; "" for none.

    Returns:
        The changes: the attribute with the value before and the value now.

    Raises:
        Conflict: another run of the collection has that name, be it one that was removed.
    """
    changes: dict[str, tuple[str | None, str | None]] = {}
    if name is not None and name != run.name:
        _check_free(connection, run.collection, name)
        set_run_name(connection, run.id, name)
        events.log(connection, "rename", run.collection, name, now, before=run.name)
        changes["name"] = (run.name, name)
    before = run_engine(connection, run.id)
    if engine is not None and engine != before:
        set_run_engine(connection, run.id, ensure_engine(connection, engine))
        changes["engine"] = (before, engine)
    group = run_experiment(connection, run.id)
    if experiment is not None and experiment != (group or ""):
        set_run_experiment(connection, run.id, experiment or None)
        changes["experiment"] = (group, experiment or None)
    details = {kind: list(pair) for kind, pair in changes.items() if kind != "name"}
    if details:
        events.log(connection, "edit", run.collection, name or run.name, now, **details)
    return changes


def _check_free(connection: Connection, collection: str, name: str) -> None:
    taken = lookup_run(connection, find_collection(connection, collection) or 0, name=name)
    if taken is not None:
        kind = "run" if taken.removed_at is None else "removed run"
        raise Conflict(f"there is a {kind} named {name!r} in collection {collection!r} already")


def tag_run(
    store: Store,
    name: str,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    collection: str | None = None,
) -> list[str]:
    """Add tags to a run or remove them; returns its tags afterwards, in byte order.

    Raises:
        DataError: a tag that can't be shown.
        NotFound: there is no such run.
    """
    for word in add:
        check_name("tag", word)

    def work(connection: Connection) -> list[str]:
        run = find_run(connection, name, collection)
        return change_tags(connection, run, add, remove, datetime.now(UTC))

    return store.transact(work)


def change_tags(
    connection: Connection, run: StoredRun, add: Sequence[str], remove: Sequence[str], now: datetime
) -> list[str]:
    """As `tag_run`, in a transaction."""
    had = set(run_tags(connection, run.id))
    has = (had | set(add)) - set(remove)
    words = sorted(has, key=str.encode)
    if has != had:
        set_run_tags(connection, run.id, words)
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
    connection: Connection, named: Sequence[NameAndCollection], *, removed: bool
) -> list[StoredRun]:
    runs = [find_run(connection, name, of, removed=removed) for name, of in named]
    return list({run.id: run for run in runs}.values())
