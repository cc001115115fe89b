"""What a page is, to the shell that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dash import Dash

from dashboard.theme import Scheme
from evalstore.store import Store

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rendered:
    """A page for one address."""

    title: str  # of the browser's tab
    body: Any
    collection: str | None = None  # the one that the page is about, for the header


@dataclass(frozen=True)
class Page:
    """One page: its path, how it is rendered from a query string, and its callbacks.

    `render` returns the complete page, with figures and tables in the given colour scheme;
    callbacks run only when the user changes a control.
    """

    path: str
    name: str
    render: Callable[[Store, str, Scheme], Rendered]
    register: Callable[[Dash, Store], None]


def is_leaving(path: str | None, search: str | None, rendered: str | None) -> bool:
    """Whether the address is not that of the page on screen (`rendered`): another is loading.

    Someone who goes back twice quickly is two pages back before the page between has loaded. Its
    controls report their values when they appear, and must not write them over the new address.
    """
    return f"{path}{search or ''}" != rendered


def callback(app: Dash, *dependencies: Any, **options: Any) -> Callable[[F], F]:
    """Return `app.callback(...)` as a decorator that leaves a function its types.

    Always the app's own: a callback of `dash.callback` would belong to the process.
    """
    return cast("Callable[[F], F]", app.callback(*dependencies, **options))
