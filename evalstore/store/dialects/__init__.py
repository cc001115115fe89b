"""Code that depends on the kind of database: one object for SQLite, one for PostgreSQL.

Both behave alike: ids are compared by bytes; a reading transaction sees one state and can't write;
writing transactions run one after the other, except those that lock what they add; bulk inserts use
the driver.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import URL, Connection, Engine

from evalstore.store.dialects.dialect import HIDDEN_TABLES
from evalstore.store.dialects.sqlite import SQLite

if TYPE_CHECKING:
    from evalstore.store.dialects.postgres import Postgres

Dialect: TypeAlias = "SQLite | Postgres"
"""One kind of database, without state of its own: methods get the engine or connection.

`SQLite` has the docstrings of what both do alike.
"""

FILE = "sqlite"
"""SQLAlchemy's name for SQLite, the database in a file."""


@cache
def find_dialect(name: str) -> Dialect | None:
    """The dialect with that name (SQLAlchemy's); None if such a database can't hold a store."""
    if name == FILE:
        return SQLite()
    if name == "postgresql":
        # Its driver takes 0.1 s to load and is not needed for a store in a file.
        from evalstore.store.dialects.postgres import Postgres  # noqa: PLC0415  (see above)

        return Postgres()
    return None


def dialect_of(database: URL | Engine | Connection) -> Dialect:
    """The dialect of an opened database, or of a URL from `database.parse_url`."""
    name = database.get_backend_name() if isinstance(database, URL) else database.dialect.name
    dialect = find_dialect(name)
    assert dialect is not None, name  # noqa: S101  (`parse_url` refuses all others)
    return dialect


__all__ = ["FILE", "HIDDEN_TABLES", "Dialect", "dialect_of", "find_dialect"]
