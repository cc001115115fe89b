"""What depends on the database: one object for SQLite, one for PostgreSQL, and nothing elsewhere.

Above this package both behave alike: ids are compared by bytes, a transaction that reads sees one
state and can't write, those that write take turns, bulk rows go through the driver.
"""

from __future__ import annotations

from sqlalchemy import URL, Connection, Engine

from evalstore.store.dialects.dialect import Dialect
from evalstore.store.dialects.postgres import Postgres
from evalstore.store.dialects.sqlite import SQLite

DIALECTS: dict[str, Dialect] = {"sqlite": SQLite(), "postgresql": Postgres()}
"""The databases that can hold a store, by SQLAlchemy's name for them."""


def dialect_of(database: URL | Engine | Connection) -> Dialect:
    """The dialect of a database that was opened, or of a URL that `location.parse_url` took."""
    if isinstance(database, URL):
        return DIALECTS[database.get_backend_name()]
    return DIALECTS[database.dialect.name]


__all__ = ["DIALECTS", "Dialect", "dialect_of"]
