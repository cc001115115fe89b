"""The base of all tables, and columns that many of them have."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    text,
)
from sqlalchemy.types import TypeEngine

from evalstore.store.dialects.dialect import BYTE_TEXT, UtcTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

TYPES: dict[type, type[TypeEngine[Any]] | TypeEngine[Any]] = {
    int: Integer,
    float: Double,
    bool: Boolean,
    str: BYTE_TEXT,
    bytes: LargeBinary,
    datetime: UtcTime,
    dict: JSON(none_as_null=True),
    list: JSON(none_as_null=True),
}


class Base:
    """A table, named after its class: columns are attributes, and the docstring is its comment.

    Rows are read and written as tuples, never as objects, so the mapper of SQLAlchemy, a fifth of
    the start of every command, is not loaded.
    """

    metadata: ClassVar = MetaData(naming_convention=NAMING)
    __table_args__: ClassVar[dict[str, Any] | tuple[Any, ...]] = ()
    __table__: ClassVar[Table]

    def __init_subclass__(cls, prefix: str = "") -> None:
        """Make the table; `__table_args__` are its constraints and, as a dict, its options."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        given = cls.__table_args__
        args = given if isinstance(given, tuple) else (given,)
        for key, value in vars(cls).items():
            if isinstance(value, Column):
                value.name = key
        cls.__table__ = Table(
            prefix + name,
            Base.metadata,
            *(value for value in vars(cls).values() if isinstance(value, Column)),
            *(arg for arg in args if not isinstance(arg, dict)),
            comment=(cls.__doc__ or "").strip(),
            **{key: value for arg in args if isinstance(arg, dict) for key, value in arg.items()},
        )


def table(model: type[Base]) -> Table:
    """The table of a model."""
    return model.__table__


NEVER_REUSED: dict[str, Any] = {"sqlite_autoincrement": True}
"""Table arguments: the id of a deleted row is never given to another (PostgreSQL never does)."""


def column(
    kind: type, comment: str, *, key: ForeignKey | None = None, null: bool = False, **options: Any
) -> Column[Any]:
    """A column; `kind` is a type of `TYPES`, or one of SQLAlchemy."""
    stored: Any = TYPES.get(kind, kind)
    return Column(stored, *([key] if key else ()), nullable=null, comment=comment, **options)


def optional(kind: type, comment: str, **options: Any) -> Column[Any]:
    """A column that may be null."""
    return column(kind, comment, null=True, **options)


def id_column() -> Column[Any]:
    """The key of a table whose ids the database makes."""
    return column(int, "made by the database", primary_key=True)


def row_of(name: str, comment: str, *, index: bool = False) -> Column[Any]:
    """A column that belongs to a row of another table and goes with it."""
    key = ForeignKey(name, ondelete="CASCADE")
    return column(int, comment, key=key, index=index)


def key_of(name: str, *, index: bool = False) -> Column[Any]:
    """A part of the key that is a row of another table and goes with it."""
    key = ForeignKey(name, ondelete="CASCADE")
    comment = f"the {name.removesuffix('.id')}"
    return column(int, comment, key=key, primary_key=True, autoincrement=False, index=index)


def unique_among(name: str, *columns: str, where: str) -> Index:
    """A unique index over the rows that meet a condition.

    The migrations give PostgreSQL's index the same condition: with an option of PostgreSQL in a
    table, SQLAlchemy would load all its drivers.
    """
    return Index(name, *columns, unique=True, sqlite_where=text(where))
