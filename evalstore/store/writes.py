"""Everything that changes a store. Each function works inside the transaction it is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlalchemy import Connection, Table, delete, insert, select, update

from evalstore.store import models
from evalstore.store.database import bulk_insert, ignore_existing

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
run_t = models.table(models.Run)


@dataclass(frozen=True)
class RankingRows:
    """A run's content as it is stored; q lists.

    Attributes:
        qids: the queries answered.
        lengths: int64 (q), the length of each list.
        packed: one packed ranking per list.
        top_query: int64, index into `qids` of each row kept for SQL.
        top_rank, top_docno, top_score: of these rows; ranks from 1.
    """

    qids: Sequence[str]
    lengths: I64
    packed: Sequence[bytes]
    top_query: I64
    top_rank: I64
    top_docno: pa.Array
    top_score: F64


@dataclass(frozen=True)
class EvaluationRows:
    """A run held against a qrels, as it is stored.

    Attributes:
        qids: the queries evaluated.
        hit_query, hit_rank, hit_docno, hit_grade, hit_score: the relevant documents retrieved.
        values: per measure (canonical name) a float64 per query.
        aggregates: per measure its one figure.
        measures: per measure (family, direction, aggregate).
    """

    qids: Sequence[str]
    hit_query: I64
    hit_rank: I64
    hit_docno: pa.Array
    hit_grade: F64
    hit_score: F64
    values: Mapping[str, F64]
    aggregates: Mapping[str, float]
    measures: Mapping[str, tuple[str, int, str]]


def _ensure(
    connection: Connection, model: type[models.Base], key: dict[str, object], **more: object
) -> int:
    """The id of the row with these key columns, inserted if there is none."""
    t = models.table(model)
    connection.execute(ignore_existing(t, connection.dialect.name).values(**key, **more))
    found = select(t.c.id).where(*(t.c[name] == value for name, value in key.items()))
    return int(connection.execute(found).scalar_one())


def _inserted(connection: Connection, target: Table, **values: object) -> int:
    """Insert one row; returns its id."""
    key = connection.execute(insert(target).values(**values)).inserted_primary_key
    assert key is not None  # noqa: S101  (every table that is inserted into so has one)
    return int(key[0])


def ensure_collection(connection: Connection, name: str, now: datetime) -> int:
    """The id of a collection, made if there is none of that name."""
    return _ensure(connection, models.Collection, {"name": name}, created_at=now)


def ensure_engine(connection: Connection, name: str) -> int:
    """The id of an engine, made if there is none of that name."""
    return _ensure(connection, models.Engine, {"name": name})


def ensure_experiment(connection: Connection, name: str, now: datetime) -> int:
    """The id of an experiment, made if there is none of that name."""
    return _ensure(connection, models.Experiment, {"name": name}, created_at=now)


def ensure_queries(
    connection: Connection, collection_id: int, qids: Iterable[str]
) -> dict[str, int]:
    """The ids of a collection's queries by qid; those it does not have yet are made."""

    def known() -> dict[str, int]:
        rows = connection.execute(
            select(query_t.c.qid, query_t.c.id).where(query_t.c.collection_id == collection_id)
        )
        return dict(rows.all())

    found = known()
    missing = [(qid,) for qid in dict.fromkeys(qids) if qid not in found]
    if missing:  # and stays so until they are there: writers take turns
        bulk_insert(connection, query_t, ("qid",), missing, {"collection_id": collection_id})
        found = known()
    return found


def set_query_texts(connection: Connection, collection_id: int, texts: Mapping[str, str]) -> int:
    """Store the texts of queries; returns how many were new or changed."""
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


def set_documents(
    connection: Connection, collection_id: int, documents: Iterable[tuple[str, str, str]]
) -> None:
    """Store (docno, title, text) of a collection's documents, in the place of those it had."""
    table = models.table(models.Document)
    connection.execute(delete(table).where(table.c.collection_id == collection_id))
    rows = list(documents)
    same = {"collection_id": collection_id}
    bulk_insert(connection, table, ("docno", "title", "text"), rows, same)
    connection.execute(
        update(collection_t).where(collection_t.c.id == collection_id).values(documents=len(rows))
    )


def add_qrels(
    connection: Connection,
    collection_id: int,
    *,
    name: str,
    content_hash: str,
    qids: Sequence[str],
    lengths: I64,
    docnos: pa.Array,
    grades: F64,
    now: datetime,
) -> int:
    """Store a set of judgments; returns its id."""
    table = models.table(models.Qrels)
    qrels_id = _inserted(
        connection,
        table,
        collection_id=collection_id,
        name=name,
        content_hash=content_hash,
        queries=len(qids),
        judgments=len(grades),
        relevant=int(np.count_nonzero(grades >= 1)),
        highest_grade=float(grades.max()),
        created_at=now,
    )
    query_ids = ensure_queries(connection, collection_id, qids)
    rows = zip(
        np.repeat([query_ids[qid] for qid in qids], lengths).tolist(),
        texts(docnos),
        grades.tolist(),
        strict=True,
    )
    columns = ("query_id", "docno", "grade")
    bulk_insert(connection, models.table(models.Judgment), columns, rows, {"qrels_id": qrels_id})
    return qrels_id


def add_run(
    connection: Connection,
    collection_id: int,
    *,
    engine_id: int,
    experiment_id: int | None,
    name: str,
    tag: str,
    content_hash: str,
    content: RankingRows,
    now: datetime,
) -> int:
    """Store a run with its rankings; returns its id."""
    run_id = _inserted(
        connection,
        run_t,
        collection_id=collection_id,
        engine_id=engine_id,
        experiment_id=experiment_id,
        name=name,
        tag=tag,
        content_hash=content_hash,
        queries=len(content.qids),
        retrieved=int(content.lengths.sum()),
        created_at=now,
    )
    by_qid = ensure_queries(connection, collection_id, content.qids)
    query_ids = np.array([by_qid[qid] for qid in content.qids], np.int64)
    bulk_insert(
        connection,
        models.table(models.Ranking),
        ("query_id", "retrieved", "packed"),
        zip(query_ids.tolist(), content.lengths.tolist(), content.packed, strict=True),
        {"run_id": run_id},
    )
    bulk_insert(
        connection,
        models.table(models.Retrieved),
        ("query_id", "rank", "docno", "score"),
        zip(
            query_ids[content.top_query].tolist(),
            content.top_rank.tolist(),
            texts(content.top_docno),
            content.top_score.tolist(),
            strict=True,
        ),
        {"run_id": run_id},
    )
    return run_id


def add_evaluation(
    connection: Connection,
    *,
    collection_id: int,
    run_id: int,
    qrels_id: int,
    evaluator: str,
    compat: str,
    rows: EvaluationRows,
    now: datetime,
) -> int:
    """Store the values of a run under a qrels; returns the evaluation's id."""
    evaluation_id = _inserted(
        connection,
        models.table(models.Evaluation),
        run_id=run_id,
        qrels_id=qrels_id,
        evaluator=evaluator,
        compat=compat,
        created_at=now,
    )
    by_qid = ensure_queries(connection, collection_id, rows.qids)
    query_ids = np.array([by_qid[qid] for qid in rows.qids], np.int64)
    bulk_insert(
        connection,
        models.table(models.Hit),
        ("query_id", "rank", "docno", "grade", "score"),
        zip(
            query_ids[rows.hit_query].tolist(),
            rows.hit_rank.tolist(),
            texts(rows.hit_docno),
            rows.hit_grade.tolist(),
            rows.hit_score.tolist(),
            strict=True,
        ),
        {"evaluation_id": evaluation_id},
    )
    add_values(connection, evaluation_id, query_ids, rows)
    return evaluation_id


def add_values(
    connection: Connection, evaluation_id: int, query_ids: I64, rows: EvaluationRows
) -> None:
    """Store measurements and aggregates of an evaluation."""
    measure_ids = ensure_measures(connection, rows.measures)
    names = sorted(rows.values, key=measure_ids.__getitem__)  # in the order of the table's key
    ids, count = query_ids.tolist(), len(query_ids)
    bulk_insert(
        connection,
        models.table(models.Measurement),
        ("measure_id", "query_id", "value"),
        chain.from_iterable(
            # The measure's id has no end.
            zip(repeat(measure_ids[name]), ids, rows.values[name].tolist(), strict=False)
            for name in names
        ),
        {"evaluation_id": evaluation_id},
    )
    spreads: list[float] | list[None] = [None] * len(names)
    if count > 1 and names:
        spreads = np.std([rows.values[name] for name in names], axis=1, ddof=1).tolist()
    bulk_insert(
        connection,
        models.table(models.Aggregate),
        ("measure_id", "value", "spread", "queries"),
        [
            (measure_ids[name], rows.aggregates[name], spread, count)
            for name, spread in zip(names, spreads, strict=True)
        ],
        {"evaluation_id": evaluation_id},
    )


def ensure_measures(
    connection: Connection, described: Mapping[str, tuple[str, int, str]]
) -> dict[str, int]:
    """The ids of measures by name; (family, direction, aggregate) of those that are new."""

    def known() -> dict[str, int]:
        return dict(connection.execute(select(table.c.name, table.c.id)).all())

    table = models.table(models.Measure)
    found = known()
    missing = [
        {"name": name, "family": family, "direction": direction, "aggregate": aggregate}
        for name, (family, direction, aggregate) in described.items()
        if name not in found
    ]
    if missing:
        connection.execute(ignore_existing(table, connection.dialect.name), missing)
        found = known()
    return found


def texts(ids: pa.Array) -> list[str]:
    """An Arrow binary array of UTF-8 as Python strings."""
    kind = pa.large_string() if pa.types.is_large_binary(ids.type) else pa.string()
    alike = pa.Array.from_buffers(kind, len(ids), ids.buffers(), offset=ids.offset)
    return list(alike.to_pylist())
