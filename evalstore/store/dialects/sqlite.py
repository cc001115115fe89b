"""A store in a SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, TableClause, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DisconnectionError

from evalstore.errors import StoreError
from evalstore.store.columns import Column
from evalstore.store.dialects import sqlite_query, sqlite_references, sqlite_rows
from evalstore.store.dialects.dialect import (
    COLLECTIONS,
    READS,
    WRITES,
    Answer,
    Dialect,
    first_line,
    json_text,
)
from evalstore.store.dialects.sqlite_restricted import restrict

BUSY_SECONDS = 60
SHORT_WAIT = 2_000
"""Milliseconds to wait for readers before the write-ahead log is truncated."""

LOG_PAGES = 4_000
"""Pages of 4 KiB in the write-ahead log before they are copied into the file and both are flushed.

With SQLite's 1,000 storing many runs takes a tenth longer. The last connection copies the rest.
"""

OURS_OR_EMPTY = "SELECT count(*) = 0 OR max(name = 'measurement') FROM sqlite_master"


class SQLite(Dialect):
    """A file, read by many and written by one at a time, with a write-ahead log."""

    driver = "pysqlite"

    def file(self, url: URL) -> Path | None:
        """The file; None for a store in memory."""
        return _file(url)

    def is_missing(self, url: URL) -> bool:
        """Whether the file does not exist."""
        file = _file(url)
        return file is not None and not file.exists()

    def check_location(self, url: URL) -> None:
        """Refuse a folder, and a file in a missing folder; `connect` refuses other files.

        The file is not opened here: closing it would release the locks that SQLite has on it for
        other connections of this process, and another process would then delete the log they use.
        """
        file = _file(url)
        if file is None:
            return
        if file.is_dir():
            raise StoreError(f"{file} is a folder: name a file in it, like {file / 'evalstore.db'}")
        if not file.resolve().parent.is_dir():
            raise StoreError(f"there is no folder {file.resolve().parent}: make it first")

    def create_missing(self, url: URL) -> None:
        """Make an empty file, and delete a write-ahead log that a deleted database has left.

        A program that still has the deleted database open would share the index of its log with
        every process that opens a log of the same name.
        """
        file = _file(url)
        if file is None:
            return
        with _locked(file.resolve().parent):
            if file.exists():
                return
            for suffix in ("-wal", "-shm"):
                file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
            try:
                file.touch()
            except OSError as error:
                message = (error.strerror or str(error)).lower()
                raise StoreError(f"{file} can't be made: {message}") from None

    def make_engine(self, url: URL, **options: Any) -> Engine:
        """An engine for the file; a file without write permission is opened for reading."""
        engine = _engine(url, **options)
        event.listen(engine, "begin", _begin)
        return engine

    def allow_restriction(self, engine: Engine) -> None:
        """Nothing is to be prepared."""

    def reader_engine(self, engine: Engine) -> Engine:
        """The same engine."""
        return engine

    def restricted_engine(self, reader: Engine, collections: Collection[int]) -> Engine:
        """An engine of its own: what its connections read is decided once for each."""
        ids = frozenset(collections)
        engine = _engine(reader.url, execution_options={COLLECTIONS: ids})
        event.listen(engine, "connect", lambda connection, _: restrict(connection, ids))
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        return engine

    def reading_options(self) -> Mapping[str, Any]:
        """None: a deferred transaction sees one state, and `_begin` makes it read-only."""
        return {}

    def queueing_options(self) -> Mapping[str, Any]:
        """Those of every writer: SQLite locks the whole database."""
        return {WRITES: True}

    def lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Nothing, and False: transactions that write take turns."""
        return False

    def try_lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """True: transactions that write take turns."""
        return True

    @contextmanager
    def migrating(self, engine: Engine) -> Iterator[Connection]:
        """A writing transaction with foreign keys off; they are checked before its end.

        SQLite changes a table by making a new one. With foreign keys on, dropping the old one
        would delete every row that refers to it. It renames no table that a trigger names, and
        drops the triggers of a table with it: there are none meanwhile.
        """
        with engine.connect() as connection:
            cursor = connection.connection.cursor()
            try:
                cursor.execute("PRAGMA foreign_keys = OFF")
                with (
                    connection.execution_options(**{WRITES: True}).begin(),
                    sqlite_references.triggers_put_aside(connection),
                ):
                    yield connection
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
                    if broken is not None:
                        raise StoreError(
                            f"{engine.url.database}: a row of {broken[0]} belongs to no "
                            f"{broken[2]}; nothing was changed"
                        )
            finally:
                cursor.execute("PRAGMA foreign_keys = ON")
                cursor.close()

    def run_script(self, connection: Connection, script: str) -> None:
        """One statement after the other: the driver's `executescript` would commit."""
        for statement in script.split("\n\n"):
            connection.exec_driver_sql(statement)

    def asks_to_try_again(self, error: BaseException) -> bool:
        """Whether the database was locked (SQLITE_BUSY or SQLITE_LOCKED, with extended codes)."""
        if not isinstance(error, sqlite3.OperationalError):
            return False
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def message(self, error: BaseException) -> str:
        """In one line; a lock and a missing right say what to do."""
        line = first_line(error)
        if "database is locked" in line:
            return f"another process has been writing for over {BUSY_SECONDS} seconds: try again"
        if "readonly database" in line:
            return (
                "the database is read-only here: ask for the right to write the file and its "
                "folder, or work on a copy"
            )
        if "database or disk is full" in line:
            return "the disk is full: nothing was stored; make room and try again"
        return line

    def insert_or_ignore(self, table: Table) -> Any:
        """INSERT ... ON CONFLICT DO NOTHING."""
        return insert(table).on_conflict_do_nothing()

    def bulk_insert(
        self,
        connection: Connection,
        table: Table,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        same: Mapping[str, Any],
    ) -> None:
        """Many rows in each INSERT."""
        rows = sqlite_references.checked_rows(connection, table, columns, rows, same)
        sqlite_rows.insert(connection, table.name, columns, rows, same)

    def insert_columns(
        self,
        connection: Connection,
        table: Table,
        columns: Mapping[str, Column],
        same: Mapping[str, int],
    ) -> None:
        """Many rows in each INSERT."""
        sqlite_references.check_columns(connection, table, columns, same)
        sqlite_rows.insert_columns(connection, table.name, columns, same)

    def whole_lists(self, table: Table) -> TableClause:
        """The table itself."""
        return table

    @contextmanager
    def read_only_cursor(self, engine: Engine, sql: str, seconds: float) -> Iterator[Answer]:
        """On a separate connection, opened for reading and with an authorizer."""
        path, ids = engine.url.database or "", engine.get_execution_options().get(COLLECTIONS)
        with sqlite_query.read_only_cursor(path, sql, seconds, ids) as answer:
            yield answer

    def reader_script(self, url: URL, name: str, relations: Sequence[str]) -> str:
        """There is none: a file has no roles."""
        raise StoreError("SQLite knows no roles: who may read the file may read the store")

    def size(self, engine: Engine) -> int:
        """The bytes of the file and its write-ahead log."""
        file = Path(engine.url.database or "")
        parts = (file, file.with_name(f"{file.name}-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def state(self, cursor: Any) -> object:
        """A number that SQLite changes when another connection has committed."""
        return cursor.execute("PRAGMA data_version").fetchone()[0]

    def reclaim_space(self, engine: Engine) -> None:
        """VACUUM, and truncate the write-ahead log."""
        with _outside_transactions(engine) as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {SHORT_WAIT}")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def damages(self, engine: Engine) -> Iterator[str]:
        """What `PRAGMA integrity_check` finds."""
        with _outside_transactions(engine) as cursor:
            lines = [str(row[0]) for row in cursor.execute("PRAGMA integrity_check(20)").fetchall()]
        yield from (line for line in lines if line != "ok")


def _file(url: URL) -> Path | None:
    """The file of a store; None for one in memory, and for SQLite's own URIs."""
    path = url.database
    return None if not path or path == ":memory:" or path.startswith("file:") else Path(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes that make a store in it, where the system can."""
    try:
        import fcntl  # noqa: PLC0415  (not on every system)

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


# --- connections ---------------------------------------------------------------------------------


def _engine(url: URL, **options: Any) -> Engine:
    """An engine whose transactions the caller begins."""
    engine = create_engine(
        url, json_serializer=json_text, connect_args={"timeout": BUSY_SECONDS}, **options
    )
    file = _file(url)
    if file is not None:
        _connect_to_file(engine, file)
    event.listen(engine, "connect", _prepare)
    return engine


def _connect_to_file(engine: Engine, file: Path) -> None:
    """Connect only to an existing file, and reconnect when another file has replaced it."""

    def connect(_dialect: Any, record: Any, _args: Any, parameters: dict[str, Any]) -> Any:
        record.info["file"] = _identity(file)
        if not file.exists():
            raise StoreError(f"there is no store at {engine.url.render_as_string()}")
        uri = f"{file.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(uri, **{**parameters, "uri": True})
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                connection.close()
                raise StoreError(f"{file} is no SQLite database: name another file") from None
            # The write-ahead log needs two more files in the folder, which can't be made here.
            if not any(word in str(error) for word in ("readonly", "unable to open")):
                connection.close()
                raise
            connection.close()
            # `open_read_only` may open the file as immutable, so changes of it must be noticed.
            record.info["file"] = _identity(file, content=True)
            record.info["read_only"] = True
            return sqlite_query.open_read_only(file.absolute(), check_same_thread=False)
        record.info["read_only"] = False
        return connection

    def check(_connection: Any, record: Any, _proxy: Any) -> None:
        """Reconnect if the file was deleted or replaced, instead of reading the old one."""
        if record.info["file"] != _identity(file, content=record.info["read_only"]):
            raise DisconnectionError("the file was replaced")

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "checkout", check)


def _identity(file: Path, *, content: bool = False) -> tuple[int, ...] | None:
    """Device and inode of a file, with `content` also its time and size; None if it is missing."""
    try:
        status = file.stat()
    except OSError:
        return None
    identity = (status.st_dev, status.st_ino)
    return (*identity, status.st_mtime_ns, status.st_size) if content else identity


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    # Python's driver must not begin transactions itself: it begins too late for a reader, and not
    # at all before DDL.
    connection.isolation_level = None
    with closing(connection.cursor()) as cursor:
        cursor.execute("PRAGMA foreign_keys = ON")
        # The journal mode is stored in the file: a file of another program keeps its own.
        read_only = record.info.get("read_only", False)
        if not read_only and cursor.execute(OURS_OR_EMPTY).fetchone()[0]:
            _use_write_ahead_log(cursor)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA cache_size = -65536")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Let readers read while one process writes; set once, as the mode is stored in the file."""
    end = time.monotonic() + BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite does not wait for other processes when the mode is changed, hence the loop.
            # A file that can't be written is read in the mode it has.
            if any(word in str(error) for word in ("readonly", "unable to open")):
                return
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin(connection: Connection) -> None:
    # A writing transaction takes the lock at its beginning: one that reads first and writes later
    # can't wait for the lock and fails with "database is locked".
    options = connection.get_execution_options()
    reads, setting = options.get(READS, False), connection.info
    if setting.get(READS) != reads:  # the connection keeps it
        connection.exec_driver_sql(f"PRAGMA query_only = {'ON' if reads else 'OFF'}")
        setting[READS] = reads
    writes = options.get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _outside_transactions(engine: Engine) -> Iterator[sqlite3.Cursor]:
    """A cursor on a separate connection in autocommit mode."""
    connection: Any = engine.raw_connection()
    cursor = connection.cursor()
    try:
        cursor.execute("PRAGMA query_only = OFF")
        yield cursor
    finally:
        cursor.close()
        connection.invalidate()  # its settings must not be reused
