"""Judgments, and what they are of, read once while the store does not change."""

from __future__ import annotations

from typing import NamedTuple

from evalstore.formats import Qrels
from evalstore.formats.queries import Queries
from evalstore.store import Store
from evalstore.store.comparison import list_judged_queries
from evalstore.store.kept import bytes_of
from evalstore.store.qrels import StoredQrels, count_relevant, list_qrels, load_qrels
from evalstore.store.queries import load_queries
from evalstore.usecases.chosen_qrels import find_collection_id, named_qrels


class JudgedQueries(NamedTuple):
    """The queries that a qrels judges: their ids in byte order, their texts and attributes."""

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
        stored = list_qrels(connection, find_collection_id(connection, collection))
        if not stored:
            return None
        chosen = named_qrels(stored, collection, qrels)

        def read() -> float:
            counts = list(count_relevant(connection, chosen.id).values())
            return counts.count(1) / max(len(counts), 1)

        share = store.keep(("single relevant", chosen.id), read, lambda _: 0, lasting=True)
        return SingleRelevant(chosen.name, share)


def kept_judged_queries(store: Store, collection_id: int, qrels_id: int) -> JudgedQueries:
    """The queries that a qrels of a collection judges."""

    def read_qids() -> tuple[str, ...]:
        with store.read() as connection:
            return tuple(query.qid for query in list_judged_queries(connection, qrels_id))

    def read() -> JudgedQueries:
        qids = store.keep(("judged", qrels_id), read_qids, bytes_of, lasting=True)
        with store.read() as connection:
            return JudgedQueries(qids, load_queries(connection, collection_id, qrels_id))

    return store.keep(("judged queries", qrels_id), read, _size_of_queries)


def _size_of_queries(judged: JudgedQueries) -> int:
    queries = judged.queries
    attributes = (text for values in queries.attributes.values() for text in values.values())
    return bytes_of(judged.qids) + bytes_of(queries.texts.values()) + bytes_of(attributes)
