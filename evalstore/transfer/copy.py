"""Copy into a store what it lacks of another store: everything, or one collection.

Runs and qrels are identified by their content, everything else by its name. A copy can therefore
be repeated and adds only what is missing. Nothing that the target has is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection

from evalstore.catalog.names import free_name
from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound
from evalstore.store import Store, location
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection, list_collections
from evalstore.store.queries.events import add_view, find_view, list_views
from evalstore.store.queries.qrels import StoredQrels, list_qrels
from evalstore.store.queries.runs import StoredRun, list_runs, lookup_run
from evalstore.store.queries.saved_ranks import copy_saved_leaderboards
from evalstore.store.transfer.copy import (
    add_collection,
    copy_baseline,
    copy_evaluations,
    copy_experiments,
    copy_parents,
    copy_qrels,
    copy_run,
    load_collection,
    run_row,
)


@dataclass(frozen=True)
class Copied:
    """The result of copying one item.

    Attributes:
        kind: `texts` are those of queries and documents.
        collection: the collection.
        name: its name in the target.
        status: `copied`, `completed` (the target had it, but not all of its evaluations), `there
            already` or `failed`.
        detail: why it failed, or what was added.
    """

    kind: Literal[
        "texts", "qrels", "run", "parents", "ranks", "baseline", "experiments", "views", "events"
    ]
    collection: str
    name: str
    status: Literal["copied", "completed", "there already", "failed"]
    detail: str = ""


def copy(
    source: Store,
    target: Store,
    collection: str | None = None,
    *,
    progress: Callable[[Copied], None] = lambda _: None,
) -> tuple[Copied, ...]:
    """Copy all collections, or one.

    Each qrels and each run is one transaction. What is marked as removed is copied with its mark.

    Args:
        source: the store to copy from.
        target: the one to copy to.
        collection: only the collection of that name.
        progress: called with each result at once.

    Returns:
        The results, in the order of copying.

    Raises:
        DataError: both are the same database.
        NotFound: the source has no such collection.
    """
    if source.engine.url == target.engine.url:
        raise DataError(f"{source.url_shown} can't be copied into itself")
    with source.read() as connection:
        names = [stored.name for stored in list_collections(connection, removed=None)]
    if collection is not None and collection not in names:
        raise NotFound(f"there is no collection {collection!r} in {source.url_shown}")
    done: list[Copied] = []
    for name in [collection] if collection is not None else names:
        for copied in _collection(source, target, name):
            done.append(copied)
            progress(copied)
    for copied in _of_several(source, target, collection):
        done.append(copied)
        progress(copied)
    return tuple(done)


def _of_several(source: Store, target: Store, collection: str | None) -> Iterator[Copied]:
    """Copy what may be about several collections, which are in the target by now."""
    yield from _experiments(source, target, collection)
    if collection is None:
        yield from _views(source, target)
        yield from _events(source, target, None)


def _collection(source: Store, target: Store, name: str) -> Iterator[Copied]:
    yield from _content(source, target, name)
    yield from _qrels(source, target, name)
    yield from _runs(source, target, name)
    yield from _copied_of_runs(source, target, name, "parents", copy_parents)
    yield from _copied_of_runs(source, target, name, "ranks", copy_saved_leaderboards)
    yield from _baseline(source, target, name)
    yield from _events(source, target, name)


def _experiments(source: Store, target: Store, collection: str | None) -> Iterator[Copied]:
    """Copy the texts of experiments that are about a collection; all where None."""
    with source.read() as reader:
        theirs = None
        if collection is not None:
            theirs = find_collection(reader, collection, removed=None) or 0
        added = target.transact(lambda writer: copy_experiments(reader, writer, theirs))
    if added:
        name = collection or ""
        yield Copied("experiments", name, name, "copied", f"{added:,} new")


def _views(source: Store, target: Store) -> Iterator[Copied]:
    """Copy the saved views of the dashboard."""
    with source.read() as reader:
        theirs = list_views(reader)
        names = {one.id: one.name for one in list_collections(reader, removed=None)}

    def work(writer: Connection) -> int:
        new = [view for view in theirs if find_view(writer, view.key) is None]
        for view in new:
            name = names.get(view.collection_id or 0)
            here = name and find_collection(writer, name, removed=None)
            add_view(writer, view._replace(collection_id=here or None))
        return len(new)

    added = target.transact(work)
    if added:
        yield Copied("views", "", "", "copied", f"{added:,} new")


def _baseline(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as reader:
        theirs = find_collection(reader, collection, removed=None) or 0

        def work(writer: Connection) -> str | None:
            here = find_collection(writer, collection, removed=None) or 0
            return copy_baseline(reader, writer, theirs, here)

        name = target.transact(work)
    if name is not None:
        yield Copied("baseline", collection, name, "copied")


def _content(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as reader:
        content = load_collection(reader, collection)
        added = target.transact(lambda writer: add_collection(reader, writer, content))
    if added:
        yield Copied("texts", collection, collection, "copied", f"{added:,} new")


def _qrels(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        collection_id = find_collection(connection, collection, removed=None) or 0
        qrels_of_source = list_qrels(connection, collection_id, removed=None)
    for qrels in reversed(qrels_of_source):  # the oldest first, as they were ingested

        def work(connection: Connection, qrels: StoredQrels = qrels) -> Copied:
            here = find_collection(connection, collection, removed=None) or 0
            names = {q.content_hash: q.name for q in list_qrels(connection, here, removed=None)}
            if qrels.content_hash in names:
                name = names[qrels.content_hash]
                return Copied("qrels", collection, name, "there already")
            name = free_name(qrels.name, set(names.values()))
            with source.read() as reader:
                copy_qrels(reader, connection, qrels, here, name)
            _log(connection, source, collection, name, "qrels", "copied")
            return Copied("qrels", collection, name, "copied")

        yield target.transact(work)


def _runs(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        runs = list_runs(connection, collection=collection, removed=None)
    for run in sorted(runs, key=lambda run: run.id):

        def work(connection: Connection, run: StoredRun = run) -> Copied:
            with source.read() as reader:
                return _run(source, reader, connection, run)

        try:
            yield target.transact(work)
        except EvalstoreError as error:
            yield Copied("run", collection, run.name, "failed", str(error))


def _run(source: Store, reader: Connection, writer: Connection, run: StoredRun) -> Copied:
    """Copy one run with its evaluations, or those that the target does not have."""
    row = run_row(reader, run.id)
    if row is None:
        raise NotFound(f"run {run.name!r} was deleted meanwhile")
    here = find_collection(writer, run.collection, removed=None) or 0
    stored = lookup_run(writer, here, content=row.content_hash)
    if stored is None:
        if lookup_run(writer, here, name=run.name) is not None:
            raise Conflict(f"run {run.name!r} has other content in the target: rename one of them")
        run_id = copy_run(reader, writer, row, here)
        copy_evaluations(reader, writer, run.id, run_id, here)
        _log(writer, source, run.collection, run.name, "run", "copied")
        return Copied("run", run.collection, run.name, "copied")
    added = copy_evaluations(reader, writer, run.id, stored.id, here)
    if not added:
        return Copied("run", run.collection, stored.name, "there already")
    _log(writer, source, run.collection, stored.name, "run", "completed")
    detail = f"{added:,} new measures"
    return Copied("run", run.collection, stored.name, "completed", detail)


def _copied_of_runs(
    source: Store,
    target: Store,
    collection: str,
    kind: Literal["parents", "ranks"],
    copy_rows: Callable[[Connection, Connection, int, int], int],
) -> Iterator[Copied]:
    """Copy what belongs to runs that are in the target by now: their parents, saved ranks.

    `copy_rows` gets both connections and the collection's ids there, and returns how many are new.
    """
    with source.read() as reader:
        theirs = find_collection(reader, collection, removed=None) or 0

        def work(writer: Connection) -> int:
            here = find_collection(writer, collection, removed=None) or 0
            return copy_rows(reader, writer, theirs, here)

        added = target.transact(work)
    if added:
        yield Copied(kind, collection, collection, "copied", f"{added:,} new")


def _events(source: Store, target: Store, collection: str | None) -> Iterator[Copied]:
    """Copy the events of a collection; those that belong to none where None."""
    with source.read() as connection:
        theirs = _events_of(connection, collection)

    def work(connection: Connection) -> int:
        stored = {_key(event) for event in _events_of(connection, collection)}
        new = [event for event in theirs if _key(event) not in stored]
        for event in new:
            events.add(connection, event)
        return len(new)

    added = target.transact(work)
    if added:
        name = collection or ""
        yield Copied("events", name, name, "copied", f"{added:,} new")


def _events_of(connection: Connection, collection: str | None) -> list[events.Event]:
    listed = events.events(connection, collection=collection)
    return [event for event in listed if event.collection == collection]


def _key(event: events.Event) -> tuple[object, ...]:
    return event.at, event.who, event.action, event.subject


def _log(
    connection: Connection, source: Store, collection: str, name: str, kind: str, status: str
) -> None:
    events.log(
        connection, "copy", collection, name, datetime.now(UTC),
        kind=kind, status=status, source=location.shown_url(source.engine),
    )  # fmt: skip
