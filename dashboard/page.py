"""The types of pages: a page is a function from an address to components, and one for changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from dash import Dash

from dashboard.address import Address
from dashboard.theme import Scheme
from evalstore.store import Store

F = TypeVar("F", bound=Callable[..., Any])

ComponentId = str | tuple[tuple[str, str], ...]
StoreOfRequest = Callable[[], Store]
"""The store that the sender of the current request may read."""

MayWrite = Callable[[str], bool]
"""Whether the sender of the current request may send files into the named collection."""

Changes = Mapping[ComponentId, Mapping[str, Any]]
"""The properties that change, by component: its id, or the pairs of an id that is a dictionary."""


def nowhere(collection: str) -> bool:
    """Files are sent into no collection."""
    return False


@dataclass(frozen=True)
class View:
    """A store, as the person may see it who asks, and an address of it.

    `may_write` says whether that person may send files into a collection; `server_url` is the
    address by which commands reach the store through the team's server; None without one.
    """

    store: Store
    address: Address
    scheme: Scheme = "light"
    may_write: MayWrite = field(default=nowhere, compare=False)
    server_url: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Rendered:
    """A page for one view.

    `collection` is for the header and the navigation; `qrels` the judgments of its figures, and
    `choices` those that can be chosen; `defaults` are left out of addresses; `files` are the names
    of the files that the view can be had as, None for all of the page.
    """

    title: str
    body: Any
    collection: str | None = None
    qrels: str | None = None
    choices: tuple[str, ...] = ()
    defaults: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    files: tuple[str, ...] | None = None


@dataclass(frozen=True)
class File:
    """A file to download: its name, its content and its media type."""

    name: str
    content: str | bytes
    media_type: str = "text/csv"


def never(view: View, before: View) -> None:
    """The page is rendered anew whenever something changes."""


def nothing(app: Dash, store_of_request: StoreOfRequest) -> None:
    """The page has no callbacks of its own."""


@dataclass(frozen=True)
class Page:
    """One kind of page.

    All that is chosen on a page stands in its address: a control changes the address, in the
    browser, and the page follows. So there are few callbacks, back and forward work, and nothing
    can run in a circle.

    `update` gives what changes from one view of a page to another (the same kind, collection and
    name) if only the scheme or parameters in `updated` change; None to render it anew. `files` are
    by the last part of their addresses, `contents` describe some of them in the Export menu.
    `register` adds further callbacks: rows of a grid that load as one scrolls.
    """

    kind: str
    render: Callable[[View], Rendered]
    update: Callable[[View, View], Changes | None] = field(default=never)
    updated: frozenset[str] = frozenset()
    files: Mapping[str, Callable[[View], File]] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)
    register: Callable[[Dash, StoreOfRequest], None] = field(default=nothing)

    def updates(self, now: Address, before: Address) -> bool:
        """Whether parts of the page change from one address to another, and not the whole."""
        return before.same_page(now) and now.differences(before) <= self.updated


def without_controls(changes: Changes) -> tuple[Changes, dict[str, Any]]:
    """The changes without values of controls, and these by their parameters.

    The browser sets them once their view is on the screen: set before, a value would count as
    chosen, and lead back to a view that was left.
    """
    others: dict[ComponentId, Mapping[str, Any]] = {}
    controls: dict[str, Any] = {}
    for component, properties in changes.items():
        rest = dict(properties)
        if not isinstance(component, str) and component[0][0] == "control" and "value" in rest:
            controls[component[0][1]] = rest.pop("value")
        if rest:
            others[component] = rest
    return others, controls


def callback(app: Dash, *dependencies: Any, **options: Any) -> Callable[[F], F]:
    """`app.callback(...)` as a decorator that leaves a function its types.

    Always the app's own: a callback of `dash.callback` would belong to the process.
    """
    return cast("Callable[[F], F]", app.callback(*dependencies, **options))
