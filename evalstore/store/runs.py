"""Changes of a run that is stored: removed, brought back, gone for good, another name or tags."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from evalstore.store import models

run_t = models.table(models.Run)


def set_removed(connection: Connection, run_id: int, at: datetime | None) -> None:
    """Mark a run as removed, or with None as one that counts."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(deleted_at=at))


def set_name(connection: Connection, run_id: int, name: str) -> None:
    """Give a run another name."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(name=name))


def tags(connection: Connection, run_id: int) -> list[str]:
    """The tags of a run."""
    return list(connection.execute(select(run_t.c.tags).where(run_t.c.id == run_id)).scalar() or ())


def set_tags(connection: Connection, run_id: int, words: Sequence[str]) -> None:
    """Give a run these tags and no others."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(tags=list(words) or None))


def packed_bytes(connection: Connection, run_id: int) -> int:
    """The bytes that the packed rankings of a run take."""
    table = models.table(models.Ranking)
    size = select(func.sum(func.length(table.c.packed))).where(table.c.run_id == run_id)
    return int(connection.execute(size).scalar() or 0)


def delete_run(connection: Connection, run_id: int) -> None:
    """Delete a run and all that was computed of it."""
    connection.execute(delete(run_t).where(run_t.c.id == run_id))


def delete_evaluation(connection: Connection, evaluation_id: int) -> None:
    """Delete what was computed of a run under one qrels."""
    table = models.table(models.Evaluation)
    connection.execute(delete(table).where(table.c.id == evaluation_id))


def delete_unused(connection: Connection) -> None:
    """Delete the engines and experiments that no run has any more."""
    for model, column in (
        (models.Engine, run_t.c.engine_id),
        (models.Experiment, run_t.c.experiment_id),
    ):
        table = models.table(model)
        used = select(column).where(column.is_not(None))
        connection.execute(delete(table).where(table.c.id.not_in(used)))
