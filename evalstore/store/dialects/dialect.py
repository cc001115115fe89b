"""Names, limits and column types that both kinds of database share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import DateTime, Text
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

Answer = tuple[tuple[str, ...], Iterable[Sequence[Any]]]
"""The column names and the rows of a query."""

json_text = partial(json.dumps, ensure_ascii=False)
"""JSON as it is stored: non-ASCII letters unescaped, so that SQLite finds a key by its name."""

LONGEST_VALUE = 2 << 20
"""Bytes of a value in an answer to SQL of users. A row is in memory twice, as the database's and as
Python's: of `MOST_COLUMNS` such values 400 MB at most."""
MOST_COLUMNS = 100

HIDDEN_TABLES = "server_"
"""The prefix of tables that users' SQL may not read: they hold hashes of passwords and tokens, and
the rights of accounts.
"""

READS = "evalstore_reads"
WRITES = "evalstore_writes"
"""Execution options of a connection whose next transaction only reads, or writes."""

SHARED = "evalstore_shared"
"""Execution option of a writing connection: others with this option may write at the same time."""

COLLECTIONS = "evalstore_collections"
PUBLISHING = "evalstore_publishing"
"""Execution options of a restricted engine: the ids of the collections that it reads, and of those
of whose drafts a user's SQL finds the assessments."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; the error's type if it has no message."""
    return (str(error).strip() or type(error).__name__).split("\n")[0]


# The column types that all tables share

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""Table arguments: rows stored in the order of their key, without a second copy, if possible."""

BYTE_TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that compares and sorts by its UTF-8 bytes on every database."""


class UtcTime(TypeDecorator[datetime]):
    """A time that is written and read as UTC, whatever the session's or database's time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The time in UTC; a time without a zone is taken as UTC."""
        return value and _utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The time in UTC; SQLite stores no zone."""
        return value and _utc(value)


def _utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
