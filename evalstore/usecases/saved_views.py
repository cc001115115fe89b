"""Save a long address of the dashboard under a short key, and find it again."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.store.saved_views import StoredView, add_view, find_view

LONGEST = 100_000
"""Characters of an address."""
SHORTEST_KEY = 4


def save_view(store: Store, address: str) -> str:
    """Save an address (path and query string, beginning with /); returns its key.

    The key is the start of a hash of the address, as long as needed to be unique, so the same
    address always has the same key.

    Raises:
        DataError: no address of this dashboard, or too long a one.
    """
    if not address.startswith("/") or address.startswith(("//", "/\\")):
        raise DataError("a saved view is an address that begins with /")
    if len(address) > LONGEST:
        raise DataError(f"the address has more than {LONGEST:,} characters")
    digest = hashlib.sha256(address.encode()).digest()
    whole = base64.b32encode(digest).decode().rstrip("=").lower()

    def work(connection: Connection) -> str:
        for length in range(SHORTEST_KEY, len(whole) + 1):
            key = whole[:length]
            stored = find_view(connection, key)
            if stored is None:
                add_view(connection, StoredView(key, address, datetime.now(UTC)))
            if stored is None or stored.address == address:
                return key
        raise DataError("the address can't be saved")

    return store.transact(work)


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
