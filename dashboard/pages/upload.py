"""The Upload page: files that are dropped on it, or chosen with a button.

The browser sends the files to the HTTP API (assets/pages/upload.js), not through a callback.
"""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.address import Address
from dashboard.components import controls, shell, wording
from dashboard.components.elements import control_change
from dashboard.components.problems import PageProblem, read
from dashboard.page import Changes, Page, Rendered, View
from evalstore.catalog.queries import list_queries

UPLOAD = "upload"
OF_RUNS = "upload-of-runs"
HINT = "upload-hint"

KINDS = (
    ("runs", "Runs"),
    ("qrels", "Judgments"),
    ("queries", "Queries"),
    ("documents", "Documents"),
)
HINTS = {
    "runs": "Run files of TREC or another format that `evalstore ingest --formats` lists, plain or "
    "gzip. Each is checked and evaluated; a bad one is refused with the line that is wrong.",
    "qrels": "Judgments: qid, 0, docno, grade. The first ones of a collection become its default.",
    "queries": "Texts of the queries: TSV, JSON lines or topics.",
    "documents": "Titles and texts: JSON lines or TSV. Stored are those of documents that are "
    "judged, or that a run keeps as rows; so add runs and judgments first.",
}


def render(view: View) -> Rendered:
    """Render the page."""
    collection = view.address.collection or ""
    # Raises an error if the collection doesn't exist, or is hidden from the user.
    read(view.store, lambda: list_queries(view.store, collection))
    if not view.may_send(collection):
        raise PageProblem(
            "Files can't be added here",
            "Who may write into this collection on a team's server can add files on this page.",
            advice="On the machine of the store, `evalstore ingest` adds runs.",
            link=Address("leaderboard", collection).href,
            link_text="Go to the leaderboard",
        )
    kind = _kind(view)
    body = html.Div(
        [
            shell.heading(["Add to ", html.Bdi(wording.name(collection, 60))]),
            html.Div(
                controls.segments("kind", KINDS, kind, label="What the files are"),
                className="choices",
            ),
            html.P(_hint(kind), id=HINT, className="hint"),
            html.Div(
                [
                    _field("engine", "Engine", "the run tag, if left out"),
                    _field("experiment", "Experiment", "optional"),
                    _field("tags", "Tags", "with commas between them"),
                ],
                id=OF_RUNS,
                className="upload-fields",
                hidden=kind != "runs",
            ),
            # assets/pages/upload.js fills it: the area to drop files on, and the list of files.
            html.Div(id=UPLOAD, **{"data-collection": collection, "data-kind": kind}),
        ]
    )
    return Rendered(
        f"Add to {wording.name(collection, 40)}",
        body,
        collection,
        files=(),
        defaults={"kind": KINDS[0][0]},
    )


def update(view: View, before: View) -> Changes | None:
    """The changes for another kind of files; the list of files remains."""
    kind = _kind(view)
    return {
        UPLOAD: {"data-kind": kind},
        OF_RUNS: {"hidden": kind != "runs"},
        HINT: {"children": _hint(kind)},
        **control_change("kind", value=kind),
    }


def link(collection: str, class_name: str) -> Any:
    """The link to the Upload page of a collection, for users who may write into it."""
    label = f"Add runs to {wording.name(collection, 60)}"
    return html.A(
        "Add runs",
        href=Address("upload", collection).href,
        className=class_name,
        **{"aria-label": label},
    )


def _kind(view: View) -> str:
    kind = view.address.one("kind")
    return kind if kind in HINTS else KINDS[0][0]


def _hint(kind: str) -> list[Any]:
    """The hint, with its code."""
    parts = HINTS[kind].split("`")
    return [html.Code(part) if n % 2 else part for n, part in enumerate(parts)]


def _field(name: str, label: str, placeholder: str) -> Any:
    return dmc.TextInput(id=f"upload-{name}", label=label, placeholder=placeholder, size="xs")


PAGE = Page("upload", render, update=update, updated=frozenset({"kind"}))
