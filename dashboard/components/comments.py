"""The section “Comments” of the Run page and the Query page.

The parameter `comment` of an address is the id of a comment: the page shows those around it, marks
it, and scrolls to it (assets/pages/comments.js). So the link to a comment is an address, like the
link to everything else.
"""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update

from dashboard import address
from dashboard.address import Address
from dashboard.components import elements, ids, wording
from dashboard.components.controls import roving
from dashboard.components.problems import PageProblem, read
from dashboard.page import StoreToWrite, View, callback
from evalstore.store import Store
from evalstore.store.queries.tracking import Comment, Kind
from evalstore.tracking.comments import (
    CommentsPage,
    comment_on_query,
    comment_on_run,
    comments_page,
    delete_comment,
    is_own,
)

PARAMETER = "comment"
LIST = "comments-list"
TEXT = "comment-text"
SEND = "comment-send"
DELETE = "comment-delete"  # the id of a comment to delete; assets/pages/comments.js sets it
WRITTEN = "comment-written"  # the result of writing or deleting, for assets/pages/comments.js
NOTE = "comment-note"


def section(view: View, kind: Kind) -> Any:
    """The comments on the run or query of the page, and a field to write one.

    There is no section if nothing is written and the user may not write.
    """
    may_write = view.may_write(view.address.collection or "")
    page = _load(view, kind)
    if not page.comments and not may_write:
        return None
    return html.Section(
        [
            html.Div(html.H2("Comments"), className="card-head"),
            html.Div(_list(view, page, may_write=may_write), id=LIST),
            *(_form(kind) if may_write else ()),
        ],
        className="card comments",
    )


def update(view: View, kind: Kind) -> dict[Any, dict[str, Any]]:
    """The changes of the section for another comment in the address."""
    may_write = view.may_write(view.address.collection or "")
    return {LIST: {"children": _list(view, _load(view, kind), may_write=may_write)}}


def _load(view: View, kind: Kind) -> CommentsPage:
    collection, name = view.address.collection or "", view.address.name or ""
    return read(
        view.store, lambda: comments_page(view.store, kind, name, collection, _linked(view))
    )


def _linked(view: View) -> int | None:
    """The id in the address."""
    return _as_id(view.address.one(PARAMETER))


def _as_id(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _list(view: View, page: CommentsPage, *, may_write: bool) -> list[Any]:
    listed = [_comment(view, each, may_delete=may_write and is_own(each)) for each in page.comments]
    return [
        _step(view, f"{page.earlier:,} earlier", page.before) if page.before else None,
        html.Ol(listed, className="comments-list", **roving("a, button, summary")),
        _step(view, f"{page.later:,} later", page.after) if page.after else None,
    ]


def _step(view: View, text: str, at: int) -> Any:
    return html.A(text, href=view.address.changed(comment=str(at)).href, className="comments-step")


def _comment(view: View, comment: Comment, *, may_delete: bool) -> Any:
    href = view.address.changed(comment=str(comment.id)).href
    by = wording.name(comment.who, 40)
    actions: list[Any] = [
        html.Button(
            "Copy link",
            type="button",
            className="comment-action",
            **{"data-copy-link": href, "aria-label": f"Copy the link to this comment of {by}"},
        )
    ]
    if may_delete:
        sure = html.Button(
            "Delete for good",
            type="button",
            className="comment-action",
            **{"data-delete-comment": str(comment.id)},
        )
        actions.append(html.Details([html.Summary("Delete"), sure], className="comment-action"))
    return html.Li(
        [
            html.Div(
                [
                    html.Bdi(by, className="comment-who"),
                    html.A(f"{comment.created_at:%Y-%m-%d %H:%M}", href=href, title="UTC"),
                    *actions,
                ],
                className="comment-head",
            ),
            html.Div(elements.markdown(comment.text), dir="auto"),
        ],
        id=f"comment-{comment.id}",
        className="comment is-linked" if comment.id == _linked(view) else "comment",
    )


def _form(kind: Kind) -> list[Any]:
    return [
        dmc.Textarea(
            id=TEXT,
            value="",
            placeholder=f"Comment on this {kind}, in Markdown",
            autosize=True,
            minRows=2,
            maxRows=16,
            **{"aria-label": f"Comment on this {kind}"},
        ),
        html.Div(
            [
                html.Button("Comment", id=SEND, type="button", className="action"),
                html.Span(id=NOTE, role="status", className="hint"),
            ],
            className="choices",
        ),
        dcc.Store(id=DELETE),
        dcc.Store(id=WRITTEN),
    ]


# Writing: a POST of JSON, which no other site can send


def register(app: Dash, store_to_write: StoreToWrite) -> None:
    """Add the callbacks that add a comment and delete one."""

    @callback(
        app,
        Output(WRITTEN, "data"),
        Input(SEND, "n_clicks"),
        Input(DELETE, "data"),
        State(TEXT, "value"),
        State(ids.URL, "pathname"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def write(
        clicks: int | None, deleted: object, text: object, path: str | None, search: str | None
    ) -> Any:
        is_deletion = ctx.triggered_id == DELETE
        if not (deleted if is_deletion else clicks):  # the section has only appeared
            return no_update
        try:
            asked = address.parse(path, search)
            if is_deletion:
                return {"deleted": _delete(store_to_write, asked, str(deleted))}
            return {"href": _add(store_to_write, asked, str(text or "")), "click": clicks}
        except PageProblem as problem:
            return {"problem": problem.sentence, "click": clicks}

    app.clientside_callback(
        ClientsideFunction("comments", "written"),
        Input(WRITTEN, "data"),
        prevent_initial_call=True,
    )


def _add(store_to_write: StoreToWrite, asked: Address, text: str) -> str:
    """Add a comment, and return the link to it."""
    store, kind, name, collection = _subject(store_to_write, asked)
    add = comment_on_run if kind == "run" else comment_on_query
    comment = read(store, lambda: add(store, name, text, collection))
    return asked.changed(comment=str(comment.id)).href


def _delete(store_to_write: StoreToWrite, asked: Address, comment: str) -> str:
    """Delete a comment, and return its id."""
    store, kind, name, collection = _subject(store_to_write, asked)
    id_ = _as_id(comment) or 0
    read(store, lambda: delete_comment(store, kind, name, collection, id_))
    return comment


def _subject(store_to_write: StoreToWrite, asked: Address) -> tuple[Store, Kind, str, str]:
    """The store to write, and the run or query that an address shows."""
    collection, name = asked.collection or "", asked.name or ""
    store = store_to_write(collection)
    if store is None or asked.page not in ("run", "query"):
        raise PageProblem("Not allowed", "You may not comment here.")
    return store, "run" if asked.page == "run" else "query", name, collection
