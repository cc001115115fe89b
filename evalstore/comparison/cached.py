"""Judgments, queries and values that are read once and cached until the store changes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from sys import getsizeof
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_collection, named_qrels
from evalstore.formats import Qrels
from evalstore.formats.queries import Queries
from evalstore.measures import Measure
from evalstore.measures.join import TOP
from evalstore.store import Store
from evalstore.store.cache import NOT_KEPT, bytes_of
from evalstore.store.queries.comparison import list_judged_queries, list_judged_tops
from evalstore.store.queries.evaluations import load_value_tables
from evalstore.store.queries.leaderboard import count_judged_answers, list_figures
from evalstore.store.queries.qrels import StoredQrels, count_relevant, has_strata, load_qrels
from evalstore.store.queries.queries import load_queries
from evalstore.store.queries.rankings import Tops, load_tops
from evalstore.store.queries.runs import StoredRun

I64 = npt.NDArray[np.int64]


class JudgedIds(NamedTuple):
    """The queries that a qrels judges, in byte order: as database ids (int64) and as text."""

    ids: I64
    qids: tuple[str, ...]


class JudgedQueries(NamedTuple):
    """The queries that a qrels judges, with their texts and attributes."""

    ids: I64
    qids: tuple[str, ...]
    queries: Queries


class SingleRelevant(NamedTuple):
    """The share of the queries of a qrels that have exactly one relevant document."""

    qrels: str
    share: float


def kept_qrels(store: Store, qrels: StoredQrels) -> Qrels:
    """Load the judgments of a qrels, which the caller must not change; NotFound if it has none."""

    def read() -> Qrels:
        with store.read() as connection:
            return load_qrels(connection, qrels)

    def are_sampled() -> bool:
        with store.read() as connection:
            return has_strata(connection, qrels.id)

    sampled = store.keep(("strata", qrels.id), are_sampled, getsizeof)  # a later ingest adds them
    return store.keep(("judgments", qrels.id, sampled), read, _size, lasting=True)


def _size(qrels: Qrels) -> int:
    arrays = (qrels.starts, qrels.lengths, qrels.grades, qrels.docnos, qrels.keys)
    return bytes_of(qrels.qids) + sum(array.nbytes for array in arrays)


def kept_single_relevant(store: Store, collection: str, qrels: str | None) -> SingleRelevant | None:
    """The share of queries with one relevant document; None if the collection has no qrels."""
    with store.read() as connection:
        stored = kept_collection(store, collection).qrels
        if not stored:
            return None
        chosen = named_qrels(stored, collection, qrels)
        counts = list(kept_relevant(store, connection, chosen.id).values())
        return SingleRelevant(chosen.name, counts.count(1) / max(len(counts), 1))


def kept_relevant(store: Store, connection: Connection, qrels_id: int) -> Mapping[str, int]:
    """The number of relevant documents of each judged query, by query id."""
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
    """The queries that a qrels of a collection judges, with texts and attributes."""

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


F64 = npt.NDArray[np.float64]


def kept_answers(
    store: Store, connection: Connection, qrels_id: int, run_ids: Collection[int]
) -> Mapping[int, int]:
    """The number of judged queries that each run answers, by run id."""

    def read(ids: list[int]) -> dict[int, int]:
        counts = count_judged_answers(connection, qrels_id, ids)
        return {id_: counts.get(id_, 0) for id_ in ids}

    return store.keep_each(("answers", qrels_id), run_ids, read, lambda _: 0, lasting=True)


def kept_judged_tops(
    store: Store, connection: Connection, qrels_id: int, run_ids: Collection[int]
) -> Mapping[int, float]:
    """The share (0 to 1) of the documents at ranks 1 to 10 that are judged, by run id.

    The share is over the judged queries; it is NaN if a run retrieved nothing for them.
    """

    def read(ids: list[int]) -> dict[int, float]:
        tops = list_judged_tops(connection, qrels_id, ids, TOP)
        shares = {top.run_id: top.judged / top.documents for top in tops}
        return {id_: shares.get(id_, np.nan) for id_ in ids}

    return store.keep_each(("judged top", qrels_id), run_ids, read, lambda _: 0, lasting=True)


def kept_aggregates(
    store: Store, qrels_id: int, run_ids: Sequence[int], measures: Sequence[str]
) -> F64:
    """The stored aggregates of runs with rankings: float64, runs x measures, NaN if not stored.

    `measures` are canonical names of measures that need no facts.
    """

    def read(ids: list[int]) -> dict[int, F64]:
        with store.read() as connection:
            stored = list_figures(connection, qrels_id, measures, ids)
        return {id_: np.array([stored[name].get(id_, np.nan) for name in measures]) for id_ in ids}

    key = ("aggregates", qrels_id, *measures)
    kept = store.keep_each(key, run_ids, read, _size_of_stored, lasting=True)
    return np.array([kept[id_] for id_ in run_ids]).reshape(-1, len(measures))


def kept_tops(store: Store, connection: Connection, run: StoredRun, depth: int) -> Tops:
    """The first documents of every ranking of a run; NoRankings if it was imported as values."""
    return store.keep(
        ("tops", run.id, depth),
        lambda: load_tops(connection, run, depth),
        lambda tops: tops.docnos.nbytes + tops.ends.nbytes + bytes_of(tops.qids),
        lasting=True,
    )


def kept_values(
    store: Store,
    connection: Connection,
    qrels_id: int,
    query_ids: I64,
    measure: Measure,
    evaluation_ids: Collection[int],
    *,
    replaceable: bool = False,
) -> F64:
    """The stored values of a measure: float64, queries x evaluations, NaN if not stored.

    Values that need facts can be replaced later; all other values of runs with rankings can only be
    added. `replaceable` says that some runs were imported as values, which can be replaced too.
    """

    def read(ids: list[int]) -> dict[int, F64]:
        tables = load_value_tables(connection, qrels_id, query_ids, [str(measure)], ids)
        return dict(zip(ids, np.ascontiguousarray(tables[str(measure)].T), strict=True))

    if not evaluation_ids:
        return np.empty((len(query_ids), 0))
    key, lasting = ("values", str(measure)), not (measure.descriptor.needs or replaceable)
    kept = store.keep_each(key, evaluation_ids, read, _size_of_stored, lasting=lasting)
    return np.column_stack([kept[id_] for id_ in evaluation_ids])


def _size_of_stored(values: F64) -> int:
    """The size of the values; NOT_KEPT if some are missing, since these may be added later."""
    return NOT_KEPT if np.isnan(values).any() else values.nbytes
