"""What depends on the database: the only file that knows a SQL dialect.

SQLite and PostgreSQL (psycopg 3) behave alike above this line: ids are compared by bytes, a write
transaction is exclusive where it must be, bulk rows go through the driver.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Table,
    Text,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.types import TypeDecorator, TypeEngine

from evalstore.errors import DataError, StoreError

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""Table arguments: rows kept in the order of their key where the database can (no second copy)."""

BUSY_SECONDS = 60

WRITERS = 0x6576616C
"""The advisory lock that writers of a PostgreSQL store take in turn."""


class ByteText(TypeDecorator[str]):
    """Text that compares and sorts by its UTF-8 bytes on every database."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        """SQLite compares by bytes as it is; PostgreSQL when told so."""
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(Text(collation=collation))


def parse_url(url: str) -> URL:
    """The URL of a database that we know, or a StoreError that says what a URL looks like."""
    try:
        parsed = make_url(url)
        name = parsed.get_dialect().name
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: {_first_line(error)}; write it "
            "like sqlite:///evalstore.db or postgresql+psycopg://user@host/name"
        ) from None
    if name not in ("sqlite", "postgresql"):
        raise StoreError(f"{name} is not supported: use SQLite or PostgreSQL")
    return parsed


def _without_password(url: str) -> str:
    """Something that is no URL, without what may be a password in it."""
    scheme, colon, rest = url.rpartition("://")
    rest = re.sub("(?i)(password=)[^&]*", r"\1***", rest)
    _, at, tail = rest.rpartition("@")
    return f"{scheme}{colon}***@{tail}" if at else f"{scheme}{colon}{rest}"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0]


def make_engine(url: str) -> Engine:
    """An engine whose transactions begin as `reading` and `writing` ask."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = create_engine(parsed, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"PostgreSQL needs {error.name}: pip install 'evalstore[postgres]'"
        ) from None
    event.listen(engine, "begin", _begin_postgres)
    return engine


OURS_OR_EMPTY = "SELECT count(*) = 0 OR max(name = 'measurement') FROM sqlite_master"


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Python's driver must not begin transactions of its own: it does so too late for a reader and
    # not at all before DDL.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # The journal mode stays with the file: another program's keeps the one it has.
    if cursor.execute(OURS_OR_EMPTY).fetchone()[0]:
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA cache_size = -65536")
    cursor.close()


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Let readers read while one writes; the file remembers, so this is once per database."""
    end = time.monotonic() + BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            # Changing the mode does not wait for others as everything else does.
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that will write takes its lock at once: one that reads first and writes later
    # can't wait for the lock and fails with "database is locked".
    writes = connection.get_execution_options().get("evalstore_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgres(connection: Connection) -> None:
    # Writers wait for each other, as on SQLite: two that ingest the same run see one another.
    if connection.get_execution_options().get("evalstore_writes", False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS})")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that sees one state of the store."""
    with _spoken(engine), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that is committed as a whole or not at all."""
    with (
        _spoken(engine),
        engine.connect().execution_options(evalstore_writes=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def _spoken(engine: Engine) -> Iterator[None]:
    """Errors of the database as one line without the password."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise StoreError(f"{shown_url(engine)}: {_first_line(cause)}") from error


def shown_url(engine: Engine) -> str:
    """The URL for people: without the password, wherever it stands."""
    secrets = [name for name in engine.url.query if "password" in name.lower()]
    return engine.url.difference_update_query(secrets).render_as_string(hide_password=True)


def bulk_insert(
    connection: Connection, table: Table, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert many rows inside the connection's transaction, through the driver itself."""
    names = ", ".join(f'"{column}"' for column in columns)
    driver = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(columns))
        cursor = driver.cursor()  # type: ignore[union-attr]
        cursor.executemany(f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', rows)  # noqa: S608  (names are our own)
        cursor.close()
        return
    with (
        driver.cursor() as cursor,  # type: ignore[union-attr]
        cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN') as copy,
    ):
        for row in rows:
            copy.write_row(row)


def ignore_existing(table: Table, dialect: str) -> Any:
    """An INSERT that leaves rows alone that are there already."""
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415

        return sqlite.insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415

    return postgresql.insert(table).on_conflict_do_nothing()


def is_missing(engine: Engine) -> bool:
    """Whether the database is a SQLite file that does not exist yet."""
    path = engine.url.database
    if engine.url.get_backend_name() != "sqlite" or not path:
        return False
    return not Path(path).exists()


def prepare_place(engine: Engine) -> None:
    """Refuse, with a clear word, a SQLite file that can't be there or is something else."""
    path = engine.url.database
    if engine.url.get_backend_name() != "sqlite" or not path or path == ":memory:":
        return
    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it, like {file / 'evalstore.db'}")
    if not file.resolve().parent.is_dir():
        raise StoreError(f"there is no folder {file.resolve().parent}: make it first")
    try:
        with file.open("rb") as stream:
            start = stream.read(16)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if start and start != b"SQLite format 3\0":
        raise StoreError(f"{path} is no SQLite database: name another file with --db")


# --- reading in SQL, enforced by the database -------------------------------------------------

LONGEST_VALUE = 64 << 20
HARMLESS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
UNSAFE_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


@contextmanager
def read_only_cursor(
    engine: Engine, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query that can't change anything; gives the column names and the rows.

    SQLite: a connection opened with mode=ro and an authorizer that knows only reading. PostgreSQL:
    a cursor declared in a read-only transaction with a statement timeout.

    Raises:
        DataError: the statement is wrong, is no query, or takes longer than `seconds`.
    """
    if engine.dialect.name == "sqlite":
        with _read_only_sqlite(engine, sql, seconds) as answer:
            yield answer
    else:
        with _read_only_postgres(engine, sql, seconds) as answer:
            yield answer


@contextmanager
def _read_only_sqlite(
    engine: Engine, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    uri = f"{Path(engine.url.database or '').resolve().as_uri()}?mode=ro"
    end = time.monotonic() + seconds
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_authorizer(_only_reading)
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        cursor = connection.execute(sql)
        yield tuple(column[0] for column in cursor.description or ()), cursor
    except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError) as error:
        raise DataError(_sql_complaint(error, seconds)) from None
    finally:
        connection.close()


def _only_reading(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in UNSAFE_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in HARMLESS else sqlite3.SQLITE_DENY


def _sql_complaint(error: Exception, seconds: float) -> str:
    said = str(error)
    if said == "interrupted":
        return f"SQL: stopped after {seconds:g} seconds: raise --timeout or ask for less"
    if "not authorized" in said or "prohibited" in said:
        return f"SQL: {said}: only reading is allowed here"
    if "one statement at a time" in said:
        return "SQL: one statement at a time"
    return f"SQL: {said}"


@contextmanager
def _read_only_postgres(
    engine: Engine, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    import psycopg  # noqa: PLC0415  (only where PostgreSQL is used)
    from psycopg import sql as composed  # noqa: PLC0415

    with engine.connect() as outer:
        driver = outer.connection.driver_connection
        try:
            driver.execute("SET TRANSACTION READ ONLY")  # type: ignore[union-attr]
            timeout = composed.SQL("SET LOCAL statement_timeout = {}").format(int(seconds * 1000))
            driver.execute(timeout)  # type: ignore[union-attr]
            # DECLARE takes one query and nothing else, and the extended protocol one statement.
            with driver.cursor() as cursor:  # type: ignore[union-attr]
                cursor.execute(f"DECLARE answer NO SCROLL CURSOR FOR {sql}", prepare=True)
                cursor.execute("FETCH 1000 FROM answer")
                names = tuple(column.name for column in cursor.description or ())
                yield names, _fetched(cursor)
        except psycopg.errors.QueryCanceled:
            raise DataError(_sql_complaint(Exception("interrupted"), seconds)) from None
        except psycopg.Error as error:
            raise DataError(f"SQL: {_first_line(error)}") from None


def _fetched(cursor: Any) -> Iterator[Sequence[Any]]:
    while rows := cursor.fetchall():
        yield from rows
        cursor.execute("FETCH 1000 FROM answer")
