"""Finding a collection and its qrels by name; without pandas, which loads slowly."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from evalstore.errors import NotFound, did_you_mean
from evalstore.store import Store
from evalstore.store.cache import LEAST
from evalstore.store.queries.collections import find_collection, list_collections
from evalstore.store.queries.qrels import StoredQrels, list_qrels


class CollectionQrels(NamedTuple):
    """A collection: its id and its qrels, the default one first."""

    id: int
    qrels: tuple[StoredQrels, ...]


def find_collection_id(connection: Connection, name: str) -> int:
    """The id of an active collection."""
    collection_id = find_collection(connection, name)
    if collection_id is None:
        raise NotFound(no_collection(connection, name))
    return collection_id


def no_collection(connection: Connection, name: str) -> str:
    """The message that there is no active collection with this name."""
    names = [row.name for row in list_collections(connection)]
    return f"there is no collection {name!r} in the store{did_you_mean(name, names)}"


def kept_collection(store: Store, name: str) -> CollectionQrels:
    """An active collection with its qrels, cached until the store changes."""

    def read() -> CollectionQrels:
        with store.read() as connection:
            collection_id = find_collection_id(connection, name)
            return CollectionQrels(collection_id, tuple(list_qrels(connection, collection_id)))

    return store.keep(("collection", name), read, lambda of: LEAST * len(of.qrels))


def kept_choice(store: Store, collection: str, name: str | None) -> tuple[int, StoredQrels]:
    """Like `choose_qrels`, but cached until the store changes."""
    stored = kept_collection(store, collection)
    return stored.id, named_qrels(stored.qrels, collection, name)


def choose_qrels(
    connection: Connection, collection: str, name: str | None
) -> tuple[int, StoredQrels]:
    """The id of a collection, and one of its qrels: the named one, or the default."""
    collection_id = find_collection_id(connection, collection)
    return collection_id, named_qrels(list_qrels(connection, collection_id), collection, name)


def named_qrels(stored: Sequence[StoredQrels], collection: str, name: str | None) -> StoredQrels:
    """The named qrels of a collection, or the first one, which is the default."""
    if not stored:
        raise NotFound(f"collection {collection!r} has no qrels yet")
    for qrels in stored:
        if name is None or qrels.name == name:
            return qrels
    names = [qrels.name for qrels in stored]
    hint = did_you_mean(name or "", names) or f"; it has {', '.join(map(repr, names))}"
    raise NotFound(f"collection {collection!r} has no qrels {name!r}{hint}")


def evaluates_rest(collection: str, qrels: str) -> str:
    """The command that evaluates the runs of a collection that have no values under a qrels."""
    return shlex.join(["evalstore", "reevaluate", f"--collection={collection}", f"--qrels={qrels}"])
