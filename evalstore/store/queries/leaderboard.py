"""What a leaderboard lists: the runs of a collection, and their aggregates under a qrels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, select, union_all

from evalstore.store import models

qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
ranking_t = models.table(models.Ranking)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
aggregate_t = models.table(models.Aggregate)


class LeaderboardRun(NamedTuple):
    """A run with the names of its engine and experiment; `queries` is how many it answers.

    `values_only` is whether it came as values of measures, without rankings.
    """

    id: int
    content_hash: str
    engine: str
    name: str
    experiment: str | None
    created_at: datetime
    queries: int
    retrieved: int
    values_only: bool


class RunAggregate(NamedTuple):
    """The stored aggregate of a run for a measure."""

    run_id: int
    measure_id: int
    value: float


def list_leaderboard_runs(
    connection: Connection, collection_id: int, run_ids: Collection[int] | None = None
) -> list[LeaderboardRun]:
    """The active runs of a collection, all or some of them, by engine and name."""
    chosen = (
        select(
            run_t.c.id,
            run_t.c.content_hash,
            engine_t.c.name,
            run_t.c.name,
            run_t.c.experiment,
            run_t.c.created_at,
            run_t.c.queries,
            run_t.c.retrieved,
            run_t.c.values_only,
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .order_by(engine_t.c.name, run_t.c.name)
    )
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    rows = connection.execute(chosen)
    return [LeaderboardRun(*row) for row in rows]


def list_aggregated_measures(connection: Connection, qrels_id: int) -> dict[str, int]:
    """The names and ids of the measures of which some run has an aggregate under a qrels."""
    aggregated = (
        select(aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(
            aggregate_t.c.measure_id == measure_t.c.id,
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.deleted_at.is_(None),
        )
        .exists()
    )
    rows = connection.execute(select(measure_t.c.name, measure_t.c.id).where(aggregated))
    return {row[0]: row[1] for row in rows}


def list_aggregates(
    connection: Connection, qrels_id: int, measure_ids: Collection[int]
) -> list[RunAggregate]:
    """The aggregates of all runs under a qrels, also of removed ones, for some measures."""
    rows = connection.execute(
        select(evaluation_t.c.run_id, aggregate_t.c.measure_id, aggregate_t.c.value)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            aggregate_t.c.measure_id.in_(measure_ids),
        )
    )
    return [RunAggregate(*row) for row in rows]


def count_judged_queries(connection: Connection, qrels_id: int) -> int:
    """How many queries a qrels judges: all aggregates under it are over these."""
    judged = select(qrels_t.c.queries).where(qrels_t.c.id == qrels_id)
    return int(connection.execute(judged).scalar_one())


def count_judged_answers(
    connection: Connection, qrels_id: int, run_ids: Sequence[int] | None = None
) -> dict[int, int]:
    """By run id, how many of the queries that a qrels judges the run answers.

    Of the runs named, or of all in the qrels' collection; a run that answers none is left out. One
    that came as values was refused unless the qrels judges every query it answers.
    """
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    in_collection = (
        select(run_t.c.id)
        .join(qrels_t, qrels_t.c.collection_id == run_t.c.collection_id)
        .where(qrels_t.c.id == qrels_id)
    )
    chosen = in_collection if run_ids is None else run_ids
    ranked = (
        select(ranking_t.c.run_id, func.count())
        .where(ranking_t.c.run_id.in_(chosen), ranking_t.c.query_id.in_(judged))
        .group_by(ranking_t.c.run_id)
    )
    recorded = select(run_t.c.id, run_t.c.queries).where(
        run_t.c.id.in_(chosen), run_t.c.values_only, run_t.c.queries > 0
    )
    rows = connection.execute(union_all(ranked, recorded))
    return {row[0]: row[1] for row in rows}
