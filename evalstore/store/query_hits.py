"""The relevant documents of one query: how many there are, and at which ranks runs have them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from evalstore.store import models

evaluation_t = models.table(models.Evaluation)
hit_t = models.table(models.Hit)
judgment_t = models.table(models.Judgment)
query_t = models.table(models.Query)
run_t = models.table(models.Run)


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
