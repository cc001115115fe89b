"""Facts that some measures need beside a run and its qrels.

Judgments by subtopic and known documents belong to a collection, response times and the size of
the index to a run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np
from sqlalchemy import Connection, Table, delete, select

from evalstore.formats import ids
from evalstore.formats.qrels import SubtopicQrels
from evalstore.matching import Extras
from evalstore.measures import Measure
from evalstore.store import models
from evalstore.store.queries import ensure_queries
from evalstore.store.rows import bulk_insert, texts

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
run_t = models.table(models.Run)
subtopic_t = models.table(models.SubtopicJudgment)
known_t = models.table(models.KnownDocument)
time_t = models.table(models.ResponseTime)


def set_subtopics(connection: Connection, collection_id: int, qrels: SubtopicQrels) -> None:
    """Store judgments by subtopic; those that the collection had are deleted."""
    query_ids = ensure_queries(connection, collection_id, qrels.qids)
    rows = zip(
        np.repeat([query_ids[qid] for qid in qrels.qids], qrels.lengths).tolist(),
        texts(qrels.docnos),
        texts(qrels.subtopics),
        qrels.grades.tolist(),
        strict=True,
    )
    columns = ("query_id", "docno", "subtopic", "grade")
    connection.execute(delete(subtopic_t).where(subtopic_t.c.collection_id == collection_id))
    bulk_insert(connection, subtopic_t, columns, rows, {"collection_id": collection_id})


def set_known(
    connection: Connection, collection_id: int, known: Mapping[str, Collection[str]]
) -> None:
    """Store the documents that each query's user knew; those stored before are deleted."""
    query_ids = ensure_queries(connection, collection_id, known)
    rows = [(query_ids[qid], docno) for qid, docnos in known.items() for docno in sorted(docnos)]
    connection.execute(delete(known_t).where(known_t.c.collection_id == collection_id))
    bulk_insert(connection, known_t, ("query_id", "docno"), rows, {"collection_id": collection_id})


def set_times(
    connection: Connection, collection_id: int, run_id: int, times: Mapping[str, float]
) -> None:
    """Store the response times of a run (milliseconds); those stored before are deleted."""
    query_ids = ensure_queries(connection, collection_id, times)
    rows = [(query_ids[qid], float(time)) for qid, time in times.items()]
    connection.execute(delete(time_t).where(time_t.c.run_id == run_id))
    bulk_insert(connection, time_t, ("query_id", "milliseconds"), rows, {"run_id": run_id})


def load_extras(
    connection: Connection, collection_id: int, run_id: int, measures: Iterable[Measure]
) -> Extras | None:
    """The stored facts that some measures need beside a run and its qrels; None where none do.

    Only these are loaded: a known size of the collection, for one, has the documents of the whole
    run counted.
    """
    needs = {need for measure in measures for need in measure.descriptor.needs}
    if not needs:
        return None
    load: dict[str, Callable[[], Any]] = {
        "collection_size": lambda: connection.execute(
            select(collection_t.c.documents).where(collection_t.c.id == collection_id)
        ).scalar(),
        "known": lambda: load_known(connection, collection_id),
        "times": lambda: load_times(connection, run_id),
        "index_bytes": lambda: connection.execute(
            select(run_t.c.index_bytes).where(run_t.c.id == run_id)
        ).scalar(),
        "subtopics": lambda: load_subtopics(connection, collection_id),
    }
    return Extras(**{need: load[need]() for need in needs})


def load_known(connection: Connection, collection_id: int) -> dict[str, set[str]] | None:
    """The documents each query's user knew; None where none are stored."""
    known: dict[str, set[str]] = {}
    columns = (query_t.c.qid, known_t.c.docno)
    for qid, docno in _rows(connection, known_t, columns, collection_id):
        known.setdefault(qid, set()).add(docno)
    return known or None


def load_times(connection: Connection, run_id: int) -> dict[str, float] | None:
    """The response times of a run in milliseconds by query id; None where none are stored."""
    rows = connection.execute(
        select(query_t.c.qid, time_t.c.milliseconds)
        .join(query_t, query_t.c.id == time_t.c.query_id)
        .where(time_t.c.run_id == run_id)
        .order_by(query_t.c.qid)
    )
    return {row[0]: row[1] for row in rows} or None


def load_subtopics(connection: Connection, collection_id: int) -> SubtopicQrels | None:
    """The judgments by subtopic, as they were read from a file; None where none are stored."""
    columns = (query_t.c.qid, subtopic_t.c.docno, subtopic_t.c.subtopic, subtopic_t.c.grade)
    rows = _rows(connection, subtopic_t, columns, collection_id)
    if not rows:
        return None
    qids = tuple(dict.fromkeys(row[0] for row in rows))
    number = {qid: i for i, qid in enumerate(qids)}
    lengths = np.bincount([number[row[0]] for row in rows], minlength=len(qids))
    docnos = ids.column([row[1].encode() for row in rows])
    return SubtopicQrels(
        path="the store",
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos,
        subtopics=ids.column([row[2].encode() for row in rows]),
        grades=np.array([row[3] for row in rows], np.float64),
        keys=ids.row_keys(qids, lengths, docnos),
        warnings=(),
    )


def _rows(
    connection: Connection, table: Table, columns: tuple[Any, ...], collection_id: int
) -> list[tuple[Any, ...]]:
    """Rows of a collection's table, by the bytes of the query id and of the rest of the key."""
    query = (
        select(*columns)
        .join(query_t, query_t.c.id == table.c.query_id)
        .where(table.c.collection_id == collection_id)
        .order_by(*columns[:-1] if len(columns) > 2 else columns)
    )
    return [tuple(row) for row in connection.execute(query)]
