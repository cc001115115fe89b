"""Engines, transactions and locations of databases, the same on every kind of database."""

from __future__ import annotations

import os
import random
import re
import time
import uuid
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from evalstore.errors import StoreError
from evalstore.store.dialects import FILE, dialect_of, find_dialect
from evalstore.store.dialects.dialect import READS, SHARED, WRITES, Answer, first_line

T = TypeVar("T")
Begin = Callable[[Engine], AbstractContextManager[Connection]]

TRIES = 5


def make_engine(url: str, **options: Any) -> Engine:
    """Make an engine for `reading` and `writing`; the options are SQLAlchemy's.

    Raises:
        StoreError: the URL's database can't hold a store, or its driver is missing.
    """
    parsed = parse_url(url)
    return _own_connections(dialect_of(parsed).make_engine(parsed, **options))


def reader_engine(engine: Engine) -> Engine:
    """The engine for `restricted_engine`; may be the same one."""
    with errors_in_one_line(engine):
        reader = dialect_of(engine).reader_engine(engine)
    return reader if reader is engine else _own_connections(reader)


def restricted_engine(
    reader: Engine, collections: Collection[int], publishing: Collection[int]
) -> Engine:
    """An engine that can read only the rows of some collections; the database enforces this."""
    engine = dialect_of(reader).restricted_engine(reader, collections, publishing)
    return _own_connections(engine)


def _own_connections(engine: Engine) -> Engine:
    """Let a forked process open its own connections: shared ones would mix up the answers."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(_forget_connections, weakref.ref(engine)))
    return engine


def _forget_connections(engine: weakref.ref[Engine]) -> None:
    own_engine = engine()
    if own_engine is not None:
        own_engine.dispose(close=False)  # the parent process still uses them


@contextmanager
def _transaction(engine: Engine, options: Mapping[str, Any]) -> Iterator[Connection]:
    """A connection in a transaction with these execution options."""
    with (
        errors_in_one_line(engine),
        engine.connect() as connection,
        connection.execution_options(**options).begin(),
    ):
        yield connection


def reading(engine: Engine) -> AbstractContextManager[Connection]:
    """A connection in a transaction that sees one state of the store and can't change it."""
    return _transaction(engine, {READS: True, **dialect_of(engine).reading_options()})


def writing(engine: Engine) -> AbstractContextManager[Connection]:
    """A connection in a transaction that is committed as a whole or not at all."""
    return _transaction(engine, {WRITES: True})


def writing_shared(engine: Engine) -> AbstractContextManager[Connection]:
    """Like `writing`, but several of these may run at once if the database allows it."""
    return _transaction(engine, {WRITES: True, SHARED: True})


def queueing(engine: Engine) -> AbstractContextManager[Connection]:
    """Like `writing`, but for a queue, whose rows are locked one by one."""
    return _transaction(engine, dialect_of(engine).queueing_options())


def transact(engine: Engine, work: Callable[[Connection], T], begin: Begin = writing) -> T:
    """Call `work` in a transaction started by `begin`; repeat it if the database asks for that."""
    for attempt in range(TRIES):
        try:
            with begin(engine) as connection:
                return work(connection)
        except StoreError as error:
            if attempt == TRIES - 1 or not _asks_to_try_again(engine, error):
                raise
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  (no secret)
    raise AssertionError("unreachable")


def _asks_to_try_again(engine: Engine, error: StoreError) -> bool:
    cause = error.__cause__
    driver_error = getattr(cause, "orig", None) or cause
    return driver_error is not None and dialect_of(engine).asks_to_try_again(driver_error)


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """The transaction of `SQLite.migrating`; a missing database is made if it is a file."""
    dialect = dialect_of(engine)
    dialect.create_missing(engine.url)
    with errors_in_one_line(engine), dialect.migrating(engine) as connection:
        yield connection


def state(engine: Engine) -> tuple[object, object]:
    """A value that differs after every change of the database by another connection.

    The engine must have a single connection and make no changes with it.
    """
    with errors_in_one_line(engine), closing(engine.raw_connection()) as connection:
        # The driver's value is valid for one connection: a new one may give an earlier value again.
        serial = connection.info.setdefault("serial", uuid.uuid4())
        with closing(connection.cursor()) as cursor:
            return serial, dialect_of(engine).state(cursor)


@contextmanager
def read_only_cursor(engine: Engine, sql: str, seconds: float) -> Iterator[Answer]:
    """Run `SQLite.read_only_cursor`, with errors of the database in one line."""
    with (
        errors_in_one_line(engine),
        dialect_of(engine).read_only_cursor(engine, sql, seconds) as answer,
    ):
        yield answer


@contextmanager
def errors_in_one_line(engine: Engine) -> Iterator[None]:
    """Turn errors of the database into a StoreError of one line, without the password."""
    own: type[Exception] = getattr(engine.dialect.dbapi, "Error", SQLAlchemyError)
    try:
        yield
    except (SQLAlchemyError, own) as error:
        cause = getattr(error, "orig", None) or error
        message = dialect_of(engine).message(cause)
        raise StoreError(f"{shown_url(engine)}: {message}") from error


# Locks of transactions that write at the same time (`Store.transact_shared`).
#
# A transaction holds a lock until its end. All take locks in this order, so that no two wait for
# each other: the collection, or the run, its engine (whose row is the lock) and the engine's slot;
# then the collection's queries; then the measures.


def lock_collection(connection: Connection, name: str) -> None:
    """Prevent others from adding a collection of this name, its judgments or its query texts."""
    dialect_of(connection).lock(connection, ("collection", name))


def lock_run(connection: Connection, collection_id: int, name: str, content_hash: str) -> None:
    """Prevent others from adding a run of this name, or of this content, to a collection."""
    keys = ("run content", collection_id, content_hash), ("run name", collection_id, name)
    for key in sorted(keys):
        dialect_of(connection).lock(connection, key)


def lock_slot_of_engine(connection: Connection, collection_id: int, engine_id: int) -> bool:
    """Lock the slot of an engine; returns whether another transaction may just have set it."""
    return dialect_of(connection).lock(connection, ("slot of engine", collection_id, engine_id))


def try_lock_slot(connection: Connection, collection_id: int, slot: int) -> bool:
    """Take a slot of a collection, unless another transaction is about to."""
    return dialect_of(connection).try_lock(connection, ("slot", collection_id, slot))


def lock_queries(connection: Connection, collection_id: int) -> None:
    """Prevent others from adding queries to a collection."""
    dialect_of(connection).lock(connection, ("queries", collection_id))


def lock_measures(connection: Connection) -> None:
    """Prevent others from adding measures."""
    dialect_of(connection).lock(connection, ("measures",))


# The location of a store: its URL, with and without passwords, and checks of the location

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+]+:")
"""The beginning of a URL; a single letter and a colon would be a Windows drive."""


def parse_url(url: str) -> URL:
    """The URL of a supported database; text that isn't a URL is the path of a SQLite file.

    In a path `~` is the home folder; every other character is literal.

    Raises:
        StoreError: the URL is malformed or names an unsupported database.
    """
    if url and not SCHEME.match(url):
        return URL.create(FILE, database=os.path.expanduser(url))
    try:
        parsed = make_url(url)
        dialect = parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: {first_line(error)}; write it "
            "like evalstore.db, sqlite:///evalstore.db or postgresql+psycopg://user@host/name"
        ) from None
    supported = find_dialect(dialect.name)
    if supported is None:
        raise StoreError(f"{dialect.name} is not supported: use SQLite or PostgreSQL")
    if dialect.driver != supported.driver:
        wanted = f"{dialect.name}+{supported.driver}"
        raise StoreError(f"{parsed.drivername}:// is not supported: write {wanted}://")
    if parsed.host and dialect.name == FILE:
        rest = url.partition("://")[2]
        raise StoreError(
            f"{_without_password(url)!r} has too few slashes: write {dialect.name}:///{rest} for "
            f"a file, or its path alone"
        )
    if "@" in (parsed.host or ""):
        # The text before the last @ may be part of the password, so it is not shown.
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: an @ in a user's name or "
            "password is written %40 (sqlite:/// and postgresql+psycopg:// URLs alike)"
        )
    return parsed


def shown_url(engine: Engine) -> str:
    """The URL without any passwords, including those in its query part."""
    secrets = [name for name in engine.url.query if "password" in name.lower()]
    return engine.url.difference_update_query(secrets).render_as_string(hide_password=True)


def is_there(url: str) -> bool:
    """Whether a database may exist: False only if it certainly does not.

    Raises:
        StoreError: the URL or path names a database that can't hold a store.
    """
    parsed = parse_url(url)
    dialect_of(parsed).check_location(parsed)
    return not dialect_of(parsed).is_missing(parsed)


def is_missing(engine: Engine) -> bool:
    """Whether the database certainly doesn't exist, decided without connecting."""
    return dialect_of(engine).is_missing(engine.url)


def check_location(engine: Engine) -> None:
    """Raise a StoreError if the location can't hold a store."""
    dialect_of(engine).check_location(engine.url)


def _without_password(url: str) -> str:
    """A text that may be a malformed URL, without the parts that may be a password."""
    scheme, colon, rest = url.rpartition("://")
    rest = re.sub("(?i)(password=)[^&]*", r"\1***", rest)
    _, at, tail = rest.rpartition("@")
    return f"{scheme}{colon}***@{tail}" if at else f"{scheme}{colon}{rest}"
