"""The queries of a collection: list them, set or remove attributes, find their ids by text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import Condition, natural, select_queries
from evalstore.errors import DataError, NotFound, did_you_mean
from evalstore.formats import ReadOptions
from evalstore.formats.any_format import Wanted, needs_query_ids
from evalstore.formats.queries import Attributes, Queries, checked_name, ids_by_text, value_text
from evalstore.formats.reading.lines import tidy
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.documents import load_documents
from evalstore.store.queries.queries import (
    delete_query_attribute,
    list_qids,
    load_queries,
    set_query_attributes,
    set_query_texts,
)

MOST_NAMED = 3


@dataclass(frozen=True)
class StoredQuery:
    """A query of a collection; `text` is None if unknown."""

    qid: str
    text: str | None
    attributes: Mapping[str, str]


def list_queries(
    store: Store, collection: str, conditions: Sequence[Condition] = ()
) -> list[StoredQuery]:
    """The queries of a collection for which all conditions hold, in natural order of their ids."""
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        queries = load_queries(connection, collection_id)
        qids = list_qids(connection, collection_id)
    return [
        StoredQuery(qid, queries.texts.get(qid), queries.attributes.get(qid, {}))
        for qid in sorted(select_queries(conditions, qids, queries), key=natural)
    ]


def store_queries(store: Store, collection: str, queries: Queries) -> int:
    """Store texts and attributes of queries, keeping others; returns how many texts changed."""

    def work(connection: Connection) -> int:
        now = datetime.now(UTC)
        collection_id = find_collection_id(connection, collection)
        changed = set_query_texts(connection, collection_id, queries)
        if changed:
            events.log(
                connection, "facts", collection, collection, now, kind="queries", changed=changed
            )
        store_attributes(connection, collection, collection_id, queries.attributes, now)
        return changed

    return store.transact(work)


def tag_queries(store: Store, collection: str, attributes: Attributes) -> dict[str, int]:
    """Set attributes of queries, replacing values with the same name. All of them or none.

    Returns the number of queries whose value is new or changed, by attribute.
    """
    tidy = {
        qid: {checked_name(name): value_text(value) for name, value in own.items()}
        for qid, own in attributes.items()
    }
    for qid, own in tidy.items():
        for name, value in own.items():
            if not value:
                raise DataError(f"query {qid!r}: attribute {name!r} has no value")

    def work(connection: Connection) -> dict[str, int]:
        collection_id = find_collection_id(connection, collection)
        _check_queries(connection, collection, collection_id, tidy)
        return store_attributes(connection, collection, collection_id, tidy, datetime.now(UTC))

    return store.transact(work)


def untag_queries(
    store: Store, collection: str, name: str, qids: Collection[str] | None = None
) -> int:
    """Remove an attribute of some queries, or of all (None); returns how many queries had it."""

    def work(connection: Connection) -> int:
        collection_id = find_collection_id(connection, collection)
        _check_queries(connection, collection, collection_id, qids or ())
        attributes = load_queries(connection, collection_id).attributes
        names = sorted({known for own in attributes.values() for known in own})
        if name not in names:
            raise NotFound(
                f"no query of collection {collection!r} has the attribute {name!r}"
                f"{did_you_mean(name, names)}"
            )
        removed = delete_query_attribute(connection, collection_id, name, qids)
        if removed:
            events.log(
                connection, "tag", collection, collection, kind="queries",
                removed={name: removed},
            )  # fmt: skip
        return removed

    return store.transact(work)


def store_attributes(
    connection: Connection,
    collection: str,
    collection_id: int,
    attributes: Attributes,
    now: datetime,
) -> dict[str, int]:
    """Store attributes, with an event if any is new or changed; returns the counts by name."""
    numbers = set_query_attributes(connection, collection_id, attributes)
    if numbers:
        events.log(connection, "tag", collection, collection, now, kind="queries", changed=numbers)
    return numbers


def _check_queries(
    connection: Connection, collection: str, collection_id: int, qids: Collection[str]
) -> None:
    """Raise NotFound for queries that the collection does not have."""
    stored = list_qids(connection, collection_id)
    unknown = sorted(set(qids).difference(stored), key=natural)
    if not unknown:
        return
    names = ", ".join(map(repr, unknown[:MOST_NAMED])) + (", ..." * (len(unknown) > MOST_NAMED))
    hint = did_you_mean(unknown[0], stored) if len(unknown) == 1 else ""
    many = "query" if len(unknown) == 1 else f"{len(unknown):,} queries:"
    raise NotFound(f"collection {collection!r} has no {many} {names}{hint}")


# Finding the query ids of a collection by the queries' texts, for files that have only texts
def with_query_ids(
    store: Store | None,
    collection: str,
    paths: Sequence[str],
    content: Wanted,
    options: ReadOptions | None = None,
    queries: Mapping[str, str] | None = None,
) -> ReadOptions:
    """The options, with `query_ids` and `docnos` added if a file identifies queries by their texts.

    The store and the collection need not exist. `queries` are texts by id that replace the stored
    ones.
    """
    options = options or ReadOptions()
    if not any(needs_query_ids(path, options, content) for path in paths):
        return options
    texts: Mapping[str, str] = {}
    if store is not None:
        with store.read() as connection:
            collection_id = find_collection(connection, collection)
            if collection_id is not None:
                texts = load_queries(connection, collection_id).texts
    options = replace(options, query_ids=ids_by_text({**texts, **(queries or {})}))
    if store is None or content != "qrels":  # processes that read runs have no store
        return options
    return replace(options, docnos=partial(_docnos_by_text, store, collection))


def _docnos_by_text(store: Store, collection: str) -> dict[str, str]:
    """The docno of every stored text of a collection; of equal texts that of the first."""
    with store.read() as connection:
        collection_id = find_collection(connection, collection)
        documents = [] if collection_id is None else load_documents(connection, collection_id)
    docnos: dict[str, str] = {}
    for docno, title, text in documents:
        for known in (text, f"{title or ''} {text or ''}"):
            docnos.setdefault(tidy(known or ""), docno)
    return docnos
