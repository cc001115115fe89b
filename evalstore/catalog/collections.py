"""The collections of a store: list, create, rename, remove, restore and purge them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import check_name, natural
from evalstore.errors import Conflict, NotFound
from evalstore.formats.json.mapped import check_mapping
from evalstore.store import Store
from evalstore.store.models import collection_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import (
    Access,
    StoredCollection,
    access_of_collections,
    delete_collection,
    ensure_collection,
    find_collection,
    list_collections,
    load_mappings,
)
from evalstore.store.queries.runs import delete_unused
from evalstore.store.rows import change_row
from evalstore.store.schema import check_still_usable


def collections(store: Store, *, removed: bool = False) -> list[StoredCollection]:
    """The active or removed collections in natural order."""
    with store.read() as connection:
        stored = list_collections(connection, removed=removed)
    return sorted(stored, key=lambda each: natural(each.name))


def check_readable(store: Store) -> None:
    """Raise StoreError if the store can't be read, or was upgraded since it was opened."""
    with store.read() as connection:
        check_still_usable(connection)
        list_collections(connection, removed=False)


def new_collection(store: Store, name: str) -> None:
    """Create an empty collection; Conflict if a collection, even a removed one, has that name."""
    check_name("collection", name)

    def work(connection: Connection) -> None:
        _check_free(connection, name)
        now = datetime.now(UTC)
        ensure_collection(connection, name, now)
        events.log(connection, "new", name, name, now, kind="collection")

    store.transact(work)


def rename_collection(store: Store, name: str, new: str) -> None:
    """Rename a collection; Conflict if a collection, even a removed one, has the new name."""
    check_name("collection", new)

    def work(connection: Connection) -> None:
        collection_id = _id_of(connection, name, removed=False)
        if new == name:
            return
        _check_free(connection, new)
        change_row(connection, collection_t, collection_id, name=new)
        events.log(connection, "rename", new, new, kind="collection", before=name)

    store.transact(work)


def set_collection_access(store: Store, name: str, access: Access) -> None:
    """Set the access to a collection on the team's server.

    It can be read with `store` by everyone with a role in the whole store or in the collection;
    with `private` by everyone with a role in the collection itself, and by administrators of the
    store; with `public` by everyone, even without a login.
    """

    def work(connection: Connection) -> None:
        collection_id = _id_of(connection, name, removed=False)
        before = access_of_collections(connection)[collection_id]
        if access == before:
            return
        change_row(connection, collection_t, collection_id, access=access)
        events.log(connection, "access", name, name, to=access, before=before)

    store.transact(work)


def mappings_of(store: Store, name: str) -> dict[str, str]:
    """The saved mappings of a collection, by name: the paths of fields, for `--map`."""
    with store.read() as connection:
        return load_mappings(connection, _id_of(connection, name, removed=False))


def set_mapping(store: Store, name: str, mapping: str, paths: str | None) -> None:
    """Save a mapping of a collection under a name, or delete it if `paths` is None.

    NotFound if there is none to delete, DataError for an invalid name or invalid paths.
    """
    check_name("mapping", mapping)
    if paths is not None:
        check_mapping(paths)

    def work(connection: Connection) -> None:
        collection_id = _id_of(connection, name, removed=False)
        mappings = load_mappings(connection, collection_id)
        if paths is None and mapping not in mappings:
            raise NotFound(f"collection {name!r} has no mapping {mapping!r}")
        others = {key: value for key, value in mappings.items() if key != mapping}
        new = others if paths is None else {**others, mapping: paths}
        change_row(connection, collection_t, collection_id, mappings=new or None)
        events.log(connection, "facts", name, name, kind="mapping", mapping=mapping, to=paths)

    store.transact(work)


def remove_collections(store: Store, names: Sequence[str]) -> None:
    """Mark collections as removed: they, their runs and qrels are hidden. All of them or none."""
    _mark(store, names, removed=False)


def restore_collections(store: Store, names: Sequence[str]) -> None:
    """Restore removed collections with everything that belongs to them. All of them or none."""
    _mark(store, names, removed=True)


def _mark(store: Store, names: Sequence[str], *, removed: bool) -> None:
    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        for name in dict.fromkeys(names):
            collection_id = _id_of(connection, name, removed=removed)
            deleted_at = None if removed else now
            change_row(connection, collection_t, collection_id, deleted_at=deleted_at)
            action: events.Action = "restore" if removed else "rm"
            events.log(connection, action, name, name, now, kind="collection")

    store.transact(work)


def purge_collections(store: Store, names: Sequence[str] = ()) -> list[str]:
    """Delete removed collections permanently: the named ones, or all; returns the deleted names."""

    def work(connection: Connection) -> list[str]:
        every = [stored.name for stored in list_collections(connection, removed=True)]
        purged = list(dict.fromkeys(names)) or every
        for name in purged:
            collection_id = _id_of(connection, name, removed=True)
            # Log the event before the deletion, so that it has the collection's id.
            events.log(connection, "purge", name, name, kind="collection")
            delete_collection(connection, collection_id)
        if purged:
            delete_unused(connection)
        return purged

    purged = store.transact(work)
    if purged:
        store.reclaim_space()
    return purged


def _check_free(connection: Connection, name: str) -> None:
    """Raise a Conflict if a collection already has the name."""
    if find_collection(connection, name, removed=None) is not None:
        raise Conflict(f"there is a collection named {name!r} already, maybe a removed one")


def _id_of(connection: Connection, name: str, *, removed: bool) -> int:
    collection_id = find_collection(connection, name, removed=removed)
    if collection_id is not None:
        return collection_id
    if find_collection(connection, name, removed=not removed) is None:
        raise NotFound(f"there is no collection {name!r} in the store")
    state = "is not removed" if removed else "was removed, and can be restored"
    raise NotFound(f"collection {name!r} {state}")
