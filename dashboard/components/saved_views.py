"""Saved views with names: “Copy link” names one, the Leaderboard lists those of its collection."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update

from dashboard import address
from dashboard.address import Address
from dashboard.components import ids, wording
from dashboard.components.controls import roving
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import with_hashes
from dashboard.page import StoreOfRequest, StoreToWrite, View, callback
from evalstore.catalog.links import name_view, named_views, unname_view
from evalstore.store import Store
from evalstore.store.queries.events import StoredView


def menu(view: View) -> Any:
    """The named views of the collection, in one line to open; None if there is none."""
    collection = view.address.collection or ""
    views = read(view.store, lambda: named_views(view.store, collection))
    if not views:
        return None
    may_write = view.may_write(collection)
    rows = [_row(each, may_write=may_write) for each in views]
    listed = html.Ul(rows, **roving("a, button"))
    summary = html.Summary("Saved views", className="quiet-action")
    return html.Details([summary, listed], className="saved-views folded")


def _row(view: StoredView, *, may_write: bool) -> Any:
    name = wording.name(view.name or "", 80)
    by = f" by {wording.name(view.who or '', 40)}, {view.created_at:%Y-%m-%d %H:%M}"
    parts: list[Any] = [
        html.A(html.Bdi(name), href=Address("view", name=view.key).href),
        html.Span(html.Bdi(by), className="hint", title="UTC"),
    ]
    if may_write:
        label = f"Remove the saved view {name}"
        parts.append(
            html.Button(
                "Remove",
                type="button",
                **{"data-remove-view": view.key, "aria-label": label},
            )
        )
    return html.Li(parts, **{"data-view": view.key})


# Naming and removing: a POST of JSON, which no other site can send


def register(app: Dash, store_of_request: StoreOfRequest, store_to_write: StoreToWrite) -> None:
    """Add the callbacks that name a view and remove one."""

    @callback(
        app,
        Output(ids.VIEW_SAVED, "data"),
        Input(ids.VIEW_NAME, "data"),
        Input(ids.VIEW_REMOVED, "data"),
        State(ids.URL, "pathname"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def save(named: object, removed: object, path: str | None, search: str | None) -> Any:
        is_removal = ctx.triggered_id == ids.VIEW_REMOVED
        given = removed if is_removal else named
        if not isinstance(given, dict):
            return no_update
        text, at = str(given.get("key" if is_removal else "name") or ""), given.get("at")
        try:
            asked = address.parse(path, search)
            if is_removal:
                whole, collection = _writable(store_to_write, asked)
                read(whole, lambda: unname_view(whole, text, collection))
                return {"removed": text, "note": "Removed.", "at": at}
            asked = with_hashes(store_of_request(), asked)
            whole, collection = _writable(store_to_write, asked)
            read(whole, lambda: name_view(whole, asked.local, text, collection))
            return {"note": "Saved: the leaderboard of the collection lists it.", "at": at}
        except PageProblem as problem:
            return {"note": problem.sentence, "at": at}

    app.clientside_callback(
        ClientsideFunction("links", "saved"),
        Input(ids.VIEW_SAVED, "data"),
        prevent_initial_call=True,
    )


def _writable(store_to_write: StoreToWrite, asked: Address) -> tuple[Store, str]:
    """The store to write, and the collection of an address."""
    store = None if asked.collection is None else store_to_write(asked.collection)
    if store is None or asked.collection is None:
        raise PageProblem("Not allowed", "You may not save views with names here.")
    return store, asked.collection
