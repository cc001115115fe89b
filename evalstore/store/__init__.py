"""The store: one database, opened by URL. The other modules of this package hold its SQL."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from sqlalchemy import Connection, Engine

from evalstore.store import database, location, other_stores, schema
from evalstore.store.dialects import dialect_of
from evalstore.store.kept import Kept

T = TypeVar("T")


class Store:
    """A database of collections, runs and measurements, at the newest schema."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept = Kept()

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Store:
        """Open a store; a missing or empty database is made a store, unless `create` is False.

        Args:
            url: the URL of the database, as SQLAlchemy writes it, or the path of a SQLite file.
            create: whether a store is made where there is none.

        Raises:
            StoreError: the database is no evalstore database, can't be reached, or its schema is
                older or newer than this program's.
        """
        engine = database.make_engine(url)
        try:
            location.check_location(engine)
            revision = None
            if not location.is_missing(engine):
                with database.reading(engine) as connection:
                    revision = schema.revision(connection)
            if revision is not None:
                schema.check_usable(engine, revision)
            elif create:
                schema.upgrade(engine)
            else:
                raise other_stores.no_store(engine)
            schema.check_every_connection(engine)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    @property
    def url(self) -> str:
        """The URL to open the store again in another process; it may hold a password."""
        return self._engine.url.render_as_string(hide_password=False)

    @property
    def url_shown(self) -> str:
        """The URL for people, without the password."""
        return location.shown_url(self._engine)

    @property
    def file(self) -> Path | None:
        """The file that holds the store, as it was named; None for a database on a server."""
        return dialect_of(self._engine).file(self._engine.url)

    @property
    def name(self) -> str:
        """The name of the database, without its host, user and folder: safe to show to anyone."""
        return self.file.stem if self.file else self._engine.url.database or ""

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for queries that this package does not have."""
        return self._engine

    def read(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that sees one state of the store and can't change it."""
        return database.reading(self._engine)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is committed as a whole, or not at all on an error."""
        return database.writing(self._engine)

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Call `work` as in `write`, and again when the database asks for a retry.

        `work` must have no effects outside the database.
        """
        return database.transact(self._engine, work)

    def state(self) -> object:
        """A value that is another one after every change of the store, by whomever.

        It costs far less than a query; it may change without a change of the store.

        Raises:
            StoreError: the database can't be read.
        """
        return database.state(self._single_connection)

    def keep(self, key: Hashable, compute: Callable[[], T], size: Callable[[T], int]) -> T:
        """The result of `compute`, or that of an earlier call while the store has not changed.

        Args:
            key: what the result depends on beside the store.
            compute: reads the store. Its result must not be changed, as others get it too.
            size: the bytes of a result; all together are limited, so that old ones are forgotten.

        Raises:
            StoreError: the database can't be read. What `compute` raises is not kept.
        """
        return self._kept.get(key, self.state(), compute, size)

    @cached_property
    def _single_connection(self) -> Engine:
        return database.make_engine(self.url, pool_size=1, max_overflow=0)

    def size(self) -> int:
        """The bytes that the database takes on disk."""
        with database.errors_in_one_line(self._engine):
            return dialect_of(self._engine).size(self._engine)

    def reclaim_space(self) -> None:
        """Free the disk space of deleted rows, as far as the database does that."""
        with database.errors_in_one_line(self._engine):
            dialect_of(self._engine).reclaim_space(self._engine)

    def damages(self) -> list[str]:
        """What the database itself finds wrong with its files, a line each."""
        with database.errors_in_one_line(self._engine):
            return list(dialect_of(self._engine).damages(self._engine))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
        self.__dict__.pop("_single_connection", self._engine).dispose()

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
