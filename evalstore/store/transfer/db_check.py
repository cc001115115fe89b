"""The queries of `db check`: rows with broken references, and the stored rows of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, FromClause, and_, func, or_, select

from evalstore.errors import StoreError
from evalstore.store import models
from evalstore.store.models import (
    aggregate_t,
    collection_t,
    content_t,
    evaluation_t,
    hit_t,
    measure_t,
    measurement_t,
    qrels_t,
    query_t,
    ranking_t,
    retrieved_t,
    run_t,
)
from evalstore.store.packing import unpack_text
from evalstore.store.queries.documents import iter_documents
from evalstore.store.queries.runs import CONTENT_HASH, content_of
from evalstore.store.rows import driver_rows, fields

RankedRow = tuple[int, str, float]
HitRow = tuple[str, int, str, float, float]
"""A query id, and the rank, docno, grade and score of a document."""


@dataclass(frozen=True)
class QrelsRow:
    """The counts and the content hash that are recorded for a qrels."""

    id: int
    collection: str
    name: str
    content_hash: str
    queries: int
    judgments: int
    relevant: int
    highest_grade: float


@dataclass(frozen=True)
class StoredValues:
    """A measure of an evaluation: its aggregate (or None), and its values by qid, in byte order.

    `repeated` are queries with several values, which are possible in PostgreSQL's lists.
    """

    measure: str
    value: float | None
    spread: float | None
    queries: int | None
    values: dict[str, float]
    repeated: list[str]


def orphans(connection: Connection) -> Iterator[tuple[str, str, int]]:
    """(table, referenced table, number of rows) for rows that refer to a missing row."""
    for table in models.Base.metadata.sorted_tables:
        for key in table.foreign_keys:
            parent = key.column.table.alias("parent")
            owner = parent.c[key.column.name]
            lost = (
                select(func.count())
                .select_from(table.outerjoin(parent, key.parent == owner))
                .where(key.parent.is_not(None), owner.is_(None))
            )
            rows = int(connection.execute(lost).scalar_one())
            if rows:
                yield table.name, key.column.table.name, rows


def rows_of_other_collections(connection: Connection) -> Iterator[tuple[str, int]]:
    """(table, number of rows) for rows that refer to rows of several collections."""
    for table in models.Base.metadata.sorted_tables:
        rows: FromClause = table
        owners: list[FromClause] = [table] if "collection_id" in table.c else []
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            owner = key.column.table.alias()
            of_evaluation = key.column.table is evaluation_t
            if of_evaluation or "collection_id" in owner.c:
                rows = rows.outerjoin(owner, key.parent == owner.c.id)
                owners.append(owner)
            if of_evaluation:
                owners[-1] = content_t.alias()
                rows = rows.outerjoin(owners[-1], owners[-1].c.id == owner.c.content_id)
        ids = [owner.c.collection_id for owner in owners]
        if len(ids) > 1:
            others = or_(*(other != ids[0] for other in ids[1:]))
            wrong = select(func.count()).select_from(rows).where(others)
            number = int(connection.execute(wrong).scalar_one())
            if number:
                yield table.name, number


def unused_contents(connection: Connection) -> int:
    """The number of contents that no run has."""
    used = select(run_t.c.content_id)
    unused = select(func.count()).select_from(content_t).where(content_t.c.id.not_in(used))
    return int(connection.execute(unused).scalar_one())


def collections_without_default(connection: Connection) -> list[str]:
    """The names of collections that have active qrels but no default."""
    counting = select(qrels_t.c.collection_id).where(qrels_t.c.deleted_at.is_(None))
    default = counting.where(qrels_t.c.is_default)
    names = select(collection_t.c.name).where(
        collection_t.c.id.in_(counting), collection_t.c.id.not_in(default)
    )
    return list(connection.execute(names.order_by(collection_t.c.name)).scalars())


def damaged_texts(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """(collection, docno, problem) for documents whose packed text can't be read."""
    collections = connection.execute(select(collection_t.c.id, collection_t.c.name)).all()
    for collection_id, name in collections:
        for docno, _, packed in iter_documents(connection, collection_id):
            try:
                if packed is not None:
                    unpack_text(packed)
            except StoreError as error:
                yield name, docno, str(error)


def qrels_rows(connection: Connection) -> list[QrelsRow]:
    """The recorded counts and content hash of every qrels, by id."""
    rows = connection.execute(
        select(*fields(QrelsRow, qrels_t, collection=collection_t.c.name))
        .join(collection_t, collection_t.c.id == qrels_t.c.collection_id)
        .order_by(qrels_t.c.id)
    )
    return [QrelsRow(*row) for row in rows]


def run_counts(connection: Connection, run_id: int) -> tuple[str, int, int]:
    """The content hash of a run and its recorded numbers of queries and retrieved documents."""
    row = connection.execute(
        select(CONTENT_HASH, run_t.c.queries, run_t.c.retrieved).where(run_t.c.id == run_id)
    ).one()
    return row[0], row[1], row[2]


def list_lengths(connection: Connection, run_id: int) -> dict[str, int]:
    """The recorded length of each ranking of a run, by qid."""
    rows = connection.execute(
        select(query_t.c.qid, ranking_t.c.retrieved)
        .join(query_t, query_t.c.id == ranking_t.c.query_id)
        .where(ranking_t.c.content_id == content_of(run_id))
    )
    return {row[0]: row[1] for row in rows}


def retrieved_rows(connection: Connection, run_id: int) -> dict[str, list[RankedRow]]:
    """The (rank, docno, score) rows of a run that are stored for SQL, by qid and in order."""
    rows = connection.execute(
        select(query_t.c.qid, retrieved_t.c.rank, retrieved_t.c.docno, retrieved_t.c.score)
        .join(query_t, query_t.c.id == retrieved_t.c.query_id)
        .where(retrieved_t.c.content_id == content_of(run_id))
        .order_by(query_t.c.qid, retrieved_t.c.rank)
    )
    by_qid: dict[str, list[RankedRow]] = {}
    for qid, *row in rows:
        by_qid.setdefault(qid, []).append((row[0], row[1], row[2]))
    return by_qid


def hit_rows(connection: Connection, evaluation_id: int) -> Counter[HitRow]:
    """The relevant documents that a run retrieved; PostgreSQL's lists could have one twice."""
    rows = connection.execute(
        select(query_t.c.qid, hit_t.c.rank, hit_t.c.docno, hit_t.c.grade, hit_t.c.score)
        .join(query_t, query_t.c.id == hit_t.c.query_id)
        .where(hit_t.c.evaluation_id == evaluation_id)
    )
    return Counter(driver_rows(rows))


def stored_values(connection: Connection, evaluation_id: int) -> Iterator[StoredValues]:
    """The measures of an evaluation, one after the other."""
    rows = connection.execute(
        select(
            measure_t.c.id,
            measure_t.c.name,
            aggregate_t.c.value,
            aggregate_t.c.spread,
            aggregate_t.c.queries,
        )
        .outerjoin(
            aggregate_t,
            and_(
                aggregate_t.c.measure_id == measure_t.c.id,
                aggregate_t.c.evaluation_id == evaluation_id,
            ),
        )
        .order_by(measure_t.c.name)
    ).all()
    values: dict[int, dict[str, float]] = {}
    repeated: dict[int, list[str]] = {}
    value_rows = connection.execute(
        select(measurement_t.c.measure_id, query_t.c.qid, measurement_t.c.value)
        .join(query_t, query_t.c.id == measurement_t.c.query_id)
        .where(measurement_t.c.evaluation_id == evaluation_id)
        .order_by(query_t.c.qid)
    )
    for measure, qid, value in value_rows:
        of_measure = values.setdefault(measure, {})
        if qid in of_measure:
            repeated.setdefault(measure, []).append(qid)
        of_measure[qid] = value
    for measure, name, value, spread, queries in rows:
        by_qid = values.get(measure, {})
        if by_qid or value is not None:
            yield StoredValues(name, value, spread, queries, by_qid, repeated.get(measure, []))
