"""The column types that all tables share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Text
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

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
