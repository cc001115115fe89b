"""The Export menu: the files that the view on the screen can be had as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import files, ids


def menu(page: Address, names: Iterable[str], contents: Mapping[str, str]) -> Any:
    """Return a menu of a page's files, with what they hold; None where there are none.

    When it is opened, the browser brings its links to the address of that moment
    (assets/links.js): parameters can change without a new page.
    """
    links = [
        html.Li(
            html.A(
                [
                    html.Span(className="icon icon-download"),
                    name,
                    html.Span(contents[name], className="hint") if name in contents else None,
                ],
                href=files.href(page, name),
                download="",
                **{"data-file": name},
            )
        )
        for name in names
    ]
    if not links:
        return None
    return html.Details(
        [
            html.Summary(
                [html.Span(className="icon icon-download"), html.Span("Export")],
                className="header-action",
                title="What is shown, as a file",
                **{"aria-label": "Export"},
            ),
            html.Ul(links),
        ],
        id=ids.EXPORT_MENU,
        className="export-menu",
    )
