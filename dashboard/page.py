"""What a page is, to the shell that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dash import Dash

from evalstore.store import Store

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Rendered:
    """A page as it stands for one address."""

    title: str  # of the browser's tab
    body: Any
    collection: str | None = None  # the one on show, for the header


@dataclass(frozen=True)
class Page:
    """One page: where it is, how it is rendered from a query string, what it reacts to."""

    path: str
    name: str
    render: Callable[[Store, str], Rendered]
    register: Callable[[Dash, Store], None]


def is_leaving(path: str | None, search: str | None, shown: str | None) -> bool:
    """Whether the address has left the page on screen (`shown`) and another is on its way.

    Who goes back twice at once is ahead of the page between: its controls, as they are put up,
    must not write their address over the one that was gone to.
    """
    return f"{path}{search or ''}" != shown


def callback(app: Dash, *dependencies: Any, **options: Any) -> Callable[[F], F]:
    """Return `app.callback(...)` as a decorator that leaves a function its types.

    Always the app's own: a callback of `dash.callback` would belong to the process.
    """
    return cast("Callable[[F], F]", app.callback(*dependencies, **options))
