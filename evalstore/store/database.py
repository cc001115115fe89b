"""What depends on the database: here, in `upkeep`, `sqlite` and `postgres`, and nowhere else.

SQLite and PostgreSQL (psycopg 3) behave alike above this line: ids are compared by bytes, a
transaction that reads sees one state and can't write, those that write take turns, bulk rows go
through the driver.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import chain, zip_longest
from typing import Any, TypeVar

from sqlalchemy import Connection, DateTime, Engine, Table, Text, create_engine, event
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import TypeDecorator

from evalstore.errors import StoreError
from evalstore.store import postgres, sqlite
from evalstore.store.location import first_line, parse_url, shown_url

T = TypeVar("T")

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""Table arguments: rows kept in the order of their key where the database can (no second copy)."""

BYTE_TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that compares and sorts by its UTF-8 bytes on every database."""

BUSY_SECONDS = 60
CONNECT_SECONDS = 10
TRIES = 5

WRITERS = 0x6576616C
"""The advisory lock that writers of a PostgreSQL store take in turn."""

TRY_AGAIN = {"40001", "40P01"}
"""PostgreSQL: a serialization failure, a deadlock."""


class UtcTime(TypeDecorator[datetime]):
    """A time that is UTC on its way in and out, whatever the session or database thinks."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """UTC; a time without a zone is taken for UTC."""
        return value and _utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """UTC; SQLite keeps no zone."""
        return value and _utc(value)


def _utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# --- connections ---------------------------------------------------------------------------------


def make_engine(url: str) -> Engine:
    """An engine whose transactions begin as `reading` and `writing` ask."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        patience = {} if "connect_timeout" in parsed.query else {"connect_timeout": CONNECT_SECONDS}
        try:
            # Asked before it is used: a connection that a restarted server has cut is made anew.
            engine = create_engine(parsed, pool_pre_ping=True, connect_args=patience)
        except ImportError as error:
            raise StoreError(
                f"PostgreSQL needs {error.name or 'psycopg'}: pip install 'evalstore[postgres]'"
            ) from None
        event.listen(engine, "begin", _begin_postgres)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(_forget_connections, weakref.ref(engine)))
    return engine


def _forget_connections(engine: weakref.ref[Engine]) -> None:
    """A forked process makes connections of its own: two on one read each other's answers."""
    mine = engine()
    if mine is not None:
        mine.dispose(close=False)  # the other process uses them on


OURS_OR_EMPTY = "SELECT count(*) = 0 OR max(name = 'measurement') FROM sqlite_master"


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Python's driver must not begin transactions of its own: it does so too late for a reader and
    # not at all before DDL.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # The journal mode stays with the file: another program's keeps the one it has.
    if cursor.execute(OURS_OR_EMPTY).fetchone()[0]:
        _use_write_ahead_log(cursor)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA cache_size = -65536")
    cursor.close()


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Let readers read while one writes; the file remembers, so this is once per database."""
    end = time.monotonic() + BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # Changing the mode does not wait for others as everything else does; and a file that
            # can't be written is read as it is.
            if "readonly" in str(error):
                return
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


# --- transactions --------------------------------------------------------------------------------


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that will write takes its lock at once: one that reads first and writes later
    # can't wait for the lock and fails with "database is locked".
    options = connection.get_execution_options()
    reads = options.get("evalstore_reads", False)
    connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if reads else 'OFF'}")
    writes = options.get("evalstore_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgres(connection: Connection) -> None:
    # Writers wait for each other, as on SQLite: two that ingest the same run see one another.
    if connection.get_execution_options().get("evalstore_writes", False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS})")


END = object()
"""What no row holds."""

ROWS_TOGETHER = 50
"""Rows in one INSERT on SQLite: less than half the time of one row each, and no less with more."""


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that sees one state of the store and can't change it."""
    options: dict[str, Any] = {"evalstore_reads": True}
    if engine.dialect.name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with (
        spoken(engine),
        engine.connect() as connection,
        connection.execution_options(**options).begin(),
    ):
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that is committed as a whole or not at all."""
    with (
        spoken(engine),
        engine.connect() as connection,
        connection.execution_options(evalstore_writes=True).begin(),
    ):
        yield connection


def transact(engine: Engine, work: Callable[[Connection], T]) -> T:
    """Do `work` in a writing transaction, and again when the database asks to try again."""
    for attempt in range(TRIES):
        try:
            with writing(engine) as connection:
                return work(connection)
        except StoreError as error:
            if attempt == TRIES - 1 or not _asks_to_try_again(error.__cause__):
                raise
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  (no secret)
    raise AssertionError("unreachable")


def _asks_to_try_again(error: BaseException | None) -> bool:
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.OperationalError):
        # With every extended form of it: SQLITE_BUSY_SNAPSHOT, SQLITE_LOCKED_SHAREDCACHE, ...
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(cause, "sqlstate", None) in TRY_AGAIN


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """As `writing`, for changes of the schema.

    On SQLite a table is changed by making it anew: with foreign keys on, dropping the old one
    would delete every row that belongs to it. They are off meanwhile and checked before the end.
    """
    if engine.dialect.name != "sqlite":
        with writing(engine) as connection:
            yield connection
        return
    with spoken(engine), engine.connect() as connection:
        cursor = connection.connection.cursor()
        try:
            cursor.execute("PRAGMA foreign_keys = OFF")
            with connection.execution_options(evalstore_writes=True).begin():
                yield connection
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
                if broken is not None:
                    raise StoreError(
                        f"{shown_url(engine)}: a row of {broken[0]} belongs to no {broken[2]}; "
                        "nothing was changed"
                    )
        finally:
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.close()


@contextmanager
def spoken(engine: Engine) -> Iterator[None]:
    """Errors of the database as one line without the password."""
    own: type[Exception] = getattr(engine.dialect.dbapi, "Error", SQLAlchemyError)
    try:
        yield
    except (SQLAlchemyError, own) as error:
        raise StoreError(f"{shown_url(engine)}: {_said(error)}") from error


def _said(error: BaseException) -> str:
    """What a driver says, in one line, and what to do where that is known."""
    cause = getattr(error, "orig", None) or error
    line = first_line(cause)
    if line.startswith("Multiple connection attempts failed"):  # it tells of each in a line
        line = str(cause).strip().split("\n")[-1].strip(" -")
    if "database is locked" in line:
        return f"another process has been writing for over {BUSY_SECONDS} seconds: try again"
    if line.endswith("does not exist") and "FATAL" in line and "database" in line:
        return f"{line}: make it with `createdb`"
    if "no password supplied" in line:
        return f"{line}: give it in the URL, in PGPASSWORD or in ~/.pgpass"
    return line


# --- rows ----------------------------------------------------------------------------------------


def bulk_insert(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any] | None = None,
) -> None:
    """Insert many rows inside the connection's transaction, through the driver itself.

    Args:
        connection: in a transaction that writes.
        table: where to.
        columns: what each row holds, at least one.
        rows: gone through once.
        same: the columns, and their values, that are the same in all rows.
    """
    same = same or {}
    names = ", ".join(f'"{column}"' for column in (*same, *columns))
    driver = _driver(connection)
    if connection.dialect.name == "sqlite":
        insert = f'INSERT INTO "{table.name}" ({names}) VALUES '  # noqa: S608  (names are our own)
        values, width = tuple(same.values()), len(columns)
        flat = chain.from_iterable(rows)
        rest: list[Any] = []

        def together() -> Iterator[tuple[Any, ...]]:
            for several in zip_longest(*[flat] * (ROWS_TOGETHER * width), fillvalue=END):
                if several[-1] is END:
                    rest.extend(value for value in several if value is not END)
                else:
                    yield values + several

        driver.executemany(insert + _marks(len(same), width, ROWS_TOGETHER), together())
        single = (values + tuple(rest[at : at + width]) for at in range(0, len(rest), width))
        driver.executemany(insert + _marks(len(same), width, 1), single)
        return
    with (
        driver.cursor() as cursor,
        cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as copy,
    ):
        for row in rows:
            copy.write_row((*same.values(), *row))


def _marks(same: int, width: int, rows: int) -> str:
    """SQLite's places for the values of some rows; those that are the same come once, first."""
    shared = [f"?{place + 1}" for place in range(same)]
    own = [f"?{same + place + 1}" for place in range(width * rows)]
    each = (own[at : at + width] for at in range(0, len(own), width))
    return ", ".join(f"({', '.join(shared + marks)})" for marks in each)


def _driver(connection: Connection) -> Any:
    """The driver's own connection."""
    return connection.connection.driver_connection


def ignore_existing(table: Table, dialect: str) -> Any:
    """An INSERT that leaves rows alone that are there already."""
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415  (only the one in use)

        return sqlite.insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415  (only the one in use)

    return postgresql.insert(table).on_conflict_do_nothing()


# --- reading in SQL, enforced by the database -------------------------------------------------


@contextmanager
def read_only_cursor(
    engine: Engine, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query that can't change anything; gives the column names and the rows.

    Raises:
        DataError: the statement is wrong, is no query, or takes longer than `seconds`.
        StoreError: the database can't be read.
    """
    if engine.dialect.name == "sqlite":
        with sqlite.answering(engine.url.database or "", sql, seconds) as answer:
            yield answer
        return
    with spoken(engine), engine.connect() as connection:
        driver = _driver(connection)
        connection.detach()  # what a question did to its session ends with it
        with postgres.answering(driver, sql, seconds) as answer:
            yield answer


def reader_script(url: str, name: str, relations: Sequence[str]) -> str:
    """SQL that makes a role which can read these tables and views, and nothing else.

    Raises:
        StoreError: the database is a file, which knows no roles.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        raise StoreError("SQLite knows no roles: who may read the file may read the store")
    return postgres.reader_script(name, parsed.database or "", relations)
