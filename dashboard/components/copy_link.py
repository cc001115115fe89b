"""“Copy link”: an address of a view that others can open, also later.

A link contains hashes of the runs' content beside their names (`bm25~3f9a01c2`), since a name can
come to mean another run. A long link is saved under a key (/v/h7k2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html

from dashboard import address
from dashboard.address import Address
from dashboard.components import ids
from dashboard.components.problems import PageProblem, Redirect, read
from dashboard.components.selection import with_hashes
from dashboard.page import StoreOfRequest, StoreToWrite, callback
from evalstore.catalog.links import save_view, saved_view
from evalstore.errors import EvalstoreError
from evalstore.store import Store

LONG = 1_500
"""The length of an address, in characters, beyond which some programs cut links off."""

SaveView = Callable[[Store, str, str | None], str]
"""Save an address of a page of a collection, in a store as the user sees it; return its key."""


class Link(TypedDict):
    """A copied link, and a note about it; `collection` is that of the view, if it is of one."""

    href: str
    note: str
    collection: str | None


def button() -> Any:
    """The button, with a field that shows the link."""
    return html.Div(
        [
            html.Button(
                [html.Span(className="icon icon-link"), html.Span("Copy link")],
                id=ids.COPY_LINK,
                type="button",
                className="header-action",
                title="Copy a link to what is shown",
                **{"aria-label": "Copy link", "data-command": "Copy link"},
            ),
            *(dcc.Store(id=id_) for id_ in (ids.LINK, ids.VIEW_NAME, ids.VIEW_REMOVED)),
            dcc.Store(id=ids.VIEW_SAVED),
            # assets/links.js fills it and shows it.
            html.Div(id=ids.LINK_BOX, className="link-box", role="status"),
        ],
        className="copy-link",
    )


def link_to(store: Store, path: str, search: str, save: SaveView = save_view) -> Link:
    """The link to a view; a long one is saved under a key."""
    note, collection = "", None
    try:
        asked = with_hashes(store, address.parse(path, search))
        local, collection = asked.local, asked.collection
        if len(asked.href) > LONG:
            local = Address("view", name=save(store, local, collection)).local
            note = "Saved under a short link."
    except PageProblem as problem:  # what no page opens is not saved
        local = f"{address.without_prefix(path)}{search}"
        note = problem.sentence if len(local) > LONG else ""
    except EvalstoreError:
        note = "The view can't be saved in this store, so its link is long."
    return Link(href=address.linked(local), note=note, collection=collection)


def register(
    app: Dash, store_of_request: StoreOfRequest, save: SaveView, store_to_write: StoreToWrite
) -> None:
    """Add the callback of the button: a POST of JSON, which no other site can send."""

    @callback(
        app,
        Output(ids.LINK, "data"),
        Input(ids.COPY_LINK, "n_clicks"),
        State(ids.URL, "pathname"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def copy_link(clicks: int, path: str | None, search: str | None) -> dict[str, Any]:
        link = link_to(store_of_request(), path or "/", search or "", save)
        of = link["collection"]
        may_name = of is not None and store_to_write(of) is not None
        # The click number makes each answer different, so that the same link can be copied again.
        shown = {"href": link["href"], "note": link["note"], "click": clicks}
        return {**shown, "mayName": may_name}

    app.clientside_callback(
        ClientsideFunction("links", "copy"), Input(ids.LINK, "data"), prevent_initial_call=True
    )


def opened(store: Store, asked: Address) -> Address:
    """The address to show; raises Redirect for a saved view, and PageProblem for an unknown one."""
    if asked.page != "view":
        return asked
    saved = read(store, lambda: saved_view(store, asked.name or ""))
    if saved.startswith("/v/"):
        raise PageProblem("There is no such page", "This saved view names another saved view.")
    raise Redirect(address.linked(saved))
