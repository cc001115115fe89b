"""Collections: their names and what belongs to all of a collection."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from evalstore.store import models
from evalstore.store.rows import ensure_row

collection_t = models.table(models.Collection)


def find_collection(connection: Connection, name: str) -> int | None:
    """The id of a collection, or None."""
    found = select(collection_t.c.id).where(collection_t.c.name == name)
    return connection.execute(found).scalar()


def list_collections(connection: Connection) -> list[str]:
    """The names of all collections."""
    names = select(collection_t.c.name).order_by(collection_t.c.name)
    return list(connection.execute(names).scalars())


def ensure_collection(connection: Connection, name: str, now: datetime) -> int:
    """The id of a collection, made if there is none of that name."""
    return ensure_row(connection, models.Collection, {"name": name}, created_at=now)
