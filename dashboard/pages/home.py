"""The home page: the collections, and where to go next."""

from __future__ import annotations

from typing import Any

from dash import html

from dashboard import shell, wording
from dashboard.address import Address
from dashboard.page import Page, Rendered, View
from dashboard.store_problems import read
from evalstore.usecases.leaderboard import collections


def render(view: View) -> Rendered:
    """Render the page."""
    table = read(view.store, lambda: collections(view.store))
    if table.empty:
        return Rendered("Nothing stored yet", _empty())
    rows = [
        html.Tr(
            [
                html.Th(
                    html.A(
                        html.Bdi(wording.name(name, 60)), href=Address("leaderboard", name).href
                    ),
                    scope="row",
                ),
                html.Td(f"{queries:,}"),
                html.Td(", ".join(wording.name(one, 24) for one in qrels) or "–"),
                html.Td(f"{runs:,}"),
            ]
        )
        for name, queries, qrels, runs in zip(
            table["collection"], table["queries"], table["qrels"], table["runs"], strict=True
        )
    ]
    head = html.Tr([html.Th(text) for text in ("Collection", "Queries", "Qrels", "Runs")])
    body = [
        shell.heading("Collections"),
        html.Table([html.Thead(head), html.Tbody(rows)], className="plain-table"),
    ]
    return Rendered("Collections", body)


def _empty() -> Any:
    return html.Div(
        [
            html.H1("Nothing stored yet"),
            html.P("Store the runs of your engines with the judgments of a collection:"),
            shell.commands("evalstore ingest --collection NAME --qrels QRELS RUN..."),
            html.P("Or look at an experiment that comes with evalstore:"),
            shell.commands("evalstore demo"),
        ],
        className="problem",
    )


PAGE = Page("home", render)
