"""Save a long address of the dashboard under a short key, and find it again."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.store.queries.collections import access_of_collections, find_collection
from evalstore.store.queries.saved_views import StoredView, add_view, find_view, set_view_collection

LONGEST = 100_000
"""Characters of an address."""
SHORTEST_KEY = 4


def save_view(
    store: Store, address: str, collection: str | None = None, *, whole: Store | None = None
) -> str:
    """Save an address (path and query string, beginning with /); returns its key.

    The key is the start of a hash of the address, as long as needed to be unique, so the same
    address always has the same key. Who may read the collection finds the address by it.

    Args:
        store: as the person sees it who saves.
        address: what is saved.
        collection: the name of the collection whose page it is. None where it is of none: such an
            address can name any, so it is for people who may read every collection.
        whole: what is written to, where `store` is a part of it.

    Raises:
        DataError: no address of this dashboard, too long a one, or of no collection, where the
            person may read some only.
        NotFound: there is no such collection.
    """
    if not address.startswith("/") or address.startswith(("//", "/\\")):
        raise DataError("a saved view is an address that begins with /")
    if len(address) > LONGEST:
        raise DataError(f"the address has more than {LONGEST:,} characters")
    digest = hashlib.sha256(address.encode()).digest()
    hashed = base64.b32encode(digest).decode().rstrip("=").lower()

    def work(connection: Connection) -> str:
        collection_id = None if collection is None else find_collection(connection, collection)
        everything = frozenset(access_of_collections(connection))
        readable = everything if store.collections is None else store.collections
        if collection is None and not everything <= readable:
            raise DataError("only a page of a collection can be saved in a part of the store")
        if collection is not None and collection_id not in readable:
            raise NotFound(f"there is no collection {collection!r} in the store")
        for length in range(SHORTEST_KEY, len(hashed) + 1):
            key = hashed[:length]
            stored = find_view(connection, key)
            if stored is None:
                view = StoredView(key, address, collection_id, datetime.now(UTC))
                add_view(connection, view)
            elif stored.address == address and stored.collection_id != collection_id:
                set_view_collection(connection, key, collection_id)
            if stored is None or stored.address == address:
                return key
        raise DataError("the address can't be saved")

    return (whole or store).transact(work)


def saved_view(store: Store, key: str) -> str:
    """The address that is saved under a key.

    Raises:
        NotFound: there is none.
    """
    with store.read() as connection:
        view = find_view(connection, key)
    if view is None:
        raise NotFound(f"no view is saved under {key!r}")
    return view.address
