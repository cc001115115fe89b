"""Hits, the relevant documents that runs retrieved: of one query, or of a whole evaluation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from evalstore.store import models

evaluation_t = models.table(models.Evaluation)
hit_t = models.table(models.Hit)
judgment_t = models.table(models.Judgment)
query_t = models.table(models.Query)
ranking_t = models.table(models.Ranking)
run_t = models.table(models.Run)

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EvaluationHits:
    """The hits of an evaluation, and the lengths of the rankings of its run.

    Attributes:
        lengths: by query id, how many documents were retrieved; only of queries that are answered.
        qid: the query id of each hit.
        rank: int64, from 1; ascending within a query.
        grade, score: float64.
    """

    lengths: dict[str, int]
    qid: tuple[str, ...]
    rank: I64
    grade: F64
    score: F64


def load_hits(connection: Connection, evaluation_id: int, run_id: int) -> EvaluationHits:
    """The hits of an evaluation, with the lengths of the rankings of its run."""
    lengths = connection.execute(
        select(ranking_t.c.query_id, query_t.c.qid, ranking_t.c.retrieved)
        .join(query_t, query_t.c.id == ranking_t.c.query_id)
        .where(ranking_t.c.run_id == run_id)
    ).all()
    qid_of = {row[0]: row[1] for row in lengths}
    rows = connection.execute(
        select(hit_t.c.query_id, hit_t.c.rank, hit_t.c.grade, hit_t.c.score)
        .where(hit_t.c.evaluation_id == evaluation_id)
        .order_by(hit_t.c.query_id, hit_t.c.rank)
    ).all()
    query, rank, grade, score = zip(*rows, strict=True) if rows else ((), (), (), ())
    return EvaluationHits(
        {row[1]: row[2] for row in lengths},
        tuple(map(qid_of.__getitem__, query)),
        np.array(rank, np.int64),
        np.array(grade, np.float64),
        np.array(score, np.float64),
    )


def count_relevant(connection: Connection, qrels_id: int, qid: str) -> int:
    """The number of documents that a qrels has with a grade of 1 or more for a query."""
    number = connection.execute(
        select(func.count())
        .select_from(judgment_t)
        .join(query_t, query_t.c.id == judgment_t.c.query_id)
        .where(judgment_t.c.qrels_id == qrels_id, query_t.c.qid == qid, judgment_t.c.grade >= 1)
    ).scalar()
    return int(number or 0)


def list_hit_ranks(
    connection: Connection, qrels_id: int, run_names: Collection[str], collection_id: int, qid: str
) -> dict[str, list[int]]:
    """By run, the ranks of the relevant documents that it has for a query, ascending."""
    rows = connection.execute(
        select(run_t.c.name, hit_t.c.rank)
        .join(evaluation_t, evaluation_t.c.id == hit_t.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .join(query_t, query_t.c.id == hit_t.c.query_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            run_t.c.name.in_(run_names),
            query_t.c.collection_id == collection_id,
            query_t.c.qid == qid,
        )
        .order_by(run_t.c.name, hit_t.c.rank)
    )
    ranks: dict[str, list[int]] = {name: [] for name in run_names}
    for name, rank in rows:
        ranks[name].append(rank)
    return ranks
