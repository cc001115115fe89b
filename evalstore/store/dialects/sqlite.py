"""A store in a SQLite file."""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, TableClause, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DisconnectionError

from evalstore.errors import StoreError
from evalstore.store.columns import Column, rows_of
from evalstore.store.dialects import sqlite_reading
from evalstore.store.dialects.dialect import (
    COLLECTIONS,
    PUBLISHING,
    READS,
    WRITES,
    Answer,
    UtcTime,
    first_line,
    json_text,
)
from evalstore.store.dialects.sqlite_reading import restrict

BUSY_SECONDS = 60
SHORT_WAIT = 2_000
"""The time to wait for readers before truncating the write-ahead log, in milliseconds."""

LOG_PAGES = 4_000
"""Pages of 4 KiB in the write-ahead log before they are copied into the file and both are flushed.
With SQLite's default of 1,000, storing many runs takes a tenth longer.
"""

OURS_OR_EMPTY = "SELECT count(*) = 0 OR max(name = 'measurement') FROM sqlite_master"


class SQLite:
    """A file with a write-ahead log: many processes can read it, one at a time can write.

    Attributes:
        driver: the only supported driver, by SQLAlchemy's name.
    """

    driver = "pysqlite"

    def file(self, url: URL) -> Path | None:
        """The file; None for a store in memory."""
        return _file(url)

    def is_missing(self, url: URL) -> bool:
        """Whether the database certainly doesn't exist, decided without connecting."""
        file = _file(url)
        return file is not None and not file.exists()

    def check_location(self, url: URL) -> None:
        """Refuse a folder, and a file in a missing folder; `connect` refuses other files.

        The file is not opened here: closing it would release the locks of other connections of this
        process, and another process would then delete the log that they use.
        """
        file = _file(url)
        if file is None:
            return
        if file.is_dir():
            raise StoreError(f"{file} is a folder: name a file in it, like {file / 'evalstore.db'}")
        if not file.resolve().parent.is_dir():
            raise StoreError(f"there is no folder {file.resolve().parent}: make it first")

    def create_missing(self, url: URL) -> None:
        """Make an empty file, and delete the write-ahead log of a deleted database.

        A program that still has the deleted database open would share the index of that log with
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
        """An engine for the file; a file without write permission is opened read-only."""
        engine = _engine(url, **options)
        event.listen(engine, "begin", _begin)
        return engine

    def allow_restriction(self, engine: Engine) -> None:
        """Prepare the database for `restricted_engine`, as its owner; here nothing is needed.

        Raises:
            StoreError: the owner lacks a permission, which the message names.
        """

    def reader_engine(self, engine: Engine) -> Engine:
        """The engine for `restricted_engine`, here the same one.

        Raises:
            StoreError: the database was not prepared.
        """
        return engine

    def restricted_engine(
        self, reader: Engine, collections: Collection[int], publishing: Collection[int]
    ) -> Engine:
        """An engine that reads only the rows of some collections; the database enforces this.

        `read_only_cursor` finds the assessments of drafts in the collections `publishing` alone. It
        is a separate engine, each of whose connections is restricted once.
        """
        ids = frozenset(collections)
        options = {COLLECTIONS: ids, PUBLISHING: frozenset(publishing)}
        engine = _engine(reader.url, execution_options=options)
        event.listen(engine, "connect", lambda connection, _: restrict(connection, ids))
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        return engine

    def reading_options(self) -> Mapping[str, Any]:
        """Execution options for a transaction that sees one state and can't write.

        None are needed: a deferred transaction sees one state, and `_begin` makes it read-only.
        """
        return {}

    def queueing_options(self) -> Mapping[str, Any]:
        """Execution options for a short transaction that writes rows which nobody else writes.

        They are those of every writer, because SQLite locks the whole database.
        """
        return {WRITES: True}

    def lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Wait until no other transaction has this key, and hold it until the end of this one.

        Returns:
            Whether another transaction may have written meanwhile; False here, where writing
            transactions run one after the other and need no locks.
        """
        return False

    def try_lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Take a lock without waiting; returns whether this transaction has it, here always."""
        return True

    @contextmanager
    def migrating(self, engine: Engine) -> Iterator[Connection]:
        """A transaction that writes and may change the schema, with foreign keys off.

        They are checked before it ends: StoreError if a row then refers to a missing row.

        SQLite changes a table by making a new one. With foreign keys on, dropping the old one would
        delete all rows that refer to it. Triggers would prevent renaming, so they are removed
        during the transaction.
        """
        with engine.connect() as connection:
            cursor = connection.connection.cursor()
            try:
                cursor.execute("PRAGMA foreign_keys = OFF")
                with (
                    connection.execution_options(**{WRITES: True}).begin(),
                    triggers_put_aside(connection),
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
        """Run a script of the migrations folder in the connection's transaction.

        An empty line separates its statements. They are run one after the other, because the
        driver's `executescript` would commit.
        """
        for statement in script.split("\n\n"):
            connection.exec_driver_sql(statement)

    def asks_to_try_again(self, error: BaseException) -> bool:
        """Whether repeating the transaction can succeed after this error of the driver.

        It can if the database was locked (SQLITE_BUSY or SQLITE_LOCKED, also extended codes).
        """
        if not isinstance(error, sqlite3.OperationalError):
            return False
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def message(self, error: BaseException) -> str:
        """The error in one line; advice is added for a locked database or a missing permission."""
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
        """An INSERT that skips rows whose key exists already."""
        return insert(table).on_conflict_do_nothing()

    def bulk_insert(
        self,
        connection: Connection,
        table: Table,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        same: Mapping[str, Any],
    ) -> None:
        """Insert many rows through the driver, inside the connection's transaction.

        Args:
            connection: in a writing transaction.
            table: the table to insert into.
            columns: the names of the columns in each row, at least one.
            rows: iterated over once. Rows of `measurement` are sorted by measure, those of `hit`
                and `retrieved` by query, because PostgreSQL stores them as lists.
            same: further columns that have one value in all rows, with this value.
        """
        if any(isinstance(table.c[name].type, UtcTime) for name in columns):
            # The driver would write times in another form than SQLAlchemy.
            values = [{**same, **dict(zip(columns, row, strict=True))} for row in rows]
            if values:
                connection.execute(insert(table), values)
            return
        rows = checked_rows(connection, table, columns, rows, same)
        names = ", ".join(f'"{column}"' for column in (*same, *columns))
        driver: Any = connection.connection.driver_connection
        statement = f'INSERT INTO "{table.name}" ({names}) VALUES '  # noqa: S608  (names are our own)
        shared, width = tuple(same.values()), len(columns)
        flat = chain.from_iterable(rows)
        rest: tuple[Any, ...] = ()

        def together() -> Iterator[tuple[Any, ...]]:
            nonlocal rest
            while len(rest := tuple(islice(flat, ROWS_TOGETHER * width))) == ROWS_TOGETHER * width:
                yield shared + rest

        driver.executemany(statement + _marks(len(same), width, ROWS_TOGETHER), together())
        single = (shared + rest[at : at + width] for at in range(0, len(rest), width))
        driver.executemany(statement + _marks(len(same), width, 1), single)

    def insert_columns(
        self,
        connection: Connection,
        table: Table,
        columns: Mapping[str, Column],
        same: Mapping[str, int],
    ) -> None:
        """Insert whole columns without nulls by `bulk_insert`.

        `columns` has at least one column; all have the same length and the order of rows that
        `bulk_insert` needs. `same` has further columns, with one number for all rows.
        """
        self.bulk_insert(connection, table, list(columns), rows_of(columns), same)

    def base_table(self, table: Table) -> TableClause:
        """The table that stores a model: on PostgreSQL some are views over a table with arrays.

        Such a table has at least the first two columns of the view's key, and one row for all rows
        of the view that have the same values in these two.
        """
        return table

    @contextmanager
    def read_only_cursor(self, engine: Engine, sql: str, seconds: float) -> Iterator[Answer]:
        """Run one query, which can't read HIDDEN_TABLES; the database itself prevents changes.

        It runs on a separate connection, opened read-only and with an authorizer; on a restricted
        engine it sees only what the engine sees.

        Raises:
            DataError: the statement is wrong, isn't a query, or takes longer than `seconds`.
            StoreError: the database can't be read.
        """
        path, options = engine.url.database or "", engine.get_execution_options()
        ids = [options[name] for name in (COLLECTIONS, PUBLISHING) if name in options]
        with sqlite_reading.read_only_cursor(path, sql, seconds, *ids) as answer:
            yield answer

    def reader_script(self, url: URL, name: str, relations: Sequence[str]) -> str:
        """SQL that makes a role which can read only these tables and views; a file has no roles.

        Raises:
            DataError: the name can't be used for a role.
            StoreError: the database has no roles.
        """
        raise StoreError("SQLite knows no roles: who may read the file may read the store")

    def size(self, engine: Engine) -> int:
        """The size of the file and its write-ahead log in bytes."""
        file = Path(engine.url.database or "")
        parts = (file, file.with_name(f"{file.name}-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def state(self, cursor: Any) -> object:
        """A value that is different after each change committed by others.

        `cursor` is the driver's; only values from the same connection can be compared.
        """
        return cursor.execute("PRAGMA data_version").fetchone()[0]

    def reclaim_space(self, engine: Engine) -> None:
        """Run VACUUM, and truncate the write-ahead log."""
        with _outside_transactions(engine) as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {SHORT_WAIT}")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def damages(self, engine: Engine) -> Iterator[str]:
        """The findings of `PRAGMA integrity_check`."""
        with _outside_transactions(engine) as cursor:
            lines = [str(row[0]) for row in cursor.execute("PRAGMA integrity_check(20)").fetchall()]
        yield from (line for line in lines if line != "ok")


def _file(url: URL) -> Path | None:
    """The file of a store; None for a store in memory, and for SQLite's own URIs."""
    path = url.database
    return None if not path or path == ":memory:" or path.startswith("file:") else Path(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes that make a store in it, if the system can do that."""
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
            # A write-ahead log needs two more files in the folder, which can't be made here.
            if not any(word in str(error) for word in ("readonly", "unable to open")):
                connection.close()
                raise
            connection.close()
            # `open_read_only` may open the file as immutable, so its changes must be noticed here.
            record.info["file"] = _identity(file, content=True)
            record.info["read_only"] = True
            return sqlite_reading.open_read_only(file.absolute(), check_same_thread=False)
        record.info["read_only"] = False
        return connection

    def check(_connection: Any, record: Any, _proxy: Any) -> None:
        """Reconnect if the file was deleted or replaced, instead of reading the old file."""
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
    # Python's driver must not begin transactions itself: for a reader it does so too late, and
    # before DDL not at all.
    connection.isolation_level = None
    with closing(connection.cursor()) as cursor:
        cursor.execute("PRAGMA foreign_keys = ON")
        # The journal mode is stored in the file, so it is not changed in another program's file.
        read_only = record.info.get("read_only", False)
        if not read_only and cursor.execute(OURS_OR_EMPTY).fetchone()[0]:
            _use_write_ahead_log(cursor)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA cache_size = -65536")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")


def _use_write_ahead_log(cursor: sqlite3.Cursor) -> None:
    """Let readers read while one process writes; the mode is stored in the file."""
    end = time.monotonic() + BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite doesn't wait for other processes when it changes the mode, so this loop does. A
            # file that can't be written is read in the mode it already has.
            if any(word in str(error) for word in ("readonly", "unable to open")):
                return
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def _begin(connection: Connection) -> None:
    # A writing transaction takes the lock at its beginning: one that reads first and writes later
    # can't wait for the lock, and fails with "database is locked".
    options = connection.get_execution_options()
    reads, setting = options.get(READS, False), connection.info
    if setting.get(READS) != reads:  # the connection keeps the setting
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
        connection.invalidate()  # a connection with these settings must not be reused


# Inserting many rows into a table of SQLite through its driver

ROWS_TOGETHER = 100
"""Rows in one INSERT: takes less than half the time of single rows; more rows gain nothing."""


@functools.cache
def _marks(same: int, width: int, rows: int) -> str:
    """The placeholders of some rows: shared values are numbered first and bound once.

    The values of a row have placeholders without numbers: from Python 3.12 on, a numbered one is
    looked up by its name for each value.
    """
    shared = [f"?{number + 1}" for number in range(same)]
    row = f"({', '.join([*shared, *['?'] * width])})"
    return ", ".join([row] * rows)


# Checking the references of SQLite's large tables, once for many rows.
#
# SQLite looks a foreign key up for each row, which takes a quarter of the time of inserting the
# row. Triggers do everything else that a foreign key would do: see migration 0010.

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"

WITHOUT_FOREIGN_KEYS = frozenset({"hit", "measurement", "retrieved"})


def checked_rows(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any],
) -> Iterable[Sequence[Any]]:
    """Yield the rows, then raise a StoreError if one of them refers to a missing row."""
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
    """Drop all triggers; at the end, create those again that were not created meanwhile.

    They are in `connection.info["triggers"]`, from which a migration removes those of no use.
    """
    kept = {row[0]: row[1] for row in connection.exec_driver_sql(TRIGGERS)}
    connection.info["triggers"] = kept
    for name in kept:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    made = {name for name, _ in connection.exec_driver_sql(TRIGGERS)}
    for name, definition in kept.items():
        if name not in made:
            connection.exec_driver_sql(definition)


def _references(table: Table) -> list[str]:
    """The columns of a table that refer to other rows without being checked by the database."""
    if table.name not in WITHOUT_FOREIGN_KEYS:
        return []
    return [column.name for column in table.columns if column.foreign_keys]


def _look_up(connection: Connection, table: Table, ids: Mapping[str, Collection[int]]) -> None:
    """Check the ids that each column refers to, by one statement."""
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
    """A SELECT of the table's name if the table lacks one of the ids in a list."""
    exists = f'SELECT 1 FROM "{parent}" WHERE id = used.value'  # noqa: S608  (a name of ours)
    return f"SELECT '{parent}' FROM json_each(?) AS used WHERE NOT EXISTS ({exists})"  # noqa: S608  (as above)
