"""Saved views: long addresses of the dashboard under short keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, insert, select, update

from evalstore.store import models

view_t = models.table(models.SavedView)


class StoredView(NamedTuple):
    """An address (path and query string), its key, its collection, and when it was saved."""

    key: str
    address: str
    collection_id: int | None
    created_at: datetime


def find_view(connection: Connection, key: str) -> StoredView | None:
    """The view that is saved under a key."""
    row = connection.execute(_columns().where(view_t.c.key == key)).first()
    return None if row is None else StoredView(*row)


def add_view(connection: Connection, view: StoredView) -> None:
    """Save a view whose key is not taken."""
    connection.execute(insert(view_t).values(view._asdict()))


def set_view_collection(connection: Connection, key: str, collection_id: int | None) -> None:
    """Say whose page a saved view is."""
    there = update(view_t).where(view_t.c.key == key)
    connection.execute(there.values(collection_id=collection_id))


def list_views(connection: Connection) -> list[StoredView]:
    """Every saved view, by key."""
    return [StoredView(*row) for row in connection.execute(_columns().order_by(view_t.c.key))]


def _columns() -> Select[Any]:
    return select(view_t.c.key, view_t.c.address, view_t.c.collection_id, view_t.c.created_at)
