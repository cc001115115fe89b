"""Locks of transactions that write side by side (`Store.transact_beside`).

A transaction has a lock until its end. All take them in this order, so that no two wait for each
other: the collection, or the run, its engine (whose row is the lock) and the slot of the engine;
then the queries of the collection; then the measures.
"""

from __future__ import annotations

from sqlalchemy import Connection

from evalstore.store.dialects import dialect_of


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
