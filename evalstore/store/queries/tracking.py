"""Baselines: the run of each collection that others are compared with unless told otherwise."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from evalstore.store import models
from evalstore.store.queries.runs import StoredRun, run_columns, run_t

baseline_t = models.table(models.Baseline)
collection_t = models.table(models.Collection)
engine_t = models.table(models.Engine)


class StoredBaseline(NamedTuple):
    """The baseline of a collection; it does not count while its run is marked as removed."""

    collection: str
    engine: str
    run: str
    is_removed: bool


def find_baseline(connection: Connection, collection_id: int) -> StoredRun | None:
    """The baseline of a collection, also where its run is marked as removed."""
    chosen = run_columns().join(baseline_t, baseline_t.c.run_id == run_t.c.id)
    row = connection.execute(chosen.where(baseline_t.c.collection_id == collection_id)).first()
    return None if row is None else StoredRun(*row)


def list_baselines(connection: Connection) -> list[StoredBaseline]:
    """The baselines of the active collections, also those whose runs are marked as removed."""
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
    """Make a run the baseline of its collection, in place of any other; None for no baseline."""
    connection.execute(delete(baseline_t).where(baseline_t.c.collection_id == collection_id))
    if run_id is not None:
        values = {"collection_id": collection_id, "run_id": run_id}
        connection.execute(insert(baseline_t).values(values))
