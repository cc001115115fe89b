"""Copy what one store holds and another does not: a whole store, or one collection.

What is the same in both is known by its content (runs, qrels) or its name (everything else), so
a copy can be repeated and adds what is missing. Nothing that the target has is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection

from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound
from evalstore.store import Store, events, location
from evalstore.store import copy as transfer
from evalstore.store.collections import find_collection, list_collections
from evalstore.store.qrels import StoredQrels, list_qrels
from evalstore.store.runs import StoredRun, list_runs, lookup_run
from evalstore.usecases.names import free_name


@dataclass(frozen=True)
class Copied:
    """What became of one thing.

    Attributes:
        kind: `texts` are those of queries and documents.
        collection: the collection.
        name: what it is called in the target.
        status: `copied`, `completed` (it was there, but not all of its evaluations), `there
            already` or `failed`.
        detail: why it failed, or what was added.
    """

    kind: Literal["texts", "qrels", "run", "events"]
    collection: str
    name: str
    status: Literal["copied", "completed", "there already", "failed"]
    detail: str = ""


def copy(source: Store, target: Store, collection: str | None = None) -> Iterator[Copied]:
    """Copy all collections, or one; yields what became of each thing as it is done.

    Each qrels and each run is one transaction. Runs that are marked as removed are copied with
    their mark.

    Raises:
        DataError: both are the same database.
        NotFound: the source has no such collection.
    """
    if source.engine.url == target.engine.url:
        raise DataError(f"{source.url_shown} can't be copied into itself")
    with source.read() as connection:
        names = list_collections(connection)
    if collection is not None and collection not in names:
        raise NotFound(f"there is no collection {collection!r} in {source.url_shown}")
    for name in [collection] if collection is not None else names:
        yield from _texts(source, target, name)
        yield from _qrels(source, target, name)
        yield from _runs(source, target, name)
        yield from _events(source, target, name)


def _texts(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        texts = transfer.texts(connection, collection)
    added = target.transact(lambda connection: transfer.add_texts(connection, texts))
    if added:
        yield Copied("texts", collection, collection, "copied", f"{added:,} new")


def _qrels(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        where = find_collection(connection, collection) or 0
        found = list_qrels(connection, where)
    for qrels in reversed(found):  # the oldest first: the newest is what people see

        def work(connection: Connection, qrels: StoredQrels = qrels) -> Copied:
            here = find_collection(connection, collection) or 0
            known = {q.content_hash: q.name for q in list_qrels(connection, here)}
            if qrels.content_hash in known:
                name = known[qrels.content_hash]
                return Copied("qrels", collection, name, "there already")
            name = free_name(qrels.name, set(known.values()))
            with source.read() as reader:
                transfer.copy_qrels(reader, connection, qrels, here, name)
            _log(connection, source, collection, name, "qrels", "copied")
            return Copied("qrels", collection, name, "copied")

        yield target.transact(work)


def _runs(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        found = list_runs(connection, collection=collection, removed=None)
    for run in sorted(found, key=lambda run: run.id):

        def work(connection: Connection, run: StoredRun = run) -> Copied:
            with source.read() as reader:
                return _run(source, reader, connection, run)

        try:
            yield target.transact(work)
        except EvalstoreError as error:
            yield Copied("run", collection, run.name, "failed", str(error))


def _run(source: Store, reader: Connection, writer: Connection, run: StoredRun) -> Copied:
    """Copy one run with its evaluations, or those that the target does not have."""
    row = transfer.run_row(reader, run.id)
    if row is None:
        raise NotFound(f"run {run.name!r} was deleted meanwhile")
    here = find_collection(writer, run.collection) or 0
    there = lookup_run(writer, here, content=row.content_hash)
    if there is None:
        if lookup_run(writer, here, name=run.name) is not None:
            raise Conflict(f"run {run.name!r} has other content in the target: rename one of them")
        run_id = transfer.copy_run(reader, writer, row, here)
        transfer.copy_evaluations(reader, writer, run.id, run_id, here)
        _log(writer, source, run.collection, run.name, "run", "copied")
        return Copied("run", run.collection, run.name, "copied")
    added = transfer.copy_evaluations(reader, writer, run.id, there.id, here)
    if not added:
        return Copied("run", run.collection, there.name, "there already")
    _log(writer, source, run.collection, there.name, "run", "completed")
    detail = f"{added:,} new measures"
    return Copied("run", run.collection, there.name, "completed", detail)


def _events(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        theirs = events.events(connection, collection=collection)

    def work(connection: Connection) -> int:
        known = {_known_by(event) for event in events.events(connection, collection=collection)}
        new = [event for event in theirs if _known_by(event) not in known]
        for event in new:
            events.add(connection, event)
        return len(new)

    added = target.transact(work)
    if added:
        yield Copied("events", collection, collection, "copied", f"{added:,} new")


def _known_by(event: events.Event) -> tuple[object, ...]:
    return event.at, event.who, event.action, event.subject


def _log(
    connection: Connection, source: Store, collection: str, name: str, kind: str, status: str
) -> None:
    events.log(
        connection, "copy", collection, name, datetime.now(UTC),
        kind=kind, status=status, source=location.shown_url(source.engine),
    )  # fmt: skip
