"""Everything that depends on the database: one object for SQLite, one for PostgreSQL.

For the callers of this package both behave alike: ids are compared by bytes; a reading transaction
sees one state and can't write; writing transactions take turns, but for those that lock what they
add; bulk inserts use the driver directly.
"""

from __future__ import annotations

from sqlalchemy import URL, Connection, Engine

from evalstore.store.dialects.dialect import HIDDEN_TABLES, Dialect
from evalstore.store.dialects.postgres import Postgres
from evalstore.store.dialects.sqlite import SQLite

DIALECTS: dict[str, Dialect] = {"sqlite": SQLite(), "postgresql": Postgres()}
"""The databases that can hold a store, by SQLAlchemy's name for them."""


def dialect_of(database: URL | Engine | Connection) -> Dialect:
    """The dialect of a database that was opened, or of a URL that `location.parse_url` took."""
    if isinstance(database, URL):
        return DIALECTS[database.get_backend_name()]
    return DIALECTS[database.dialect.name]


__all__ = ["DIALECTS", "HIDDEN_TABLES", "Dialect", "dialect_of"]
