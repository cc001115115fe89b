"""The store: one database, opened by URL; `reads` and `writes` say what can be done in it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

from sqlalchemy import Connection, Engine

from evalstore.store import database, schema


class Store:
    """A database of collections, runs and measurements, at the newest schema."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str) -> Store:
        """Open a store; a missing or older database is created or migrated first.

        Raises:
            StoreError: the URL is no database of ours, can't be reached, or is newer than this
                program.
        """
        engine = database.make_engine(url)
        database.prepare_place(engine)
        with database.reading(engine) as connection:
            found = schema.revision(connection)
        if found != schema.HEAD:
            schema.upgrade(engine)
        return cls(engine)

    @property
    def url_shown(self) -> str:
        """The URL for people, without the password."""
        return database.shown_url(self._engine)

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for those who want to ask the database themselves."""
        return self._engine

    def read(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that sees one state of the store."""
        return database.reading(self._engine)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is committed as a whole, or not at all on an error."""
        return database.writing(self._engine)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


__all__ = ["Store"]
