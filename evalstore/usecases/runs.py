"""Remove runs and bring them back, delete them for good, rename and tag them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.errors import Conflict
from evalstore.store import Store, events, reads, upkeep
from evalstore.store import runs as marks
from evalstore.store.events import Event
from evalstore.store.reads import StoredRun
from evalstore.usecases.names import check_name


@dataclass(frozen=True)
class Purged:
    """What a purge freed.

    Attributes:
        runs: those that are gone.
        packed_bytes: what their packed rankings took.
        before, after: the bytes of the database on disk.
    """

    runs: tuple[StoredRun, ...]
    packed_bytes: int
    before: int
    after: int


def remove(store: Store, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
    """Mark runs as removed: nothing shows or counts them from now on. All of them or none.

    Raises:
        NotFound: a run that the store does not hold, or that was removed before.
    """

    def work(connection: Connection) -> list[StoredRun]:
        now = datetime.now(UTC)
        found = _found(connection, names, collection, removed=False)
        for run in found:
            marks.set_removed(connection, run.id, now)
            events.log(connection, "rm", run.collection, run.name, now)
        return found

    return store.transact(work)


def restore(store: Store, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
    """Bring back runs that were removed. All of them or none.

    Raises:
        NotFound: no run of that name was removed.
    """

    def work(connection: Connection) -> list[StoredRun]:
        now = datetime.now(UTC)
        found = _found(connection, names, collection, removed=True)
        for run in found:
            marks.set_removed(connection, run.id, None)
            events.log(connection, "restore", run.collection, run.name, now)
        return found

    return store.transact(work)


def removed(store: Store, collection: str | None = None) -> list[StoredRun]:
    """The runs that are marked as removed."""
    with store.read() as connection:
        return reads.runs(connection, collection=collection, removed=True)


def purge(store: Store, names: Sequence[str] = (), collection: str | None = None) -> Purged:
    """Delete removed runs for good: those named, or all.

    Raises:
        NotFound: a run that is named was not removed.
    """

    def work(connection: Connection) -> tuple[list[StoredRun], int]:
        now = datetime.now(UTC)
        found = (
            _found(connection, names, collection, removed=True)
            if names
            else reads.runs(connection, collection=collection, removed=True)
        )
        total = 0
        for run in found:
            size = marks.packed_bytes(connection, run.id)
            marks.delete_run(connection, run.id)
            events.log(connection, "purge", run.collection, run.name, now, packed_bytes=size)
            total += size
        if found:
            marks.delete_unused(connection)
        return found, total

    before = upkeep.size(store.engine)
    gone, packed_bytes = store.transact(work)
    if gone:
        upkeep.give_room_back(store.engine)
    return Purged(tuple(gone), packed_bytes, before, upkeep.size(store.engine))


def rename(store: Store, name: str, new: str, collection: str | None = None) -> StoredRun:
    """Give a run another name; returns the run as it was.

    Raises:
        DataError: a name that can't be shown.
        NotFound: there is no such run.
        Conflict: a run of the collection has that name, be it one that was removed.
    """
    check_name("run", new)

    def work(connection: Connection) -> StoredRun:
        run = reads.find_run(connection, name, collection)
        if run.name == new:
            return run
        where = reads.collection_id(connection, run.collection) or 0
        taken = reads.run_by(connection, where, name=new)
        if taken is not None:
            how = "there is a run" if taken.removed_at is None else "there is a removed run"
            raise Conflict(f"{how} named {new!r} in collection {run.collection!r} already")
        marks.set_name(connection, run.id, new)
        now = datetime.now(UTC)
        events.log(connection, "rename", run.collection, new, now, before=run.name)
        return run

    return store.transact(work)


def tag(
    store: Store,
    name: str,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    collection: str | None = None,
) -> list[str]:
    """Put tags on a run or take them off; returns those it has then, by their bytes.

    Raises:
        DataError: a tag that can't be shown.
        NotFound: there is no such run.
    """
    for word in add:
        check_name("tag", word)

    def work(connection: Connection) -> list[str]:
        run = reads.find_run(connection, name, collection)
        had = set(marks.tags(connection, run.id))
        has = (had | set(add)) - set(remove)
        words = sorted(has, key=str.encode)
        if has != had:
            marks.set_tags(connection, run.id, words)
            gone = sorted(had - has, key=str.encode)
            new = sorted(has - had, key=str.encode)
            now = datetime.now(UTC)
            events.log(connection, "tag", run.collection, run.name, now, added=new, removed=gone)
        return words

    return store.transact(work)


def history(
    store: Store,
    collection: str | None = None,
    subject: str | None = None,
    last: int | None = None,
) -> list[Event]:
    """Who did what, and when; oldest first."""
    with store.read() as connection:
        return events.events(connection, collection=collection, subject=subject, last=last)


def _found(
    connection: Connection, names: Sequence[str], collection: str | None, *, removed: bool
) -> list[StoredRun]:
    found = [reads.find_run(connection, name, collection, removed=removed) for name in names]
    return list({run.id: run for run in found}.values())
