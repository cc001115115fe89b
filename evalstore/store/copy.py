"""Rows of one store written into another: ids are translated, everything else is as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select, update

from evalstore.store import models
from evalstore.store.collections import ensure_collection, find_collection
from evalstore.store.documents import load_documents
from evalstore.store.evaluations import ensure_measures, find_evaluation, stored_measures
from evalstore.store.qrels import StoredQrels, list_qrels
from evalstore.store.queries import ensure_queries, set_query_texts
from evalstore.store.rows import bulk_insert
from evalstore.store.runs import ensure_engine, ensure_experiment

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
document_t = models.table(models.Document)
run_t = models.table(models.Run)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)

BATCH = 10_000


@dataclass(frozen=True)
class Texts:
    """A collection with the texts of its queries and documents."""

    collection: str
    documents: int | None
    created_at: datetime
    queries: Mapping[str, str | None]
    rows: Sequence[tuple[str, str | None, str | None]]


def texts(connection: Connection, collection: str) -> Texts:
    """What a collection says of its queries and documents."""
    row = connection.execute(select(collection_t).where(collection_t.c.name == collection)).one()
    queries = select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == row.id)
    rows = load_documents(connection, row.id)
    found = {r[0]: r[1] for r in connection.execute(queries.order_by(query_t.c.qid))}
    return Texts(collection, row.documents, row.created_at, found, rows)


def add_texts(connection: Connection, given: Texts) -> int:
    """Add the queries, texts and documents that a collection lacks; returns how many."""
    known = find_collection(connection, given.collection)
    here = ensure_collection(connection, given.collection, given.created_at)
    added = 0 if known else 1
    if given.documents is not None:
        connection.execute(
            update(collection_t)
            .where(collection_t.c.id == here, collection_t.c.documents.is_(None))
            .values(documents=given.documents)
        )
    rows = connection.execute(
        select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == here)
    )
    has: dict[str, str | None] = {row[0]: row[1] for row in rows}
    ensure_queries(connection, here, given.queries)
    new = {
        qid: text
        for qid, text in given.queries.items()
        if text is not None and has.get(qid) is None
    }
    set_query_texts(connection, here, new)
    added += len(new.keys() | (given.queries.keys() - has.keys()))
    found = select(document_t.c.docno).where(document_t.c.collection_id == here)
    there = {row[0] for row in connection.execute(found)}
    documents = [row for row in given.rows if row[0] not in there]
    columns, same = ("docno", "title", "text"), {"collection_id": here}
    bulk_insert(connection, document_t, columns, documents, same)
    return added + len(documents)


def copy_qrels(
    reader: Connection, writer: Connection, qrels: StoredQrels, here: int, name: str
) -> int:
    """Copy a set of judgments into the collection `here`; returns its id there."""
    table = models.table(models.Qrels)
    row = reader.execute(select(table).where(table.c.id == qrels.id)).one()
    qrels_id = _insert(writer, table, row, collection_id=here, name=name)
    columns = ("qrels_id", "query_id", "docno", "grade")
    _copy_rows(reader, writer, models.table(models.Judgment), columns, row.id, qrels_id, here)
    return qrels_id


def run_row(reader: Connection, run_id: int) -> Row[Any] | None:
    """A run with the names of its engine and experiment (or None)."""
    engine, experiment = models.table(models.Engine), models.table(models.Experiment)
    return reader.execute(
        select(
            run_t,
            engine.c.name.label("engine"),
            experiment.c.name.label("experiment"),
        )
        .join(engine, engine.c.id == run_t.c.engine_id)
        .outerjoin(experiment, experiment.c.id == run_t.c.experiment_id)
        .where(run_t.c.id == run_id)
    ).first()


def copy_run(reader: Connection, writer: Connection, row: Row[Any], here: int) -> int:
    """Copy a run and its rankings into the collection `here`; returns its id there."""
    now = datetime.now(UTC)
    run_id = _insert(
        writer,
        run_t,
        row,
        collection_id=here,
        engine_id=ensure_engine(writer, row.engine),
        experiment_id=(
            None if row.experiment is None else ensure_experiment(writer, row.experiment, now)
        ),
    )
    for table, columns in (
        (models.table(models.Ranking), ("run_id", "query_id", "retrieved", "packed")),
        (models.table(models.Retrieved), ("run_id", "query_id", "rank", "docno", "score")),
    ):
        _copy_rows(reader, writer, table, columns, row.id, run_id, here)
    return run_id


def copy_evaluations(
    reader: Connection, writer: Connection, theirs: int, ours: int, here: int
) -> int:
    """Copy what the run `ours` lacks of the evaluations of `theirs`; returns how many measures."""
    qrels_t = models.table(models.Qrels)
    rows = reader.execute(
        select(evaluation_t, qrels_t.c.content_hash)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .where(evaluation_t.c.run_id == theirs)
        .order_by(evaluation_t.c.id)
    ).all()
    qrels = {stored.content_hash: stored.id for stored in list_qrels(writer, here)}
    added = 0
    for row in rows:
        qrels_id = qrels[row.content_hash]
        there = find_evaluation(writer, ours, qrels_id)
        if there is not None and there.compat != row.compat:
            continue  # values by two releases' rules don't belong in one evaluation
        known = there.id if there else None
        if known is None:
            known = _insert(writer, evaluation_t, row, run_id=ours, qrels_id=qrels_id)
            columns = ("evaluation_id", "query_id", "rank", "docno", "grade", "score")
            _copy_rows(reader, writer, models.table(models.Hit), columns, row.id, known, here)
        added += _copy_values(reader, writer, row.id, known, here)
    return added


def _copy_values(reader: Connection, writer: Connection, theirs: int, ours: int, here: int) -> int:
    aggregate = models.table(models.Aggregate)
    has = stored_measures(writer, ours)
    rows = reader.execute(
        select(measure_t, aggregate.c.value, aggregate.c.spread, aggregate.c.queries)
        .join(measure_t, measure_t.c.id == aggregate.c.measure_id)
        .where(aggregate.c.evaluation_id == theirs)
    ).all()
    new = {row.id: row for row in rows if row.name not in has}
    if not new:
        return 0
    by_name = ensure_measures(
        writer, {row.name: (row.family, row.direction, row.aggregate) for row in new.values()}
    )
    measures = {theirs_id: by_name[row.name] for theirs_id, row in new.items()}
    queries = _translated_queries(reader, writer, here, "measurement", theirs)
    table = models.table(models.Measurement)
    values = reader.execute(
        select(table.c.measure_id, table.c.query_id, table.c.value)
        .where(table.c.evaluation_id == theirs, table.c.measure_id.in_(measures))
        .order_by(table.c.measure_id, table.c.query_id)
        .execution_options(yield_per=BATCH)
    )
    bulk_insert(
        writer,
        table,
        ("measure_id", "query_id", "value"),
        ((measures[measure], queries[query], value) for measure, query, value in values),
        {"evaluation_id": ours},
    )
    bulk_insert(
        writer,
        aggregate,
        ("measure_id", "value", "spread", "queries"),
        [(measures[id_], r.value, r.spread, r.queries) for id_, r in new.items()],
        {"evaluation_id": ours},
    )
    return len(new)


def _copy_rows(
    reader: Connection,
    writer: Connection,
    table: Table,
    columns: Sequence[str],
    theirs: int,
    ours: int,
    here: int,
) -> None:
    """Copy the rows that belong to `theirs`: the first column is it, the second a query."""
    queries = _translated_queries(reader, writer, here, table.name, theirs)
    found = reader.execute(
        select(*(table.c[name] for name in columns))
        .where(table.c[columns[0]] == theirs)
        .order_by(*table.primary_key.columns)
        .execution_options(yield_per=BATCH)
    )

    def rows() -> Iterator[tuple[Any, ...]]:
        for _, query, *rest in found:
            yield queries[query], *rest

    bulk_insert(writer, table, columns[1:], rows(), {columns[0]: ours})


def _translated_queries(
    reader: Connection, writer: Connection, here: int, table: str, theirs: int
) -> dict[int, int]:
    """Their query ids as ours, for the collection `here`; those not there yet are made."""
    source = models.Base.metadata.tables[table]
    asked = (
        select(query_t.c.id, query_t.c.qid)
        .where(
            query_t.c.id.in_(
                select(source.c.query_id).where(next(iter(source.primary_key.columns)) == theirs)
            )
        )
        .order_by(query_t.c.qid)
    )
    qids = {row[0]: row[1] for row in reader.execute(asked)}
    by_qid = ensure_queries(writer, here, qids.values())
    return {query: by_qid[qid] for query, qid in qids.items()}


def _insert(writer: Connection, table: Table, row: Row[Any], **other: object) -> int:
    """Insert a row of the same table in another store with other ids; returns its own."""
    values = {c.name: row._mapping[c.name] for c in table.columns if c.name != "id"}
    done = writer.execute(insert(table).values(**{**values, **other}))
    key = done.inserted_primary_key
    assert key is not None  # noqa: S101  (every table that is inserted into so has one)
    return int(key[0])
