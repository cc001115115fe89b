"""The store: one database, opened by URL; `reads` and `writes` say what can be done in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from sqlalchemy import Connection, Engine

from evalstore.errors import StoreError
from evalstore.store import database, location, schema

T = TypeVar("T")


class Store:
    """A database of collections, runs and measurements, at the newest schema."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Store:
        """Open a store; a database that is missing or empty becomes one, unless `create` is off.

        Raises:
            StoreError: the URL is no database of ours, can't be reached, or its schema is older
                or newer than this program's.
        """
        engine = database.make_engine(url)
        try:
            location.prepare_place(engine)
            found = None
            if create or not location.is_missing(engine):
                with database.reading(engine) as connection:
                    found = schema.revision(connection)
            if found is not None:
                schema.check_usable(engine, found)
            elif create:
                schema.upgrade(engine)
            else:
                raise StoreError(f"there is no store at {location.shown_url(engine)}")
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    @property
    def url_shown(self) -> str:
        """The URL for people, without the password."""
        return location.shown_url(self._engine)

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for those who want to ask the database themselves."""
        return self._engine

    def read(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that sees one state of the store and can't change it."""
        return database.reading(self._engine)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is committed as a whole, or not at all on an error."""
        return database.writing(self._engine)

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Do `work` as in `write`, and again when the database asks to try again.

        `work` changes nothing but the database.
        """
        return database.transact(self._engine, work)

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
