"""A run's aggregates beside those of all other runs under a qrels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from evalstore.store import models
from evalstore.store.rows import driver_rows

F64 = npt.NDArray[np.float64]

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


def load_sorted_aggregates(connection: Connection, qrels_id: int) -> dict[str, F64]:
    """By measure, the aggregates of all active runs under a qrels: float64, ascending."""
    rows = driver_rows(
        connection.execute(
            select(measure_t.c.name, aggregate_t.c.value)
            .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
            .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
            .join(run_t, run_t.c.id == evaluation_t.c.run_id)
            .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
        )
    )
    values: dict[str, list[float]] = {}
    for measure, value in rows:
        values.setdefault(measure, []).append(value)
    return {measure: np.sort(np.array(of, np.float64)) for measure, of in values.items()}


def list_standings(
    connection: Connection, qrels_id: int, run_id: int, aggregates: Mapping[str, F64]
) -> list[StoredStanding]:
    """A row for each measure of which a run has an aggregate under a qrels.

    Args:
        connection: of the store.
        qrels_id: the qrels.
        run_id: the run.
        aggregates: what `load_sorted_aggregates` gives for the qrels.
    """
    rows = connection.execute(
        select(measure_t.c.name, aggregate_t.c.value)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .where(evaluation_t.c.run_id == run_id, evaluation_t.c.qrels_id == qrels_id)
    )
    standings = []
    for measure, value in rows:
        others = aggregates.get(measure, np.empty(0))
        higher = len(others) - int(np.searchsorted(others, value + SAME, side="right"))
        lower = int(np.searchsorted(others, value - SAME, side="left"))
        standings.append(StoredStanding(measure, value, len(others), higher, lower))
    return standings
