"""The recorded costs of the runs of a collection."""

from __future__ import annotations

from sqlalchemy import Connection, select

from evalstore.store import models

run_t = models.table(models.Run)
judgment_t = models.table(models.Judgment)
time_t = models.table(models.ResponseTime)


def list_index_bytes(connection: Connection, collection_id: int) -> dict[int, int]:
    """The sizes of the indexes, by run id; active runs without one are left out."""
    rows = connection.execute(
        select(run_t.c.id, run_t.c.index_bytes).where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            run_t.c.index_bytes.is_not(None),
        )
    )
    return {row[0]: row[1] for row in rows}


def list_times(connection: Connection, collection_id: int, qrels_id: int) -> dict[int, list[float]]:
    """The response times (ms) for the queries that a qrels judges, by the id of the active run."""
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    rows = connection.execute(
        select(time_t.c.run_id, time_t.c.milliseconds)
        .join(run_t, run_t.c.id == time_t.c.run_id)
        .where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            time_t.c.query_id.in_(judged),
        )
    )
    times: dict[int, list[float]] = {}
    for run_id, milliseconds in rows:
        times.setdefault(run_id, []).append(milliseconds)
    return times
