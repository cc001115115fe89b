"""The store: one database, opened by URL. The other modules of this package hold its SQL.

`Store` is loaded at its first use: processes that only read and evaluate runs need no library of
databases, which takes 0.4 s to load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalstore.store.store import RestrictedStore, Store

__all__ = ["RestrictedStore", "Store"]


def __getattr__(name: str) -> object:
    """Load a class at its first use and return it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evalstore.store import store  # noqa: PLC0415  (see above)

    value: object = getattr(store, name)
    globals()[name] = value  # the next use finds it
    return value
