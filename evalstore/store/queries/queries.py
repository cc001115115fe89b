"""The queries of a collection, their texts and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from evalstore.formats.queries import Attributes, Queries
from evalstore.store.columns import I64
from evalstore.store.database import lock_queries
from evalstore.store.models import attribute_t, collection_t, query_t
from evalstore.store.rows import bulk_insert, driver_rows, find_row

IDS_BY_QID = select(query_t.c.qid, query_t.c.id).where(
    query_t.c.collection_id == bindparam("of_collection")
)


class StoredQueryText(NamedTuple):
    """A query of a collection; `text` is None if unknown."""

    id: int
    qid: str
    text: str | None


def find_query(connection: Connection, collection_id: int, qid: str) -> StoredQueryText | None:
    """The query of a collection with this query id, or None."""
    rows = select(query_t.c.id, query_t.c.qid, query_t.c.text)
    own = (query_t.c.collection_id == collection_id, query_t.c.qid == qid)
    return find_row(connection, StoredQueryText, rows.where(*own))


class NamedQuery(NamedTuple):
    """A query with the name of its collection; `text` is None if unknown."""

    collection: str
    qid: str
    text: str | None


def search_queries(
    connection: Connection, text: str, first: str | None, most: int
) -> list[NamedQuery]:
    """The queries of active collections with each word of a text in their id or text.

    The best `most`: the id or the text is the whole text, begins with it, or has a word that does;
    then others. Of equal ones, those of the collection named `first` come before others. Case is
    ignored: on SQLite, of letters other than A to Z only the first of a word.
    """
    qid, words = query_t.c.qid, query_t.c.text

    def of_both(condition: Callable[[ColumnElement[Any]], ColumnElement[bool]]) -> Any:
        return or_(condition(qid), condition(words))

    matches = case(
        (of_both(lambda column: func.lower(column) == func.lower(text)), 0),
        (of_both(lambda column: column.istartswith(text, autoescape=True)), 1),
        (of_both(lambda column: column.icontains(f" {text}", autoescape=True)), 2),
        else_=3,
    )
    has_words = (
        or_(*map(of_both, map(_containing, _forms(word)))) for word in dict.fromkeys(text.split())
    )
    rows = connection.execute(
        select(collection_t.c.name, qid, words)
        .join(collection_t, collection_t.c.id == query_t.c.collection_id)
        .where(collection_t.c.deleted_at.is_(None), and_(*has_words))
        .order_by(matches, collection_t.c.name != (first or ""), query_t.c.id)
        .limit(most)
    )
    return [NamedQuery(*row) for row in rows]


def _forms(word: str) -> set[str]:
    """The word as texts may have it: SQLite's LIKE ignores the case of A to Z alone."""
    return {word} if word.isascii() else {word, word.lower(), word.capitalize()}


def _containing(form: str) -> Callable[[ColumnElement[Any]], ColumnElement[bool]]:
    return lambda column: column.icontains(form, autoescape=True)


def load_attributes(connection: Connection, query_id: int) -> dict[str, str]:
    """The attributes of one query, by name in byte order."""
    rows = connection.execute(
        select(attribute_t.c.name, attribute_t.c.value)
        .where(attribute_t.c.query_id == query_id)
        .order_by(attribute_t.c.name)
    )
    return {row[0]: row[1] for row in rows}


def ensure_queries(
    connection: Connection, collection_id: int, qids: Iterable[str]
) -> dict[str, int]:
    """The ids of a collection's queries by qid; missing ones are inserted."""
    wanted = dict.fromkeys(qids)
    if not wanted:
        return {}
    ids = _query_ids(connection, collection_id)
    if wanted.keys() <= ids.keys():
        return ids
    lock_queries(connection, collection_id)
    ids = _query_ids(connection, collection_id)  # others may have inserted some meanwhile
    missing = [(qid,) for qid in wanted if qid not in ids]
    bulk_insert(connection, query_t, ("qid",), missing, {"collection_id": collection_id})
    return _query_ids(connection, collection_id)


def _query_ids(connection: Connection, collection_id: int) -> dict[str, int]:
    return dict(driver_rows(connection.execute(IDS_BY_QID, {"of_collection": collection_id})))


def ensure_query_ids(
    connection: Connection, collection_id: int, *lists: Sequence[str]
) -> list[I64]:
    """The ids for lists of qids, in the same orders; missing queries are inserted."""
    by_qid = ensure_queries(connection, collection_id, chain.from_iterable(lists))
    return [np.array([by_qid[qid] for qid in qids], np.int64) for qids in lists]


def set_query_texts(connection: Connection, collection_id: int, texts: Mapping[str, str]) -> int:
    """Store the texts of queries; returns the number of new or changed ones."""
    ensure_queries(connection, collection_id, texts)
    rows = connection.execute(
        select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == collection_id)
    )
    changed = [(qid, texts[qid]) for qid, old in rows if qid in texts and texts[qid] != old]
    for qid, text in changed:
        connection.execute(
            update(query_t)
            .where(query_t.c.collection_id == collection_id, query_t.c.qid == qid)
            .values(text=text)
        )
    return len(changed)


def set_query_attributes(
    connection: Connection, collection_id: int, attributes: Attributes
) -> dict[str, int]:
    """Store attributes of queries; attributes with other names, and those of other queries, stay.

    Returns:
        The number of queries whose value is new or changed, by the attribute's name.
    """
    query_ids = ensure_queries(connection, collection_id, attributes)
    stored = load_queries(connection, collection_id).attributes
    new: list[tuple[int, str, str]] = []
    numbers: dict[str, int] = {}
    for qid, own in attributes.items():
        for name, value in own.items():
            before = stored.get(qid, {}).get(name)
            if before == value:
                continue
            numbers[name] = numbers.get(name, 0) + 1
            if before is None:
                new.append((query_ids[qid], name, value))
            else:
                changed = update(attribute_t).where(*_is(query_ids[qid], name))
                connection.execute(changed.values(value=value))
    bulk_insert(connection, attribute_t, ("query_id", "name", "value"), new)
    return numbers


def delete_query_attribute(
    connection: Connection, collection_id: int, name: str, qids: Iterable[str] | None = None
) -> int:
    """Delete an attribute of some queries, or of all (None); returns how many had it."""
    of_collection = select(query_t.c.id).where(query_t.c.collection_id == collection_id)
    if qids is None:
        every = delete(attribute_t).where(
            attribute_t.c.name == name, attribute_t.c.query_id.in_(of_collection)
        )
        return connection.execute(every).rowcount
    query_ids = _query_ids(connection, collection_id)
    return sum(
        connection.execute(delete(attribute_t).where(*_is(query_ids[qid], name))).rowcount
        for qid in dict.fromkeys(qids)
    )


def _is(query_id: int, name: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return attribute_t.c.query_id == query_id, attribute_t.c.name == name


def load_queries(
    connection: Connection, collection_id: int, query_ids: I64 | None = None
) -> Queries:
    """The texts and attributes of a collection's queries, by query id and name in byte order.

    Includes all queries, or only those with these ids in the database.
    """
    wanted = query_t.c.collection_id == collection_id
    only = None
    if query_ids is not None:
        # The queries of a qrels were stored together, so few others have ids between theirs.
        only = set(query_ids.tolist())
        wanted &= query_t.c.id.between(min(only, default=0), max(only, default=-1))
    texts = connection.execute(
        select(query_t.c.id, query_t.c.qid, query_t.c.text)
        .where(wanted, query_t.c.text.is_not(None))
        .order_by(query_t.c.qid)
    )
    rows = connection.execute(
        select(query_t.c.id, query_t.c.qid, attribute_t.c.name, attribute_t.c.value)
        .join(query_t, query_t.c.id == attribute_t.c.query_id)
        .where(wanted)
        .order_by(query_t.c.qid, attribute_t.c.name)
    )
    attributes: dict[str, dict[str, str]] = {}
    for id_, qid, name, value in rows:
        if only is None or id_ in only:
            attributes.setdefault(qid, {})[name] = value
    return Queries(
        {qid: text for id_, qid, text in texts if only is None or id_ in only}, attributes
    )


def list_qids(connection: Connection, collection_id: int) -> list[str]:
    """The ids of a collection's queries, in byte order."""
    chosen = select(query_t.c.qid).where(query_t.c.collection_id == collection_id)
    return list(connection.execute(chosen.order_by(query_t.c.qid)).scalars())


def list_attributes(connection: Connection, collection_id: int) -> list[str]:
    """The names of the attributes that queries of a collection have, in byte order."""
    names = select(attribute_t.c.name).distinct().join(query_t)
    chosen = names.where(query_t.c.collection_id == collection_id)
    return list(connection.execute(chosen.order_by(attribute_t.c.name)).scalars())


def list_attribute_values(connection: Connection) -> list[tuple[str, str]]:
    """The names of attributes with each of their values, over all collections, in byte order."""
    columns = (attribute_t.c.name, attribute_t.c.value)
    rows = connection.execute(select(*columns).distinct().order_by(*columns))
    return [(row[0], row[1]) for row in rows]
