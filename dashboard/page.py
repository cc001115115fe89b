"""The types of pages: a page has a function from an address to components, and one for updates."""

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

StoreToWrite = Callable[[str], Store | None]
"""The whole store, if the sender of the current request may write into the named collection."""

Changes = Mapping[ComponentId, Mapping[str, Any]]
"""Changed properties by component: by its id, or by the pairs of an id that is a dictionary."""


def nowhere(collection: str) -> None:
    """Allow no writing into any collection."""


@dataclass(frozen=True)
class View:
    """A store, as the current user may see it, and an address in it.

    `store_to_write` says whether the user may write into a collection, `store_to_judge` whether
    they may say what they judge there. `server_url` is the address by which commands reach the
    store through the team's server; None without a server.
    """

    store: Store
    address: Address
    scheme: Scheme = "light"
    store_to_write: StoreToWrite = field(default=nowhere, compare=False)
    store_to_judge: StoreToWrite = field(default=nowhere, compare=False)
    server_url: str | None = field(default=None, compare=False)

    def may_write(self, collection: str) -> bool:
        """Whether the user may write into a collection."""
        return self.store_to_write(collection) is not None

    def may_judge(self, collection: str) -> bool:
        """Whether the user may judge documents of the drafts of a collection."""
        return self.store_to_judge(collection) is not None

    def may_send(self, collection: str) -> bool:
        """Whether the user may send files into a collection, to the API of the team's server."""
        return self.server_url is not None and self.may_write(collection)


@dataclass(frozen=True)
class Rendered:
    """A page for one view.

    `collection` is for the header and the navigation; `qrels` are the judgments of the figures, and
    `choices` those that can be chosen. `defaults` are left out of addresses. `files` are the names
    of the files that the view offers, None for all files of the page.
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
    """Update no parts, so that the page is rendered anew whenever something changes."""


def nothing(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Register no callbacks: for pages without their own."""


@dataclass(frozen=True)
class Page:
    """One kind of page.

    Everything that is chosen on a page is in its address: a control changes the address, in the
    browser, and the page follows. So there are few callbacks, back and forward work, and there can
    be no circular updates.

    `update` returns the changes from one view of a page to another (same kind, collection and name)
    if only the scheme or parameters in `updated` change; None means that it must be rendered anew.
    `files` are by the last part of their addresses; `contents` describe some of them in the Export
    menu. `register` adds further callbacks, such as one for rows of a grid that load while
    scrolling.
    """

    kind: str
    render: Callable[[View], Rendered]
    update: Callable[[View, View], Changes | None] = field(default=never)
    updated: frozenset[str] = frozenset()
    files: Mapping[str, Callable[[View], File]] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)
    register: Callable[[Dash, StoreOfRequest], None] = field(default=nothing)

    def updates(self, now: Address, before: Address) -> bool:
        """Whether only parts of the page change from one address to another."""
        return before.same_page(now) and now.differences(before) <= self.updated


def without_controls(changes: Changes) -> tuple[Changes, dict[str, Any]]:
    """Split the changes into those without values of controls, and these values by parameter.

    The browser sets the values once their view is on the screen. If they were set before, a value
    would count as the user's choice, and lead back to a view that the user has left.
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
    """A typed version of `app.callback(...)` as a decorator.

    It always uses the app's own callbacks: one made by `dash.callback` would belong to the process.
    """
    return cast("Callable[[F], F]", app.callback(*dependencies, **options))
