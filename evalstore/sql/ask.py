"""Query a store in SQL: one statement, read-only (enforced by the database), within limits."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Engine

from evalstore.errors import DataError, Problem
from evalstore.store import Store, database, models, schema, views
from evalstore.store.dialects import HIDDEN_TABLES, dialect_of

SCHEMA_VERSION = f"SELECT version_num FROM {schema.VERSIONS}"  # noqa: S608  (a name of our own)
LONGEST_STATEMENT = 100_000
"""Characters; a parser's time is in no limit of a database, and nested comments multiply it."""
KEPT = (str, bytes, int, float, datetime, date, time_of_day)


@dataclass(frozen=True)
class Limits:
    """Limits of a query: seconds, rows, and bytes of all values together."""

    seconds: float = 60.0
    rows: int | None = None
    bytes: int = 256 << 20


@dataclass(frozen=True)
class Answer:
    """The result of a statement; `cut` is the reason if rows are missing, else None.

    If rows are missing, `problem` is the kind of problem (`EvalstoreError.problem`), and `total`
    the number of rows of the full result, if they were counted. Values are None, int, float, str,
    bytes or a time; values of other types are converted to the nearest of these.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: str | None
    problem: Problem | None = None
    total: int | None = None

    @property
    def distinct_columns(self) -> tuple[str, ...]:
        """The names of the columns, with _2, _3 appended to repeated ones."""
        names: list[str] = []
        for name in self.columns:
            number, other = 2, name
            while other in names:
                number, other = number + 1, f"{name}_{number}"
            names.append(other)
        return tuple(names)


@contextmanager
def asking(url: str) -> Iterator[Store]:
    """An existing store, opened for queries only: nothing is made or upgraded.

    Raises:
        StoreError: there is no store, it can't be read, or it has another schema version.
    """
    engine = database.make_engine(url)
    try:
        database.check_location(engine)
        if database.is_missing(engine):
            raise schema.no_store(engine)
        schema.check_usable(engine, _revision(engine))
        yield Store(engine)
    finally:
        engine.dispose()


def _revision(engine: Engine) -> str:
    try:
        with database.read_only_cursor(engine, SCHEMA_VERSION, Limits.seconds) as (_, rows):
            revisions = [str(row[0]) for row in rows]
    except DataError:
        revisions = []
    if not revisions:
        raise schema.no_store(engine)
    return revisions[0]


def ask(
    store: Store, statement: str, limits: Limits | None = None, *, count_seconds: float = 0
) -> Answer:
    """Run one SELECT.

    The rows beyond `limits.rows` are counted for up to `count_seconds`.

    Raises:
        DataError: the statement is empty, wrong, not a query, or took too long.
    """
    limits = limits or Limits()
    if len(statement) > LONGEST_STATEMENT:
        raise DataError(
            f"SQL: the statement has {len(statement):,} characters, of {LONGEST_STATEMENT:,} at "
            "most"
        )
    if not statement.strip():
        raise DataError("no SQL was given")
    if "\0" in statement or any("\ud800" <= each <= "\udfff" for each in statement):
        raise DataError("SQL: the statement is no text: it has bytes that are no UTF-8, or NUL")
    rows: list[tuple[Any, ...]] = []
    columns: tuple[str, ...] = ()
    size = 0
    cut_at_rows = f"cut after {limits.rows:,} rows" if limits.rows is not None else ""
    try:
        with store.query(statement, limits.seconds) as (columns, fetched):
            if not columns:  # comments, a semicolon
                raise DataError("no SQL was given")
            remaining = iter(fetched)
            for row in remaining:
                if len(rows) == limits.rows:
                    beyond = _count(remaining, count_seconds) if count_seconds else None
                    total = None if beyond is None else len(rows) + 1 + beyond
                    return Answer(columns, rows, cut_at_rows, "too many rows", total)
                plain = tuple(_plain(value) for value in row)
                size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in plain)
                if size > limits.bytes:
                    cut = f"cut after {_in_bytes(limits.bytes)}"
                    return Answer(columns, rows, cut, "too many bytes")
                rows.append(plain)
    except DataError as error:
        if error.problem != "too slow" or not rows or len(rows) != limits.rows:
            raise
        return Answer(columns, rows, cut_at_rows, "too many rows")  # the time ran out in counting
    return Answer(columns, rows, None, total=len(rows))


def _count(rows: Iterator[object], seconds: float) -> int | None:
    """The number of rows; None if counting takes longer."""
    end = time.monotonic() + seconds
    number = 0
    for number, _ in enumerate(rows, 1):  # noqa: B007  (the last one is the count)
        if time.monotonic() > end:
            return None
    return number


def _plain(value: Any) -> Any:
    """A value in one of the types that every format knows."""
    if value is None or type(value) in KEPT:
        return value
    if isinstance(value, bool):
        return int(value)  # as on SQLite
    if isinstance(value, Decimal):  # sums and means on PostgreSQL
        whole = value.is_finite() and value == value.to_integral_value()
        return int(value) if whole else float(value)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return bytes(value) if isinstance(value, memoryview) else str(value)


def _in_bytes(size: int) -> str:
    return f"{size >> 20:,} MiB" if size >= 1 << 20 else f"{size:,} bytes"


def arrow(answer: Answer) -> pa.Table:
    """The answer as a table: every column has one type and a name of its own."""
    columns: Sequence[Sequence[Any]] = list(zip(*answer.rows, strict=True)) or [
        () for _ in answer.columns
    ]
    return pa.table([_column(values) for values in columns], names=answer.distinct_columns)


def parquet(answer: Answer) -> bytes:
    """The table of `arrow` as a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(arrow(answer), sink)
    return bytes(sink.getvalue())


def _column(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        # A column of SQLite can hold both numbers and text.
        return pa.array([value if value is None else str(value) for value in values], pa.string())


def described_views() -> tuple[views.View, ...]:
    """The views of every store, with a comment on each of their columns."""
    return views.VIEWS


def reader_script(url: str, name: str) -> str:
    """SQL for PostgreSQL that makes a role which can read the store, and nothing else.

    Raises:
        DataError: the name can't be the name of a role.
        StoreError: the database is SQLite, which has no roles.
    """
    tables = [t for t in sorted(models.Base.metadata.tables) if not t.startswith(HIDDEN_TABLES)]
    relations = [*tables, schema.VERSIONS, *(view.name for view in views.VIEWS)]
    parsed = database.parse_url(url)
    return dialect_of(parsed).reader_script(parsed, name, relations)
