"""Read-only SQL on a SQLite store, enforced by SQLite itself."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalstore.errors import DataError, StoreError
from evalstore.store.dialects import sqlite_restricted
from evalstore.store.dialects.dialect import HIDDEN_TABLES
from evalstore.store.dialects.sqlite_error_line import error_line

LONGEST_VALUE = 64 << 20
BUSY_SECONDS = 60
HARMLESS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
TABLES_OF_SQLITE = {"sqlite_master", "sqlite_schema", "sqlite_sequence", "sqlite_temp_master"}
"""Those that tell of no row of another table; sqlite_stat4 and sqlite_dbpage would."""


@contextmanager
def read_only_cursor(
    path: str, sql: str, seconds: float, collections: Collection[int] | None = None
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query on a file opened with mode=ro, with an authorizer that allows only reading.

    It reads the rows of some collections alone, if their ids are given.
    """
    end = time.monotonic() + seconds
    connection = open_read_only(Path(path).resolve())
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        if collections is None:
            connection.set_authorizer(_only_reading)
        else:
            connection.execute("BEGIN")  # what is hidden and what is read are of one state
            sqlite_restricted.restrict_statement(connection, collections, sql)
        cursor = connection.execute(sql)
        yield tuple(column[0] for column in cursor.description or ()), cursor
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _refusal(error, sql, seconds) from None
    finally:
        connection.close()


def open_read_only(path: Path, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """A connection that can't write.

    A database with a write-ahead log has two more files in its folder, made by the first process
    that opens it. Where these can't be made and the log is empty, nobody is writing, and the file
    is opened as immutable.
    """
    message = ""
    log = path.with_name(f"{path.name}-wal")
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        uri = f"{path.as_uri()}?{mode}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=check_same_thread
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            connection.close()
            message = str(error)
            if log.exists() and log.stat().st_size:
                message += f": {log.name} holds changes that can't be read without writing here"
                break
        else:
            return connection
    raise StoreError(f"{path}: {message}")


def _only_reading(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and not sqlite_restricted.is_safe(second):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and _is_hidden((first or "").lower()):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in HARMLESS else sqlite3.SQLITE_DENY


def _is_hidden(table: str) -> bool:
    if table.startswith(("sqlite_", "dbstat")):
        return table not in TABLES_OF_SQLITE
    return table.startswith(HIDDEN_TABLES)


def _refusal(error: Exception, sql: str, seconds: float) -> DataError:
    message = str(error)
    if message == "interrupted":
        return DataError(f"SQL: stopped after {seconds:g} seconds", problem="too slow")
    if "is prohibited" in message:  # of a table: `access to server_token.hash is prohibited`
        return DataError(f"SQL: {message}: only the server itself reads this table")
    if "not authorized" in message:
        return DataError(f"SQL: {message}: only reading is allowed here")
    if "one statement at a time" in message:
        return DataError("SQL: one statement at a time")
    line = error_line(sql, message)
    return DataError(f"SQL: {f'line {line}: ' if line else ''}{message}")
