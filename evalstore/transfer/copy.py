"""Copy from one store everything that another store lacks, or only for one collection.

Runs and qrels are identified by their content, everything else by its name: a copy can be repeated
and adds only missing items. Items that the target already has are not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from sqlalchemy import Connection

from evalstore.catalog.names import free_name
from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound
from evalstore.store import Store, database
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection, list_collections
from evalstore.store.queries.events import add_view, list_views, set_view_name
from evalstore.store.queries.leaderboard import copy_saved_leaderboards
from evalstore.store.queries.qrels import StoredQrels, list_qrels
from evalstore.store.queries.runs import StoredRun, content_hash_of, list_runs, lookup_run
from evalstore.store.queries.tracking import copy_comments
from evalstore.store.transfer import copy as rows

T = TypeVar("T")
Kind = (
    Literal["texts", "qrels", "run", "parents", "ranks", "baseline"]
    | Literal["comments", "drafts", "experiments", "views", "events"]
)


@dataclass(frozen=True)
class Copied:
    """The result of copying one item.

    Attributes:
        kind: the kind of item; `texts` means texts of queries and documents.
        name: the item's name in the target.
        status: `completed`: the target had the item, but not all that belongs to it.
        detail: the reason of a failure, or the additions.
    """

    kind: Kind
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
    """Copy all collections, or one; returns the results in the order of copying.

    Each qrels and each run is one transaction, and each result is passed to `progress` immediately.
    Removed items are copied as removed. DataError: both stores are the same database.
    """
    if source.engine.url == target.engine.url:
        raise DataError(f"{source.url_shown} can't be copied into itself")
    with source.read() as connection:
        names = [stored.name for stored in list_collections(connection, removed=None)]
    if collection is not None and collection not in names:
        raise NotFound(f"there is no collection {collection!r} in {source.url_shown}")
    chosen = names if collection is None else [collection]
    return reported(_all(source, target, chosen, collection), progress)


def reported(results: Iterable[T], progress: Callable[[T], None]) -> tuple[T, ...]:
    """All results; `progress` is called with each one as soon as it is available."""
    done: list[T] = []
    for result in results:
        done.append(result)
        progress(result)
    return tuple(done)


def added_rows(kind: Kind, name: str, added: int) -> Iterator[Copied]:
    """The result for those rows of a collection that have no name; none if nothing was added."""
    if added:
        yield Copied(kind, name, name, "copied", f"{added:,} new")


ORIGINS = "origins of judgments"


def new_parts(measures: int, facts: int) -> str:
    """The additions to a run that the target had."""
    parts = [f"{measures:,} new measures"] if measures else []
    return ", ".join([*parts, *(["times or explanations"] if facts else [])])


def id_here(connection: Connection, collection: str) -> int:
    """The id of a collection, active or removed; 0 if there is none."""
    return find_collection(connection, collection, removed=None) or 0


def _all(
    source: Store, target: Store, names: list[str], collection: str | None
) -> Iterator[Copied]:
    for name in names:
        yield from _collection(source, target, name)
    # Texts of experiments may be about several collections, all of which are in the target by now.
    yield from _experiments(source, target, collection)
    if collection is None:
        yield from _views(source, target)
        yield from _events(source, target, None)


def _collection(source: Store, target: Store, name: str) -> Iterator[Copied]:
    with source.read() as reader:
        added = target.transact(lambda writer: rows.copy_collection(reader, writer, name))
    yield from added_rows("texts", name, added)
    yield from _qrels(source, target, name)
    _in_both(source, target, name, rows.copy_qrels_parents)
    yield from _runs(source, target, name)
    yield from added_rows("parents", name, _in_both(source, target, name, rows.copy_parents))
    yield from added_rows("ranks", name, _in_both(source, target, name, copy_saved_leaderboards))
    baseline = _in_both(source, target, name, rows.copy_baseline)
    if baseline is not None:
        yield Copied("baseline", name, baseline, "copied")
    yield from added_rows("comments", name, _in_both(source, target, name, copy_comments))
    yield from added_rows("drafts", name, _in_both(source, target, name, rows.copy_drafts))
    yield from _events(source, target, name)


def _in_both(
    source: Store,
    target: Store,
    collection: str,
    copy_rows: Callable[[Connection, Connection, int, int], T],
) -> T:
    """Call `copy_rows` with both connections and the ids of the collection in both stores."""
    with source.read() as reader:
        theirs = id_here(reader, collection)
        return target.transact(
            lambda writer: copy_rows(reader, writer, theirs, id_here(writer, collection))
        )


def _experiments(source: Store, target: Store, collection: str | None) -> Iterator[Copied]:
    """Copy the texts of experiments that are about a collection, or all (None)."""
    with source.read() as reader:
        theirs = None if collection is None else id_here(reader, collection)
        added = target.transact(lambda writer: rows.copy_experiments(reader, writer, theirs))
    yield from added_rows("experiments", collection or "", added)


def _views(source: Store, target: Store) -> Iterator[Copied]:
    """Copy the saved views of the dashboard."""
    with source.read() as reader:
        theirs = list_views(reader)
        names = {one.id: one.name for one in list_collections(reader, removed=None)}

    def work(writer: Connection) -> int:
        name_of = {view.key: view.name for view in list_views(writer)}
        new = [view for view in theirs if view.key not in name_of]
        named = [view for view in theirs if view.name and name_of.get(view.key, "") is None]
        for view in new:
            name = names.get(view.collection_id or 0)
            here = name and find_collection(writer, name, removed=None)
            add_view(writer, view._replace(collection_id=here or None))
        for view in named:
            set_view_name(writer, view.key, view.name, view.who, view.created_at)
        return len(new) + len(named)

    yield from added_rows("views", "", target.transact(work))


def _qrels(source: Store, target: Store, collection: str) -> Iterator[Copied]:
    with source.read() as connection:
        qrels_of_source = list_qrels(connection, id_here(connection, collection), removed=None)
    for qrels in reversed(qrels_of_source):  # the oldest first, the order of their ingest

        def work(connection: Connection, qrels: StoredQrels = qrels) -> Copied:
            here = id_here(connection, collection)
            stored = {q.content_hash: q for q in list_qrels(connection, here, removed=None)}
            ours = stored.get(qrels.content_hash)
            with source.read() as reader:
                if ours is None:
                    name = free_name(qrels.name, {q.name for q in stored.values()})
                    rows.copy_qrels(reader, connection, qrels, here, name)
                    done = Copied("qrels", collection, name, "copied")
                elif rows.complete_qrels(reader, connection, qrels.id, ours.id, here):
                    done = Copied("qrels", collection, ours.name, "completed", ORIGINS)
                else:
                    return Copied("qrels", collection, ours.name, "there already")
            _log(connection, source, collection, done.name, "qrels", done.status)
            return done

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
    """Copy one run with its evaluations, or only the evaluations that the target lacks."""
    row = rows.run_row(reader, run.id)
    if row is None:
        raise NotFound(f"run {run.name!r} was deleted meanwhile")
    here = id_here(writer, run.collection)
    stored = lookup_run(writer, here, run.name)
    if stored is not None and content_hash_of(writer, stored.id) != row.content_hash:
        raise Conflict(f"run {run.name!r} has other content in the target: rename one of them")
    if stored is None:
        run_id = rows.copy_run(reader, writer, row, here)
        rows.copy_evaluations(reader, writer, run.id, run_id, here)
        _log(writer, source, run.collection, run.name, "run", "copied")
        return Copied("run", run.collection, run.name, "copied")
    facts = rows.complete_run(reader, writer, run.id, stored.id, here)
    added = rows.copy_evaluations(reader, writer, run.id, stored.id, here)
    if not added + facts:
        return Copied("run", run.collection, stored.name, "there already")
    _log(writer, source, run.collection, stored.name, "run", "completed")
    return Copied("run", run.collection, stored.name, "completed", new_parts(added, facts))


def _events(source: Store, target: Store, collection: str | None) -> Iterator[Copied]:
    """Copy the events of a collection, or those that belong to no collection (None)."""
    with source.read() as connection:
        theirs = _events_of(connection, collection)

    def work(connection: Connection) -> int:
        stored = {_key(event) for event in _events_of(connection, collection)}
        new = [event for event in theirs if _key(event) not in stored]
        for event in new:
            events.add(connection, event)
        return len(new)

    yield from added_rows("events", collection or "", target.transact(work))


def _events_of(connection: Connection, collection: str | None) -> list[events.Event]:
    listed = events.events(connection, collection=collection)
    return [event for event in listed if event.collection == collection]


def _key(event: events.Event) -> tuple[object, ...]:
    return event.at, event.who, event.action, event.subject


def _log(
    connection: Connection, source: Store, collection: str, name: str, kind: str, status: str
) -> None:
    events.log(
        connection, "copy", collection, name,
        kind=kind, status=status, source=database.shown_url(source.engine),
    )  # fmt: skip
