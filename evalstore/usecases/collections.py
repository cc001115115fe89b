"""What runs are held against: a collection with its qrels, query texts and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.errors import NotFound
from evalstore.formats import Qrels, Reading, read_qrels
from evalstore.formats.content_hash import qrels_hash
from evalstore.store import Store, events
from evalstore.store.collections import ensure_collection, find_collection
from evalstore.store.documents import load_documents, set_documents
from evalstore.store.qrels import add_qrels, list_qrels, load_qrels
from evalstore.store.queries import set_query_texts
from evalstore.usecases.names import check_name, free_name, qrels_name


@dataclass(frozen=True)
class Grounds:
    """What the runs are held against: a collection and one of its qrels, in the store."""

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
    how: Reading | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Grounds:
    """Store the qrels and the query texts, or find the collection's newest qrels.

    Raises:
        FileError: the qrels file breaks a rule; nothing is stored then.
        NotFound: no qrels is given and the collection has none.
    """
    check_name("collection", collection)
    given = None if qrels_path is None else read_qrels(qrels_path, how)
    for warning in given.warnings if given else ():
        warn(warning)
    if given is None:
        with store.read() as connection:
            known = find_collection(connection, collection)
            if known is None or not list_qrels(connection, known):
                raise NotFound(f"collection {collection!r} has no qrels yet", problem="no qrels")
    said: list[str] = []
    grounds = store.transact(
        lambda connection: _ground(connection, collection, qrels_path, given, queries, said)
    )
    for warning in dict.fromkeys(said):
        warn(warning)
    return grounds


def _ground(
    connection: Connection,
    collection: str,
    qrels_path: str | None,
    given: Qrels | None,
    queries: Mapping[str, str] | None,
    said: list[str],
) -> Grounds:
    now = datetime.now(UTC)
    collection_id = ensure_collection(connection, collection, now)
    if queries:
        set_query_texts(connection, collection_id, queries)
    if given is None or qrels_path is None:
        stored, *others = list_qrels(connection, collection_id)
        if others:
            said.append(f"collection {collection!r} has several qrels: using {stored.name!r}")
        return Grounds(collection_id, stored.id, stored.name, load_qrels(connection, stored))
    content_hash = qrels_hash(given)
    taken = {}
    for stored in list_qrels(connection, collection_id):
        if stored.content_hash == content_hash:
            return Grounds(collection_id, stored.id, stored.name, given)
        taken[stored.name] = stored
    name = free_name(qrels_name(qrels_path), taken)
    if taken:
        said.append(f"{qrels_path} is another set of judgments than was stored: kept as {name!r}")
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
    return Grounds(collection_id, qrels_id, name, given)


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
