"""A store in a PostgreSQL database, accessed through psycopg 3."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Integer,
    String,
    Table,
    TableClause,
    column,
    create_engine,
    event,
    text,
)
from sqlalchemy import table as table_of
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from evalstore.errors import MissingExtra, StoreError
from evalstore.formats.reading import ids
from evalstore.store.columns import Column, rows_of
from evalstore.store.dialects import postgres_reading
from evalstore.store.dialects.dialect import (
    COLLECTIONS,
    PUBLISHING,
    SHARED,
    WRITES,
    Answer,
    first_line,
    json_text,
)
from evalstore.store.dialects.postgres_reading import LISTS

CONNECT_SECONDS = 10

WRITERS = 0x6576616C
"""The key of the advisory lock that all writers of a store take, exclusive or shared."""

SECRET = "evalstore_secret"  # noqa: S105  (the name of an option)
"""Execution option of the reader's engine: the secret for the proofs."""

NOT_ALLOWED = "42501"
"""The SQLSTATE of insufficient privilege."""

TRY_AGAIN = {"40001", "40P01"}
"""The SQLSTATEs of a serialization failure and of a deadlock."""


class Postgres:
    """A database on a server."""

    driver = "psycopg"

    def file(self, url: URL) -> Path | None:
        """None: the store is on a server."""

    def is_missing(self, url: URL) -> bool:
        """False, because only the server can know."""
        return False

    def check_location(self, url: URL) -> None:
        """Do nothing, because only the server can know."""

    def create_missing(self, url: URL) -> None:
        """Do nothing: the server's administrator makes the database (`createdb`)."""

    def make_engine(self, url: URL, **options: Any) -> Engine:
        """An engine that tests each connection before use: a restart of the server closes them."""
        timeout = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
        try:
            engine = create_engine(
                url, json_serializer=json_text, pool_pre_ping=True, connect_args=timeout, **options
            )
        except ImportError:
            raise MissingExtra("PostgreSQL", "postgres", "psycopg") from None
        event.listen(engine, "begin", _begin)
        return engine

    def allow_restriction(self, engine: Engine) -> None:
        """Make a role that can log in, policies on the tables, and views."""
        try:
            with _writing(engine) as connection:
                postgres_reading.allow(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != NOT_ALLOWED:
                raise
            raise StoreError(
                f"restricted reading needs a role: {first_line(error.orig or error)}; let a "
                f'superuser run ALTER ROLE "{engine.url.username}" CREATEROLE, or make the store '
                "as a user who may make roles and schemas"
            ) from None
        reader = self.reader_engine(engine)
        try:
            with reader.connect():
                pass
        except DBAPIError as error:
            raise StoreError(
                f'the role "{reader.url.username}" was made but can\'t log in: '
                f"{self.message(error.orig or error)}; let pg_hba.conf of the server take its "
                "password (scram-sha-256)"
            ) from None
        finally:
            reader.dispose()

    def reader_engine(self, engine: Engine) -> Engine:
        """An engine that logs in as the role made by `allow_restriction`."""
        with engine.connect() as connection:
            role, password, secret = postgres_reading.access(connection)
        url = engine.url.set(username=role, password=password)
        reader = self.make_engine(url)
        event.listen(reader, "begin", _show_collections)
        return reader.execution_options(**{SECRET: secret})

    def restricted_engine(
        self, reader: Engine, collections: Collection[int], publishing: Collection[int]
    ) -> Engine:
        """An engine that shares the connections of the reader."""
        options = {COLLECTIONS: frozenset(collections), PUBLISHING: frozenset(publishing)}
        return reader.execution_options(**options)

    def reading_options(self) -> Mapping[str, Any]:
        """Options for one snapshot of the whole transaction, which the server makes read-only."""
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

    def queueing_options(self) -> Mapping[str, Any]:
        """Options without the lock of writers: locks on rows are enough."""
        return {}

    def lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Take an advisory lock of the transaction, waiting for it."""
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_number(key),))
        return True

    def try_lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Take an advisory lock of the transaction, unless another transaction has it."""
        statement = "SELECT pg_try_advisory_xact_lock(%s)"
        return bool(connection.exec_driver_sql(statement, (_number(key),)).scalar())

    @contextmanager
    def migrating(self, engine: Engine) -> Iterator[Connection]:
        """A writing transaction: PostgreSQL can change tables in it and checks keys itself."""
        with _writing(engine) as connection:
            # A column that is used in a policy or a view can't be changed.
            has_rules = postgres_reading.is_allowed(connection)
            if has_rules:
                postgres_reading.drop_rules(connection)
            yield connection
            if has_rules:
                postgres_reading.make_rules(connection)

    def run_script(self, connection: Connection, script: str) -> None:
        """Run all statements at once: waiting for each answer would double the time."""
        name = "SELECT quote_ident(current_schema())"
        schema = connection.exec_driver_sql(name).scalar_one()
        driver: Any = connection.connection.driver_connection
        driver.execute(script.replace("{schema}", schema))

    def asks_to_try_again(self, error: BaseException) -> bool:
        """Whether the error is a serialization failure or a deadlock."""
        return getattr(error, "sqlstate", None) in TRY_AGAIN

    def message(self, error: BaseException) -> str:
        """The error in one line; advice is added for a missing database or password."""
        line = first_line(error)
        if line.startswith("Multiple connection attempts failed"):  # a line for each follows
            line = str(error).strip().split("\n")[-1].strip(" -")
        if line.endswith("does not exist") and "FATAL" in line and "database" in line:
            return f"{line}: make it with `createdb`"
        if "no password supplied" in line:
            return f"{line}: give it in the URL, in PGPASSWORD or in ~/.pgpass"
        return line

    def insert_or_ignore(self, table: Table) -> Any:
        """Make an INSERT ... ON CONFLICT DO NOTHING."""
        return insert(table).on_conflict_do_nothing()

    def bulk_insert(
        self,
        connection: Connection,
        table: Table,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        same: Mapping[str, Any],
    ) -> None:
        """Insert the rows by COPY."""
        lists, name = LISTS.get(table.name), table.name
        if lists is not None:
            rows = lists.rows(columns, rows)
            name, columns = lists.table, [lists.column(name) for name in columns]
        with _copying(connection, name, (*same, *columns)) as copy:
            for row in rows:
                copy.write_row((*same.values(), *row))

    def insert_columns(
        self,
        connection: Connection,
        table: Table,
        columns: Mapping[str, Column],
        same: Mapping[str, int],
    ) -> None:
        """Insert the columns by COPY; in binary if the table has lists of many values."""
        lists = LISTS.get(table.name)
        if lists is None:
            self.bulk_insert(connection, table, list(columns), rows_of(columns), same)
            return
        names = (*same, *(lists.column(name) for name in columns))
        with _copying(connection, lists.table, names, " (FORMAT BINARY)") as copy:
            copy.write(HEADER)
            for piece in encoded_lists(table, lists.key, columns, same):
                copy.write(piece)
            copy.write(END)

    def base_table(self, table: Table) -> TableClause:
        """The table that stores a model, which may be a view over a table with arrays."""
        lists = LISTS.get(table.name)
        if lists is None:
            return table
        return table_of(lists.table, column(lists.owner), column(lists.key))

    @contextmanager
    def read_only_cursor(self, engine: Engine, sql: str, seconds: float) -> Iterator[Answer]:
        """Run the query on a connection that is closed afterwards, as the query may change it."""
        with engine.connect() as connection:
            driver = connection.connection.driver_connection
            connection.detach()
            options = engine.get_execution_options()
            if SECRET in options:
                postgres_reading.refuse_questions_about_server(sql)
                ids, publishing = (options.get(name, ()) for name in (COLLECTIONS, PUBLISHING))
                postgres_reading.show(driver, ids, publishing, options[SECRET])
            with postgres_reading.read_only_cursor(driver, sql, seconds) as answer:
                yield answer

    def reader_script(self, url: URL, name: str, relations: Sequence[str]) -> str:
        """SQL for psql."""
        return postgres_reading.reader_script(name, url.database or "", relations)

    def size(self, engine: Engine) -> int:
        """The size of the whole database in bytes."""
        with _outside_transactions(engine) as connection:
            query = text("SELECT pg_database_size(current_database())")
            return int(connection.execute(query).scalar_one())

    def state(self, cursor: Any) -> object:
        """The visible transactions; those of other databases on the server change it too."""
        return cursor.execute("SELECT pg_current_snapshot()::text").fetchone()[0]

    def reclaim_space(self, engine: Engine) -> None:
        """Run VACUUM; the server keeps most of the space for later rows."""
        with _outside_transactions(engine) as connection:
            connection.execute(text("VACUUM"))

    def damages(self, engine: Engine) -> Iterator[str]:
        """Find nothing: the server has pg_amcheck for that."""
        return iter(())


def _show_collections(connection: Connection) -> None:
    options = connection.get_execution_options()
    driver = connection.connection.driver_connection
    ids = options.get(COLLECTIONS, ())
    postgres_reading.show(driver, ids, ids, options[SECRET])


def _begin(connection: Connection) -> None:
    # Writers wait for each other. Those with SHARED lock what they add, so they can run at the same
    # time.
    options = connection.get_execution_options()
    if options.get(WRITES, False):
        shared = "_shared" if options.get(SHARED, False) else ""
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock{shared}({WRITERS})")


def _number(key: Sequence[object]) -> int:
    """The number of a lock; if two keys share a number, their transactions wait needlessly."""
    digest = hashlib.blake2b(repr(tuple(key)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


@contextmanager
def _copying(
    connection: Connection, table: str, columns: Sequence[str], options: str = ""
) -> Iterator[Any]:
    """A COPY of psycopg into these columns of a table, in the connection's transaction."""
    names = ", ".join(f'"{column}"' for column in columns)
    driver: Any = connection.connection.driver_connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f'COPY "{table}" ({names}) FROM STDIN{options}') as copy,
    ):
        yield copy


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection, connection.execution_options(**{WRITES: True}).begin():
        yield connection


@contextmanager
def _outside_transactions(engine: Engine) -> Iterator[Connection]:
    """A separate connection in autocommit mode."""
    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        yield connection


# Encode columns as rows of PostgreSQL's binary COPY, one for each value of a key and all else in
# arrays, without a loop over the entries: making Python objects of them would double the time in
# which a run is stored.
#
# A row is the number of its columns as int16, and for each column the length of its value in bytes
# as int32 and the value. Numbers are big-endian; text is UTF-8. The rows are between HEADER and
# END.

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
"""The signature, no flags, and an extension of length 0."""

END = b"\xff\xff"

ENTRIES_TOGETHER = 20_000
"""Entries that are encoded at once, and those of the last list; they take some megabytes."""

ARRAY = np.dtype(
    [
        *(("dimensions", ">i4"), ("has_nulls", ">i4"), ("type", ">u4")),
        *(("length", ">i4"), ("first_index", ">i4")),
    ]
)
"""The header of an array; each element follows with its length before it."""

INTEGERS, DOUBLES, TEXTS = 23, 701, 25
"""PostgreSQL's numbers for the types of elements."""


def encoded_lists(
    table: Table, key: str, columns: Mapping[str, Column], same: Mapping[str, int]
) -> Iterator[memoryview]:
    """The rows of a table of lists in binary, many in each piece.

    Equal values of `key`, one of the columns, must be adjacent. The other arguments are as in
    `insert_columns`.
    """
    keys = np.asarray(columns[key])
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    bounds = np.append(starts, len(keys))
    first = 0
    while first < len(starts):
        many = np.searchsorted(bounds, bounds[first] + ENTRIES_TOGETHER, "right") - 1
        last = max(int(many), first + 1)
        values = {name: cells[bounds[first] : bounds[last]] for name, cells in columns.items()}
        yield _encoded_lists(table, key, values, same, bounds[first : last + 1] - bounds[first])
        first = last


def _encoded_lists(
    table: Table,
    key: str,
    columns: Mapping[str, Any],
    same: Mapping[str, int],
    bounds: npt.NDArray[np.int64],
) -> memoryview:
    """The bytes of some rows; `bounds` has the start of each list, and the end of the last one."""
    count = len(bounds) - 1
    parts: list[pa.Array] = []
    fixed: list[tuple[Any, Any]] = [(">i2", len(same) + len(columns))]
    for value in same.values():
        fixed += [(">i4", 4), (">i4", value)]
    for name, cells in columns.items():
        if name == key:
            fixed += [(">i4", 4), (">i4", cells[bounds[:-1]])]
            continue
        type_, elements, ends = _elements(table.c[name].type, cells)
        offsets = ends[bounds]
        before = np.zeros(count, ARRAY)
        before["dimensions"], before["type"], before["first_index"] = 1, type_, 1
        before["length"] = np.diff(bounds)
        fixed += [(">i4", ARRAY.itemsize + np.diff(offsets)), (ARRAY, before)]
        buffers = [None, pa.py_buffer(offsets), elements]
        lists = pa.LargeBinaryArray.from_buffers(pa.large_binary(), count, buffers)
        parts += [_joined(fixed, count), lists]
        fixed = []
    ends, rows = _concatenated(parts)
    return memoryview(rows)[: ends[count]]


def _elements(kind: TypeEngine[Any], cells: Any) -> tuple[int, pa.Buffer, npt.NDArray[np.int64]]:
    """Values encoded as elements of arrays: their type, their bytes, and the bounds of each."""
    count = len(cells)
    if isinstance(kind, String):
        text = cells.cast(pa.large_binary())
        ends, elements = _concatenated([_joined([(">i4", ids.lengths(text))], count), text])
        return TEXTS, elements, ends[: count + 1]
    type_, number = (INTEGERS, ">i4") if isinstance(kind, Integer) else (DOUBLES, ">f8")
    numbers = np.empty(count, [("length", ">i4"), ("value", number)])
    numbers["length"], numbers["value"] = numbers.dtype["value"].itemsize, cells
    return type_, pa.py_buffer(numbers), np.arange(count + 1) * numbers.dtype.itemsize


def _joined(fields: Sequence[tuple[Any, Any]], count: int) -> pa.Array:
    """One binary value per row, joined from fields: the type of each, and its values (or one)."""
    rows = np.empty(count, [(str(number), kind) for number, (kind, _) in enumerate(fields)])
    for number, (_, cells) in enumerate(fields):
        rows[str(number)] = cells
    width = pa.binary(rows.dtype.itemsize)
    joined = pa.FixedSizeBinaryArray.from_buffers(width, count, [None, pa.py_buffer(rows)])
    return joined.cast(pa.large_binary())


def _concatenated(parts: Sequence[pa.Array]) -> tuple[npt.NDArray[np.int64], pa.Buffer]:
    """The bounds and the bytes of all rows; each part has a piece of every row."""
    separator = ids.column([b""]).cast(pa.large_binary())[0]  # `pa.scalar` imports pandas
    _, ends, rows = pc.binary_join_element_wise(*parts, separator).buffers()
    return np.frombuffer(ends, np.int64), rows
