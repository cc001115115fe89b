"""The rows of a qrels or a run as the tables of Parquet have them, by columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Select, bindparam, select

from evalstore.formats.parquet_tables import ROW_GROUP, TABLES, ParquetTable
from evalstore.store import models, packing
from evalstore.store.queries.rankings import iter_rankings
from evalstore.store.rows import driver_rows
from evalstore.store.transfer.parquet_reads import ExportedEvaluation, ExportedQrels, ExportedRun

query_t = models.table(models.Query)
judgment_t = models.table(models.Judgment)
measure_t = models.table(models.Measure)


def judgments_table(connection: Connection, collection: str, qrels: ExportedQrels) -> pa.Table:
    """The judgments of a qrels by query and document."""
    rows = driver_rows(
        connection.execute(
            select(query_t.c.qid, judgment_t.c.docno, judgment_t.c.grade)
            .join(query_t, query_t.c.id == judgment_t.c.query_id)
            .where(judgment_t.c.qrels_id == qrels.id)
            .order_by(query_t.c.qid, judgment_t.c.docno)
        )
    )
    same = {"collection": collection, "qrels": qrels.name}
    return _table(TABLES["judgments"], same, _columns(rows, 3))


def grades_of(judgments: pa.Table) -> dict[str, tuple[pa.Array, pa.Array]]:
    """The judged documents and their grades, by query id, of a table of judgments."""
    content = judgments.combine_chunks()
    qids = content["qid"].to_pylist()
    docnos, grades = (content[name].combine_chunks() for name in ("docno", "grade"))
    starts = [i for i, qid in enumerate(qids) if i == 0 or qid != qids[i - 1]]
    return {
        qids[start]: (docnos.slice(start, stop - start), grades.slice(start, stop - start))
        for start, stop in zip(starts, [*starts[1:], len(qids)], strict=True)
    }


def rankings_tables(
    connection: Connection,
    collection: str,
    run: ExportedRun,
    grades: Mapping[str, tuple[pa.Array, pa.Array]],
) -> Iterator[pa.Table]:
    """The rankings of a run by query and rank, in tables of about ROW_GROUP rows.

    Args:
        connection: of the store.
        collection: the name of the run's collection.
        run: the run.
        grades: what `grades_of` gives; a document that is not among them has a null.
    """
    same = {"collection": collection, "run": run.name}
    lists: list[tuple[str, pa.Array, npt.NDArray[np.float64], pa.Array]] = []
    rows = 0
    with closing(iter_rankings(connection, run.id)) as rankings:
        for qid, packed in rankings:
            docnos, scores = packing.unpack(packed)
            named = _as_text(docnos)
            lists.append((qid, named, scores, _grades(named, grades.get(qid))))
            rows += len(scores)
            if rows >= ROW_GROUP:
                yield _rankings(same, lists)
                lists, rows = [], 0
    yield _rankings(same, lists)


def _rankings(
    same: Mapping[str, str],
    lists: Sequence[tuple[str, pa.Array, npt.NDArray[np.float64], pa.Array]],
) -> pa.Table:
    table = TABLES["rankings"]
    if not lists:
        return table.schema.empty_table()
    lengths = np.array([len(one[2]) for one in lists], np.int64)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ranks = np.arange(1, int(lengths.sum()) + 1, dtype=np.int64) - first
    columns = [
        pa.array([one[0] for one in lists], pa.string()).take(
            pa.array(np.repeat(np.arange(len(lists)), lengths))
        ),
        pa.array(ranks.astype(np.int32)),
        pa.concat_arrays([one[1] for one in lists]),
        pa.array(np.concatenate([one[2] for one in lists])),
        pa.concat_arrays([one[3] for one in lists]),
    ]
    return _table(table, same, columns)


def _grades(docnos: pa.Array, judged: tuple[pa.Array, pa.Array] | None) -> pa.Array:
    """The grade of each document; null where it is not judged."""
    if judged is None:
        return pa.nulls(len(docnos), pa.float64())
    return judged[1].take(pc.index_in(docnos, value_set=judged[0]))


def _as_text(docnos: pa.Array) -> pa.Array:
    """An Arrow binary array of UTF-8 as strings, without a copy."""
    return pa.Array.from_buffers(pa.string(), len(docnos), docnos.buffers(), offset=docnos.offset)


def hits_table(
    connection: Connection,
    collection: str,
    run: ExportedRun,
    evaluations: Sequence[ExportedEvaluation],
) -> pa.Table:
    """The hits of a run under all its qrels, by qrels, query and rank."""
    hit_t = models.table(models.Hit)
    query = (
        select(query_t.c.qid, hit_t.c.rank, hit_t.c.docno, hit_t.c.grade, hit_t.c.score)
        .join(query_t, query_t.c.id == hit_t.c.query_id)
        .where(hit_t.c.evaluation_id == bindparam("evaluation"))
        .order_by(query_t.c.qid, hit_t.c.rank)
    )
    return _by_evaluation(connection, TABLES["hits"], query, collection, run, evaluations)


def values_table(
    connection: Connection,
    collection: str,
    run: ExportedRun,
    evaluations: Sequence[ExportedEvaluation],
) -> pa.Table:
    """The values of a run under all its qrels, by qrels, measure and query."""
    measurement_t = models.table(models.Measurement)
    query = (
        select(measure_t.c.name, query_t.c.qid, measurement_t.c.value)
        .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
        .join(query_t, query_t.c.id == measurement_t.c.query_id)
        .where(measurement_t.c.evaluation_id == bindparam("evaluation"))
        .order_by(measure_t.c.name, query_t.c.qid)
    )
    return _by_evaluation(connection, TABLES["values"], query, collection, run, evaluations)


def _by_evaluation(
    connection: Connection,
    table: ParquetTable,
    query: Select[Any],
    collection: str,
    run: ExportedRun,
    evaluations: Sequence[ExportedEvaluation],
) -> pa.Table:
    """The rows that a query gives for each evaluation, in one table."""
    parts = []
    for one in evaluations:
        rows = driver_rows(connection.execute(query, {"evaluation": one.id}))
        same = {"collection": collection, "qrels": one.qrels, "run": run.name}
        columns = _columns(rows, len(query.selected_columns))
        parts.append(_table(table, same, columns))
    return pa.concat_tables([table.schema.empty_table(), *parts])


def _columns(rows: Sequence[tuple[Any, ...]], count: int) -> list[list[Any]]:
    return (
        [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(count)]
    )


def _table(table: ParquetTable, same: Mapping[str, str], columns: Sequence[Any]) -> pa.Table:
    """A table of columns, before them those that have one value in all rows."""
    count = len(columns[0])
    arrays = [pa.repeat(pa.scalar(value), count) for value in same.values()]
    for values, field in zip(columns, list(table.schema)[len(same) :], strict=True):
        arrays.append(values if isinstance(values, pa.Array) else pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=table.schema)
