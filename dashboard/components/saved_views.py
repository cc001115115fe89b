"""Saved views: the short addresses of long ones, `/v/h7k2`.

Servers read the first line of a request up to a length (`LONGEST`). A view whose address is longer
is shown at its short address: the browser's bar has that one, and loading it again works.
"""

from __future__ import annotations

from collections.abc import Callable

from dashboard import address
from dashboard.address import Address
from dashboard.components.problems import PageProblem, Redirect
from dashboard.components.store_problems import read
from evalstore.catalog.saved_views import save_view, saved_view
from evalstore.errors import EvalstoreError
from evalstore.store import Store

SaveView = Callable[[Store, str, str | None], str]
"""Saves an address of a page of a collection, of a store as one sees it; returns its key."""

LONGEST = 8_000
"""Characters of an address that every server takes, also with `/export` and a file's name."""


def opened(store: Store, asked: Address) -> Address:
    """The address to show: of a saved view, that which it stands for.

    Raises:
        PageProblem: there is no such saved view.
        Redirect: it stands for an address that a browser can have itself.
    """
    if asked.page != "view":
        return asked
    saved = read(store, lambda: saved_view(store, asked.name or ""))
    if saved.startswith("/v/"):
        raise PageProblem("There is no such page", "This saved view names another saved view.")
    if len(saved) <= LONGEST:
        raise Redirect(address.linked(saved))
    return address.parse_href(saved)


NOT_SAVED = (
    "This view can't be saved in this store: its address is too long to be loaded again. "
    "Save what it shows as a file."
)
"""What to say of a view whose address is too long and that has no short one."""


def is_long(shown: Address) -> bool:
    """Whether the address of a view is longer than servers take."""
    return len(shown.local) > LONGEST


def short_address(store: Store, shown: Address, save: SaveView = save_view) -> str | None:
    """The short address of a view; None where its own is short, or nothing can be saved."""
    if not is_long(shown):
        return None
    try:
        return Address("view", name=save(store, shown.local, shown.collection)).href
    except EvalstoreError:
        return None
