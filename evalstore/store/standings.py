"""A run's aggregates beside those of all other runs under a qrels."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, case, func, select

from evalstore.store import models

run_t = models.table(models.Run)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
aggregate_t = models.table(models.Aggregate)

SAME = 1e-9
"""Aggregates that differ by less are one value: means differ in their last bits."""


class StoredStanding(NamedTuple):
    """The aggregate of a run for a measure, beside those of the active runs.

    `runs` have a value, this one included; that of `higher` is greater, that of `lower` smaller.
    """

    measure: str
    value: float
    runs: int
    higher: int
    lower: int


def list_standings(connection: Connection, qrels_id: int, run_id: int) -> list[StoredStanding]:
    """A row for each measure of which a run has an aggregate under a qrels."""
    own, other, own_evaluation = aggregate_t.alias(), aggregate_t.alias(), evaluation_t.alias()
    rows = connection.execute(
        select(
            measure_t.c.name,
            own.c.value,
            func.count(),
            func.sum(case((other.c.value > own.c.value + SAME, 1), else_=0)),
            func.sum(case((other.c.value < own.c.value - SAME, 1), else_=0)),
        )
        .select_from(own)
        .join(own_evaluation, own_evaluation.c.id == own.c.evaluation_id)
        .join(measure_t, measure_t.c.id == own.c.measure_id)
        .join(other, other.c.measure_id == own.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == other.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(
            own_evaluation.c.run_id == run_id,
            own_evaluation.c.qrels_id == qrels_id,
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.deleted_at.is_(None),
        )
        .group_by(measure_t.c.name, own.c.value)
    )
    return [StoredStanding(*row) for row in rows]
