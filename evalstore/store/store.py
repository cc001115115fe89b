"""The store: one database, opened by URL. The other modules of this package hold its SQL."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import NoReturn, TypeVar

from sqlalchemy import Connection, Engine

from evalstore.errors import StoreError
from evalstore.store import database, schema
from evalstore.store.cache import Cache
from evalstore.store.dialects import dialect_of
from evalstore.store.dialects.dialect import Answer

MOST_RESTRICTED = 64
"""The largest number of restricted stores that are held with their connections."""

T = TypeVar("T")


class Store:
    """A database of collections, runs and measurements, at the newest schema."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._cache = Cache()
        self._restricted: OrderedDict[tuple[frozenset[int], ...], RestrictedStore] = OrderedDict()
        self._lock = Lock()
        self._snapshots = Snapshots()

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Store:
        """Open a store, creating it in a missing or empty database unless `create` is False.

        Args:
            url: the URL of the database, as SQLAlchemy writes it, or the path of a SQLite file.
            create: make a store if there is none.

        Raises:
            StoreError: the database does not belong to evalstore, can't be reached, or its schema
                is older or newer than this program's.
        """
        engine = database.make_engine(url)
        try:
            database.check_location(engine)
            revision = None
            if not database.is_missing(engine):
                with database.reading(engine) as connection:
                    revision = schema.revision(connection)
            if revision is not None:
                schema.check_usable(engine, revision)
            elif create:
                schema.create(engine)
            else:
                raise schema.no_store(engine)
            schema.check_every_connection(engine)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    @property
    def url(self) -> str:
        """The URL for opening the store again in another process; it may contain a password."""
        return self._engine.url.render_as_string(hide_password=False)

    @property
    def url_shown(self) -> str:
        """The URL for display, without the password."""
        return database.shown_url(self._engine)

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
        """SQLAlchemy's engine, for queries that this package doesn't offer."""
        return self._engine

    def read(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that sees one state of the store and can't change it."""
        snapshot = self._snapshots.current
        return database.reading(self._engine) if snapshot is None else snapshot.read()

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread within the block see one state, in one transaction.

        This is the state at the first read, without later writes of this thread. On a database
        server, this also saves the messages that begin and end each transaction.
        """
        return self._snapshots.open(self._engine, self._read_state)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is committed as a whole, or not at all on an error."""
        return database.writing(self._engine)

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Call `work` in a transaction as in `write`; repeat it if the database asks for that.

        `work` must have no effects outside the database.
        """
        return database.transact(self._engine, work)

    def transact_shared(self, work: Callable[[Connection], T]) -> T:
        """Call `work` like `transact`, at the same time as other calls of this method.

        `work` must lock what two calls may both add (see `store.database`). All other writing
        transactions wait until these have ended, and vice versa.
        """
        return database.transact(self._engine, work, database.writing_shared)

    def queue(self, work: Callable[[Connection], T]) -> T:
        """Call `work` like `transact`, for a queue: a short transaction that locks single rows.

        If the database allows it, this does not wait for a transaction that stores a run.
        """
        return database.transact(self._engine, work, database.queueing)

    def state(self) -> tuple[object, object]:
        """A value that is different after each change of the store, also by other programs.

        Reading it costs far less than a query; it may also change without a change of the store.
        Its first part changes only with a new connection to the database, which may then be a
        different one.

        Raises:
            StoreError: the database can't be read.
        """
        snapshot = self._snapshots.current
        return self._read_state() if snapshot is None else snapshot.state()

    def _read_state(self) -> tuple[object, object]:
        return database.state(self._single_connection)

    def keep(
        self,
        key: Hashable,
        compute: Callable[[], T],
        size: Callable[[T], int],
        *,
        lasting: bool = False,
    ) -> T:
        """The result of `compute`, or of an earlier call if the store has not changed since.

        Args:
            key: what the result depends on besides the store.
            compute: reads the store. Its result is shared and must not be changed.
            size: the bytes of a result; the cache is limited.
            lasting: no change of the store changes the result: it is made of rows that never
                change, and the key contains their ids, which are never reused.

        Raises:
            StoreError: the database can't be read. Errors raised by `compute` are not cached.
        """
        return self._cache.get(key, self._cache_state(lasting), compute, size)

    def has_kept(self, key: Hashable) -> bool:
        """Whether a result that is not lasting is cached for this key by `keep`."""
        return self._cache.find(key, self._cache_state(False)) is not None

    def keep_each(
        self,
        key: tuple[Hashable, ...],
        ids: Collection[int],
        compute: Callable[[list[int]], Mapping[int, T]],
        size: Callable[[T], int],
        *,
        lasting: bool = False,
    ) -> dict[int, T]:
        """`keep` for several ids of a key; `compute` gives results that aren't in the cache."""
        id_of: dict[Hashable, int] = {(key, id_): id_ for id_ in ids}

        def of_keys(keys: list[Hashable]) -> dict[Hashable, T]:
            results = compute([id_of[one] for one in keys])
            return {one: results[id_of[one]] for one in keys}

        found = self._cache.get_each(list(id_of), self._cache_state(lasting), of_keys, size)
        return {id_of[one]: result for one, result in found.items()}

    def _cache_state(self, lasting: bool) -> object:
        state = self.state()
        return state[0] if lasting else state

    @cached_property
    def _single_connection(self) -> Engine:
        # A transaction around this one query would cost three more messages to a server.
        return database.make_engine(
            self.url, pool_size=1, max_overflow=0, isolation_level="AUTOCOMMIT"
        )

    @property
    def collections(self) -> frozenset[int] | None:
        """The ids of the collections that can be read; None if all can."""
        return None

    def allow_restriction(self) -> None:
        """Prepare the database for `restricted_to`, as its owner; a second call changes nothing.

        On PostgreSQL this makes a role. SQLite needs nothing.

        Raises:
            StoreError: the owner lacks a permission, which the message names.
        """
        with database.errors_in_one_line(self._engine):
            dialect_of(self._engine).allow_restriction(self._engine)

    def restricted_to(self, collections: Iterable[int], publishing: Iterable[int] = ()) -> Store:
        """The same store for a user who may read only these collections.

        The database itself hides all other rows, also from users' SQL, and prevents every change. A
        table without a rule (see `restriction`) can't be read at all. Closing this store closes the
        restricted one too.

        Args:
            collections: the ids of the collections; ids that don't exist are allowed.
            publishing: of those, the collections whose drafts the user may publish: `query` finds
                the assessments of these alone.

        Raises:
            StoreError: the database was not prepared by `allow_restriction`.
        """
        readable = frozenset(collections)
        ids = (readable, readable.intersection(publishing))
        with self._lock:
            if ids not in self._restricted:
                self._restricted[ids] = RestrictedStore(self, self._reader, *ids)
            self._restricted.move_to_end(ids)
            if len(self._restricted) > MOST_RESTRICTED:
                self._restricted.popitem(last=False)[1].close()
            return self._restricted[ids]

    @cached_property
    def _reader(self) -> Engine:
        reader = database.reader_engine(self._engine)
        if reader is not self._engine:
            schema.check_every_connection(reader)
        return reader

    def query(self, sql: str, seconds: float) -> AbstractContextManager[Answer]:
        """Run one query of a user; returns the column names and the rows.

        Raises:
            DataError: the statement is wrong, isn't a query, or takes longer than `seconds`.
            StoreError: the database can't be read.
        """
        return database.read_only_cursor(self._engine, sql, seconds)

    def size(self) -> int:
        """The disk space of the database, in bytes."""
        with database.errors_in_one_line(self._engine):
            return dialect_of(self._engine).size(self._engine)

    def reclaim_space(self) -> None:
        """Free the disk space of deleted rows, as far as the database supports that."""
        with database.errors_in_one_line(self._engine):
            dialect_of(self._engine).reclaim_space(self._engine)

    def damages(self) -> list[str]:
        """The damages that the database itself finds in its files, one line each."""
        with database.errors_in_one_line(self._engine):
            return list(dialect_of(self._engine).damages(self._engine))

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for restricted in self._restricted.values():
                restricted.close()
            self._restricted.clear()
            self.__dict__.pop("_reader", self._engine).dispose()
        self._engine.dispose()
        self.__dict__.pop("_single_connection", self._engine).dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RestrictedStore(Store):
    """A read-only store of which only some collections can be read."""

    def __init__(
        self,
        whole: Store,
        reader: Engine,
        collections: frozenset[int],
        publishing: frozenset[int],
    ) -> None:
        super().__init__(database.restricted_engine(reader, collections, publishing))
        # Engines that share the reader's connections also share its check.
        if self._engine.pool is not reader.pool:
            schema.check_every_connection(self._engine)
        self._whole = whole
        self._collections = collections
        self._publishing = publishing

    @property
    def collections(self) -> frozenset[int]:
        """The ids of the collections that can be read."""
        return self._collections

    @property
    def url(self) -> str:
        """Raise an error, because a store opened by its URL would not be restricted."""
        self._refuse()

    @property
    def url_shown(self) -> str:
        """The URL of the whole store for display, without the password."""
        return self._whole.url_shown

    def restricted_to(self, collections: Iterable[int], publishing: Iterable[int] = ()) -> Store:
        """The same store for a user who may read only these of its collections."""
        return self._whole.restricted_to(
            self._collections.intersection(collections), self._publishing.intersection(publishing)
        )

    def _read_state(self) -> tuple[object, object]:
        """The state of the whole store."""
        return self._whole.state()

    def _refuse(self, *_: object) -> NoReturn:
        raise StoreError(f"{self.url_shown}: this can't be done with a part of the store")

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Raise an error, because nothing can be changed."""
        self._refuse()

    # Size and damages of the whole store would reveal facts about hidden rows.
    transact_shared = transact
    write = allow_restriction = reclaim_space = size = damages = _refuse


# Reads of one thread in a shared transaction, for results that need many reads

State = tuple[object, object]


@dataclass
class Snapshot:
    """One state of a store, and a transaction that sees this state or a later one.

    The state is read first: a result computed in the transaction may then be newer than the state
    it is cached for, but never older.
    """

    engine: Engine
    read_state: Callable[[], State]
    _state: State | None = None
    _reads: int = 0
    _connection: Connection | None = None
    _open: ExitStack = field(default_factory=ExitStack)

    def state(self) -> State:
        """The state, read once.

        If it is first asked for during a read, it is a unique value that equals no other state,
        because the store may have changed since that read began.
        """
        if self._state is None and self._reads:
            self._state = object(), object()
        if self._state is None:
            self.close()
            self._state = self.read_state()
        return self._state

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """The connection, in the transaction that the first read begins."""
        self._reads += 1
        try:
            if self._connection is None:
                self._connection = self._open.enter_context(database.reading(self.engine))
            with database.errors_in_one_line(self.engine):
                yield self._connection
        except StoreError:
            self.close()  # a failed transaction can't be used any more
            raise
        finally:
            self._reads -= 1

    def close(self) -> None:
        """End the transaction and ignore errors, as they don't matter for what was read."""
        self._connection = None
        with suppress(StoreError):
            self._open.close()


class Snapshots(threading.local):
    """The snapshot of each thread that has opened one."""

    current: Snapshot | None = None

    @contextmanager
    def open(self, engine: Engine, read_state: Callable[[], State]) -> Iterator[None]:
        """Let this thread read in one snapshot; nested blocks use the same one."""
        if self.current is not None:
            yield
            return
        self.current = Snapshot(engine, read_state)
        try:
            yield
        finally:
            self.current.close()
            self.current = None
