"""The values of many runs at once, as arrays of queries x evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, select

from evalstore.store import models

F64 = npt.NDArray[np.float64]

MOST_NAMED = 100
"""Evaluations that a statement names one by one."""

query_t = models.table(models.Query)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
measurement_t = models.table(models.Measurement)
aggregate_t = models.table(models.Aggregate)


def load_value_table(
    connection: Connection, qrels_id: int, measure: str, evaluation_ids: Sequence[int]
) -> F64:
    """The values of a measure under a qrels: float64, judged queries x evaluations.

    The queries are in byte order of their ids, the evaluations in the order given. NaN where no
    value is stored.
    """
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    queries = connection.execute(
        select(query_t.c.id).where(query_t.c.id.in_(judged)).order_by(query_t.c.qid)
    )
    row_of = {query_id: row for row, query_id in enumerate(queries.scalars())}
    column_of = {evaluation_id: column for column, evaluation_id in enumerate(evaluation_ids)}
    # A few are named; to name thousands a statement could have too many variables.
    wanted = list(evaluation_ids) if len(column_of) <= MOST_NAMED else _active(qrels_id)
    measure_id = select(measure_t.c.id).where(measure_t.c.name == measure).scalar_subquery()
    stored = connection.execute(
        select(measurement_t.c.evaluation_id, measurement_t.c.query_id, measurement_t.c.value)
        .where(measurement_t.c.evaluation_id.in_(wanted))
        .where(measurement_t.c.measure_id == measure_id)
    )
    table = np.full((len(row_of), len(column_of)), np.nan)
    cells = [
        (row_of[query_id], column_of[evaluation_id], value)
        for evaluation_id, query_id, value in stored
        if evaluation_id in column_of and query_id in row_of
    ]
    if cells:
        rows, columns, values = zip(*cells, strict=True)
        table[rows, columns] = values
    return table


def _active(qrels_id: int) -> Select[Any]:
    """The ids of the evaluations of all active runs under a qrels."""
    return (
        select(evaluation_t.c.id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
    )


def load_aggregates(connection: Connection, measure: str, evaluation_ids: Sequence[int]) -> F64:
    """The stored aggregates of a measure: float64, one an evaluation, NaN where none is stored."""
    stored = connection.execute(
        select(aggregate_t.c.evaluation_id, aggregate_t.c.value)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .where(measure_t.c.name == measure)
    )
    value_of = {row[0]: row[1] for row in stored}
    return np.array([value_of.get(id_, np.nan) for id_ in evaluation_ids], np.float64)
