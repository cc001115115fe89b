"""What all tables share, and the columns that many of them have."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    JSON,
    ForeignKey,
    LargeBinary,
    MetaData,
    Table,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from evalstore.store.dialects.column_types import BYTE_TEXT, UtcTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """What all tables share: text is compared by bytes, times are UTC."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        str: BYTE_TEXT,
        bytes: LargeBinary(),
        datetime: UtcTime(),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
    }

    def __init_subclass__(cls, **more: Any) -> None:
        """Make the table, with the class's docstring as its comment."""
        super().__init_subclass__(**more)
        table(cls).comment = (cls.__doc__ or "").strip()


def table(model: type[Base]) -> Table:
    """The table of a model: rows are read and written as tuples, never as objects."""
    return cast(Table, model.__table__)


NEVER_REUSED: dict[str, Any] = {"sqlite_autoincrement": True}
"""Table arguments: the id of a deleted row is never given to another (PostgreSQL never does)."""


def id_column() -> Mapped[int]:
    """The key of a table whose ids the database makes."""
    return mapped_column(primary_key=True, comment="made by the database")


def row_of(column: str, comment: str, *, index: bool = False) -> Mapped[int]:
    """A column that belongs to a row of another table and goes with it."""
    key = ForeignKey(column, ondelete="CASCADE")
    return mapped_column(key, index=index, comment=comment)


def key_of(column: str, *, index: bool = False) -> Mapped[int]:
    """A part of the key that is a row of another table and goes with it."""
    key = ForeignKey(column, ondelete="CASCADE")
    comment = f"the {column.removesuffix('.id')}"
    return mapped_column(key, primary_key=True, autoincrement=False, index=index, comment=comment)
