"""What a database does for itself: give room back, look whether it is sound. Knows SQL dialects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text

from evalstore.store.database import spoken

SHORT_WAIT = 2_000
"""Milliseconds: a reader who keeps the write-ahead log from being cut is not waited for longer."""


def size(engine: Engine) -> int:
    """The bytes that the database takes on disk."""
    if engine.dialect.name == "sqlite":
        file = Path(engine.url.database or "")
        parts = (file, file.with_name(f"{file.name}-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())
    with _outside_transactions(engine) as execute:
        return int(execute("SELECT pg_database_size(current_database())")[0][0])


def give_room_back(engine: Engine) -> None:
    """Let the disk have what deleted rows took; PostgreSQL keeps most of it for rows to come."""
    with _outside_transactions(engine) as execute:
        if engine.dialect.name == "sqlite":
            execute(f"PRAGMA busy_timeout = {SHORT_WAIT}")
            execute("VACUUM")
            execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            execute("VACUUM")


def complaints(engine: Engine) -> list[str]:
    """What the database itself finds wrong with its files (SQLite; PostgreSQL has pg_amcheck)."""
    if engine.dialect.name != "sqlite":
        return []
    with _outside_transactions(engine) as execute:
        said = [str(row[0]) for row in execute("PRAGMA integrity_check(20)")]
    return [line for line in said if line != "ok"]


@contextmanager
def _outside_transactions(engine: Engine) -> Iterator[Any]:
    """A connection of its own on which statements run as they come."""
    with spoken(engine):
        if engine.dialect.name == "sqlite":
            connection = engine.raw_connection()
            cursor = connection.cursor()
            try:
                cursor.execute("PRAGMA query_only = OFF")
                yield lambda sql: cursor.execute(sql).fetchall()
            finally:
                cursor.close()
                connection.invalidate()  # with its settings
            return
        with engine.connect() as own:
            own.execution_options(isolation_level="AUTOCOMMIT")

            def execute(sql: str) -> Any:
                done = own.execute(text(sql))
                return done.all() if done.returns_rows else []

            yield execute
