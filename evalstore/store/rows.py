"""Inserting and reading rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Select,
    Table,
    delete,
    insert,
    select,
    update,
)

from evalstore.store.columns import F64, I64, Column
from evalstore.store.dialects import dialect_of

R = TypeVar("R")


def ensure_row(
    connection: Connection, target: Table, key: dict[str, object], **more: object
) -> int:
    """The id of the row with these key columns, inserted if there is none."""
    query = select(target.c.id).where(*(target.c[name] == value for name, value in key.items()))
    stored = connection.execute(query).scalar()
    if stored is None:
        result = connection.execute(insert_or_ignore(connection, target), {**key, **more})
        inserted = result.inserted_primary_key if result.rowcount else None
        stored = connection.execute(query).scalar_one() if inserted is None else inserted[0]
    return int(stored)


def insert_or_ignore(connection: Connection, table: Table) -> Any:
    """An INSERT that skips rows whose key exists already."""
    return dialect_of(connection).insert_or_ignore(table)


def insert_row(connection: Connection, target: Table, **values: object) -> int:
    """Insert one row; returns its id."""
    key = connection.execute(insert(target), values).inserted_primary_key
    assert key is not None  # noqa: S101  (every table used here has one)
    return int(key[0])


def change_row(connection: Connection, target: Table, row_id: int, /, **values: object) -> None:
    """Set columns of the row with this id."""
    connection.execute(update(target).where(target.c.id == row_id).values(values))


def delete_row(connection: Connection, target: Table, row_id: int) -> None:
    """Delete the row with this id, and the rows that belong to it."""
    connection.execute(delete(target).where(target.c.id == row_id))


def fields(record: type, table: Table, **others: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """A column for each field of a record: one of `others`, or the table's with that name."""
    names = record.__annotations__
    return [others[name] if name in others else table.c[name] for name in names]


def has_rows(connection: Connection, table: Table, owner: int) -> bool:
    """Whether a table has rows of this owner, whose id is its first column."""
    column = next(iter(table.columns))
    return connection.execute(select(column).where(column == owner).limit(1)).first() is not None


def is_removed(table: Table, removed: bool) -> ColumnElement[bool]:
    """A SQL condition for rows that are marked as removed (True) or active (False)."""
    mark = table.c.deleted_at
    return mark.is_not(None) if removed else mark.is_(None)


def find_row(connection: Connection, kind: Callable[..., R], rows: Select[Any]) -> R | None:
    """The first row of a SELECT, converted by `kind`; None if there is no row."""
    row = connection.execute(rows).first()
    return None if row is None else kind(*row)


def bulk_insert(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any] | None = None,
) -> None:
    """Insert many rows in the connection's transaction; arguments as in `SQLite.bulk_insert`."""
    dialect_of(connection).bulk_insert(connection, table, columns, rows, same or {})


def insert_columns(
    connection: Connection, table: Table, columns: Mapping[str, Column], same: Mapping[str, int]
) -> None:
    """Insert whole columns without nulls; arguments as in `SQLite.insert_columns`."""
    dialect_of(connection).insert_columns(connection, table, columns, same)


def driver_rows(result: CursorResult[Any]) -> list[tuple[Any, ...]]:
    """All rows of a result, as returned by the driver.

    Use it for many rows of numbers and texts, whose values SQLAlchemy doesn't convert: making
    SQLAlchemy's row objects takes twice as long as reading the rows.
    """
    cursor = result.cursor
    rows = [] if cursor is None else cursor.fetchall()
    result.close()
    return list(rows)


def positions(ids: I64, wanted: F64) -> I64:
    """The index of each wanted id in `ids`; -1 for one that is not in it."""
    if not len(ids):
        return np.full(len(wanted), -1)
    order = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)
    positions: I64 = np.where(ids[order[at]] == wanted, order[at], -1)
    return positions
