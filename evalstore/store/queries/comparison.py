"""The data of a comparison: runs, judged queries, aggregates and values per query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, func, literal, select, union_all

from evalstore.store.columns import I64
from evalstore.store.models import (
    collection_t,
    evaluation_t,
    judgment_t,
    measure_t,
    measurement_t,
    query_t,
    ranking_t,
    retrieved_t,
    run_t,
)
from evalstore.store.queries.runs import CONTENT_HASH
from evalstore.store.rows import driver_rows, fields, positions


class JudgedQuery(NamedTuple):
    """A query that a qrels judges: its id in the database and its query id (`qid`)."""

    id: int
    qid: str


class IdentifiedRun(NamedTuple):
    """A run, removed or not; `removed_at` is also set if its whole collection was removed."""

    id: int
    content_hash: str
    name: str
    collection: str
    removed_at: datetime | None


IDENTIFIED = select(
    *fields(
        IdentifiedRun,
        run_t,
        content_hash=CONTENT_HASH,
        collection=collection_t.c.name,
        removed_at=func.coalesce(run_t.c.deleted_at, collection_t.c.deleted_at),
    )
).join(collection_t, collection_t.c.id == run_t.c.collection_id)


class JudgedTop(NamedTuple):
    """The number of documents at the top of a run's rankings, and how many of these are judged."""

    run_id: int
    documents: int
    judged: int


def list_judged_queries(connection: Connection, qrels_id: int) -> list[JudgedQuery]:
    """The queries that a qrels judges, in byte order."""
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    rows = connection.execute(
        select(query_t.c.id, query_t.c.qid).where(query_t.c.id.in_(judged)).order_by(query_t.c.qid)
    )
    return [JudgedQuery(*row) for row in rows]


def list_query_values(
    connection: Connection, evaluation_ids: Collection[int], measure: str, qid: str
) -> dict[int, float]:
    """The stored values of a measure for a query, by evaluation id."""
    rows = connection.execute(
        select(measurement_t.c.evaluation_id, measurement_t.c.value)
        .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
        .join(query_t, query_t.c.id == measurement_t.c.query_id)
        .where(
            measurement_t.c.evaluation_id.in_(evaluation_ids),
            measure_t.c.name == measure,
            query_t.c.qid == qid,
        )
    )
    return {row[0]: row[1] for row in rows}


def list_differences(
    connection: Connection, measure: str, baseline: int, run: int
) -> dict[str, float]:
    """The stored values of an evaluation minus those of another (`baseline`), by query id.

    Includes only queries for which both have a value of the measure.
    """
    other = measurement_t.alias("other")
    measure_id = select(measure_t.c.id).where(measure_t.c.name == measure).scalar_subquery()
    rows = connection.execute(
        select(query_t.c.qid, other.c.value - measurement_t.c.value)
        .select_from(measurement_t)
        .join(
            other,
            (other.c.query_id == measurement_t.c.query_id)
            & (other.c.measure_id == measurement_t.c.measure_id),
        )
        .join(query_t, query_t.c.id == measurement_t.c.query_id)
        .where(
            measurement_t.c.evaluation_id == baseline,
            other.c.evaluation_id == run,
            measurement_t.c.measure_id == measure_id,
        )
    )
    return {row[0]: row[1] for row in rows.all()}


def find_runs_by_name(
    connection: Connection, collection: str, names: Collection[str]
) -> dict[str, IdentifiedRun]:
    """The runs of a collection that have one of these names, by name, including removed runs."""
    named = IDENTIFIED.where(collection_t.c.name == collection, run_t.c.name.in_(names))
    return {run.name: run for run in (IdentifiedRun(*row) for row in connection.execute(named))}


def list_runs_by_content(connection: Connection, start_of_hash: str) -> list[IdentifiedRun]:
    """The runs whose content hash starts with this text: active runs first, then by id."""
    alike = IDENTIFIED.where(CONTENT_HASH.startswith(start_of_hash, autoescape=True))
    rows = connection.execute(
        alike.order_by(
            func.coalesce(run_t.c.deleted_at, collection_t.c.deleted_at).is_not(None), run_t.c.id
        )
    )
    return [IdentifiedRun(*row) for row in rows]


def load_answers(
    connection: Connection, qrels_id: int, query_ids: I64, run_ids: Sequence[int]
) -> I64:
    """The numbers of documents that runs retrieved: int64, runs x queries, -1 for no ranking.

    For a run that was given as values, the number is its value of NumRet under the qrels; without
    NumRet, such a run counts as answering no query here.
    """
    ranked = (
        select(run_t.c.id, ranking_t.c.query_id, ranking_t.c.retrieved)
        .join(ranking_t, ranking_t.c.content_id == run_t.c.content_id)
        .where(run_t.c.id.in_(run_ids))
    )
    counted = (
        select(run_t.c.id, measurement_t.c.query_id, measurement_t.c.value)
        .join(evaluation_t, evaluation_t.c.content_id == run_t.c.content_id)
        .join(measurement_t, measurement_t.c.evaluation_id == evaluation_t.c.id)
        .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
        .where(
            run_t.c.id.in_(run_ids),
            run_t.c.values_only,
            evaluation_t.c.qrels_id == qrels_id,
            measure_t.c.name == "NumRet",
            measurement_t.c.value > 0,
        )
    )
    rows = chain.from_iterable(driver_rows(connection.execute(union_all(ranked, counted))))
    cells = np.fromiter(rows, np.float64).reshape(-1, 3)  # doubles hold ids exactly
    runs = positions(np.array(run_ids, np.int64), cells[:, 0])
    queries = positions(query_ids, cells[:, 1])
    present = (runs >= 0) & (queries >= 0)
    answers = np.full((len(run_ids), len(query_ids)), -1, np.int64)
    answers[runs[present], queries[present]] = cells[present, 2]
    return answers


def list_judged_tops(
    connection: Connection, qrels_id: int, run_ids: Collection[int], top: int
) -> list[JudgedTop]:
    """The number of documents of these runs at ranks 1 to `top`, and how many of them are judged.

    Counts only queries that the qrels judges; a negative grade is not a judgment. A run that
    retrieved nothing for these queries is left out.
    """
    # Each query and document is looked up in the index of the judgments: a join would read all
    # judgments, which are far more than the documents at the top.
    of_qrels = select(literal(1)).where(judgment_t.c.qrels_id == qrels_id)
    of_query = of_qrels.where(judgment_t.c.query_id == ranking_t.c.query_id).limit(1)
    of_document = of_qrels.where(
        judgment_t.c.query_id == retrieved_t.c.query_id,
        judgment_t.c.docno == retrieved_t.c.docno,
        judgment_t.c.grade >= 0,
    )
    judged = func.count(of_document.scalar_subquery())
    rows = connection.execute(
        select(run_t.c.id, func.count(), judged)
        .join(ranking_t, ranking_t.c.content_id == run_t.c.content_id)
        .join(
            retrieved_t,
            (retrieved_t.c.content_id == ranking_t.c.content_id)
            & (retrieved_t.c.query_id == ranking_t.c.query_id),
        )
        .where(
            run_t.c.id.in_(run_ids),
            of_query.scalar_subquery().is_not(None),
            retrieved_t.c.rank <= top,
        )
        .group_by(run_t.c.id)
    )
    return [JudgedTop(*row) for row in rows]
