"""The values of many runs at once, as arrays of queries x evaluations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, select

from evalstore.store import models
from evalstore.store.rows import driver_rows, positions

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

MOST_NAMED = 100
"""Evaluations that a statement names one by one."""

run_t = models.table(models.Run)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
measurement_t = models.table(models.Measurement)
aggregate_t = models.table(models.Aggregate)


def load_value_tables(
    connection: Connection,
    qrels_id: int,
    query_ids: I64,
    measures: Collection[str],
    evaluation_ids: Sequence[int],
) -> dict[str, F64]:
    """The values of measures under a qrels: by measure, float64, queries x evaluations.

    Queries and evaluations are in the order given. NaN where no value is stored.

    Args:
        connection: of the store.
        qrels_id: that the evaluations are under.
        query_ids: of the queries that the qrels judges.
        measures: their canonical names.
        evaluation_ids: which evaluations.
    """
    named = np.array(evaluation_ids, np.int64)
    # A few are named; to name thousands a statement could have too many variables.
    wanted = list(evaluation_ids) if len(named) <= MOST_NAMED else _active(qrels_id)
    names = select(measure_t.c.id, measure_t.c.name).where(measure_t.c.name.in_(measures))
    name_of = {row[0]: row[1] for row in connection.execute(names)}
    measure_ids = np.array(list(name_of), np.int64)
    stored = connection.execute(
        select(
            measurement_t.c.measure_id,
            measurement_t.c.evaluation_id,
            measurement_t.c.query_id,
            measurement_t.c.value,
        )
        .where(measurement_t.c.evaluation_id.in_(wanted))
        .where(measurement_t.c.measure_id.in_(list(name_of)))
    )
    tables = np.full((len(measure_ids), len(query_ids), len(named)), np.nan)
    # Doubles hold ids exactly. Loops over the rows of 1,000 runs would take a second.
    cells = np.fromiter(chain.from_iterable(driver_rows(stored)), np.float64).reshape(-1, 4)
    of, columns = positions(measure_ids, cells[:, 0]), positions(named, cells[:, 1])
    rows = positions(query_ids, cells[:, 2])
    present = (columns >= 0) & (rows >= 0)
    tables[of[present], rows[present], columns[present]] = cells[present, 3]
    by_name = dict(zip(name_of.values(), tables, strict=True))
    none = np.full(tables.shape[1:], np.nan)
    return {name: by_name.get(name, none.copy()) for name in measures}


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
