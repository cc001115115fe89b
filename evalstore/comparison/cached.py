"""Judgments, and what they are of, read once while the store does not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_collection, named_qrels
from evalstore.formats import Qrels
from evalstore.formats.queries import Queries
from evalstore.store import Store
from evalstore.store.kept import bytes_of
from evalstore.store.queries.comparison import list_judged_queries
from evalstore.store.queries.qrels import StoredQrels, count_relevant, load_qrels
from evalstore.store.queries.queries import load_queries

I64 = npt.NDArray[np.int64]


class JudgedIds(NamedTuple):
    """The queries that a qrels judges, in byte order: int64 in the database, and as text."""

    ids: I64
    qids: tuple[str, ...]


class JudgedQueries(NamedTuple):
    """The queries that a qrels judges, with their texts and attributes."""

    ids: I64
    qids: tuple[str, ...]
    queries: Queries


class SingleRelevant(NamedTuple):
    """The share of the queries of a qrels that have one relevant document."""

    qrels: str
    share: float


def kept_qrels(store: Store, qrels: StoredQrels) -> Qrels:
    """The judgments of a qrels, which must not be changed.

    Raises:
        NotFound: the qrels has none.
    """

    def read() -> Qrels:
        with store.read() as connection:
            return load_qrels(connection, qrels)

    return store.keep(("judgments", qrels.id), read, _size, lasting=True)


def _size(qrels: Qrels) -> int:
    arrays = (qrels.starts, qrels.lengths, qrels.grades, qrels.docnos, qrels.keys)
    return bytes_of(qrels.qids) + sum(array.nbytes for array in arrays)


def kept_single_relevant(store: Store, collection: str, qrels: str | None) -> SingleRelevant | None:
    """The share of queries with one relevant document: of the qrels named, or the default one.

    None where the collection has no qrels.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        stored = kept_collection(store, collection).qrels
        if not stored:
            return None
        chosen = named_qrels(stored, collection, qrels)
        counts = list(kept_relevant(store, connection, chosen.id).values())
        return SingleRelevant(chosen.name, counts.count(1) / max(len(counts), 1))


def kept_relevant(store: Store, connection: Connection, qrels_id: int) -> Mapping[str, int]:
    """How many documents are relevant, by the ids of the queries that a qrels judges."""
    return store.keep(
        ("relevant", qrels_id),
        lambda: count_relevant(connection, qrels_id),
        bytes_of,
        lasting=True,
    )


def kept_judged_ids(store: Store, connection: Connection, qrels_id: int) -> JudgedIds:
    """The queries that a qrels judges; `connection` reads the store."""

    def read() -> JudgedIds:
        rows = list_judged_queries(connection, qrels_id)
        ids = np.array([row.id for row in rows], np.int64)
        return JudgedIds(ids, tuple(row.qid for row in rows))

    return store.keep(
        ("judged", qrels_id), read, lambda of: of.ids.nbytes + bytes_of(of.qids), lasting=True
    )


def kept_judged_queries(store: Store, collection_id: int, qrels_id: int) -> JudgedQueries:
    """The queries that a qrels of a collection judges."""

    def read() -> JudgedQueries:
        with store.read() as connection:
            judged = kept_judged_ids(store, connection, qrels_id)
            return JudgedQueries(*judged, load_queries(connection, collection_id, judged.ids))

    return store.keep(("judged queries", qrels_id), read, _size_of_queries)


def _size_of_queries(judged: JudgedQueries) -> int:
    queries = judged.queries
    attributes = (text for values in queries.attributes.values() for text in values.values())
    return (
        judged.ids.nbytes
        + bytes_of(judged.qids)
        + bytes_of(queries.texts.values())
        + bytes_of(attributes)
    )
