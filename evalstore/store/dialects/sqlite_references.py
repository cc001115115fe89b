"""The references of large tables of SQLite, looked up once for many rows.

A foreign key is looked up for each row, which takes a quarter of the time of inserting it. Triggers
do what else a foreign key does: see the migration 0010.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table

from evalstore.errors import StoreError
from evalstore.store.columns import Column

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"

WITHOUT_FOREIGN_KEYS = frozenset({"hit", "measurement", "retrieved"})


def check_columns(
    connection: Connection,
    table: Table,
    columns: Mapping[str, Column],
    same: Mapping[str, int],
) -> None:
    """Look up what whole columns refer to; arguments as in `Dialect.insert_columns`.

    Raises:
        StoreError: a row refers to a row that does not exist.
    """
    _look_up(
        connection,
        table,
        {
            column: {same[column]} if column in same else _different(np.asarray(columns[column]))
            for column in _references(table)
        },
    )


def checked_rows(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any],
) -> Iterable[Sequence[Any]]:
    """The rows; what they refer to is looked up after the last one.

    Arguments as in `Dialect.bulk_insert`. Raises as `check_columns`, while it is iterated over.
    """
    references = _references(table)
    if not references:
        return rows
    ids: dict[str, set[int]] = {column: set() for column in references}
    for column in references:
        if column in same:
            ids[column].add(same[column])
    places = [(ids[column], columns.index(column)) for column in references if column in columns]

    def checked() -> Iterator[Sequence[Any]]:
        for row in rows:
            for used, place in places:
                used.add(row[place])
            yield row
        _look_up(connection, table, ids)

    return checked()


@contextmanager
def triggers_put_aside(connection: Connection) -> Iterator[None]:
    """Drop all triggers, and create them again at the end, but those that were made anew."""
    kept = connection.exec_driver_sql(TRIGGERS).all()
    for name, _ in kept:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    made = {name for name, _ in connection.exec_driver_sql(TRIGGERS)}
    for name, definition in kept:
        if name not in made:
            connection.exec_driver_sql(definition)


def _references(table: Table) -> list[str]:
    """The columns of a table that refer to rows which the database does not look up."""
    if table.name not in WITHOUT_FOREIGN_KEYS:
        return []
    return [column.name for column in table.columns if column.foreign_keys]


def _different(ids: npt.NDArray[np.int64]) -> set[int]:
    """The different ids of a column."""
    is_other = np.append(True, ids[1:] != ids[:-1])  # equal ones stand together for the most part
    return set(ids[is_other[: len(ids)]].tolist())


def _look_up(connection: Connection, table: Table, ids: Mapping[str, Collection[int]]) -> None:
    """Look up the ids that each column refers to, by one statement."""
    if not ids:
        return
    parents = [next(iter(table.c[column].foreign_keys)).column.table.name for column in ids]
    driver: Any = connection.connection.driver_connection
    missing = driver.execute(
        " UNION ALL ".join(map(_missing, parents)), [json.dumps([*used]) for used in ids.values()]
    ).fetchone()
    if missing is not None:
        raise StoreError(f'a row of "{table.name}" belongs to no {missing[0]}')


def _missing(parent: str) -> str:
    """A SELECT of the name of a table if it lacks one of the ids in a list."""
    exists = f'SELECT 1 FROM "{parent}" WHERE id = used.value'  # noqa: S608  (a name of ours)
    return f"SELECT '{parent}' FROM json_each(?) AS used WHERE NOT EXISTS ({exists})"  # noqa: S608  (as above)
