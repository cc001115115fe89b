"""Baselines (the run that others of a collection are compared with), and runs over time."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from evalstore.store.models import baseline_t, collection_t, engine_t, run_t
from evalstore.store.queries.runs import RUNS, StoredRun
from evalstore.store.rows import fields, find_row


class StoredBaseline(NamedTuple):
    """The baseline of a collection; it is ignored while its run is marked as removed."""

    collection: str
    engine: str
    run: str
    is_removed: bool


def find_baseline(connection: Connection, collection_id: int) -> StoredRun | None:
    """The baseline of a collection, even if its run is marked as removed."""
    chosen = RUNS.join(baseline_t, baseline_t.c.run_id == run_t.c.id)
    return find_row(
        connection, StoredRun, chosen.where(baseline_t.c.collection_id == collection_id)
    )


def list_baselines(connection: Connection) -> list[StoredBaseline]:
    """The baselines of the active collections, even if their runs are marked as removed."""
    rows = connection.execute(
        select(collection_t.c.name, engine_t.c.name, run_t.c.name, run_t.c.deleted_at.is_not(None))
        .select_from(baseline_t)
        .join(run_t, run_t.c.id == baseline_t.c.run_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .join(collection_t, collection_t.c.id == baseline_t.c.collection_id)
        .where(collection_t.c.deleted_at.is_(None))
    )
    return [StoredBaseline(name, engine, run, bool(gone)) for name, engine, run, gone in rows]


def set_baseline(connection: Connection, collection_id: int, run_id: int | None) -> None:
    """Make a run the baseline of its collection, replacing any other; None for no baseline."""
    connection.execute(delete(baseline_t).where(baseline_t.c.collection_id == collection_id))
    if run_id is not None:
        values = {"collection_id": collection_id, "run_id": run_id}
        connection.execute(insert(baseline_t).values(values))


# The runs of an engine over time


class RunInTime(NamedTuple):
    """An active run; `at` is when the engine started if that is known, else when it was stored.

    The view `engine_history` uses the same time and order.
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


class NewRun(NamedTuple):
    """An active run, and when it was stored."""

    collection_id: int
    id: int
    name: str
    created_at: datetime


def list_new_runs(connection: Connection, time: datetime) -> list[NewRun]:
    """The active runs stored after a time, in any collection, the newest first."""
    rows = connection.execute(
        select(*fields(NewRun, run_t))
        .where(run_t.c.created_at > time, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.id.desc())
    )
    return [NewRun(*row) for row in rows]


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
    """The number of active runs of each engine in a collection, by the engine's name."""
    rows = connection.execute(
        select(engine_t.c.name, func.count())
        .join(run_t, run_t.c.engine_id == engine_t.c.id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .group_by(engine_t.c.name)
    )
    return {row[0]: row[1] for row in rows}
