"""Collections: what runs are ingested into, and list, rename, remove, restore and purge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.errors import Conflict, Disjoint, NotFound, QrelsMissing
from evalstore.formats import Qrels, ReadOptions, read_qrels
from evalstore.formats.content_hash import qrels_hash
from evalstore.store import Store, events
from evalstore.store.collections import (
    StoredCollection,
    delete_collection,
    ensure_collection,
    find_collection,
    list_collections,
    set_collection_name,
    set_collection_removed,
)
from evalstore.store.documents import load_documents, set_documents
from evalstore.store.qrels import (
    StoredQrels,
    add_qrels,
    judged_queries,
    list_qrels,
    load_qrels,
    set_default_qrels,
    set_qrels_removed,
)
from evalstore.store.queries import set_query_texts
from evalstore.store.runs import delete_unused
from evalstore.usecases.names import check_name, free_name, qrels_name


@dataclass(frozen=True)
class Grounds:
    """The collection and the qrels, both in the store, that runs are evaluated with."""

    collection_id: int
    qrels_id: int
    qrels_name: str
    qrels: Qrels


def prepare_grounds(
    store: Store,
    collection: str,
    *,
    qrels_path: str | None = None,
    queries: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
    default_qrels: bool = False,
    allow_disjoint: bool = False,
    warn: Callable[[str], None] = lambda _: None,
) -> Grounds:
    """Store the qrels and the query texts, or find the collection's default qrels.

    Args:
        store: where to.
        collection: the collection's name; made if there is none.
        qrels_path: the judgments; the collection's default ones where None.
        queries: texts of queries by query id.
        options: how files are read.
        default_qrels: whether these judgments become the default. The first of a collection
            always do.
        allow_disjoint: whether judgments may share no query with those of the collection.
        warn: called with what was accepted although it is odd.

    Raises:
        FileError: the qrels file breaks a rule; nothing is stored then.
        Disjoint: the judgments share no query with those that the collection has.
        Conflict: the collection is marked as removed.
        NotFound: no qrels is given and the collection has none.
    """
    check_name("collection", collection)
    given = None if qrels_path is None else read_qrels(qrels_path, options)
    for warning in given.warnings if given else ():
        warn(warning)
    with store.read() as connection:
        if find_collection(connection, collection, removed=True) is not None:
            raise Conflict(f"collection {collection!r} was removed, and can be restored")
        known = find_collection(connection, collection)
        if given is None and (known is None or not list_qrels(connection, known)):
            raise QrelsMissing(f"collection {collection!r} has no qrels yet")

    def work(connection: Connection) -> tuple[Grounds, list[str]]:
        now = datetime.now(UTC)
        collection_id = ensure_collection(connection, collection, now)
        if queries:
            set_query_texts(connection, collection_id, queries)
        if given is None or qrels_path is None:
            return _default(connection, collection, collection_id)
        warnings = _shared_queries(connection, collection_id, given, allow_disjoint)
        grounds, more = _stored(connection, collection, collection_id, qrels_path, given, now)
        if default_qrels:
            set_default_qrels(connection, collection_id, grounds.qrels_id)
        else:
            default = list_qrels(connection, collection_id)[0]
            if default.id != grounds.qrels_id:
                more.append(
                    f"figures of collection {collection!r} are shown under qrels "
                    f"{default.name!r}, its default, not under {grounds.qrels_name!r}"
                )
        return grounds, warnings + more

    grounds, warnings = store.transact(work)
    for warning in warnings:
        warn(warning)
    return grounds


def _default(
    connection: Connection, collection: str, collection_id: int
) -> tuple[Grounds, list[str]]:
    """The collection's default qrels, from the store."""
    default, *others = list_qrels(connection, collection_id)
    warnings = []
    if others:
        warnings.append(
            f"collection {collection!r} has several qrels: using its default, {default.name!r}"
        )
    qrels = load_qrels(connection, default)
    return Grounds(collection_id, default.id, default.name, qrels), warnings


def _shared_queries(
    connection: Connection, collection_id: int, given: Qrels, allow_disjoint: bool
) -> list[str]:
    """Warn of a qrels that shares few queries with the collection's own; refuse if it shares none.

    Few is less than half of the smaller of the two sets.
    """
    own = judged_queries(connection, collection_id)
    if not own:
        return []
    shared = len(own.intersection(given.qids))
    numbers = (
        f"{shared:,} of its {len(given.qids):,} queries are among the {len(own):,} that the "
        "collection has judgments of"
    )
    if not shared and not allow_disjoint:
        raise Disjoint(
            f"{given.path}: none of its {len(given.qids):,} queries is among the "
            f"{len(own):,} that the collection has judgments of: another collection?"
        )
    return [f"{given.path}: {numbers}"] if 2 * shared < min(len(own), len(given.qids)) else []


def _stored(
    connection: Connection,
    collection: str,
    collection_id: int,
    path: str,
    given: Qrels,
    now: datetime,
) -> tuple[Grounds, list[str]]:
    """Store judgments, unless the same are there; bring them back where they were removed."""
    content_hash = qrels_hash(given)
    counting = {stored.id for stored in list_qrels(connection, collection_id)}
    taken: dict[str, StoredQrels] = {}
    for stored in list_qrels(connection, collection_id, removed=None):
        if stored.content_hash == content_hash:
            if stored.id not in counting:
                set_qrels_removed(connection, stored.id, None)
                if not counting:
                    set_default_qrels(connection, collection_id, stored.id)
                events.log(connection, "restore", collection, stored.name, now, kind="qrels")
            return Grounds(collection_id, stored.id, stored.name, given), []
        taken[stored.name] = stored
    name = free_name(qrels_name(path), taken)
    qrels_id = add_qrels(
        connection,
        collection_id,
        name=name,
        content_hash=content_hash,
        qids=given.qids,
        lengths=given.lengths,
        docnos=given.docnos,
        grades=given.grades,
        now=now,
    )
    events.log(
        connection, "ingest", collection, name, now, kind="qrels", judgments=len(given.grades)
    )
    warnings = (
        [f"{path} is another set of judgments than was stored: kept as {name!r}"] if taken else []
    )
    return Grounds(collection_id, qrels_id, name, given), warnings


def store_documents(
    store: Store, collection_id: int, documents: Sequence[tuple[str, str, str]]
) -> bool:
    """Store the (docno, title, text) of a collection's documents; whether anything changed."""
    with store.read() as connection:
        if load_documents(connection, collection_id) == sorted(documents):
            return False
    with store.write() as connection:
        set_documents(connection, collection_id, documents)
    return True


# --- the collections of a store ------------------------------------------------------------------


def collections(store: Store, *, removed: bool = False) -> list[StoredCollection]:
    """The collections by name: those that count, or those that are marked as removed."""
    with store.read() as connection:
        return list_collections(connection, removed=removed)


def rename_collection(store: Store, name: str, new: str) -> None:
    """Give a collection another name.

    Raises:
        DataError: a name that can't be shown.
        NotFound: there is no such collection.
        Conflict: a collection has that name, be it one that was removed.
    """
    check_name("collection", new)

    def work(connection: Connection) -> None:
        collection_id = _id_of(connection, name, removed=False)
        if new == name:
            return
        if find_collection(connection, new, removed=None) is not None:
            raise Conflict(f"there is a collection named {new!r} already, maybe a removed one")
        set_collection_name(connection, collection_id, new)
        now = datetime.now(UTC)
        events.log(connection, "rename", new, new, now, kind="collection", before=name)

    store.transact(work)


def remove_collections(store: Store, names: Sequence[str]) -> None:
    """Mark collections as removed: nothing shows them, their runs or qrels. All of them or none.

    Raises:
        NotFound: a collection that the store does not hold, or that was removed before.
    """
    _mark(store, names, removed=False)


def restore_collections(store: Store, names: Sequence[str]) -> None:
    """Bring back collections that were removed, with all that belongs to them. All or none.

    Raises:
        NotFound: no collection of that name was removed.
    """
    _mark(store, names, removed=True)


def _mark(store: Store, names: Sequence[str], *, removed: bool) -> None:
    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        for name in dict.fromkeys(names):
            collection_id = _id_of(connection, name, removed=removed)
            set_collection_removed(connection, collection_id, None if removed else now)
            action: events.Action = "restore" if removed else "rm"
            events.log(connection, action, name, name, now, kind="collection")

    store.transact(work)


def purge_collections(store: Store, names: Sequence[str] = ()) -> list[str]:
    """Delete removed collections for good, with all that belongs to them: those named, or all.

    Returns the names of those that were deleted.

    Raises:
        NotFound: a collection that is named was not removed.
    """

    def work(connection: Connection) -> list[str]:
        now = datetime.now(UTC)
        every = [stored.name for stored in list_collections(connection, removed=True)]
        purged = list(dict.fromkeys(names)) or every
        for name in purged:
            delete_collection(connection, _id_of(connection, name, removed=True))
            events.log(connection, "purge", name, name, now, kind="collection")
        if purged:
            delete_unused(connection)
        return purged

    purged = store.transact(work)
    if purged:
        store.reclaim_space()
    return purged


def _id_of(connection: Connection, name: str, *, removed: bool) -> int:
    collection_id = find_collection(connection, name, removed=removed)
    if collection_id is not None:
        return collection_id
    if find_collection(connection, name, removed=not removed) is None:
        raise NotFound(f"there is no collection {name!r} in the store")
    state = "is not removed" if removed else "was removed, and can be restored"
    raise NotFound(f"collection {name!r} {state}")
