"""Engines and transactions, the same on every database."""

from __future__ import annotations

import os
import random
import time
import uuid
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from evalstore.errors import StoreError
from evalstore.store.dialects import dialect_of
from evalstore.store.dialects.dialect import BESIDE, READS, WRITES, Answer
from evalstore.store.location import parse_url, shown_url

T = TypeVar("T")
Begin = Callable[[Engine], AbstractContextManager[Connection]]

TRIES = 5


def make_engine(url: str, **options: Any) -> Engine:
    """An engine whose transactions begin as `reading` and `writing` ask.

    Args:
        url: where the database is.
        options: of SQLAlchemy's engine and its pool of connections.

    Raises:
        StoreError: the URL is of no database that can hold a store, or its driver is missing.
    """
    parsed = parse_url(url)
    return _own_connections(dialect_of(parsed).make_engine(parsed, **options))


def allow_restriction(engine: Engine) -> None:
    """Prepare a database for `restricted_engine`, as its owner; again changes nothing.

    Raises:
        StoreError: what the owner must be allowed to do for that.
    """
    with errors_in_one_line(engine):
        dialect_of(engine).allow_restriction(engine)


def reader_engine(engine: Engine) -> Engine:
    """An engine that `restricted_engine` takes; the same one where it needs no other.

    Raises:
        StoreError: the database was not prepared.
    """
    with errors_in_one_line(engine):
        reader = dialect_of(engine).reader_engine(engine)
    return reader if reader is engine else _own_connections(reader)


def restricted_engine(reader: Engine, collections: Collection[int]) -> Engine:
    """An engine that reads the rows of some collections alone, enforced by the database."""
    return _own_connections(dialect_of(reader).restricted_engine(reader, collections))


def _own_connections(engine: Engine) -> Engine:
    """Let a process that is forked open its own connections."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(_forget_connections, weakref.ref(engine)))
    return engine


def _forget_connections(engine: weakref.ref[Engine]) -> None:
    """Make a forked process open its own connections: a shared one would mix the answers."""
    own_engine = engine()
    if own_engine is not None:
        own_engine.dispose(close=False)  # the parent process still uses them


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that sees one state of the store and can't change it."""
    options = {READS: True, **dialect_of(engine).reading_options()}
    with (
        errors_in_one_line(engine),
        engine.connect() as connection,
        connection.execution_options(**options).begin(),
    ):
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that is committed as a whole or not at all."""
    with (
        errors_in_one_line(engine),
        engine.connect() as connection,
        connection.execution_options(**{WRITES: True}).begin(),
    ):
        yield connection


@contextmanager
def writing_beside(engine: Engine) -> Iterator[Connection]:
    """As `writing`, while others that write so may write too, where the database allows it."""
    with (
        errors_in_one_line(engine),
        engine.connect() as connection,
        connection.execution_options(**{WRITES: True, BESIDE: True}).begin(),
    ):
        yield connection


@contextmanager
def queueing(engine: Engine) -> Iterator[Connection]:
    """As `writing`, for rows that are locked one by one: a queue."""
    options = dialect_of(engine).queueing_options()
    with (
        errors_in_one_line(engine),
        engine.connect() as connection,
        connection.execution_options(**options).begin(),
    ):
        yield connection


def transact(engine: Engine, work: Callable[[Connection], T], begin: Begin = writing) -> T:
    """Call `work` in a transaction that `begin` begins, and again if the database asks for it."""
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
    """As `writing`, for changes of the schema; a missing database is made if it is a file.

    Raises:
        StoreError: afterwards a row would refer to a row that does not exist.
    """
    dialect = dialect_of(engine)
    dialect.create_missing(engine.url)
    with errors_in_one_line(engine), dialect.migrating(engine) as connection:
        yield connection


def state(engine: Engine) -> tuple[object, object]:
    """Which state the database is in; the same value means that nothing was changed between.

    Args:
        engine: one that has a single connection, and changes nothing with it.

    Raises:
        StoreError: the database can't be read.
    """
    with errors_in_one_line(engine), closing(engine.raw_connection()) as connection:
        # The driver's value belongs to a connection: after a reconnect it may be one of before.
        serial = connection.info.setdefault("serial", uuid.uuid4())
        with closing(connection.cursor()) as cursor:
            return serial, dialect_of(engine).state(cursor)


@contextmanager
def read_only_cursor(engine: Engine, sql: str, seconds: float) -> Iterator[Answer]:
    """Run one query of a user; gives the column names and the rows.

    Raises:
        DataError: the statement is wrong, is no query, or takes longer than `seconds`.
        StoreError: the database can't be read.
    """
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


# Locks of transactions that write side by side (`Store.transact_beside`).
#
# A transaction has a lock until its end. All take them in this order, so that no two wait for each
# other: the collection, or the run, its engine (whose row is the lock) and the slot of the engine;
# then the queries of the collection; then the measures.


def lock_collection(connection: Connection, name: str) -> None:
    """Let nobody else add a collection of this name, its judgments or the texts of its queries."""
    dialect_of(connection).lock(connection, ("collection", name))


def lock_run(connection: Connection, collection_id: int, name: str, content_hash: str) -> None:
    """Let nobody else add a run of this name, or of this content, to a collection."""
    keys = ("run content", collection_id, content_hash), ("run name", collection_id, name)
    for key in sorted(keys):
        dialect_of(connection).lock(connection, key)


def lock_slot_of_engine(connection: Connection, collection_id: int, engine_id: int) -> bool:
    """Let nobody else give an engine its slot of a collection; returns whether one may have."""
    return dialect_of(connection).lock(connection, ("slot of engine", collection_id, engine_id))


def try_lock_slot(connection: Connection, collection_id: int, slot: int) -> bool:
    """Take a slot of a collection, unless another transaction is about to."""
    return dialect_of(connection).try_lock(connection, ("slot", collection_id, slot))


def lock_queries(connection: Connection, collection_id: int) -> None:
    """Let nobody else add queries to a collection."""
    dialect_of(connection).lock(connection, ("queries", collection_id))


def lock_measures(connection: Connection) -> None:
    """Let nobody else add measures."""
    dialect_of(connection).lock(connection, ("measures",))
