"""The runs of an engine in time."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from evalstore.store import models

run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
collection_t = models.table(models.Collection)


class RunInTime(NamedTuple):
    """An active run; `at` is when the engine started where that was given, else when it was stored.

    The view `engine_history` has the same time and order.
    """

    collection: str
    id: int
    name: str
    at: datetime


def list_runs_in_time(connection: Connection, engine: str) -> list[RunInTime]:
    """The active runs of an engine in all active collections, the oldest first, then by id."""
    at = func.coalesce(run_t.c.started_at, run_t.c.created_at)
    rows = connection.execute(
        select(collection_t.c.name, run_t.c.id, run_t.c.name, at)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(
            engine_t.c.name == engine,
            run_t.c.deleted_at.is_(None),
            collection_t.c.deleted_at.is_(None),
        )
        .order_by(at, run_t.c.id)
    )
    return [RunInTime(*row) for row in rows]


def list_active_engines(connection: Connection) -> list[str]:
    """The engines that have an active run in an active collection."""
    rows = connection.execute(
        select(engine_t.c.name)
        .join(run_t, run_t.c.engine_id == engine_t.c.id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(run_t.c.deleted_at.is_(None), collection_t.c.deleted_at.is_(None))
        .distinct()
    )
    return list(rows.scalars())


def count_runs_of_engines(connection: Connection, collection_id: int) -> dict[str, int]:
    """How many active runs each engine has in a collection, by the engine's name."""
    rows = connection.execute(
        select(engine_t.c.name, func.count())
        .join(run_t, run_t.c.engine_id == engine_t.c.id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .group_by(engine_t.c.name)
    )
    return {row[0]: row[1] for row in rows}
