"""The column types that all tables share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Text
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""Table arguments: rows stored in the order of their key, if the database can (no second copy)."""

BYTE_TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that compares and sorts by its UTF-8 bytes on every database."""


class UtcTime(TypeDecorator[datetime]):
    """A time that is written and read as UTC, whatever the time zone of session or database."""

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
