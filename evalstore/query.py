"""Ask a store in SQL: one statement, read-only as the database itself enforces, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalstore.errors import DataError
from evalstore.store import Store, database


@dataclass(frozen=True)
class Limits:
    """When to stop: seconds of work, rows, and bytes of the values together."""

    seconds: float = 60.0
    rows: int | None = None
    bytes: int = 256 << 20


@dataclass(frozen=True)
class Answer:
    """The result of a statement; `cut` says why it is not whole, or is None."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: str | None


def ask(store: Store, sql: str, limits: Limits | None = None) -> Answer:
    """Run one SELECT.

    Raises:
        DataError: the statement is empty, wrong, not a query, or took too long.
    """
    limits = limits or Limits()
    if not sql.strip():
        raise DataError("no SQL was given")
    rows: list[tuple[Any, ...]] = []
    size = 0
    with database.read_only_cursor(store.engine, sql, limits.seconds) as (columns, fetched):
        if not columns:  # comments, a semicolon
            raise DataError("no SQL was given")
        for row in fetched:
            if limits.rows is not None and len(rows) == limits.rows:
                return Answer(columns, rows, f"cut after {limits.rows:,} rows: raise --limit")
            size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)
            if size > limits.bytes:
                return Answer(columns, rows, f"cut after {limits.bytes >> 20:,} MiB")
            rows.append(tuple(row))
    return Answer(columns, rows, None)
