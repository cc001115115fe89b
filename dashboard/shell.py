"""What every page shares: header, navigation, colour scheme, footer, notices and problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboard import ids, theme, wording
from dashboard.links import RUNS, PageProblem
from dashboard.page import Page

NAME = "evalstore"

# Dash's own index, with the language, and the colours set before the first paint.
INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <meta name="color-scheme" content="light dark">
    <title>{%title%}</title>
    {%favicon%}
    <style>__VARIABLES__</style>
    {%css%}
    <script src="__SCHEME__"></script>
  </head>
  <body>
    <noscript>The evalstore dashboard needs JavaScript (its own; it loads nothing from elsewhere).
    The command line shows the same figures: <code>evalstore runs</code>.</noscript>
    {%app_entry%}
    <footer>
      {%config%}
      {%scripts%}
      {%renderer%}
    </footer>
  </body>
</html>
"""


def layout(store_name: str, pages: Sequence[Page]) -> Any:
    """Return what surrounds every page."""
    return dmc.MantineProvider(
        theme=theme.components_theme(),
        defaultColorScheme="auto",
        children=[
            # refresh=False: a callback that writes the address doesn't reload the page.
            dcc.Location(id=ids.URL, refresh=False),
            dcc.Store(id=ids.RENDERED),
            dcc.Store(id=ids.SCHEME),
            dcc.Store(id=ids.TITLE),
            html.A("Skip to content", href="#main", className="skip-link"),
            _connection_notice(),
            dmc.AppShell(
                id=ids.APP_SHELL,
                header={"height": 60},
                navbar={
                    "width": 240,
                    "breakpoint": "sm",
                    "collapsed": {"desktop": True, "mobile": True},
                },
                padding=0,
                children=[
                    dmc.AppShellHeader(_header(pages), className="shell-header"),
                    dmc.AppShellNavbar(
                        html.Nav(
                            navigation(pages, None),
                            id=ids.MENU,
                            className="nav nav-menu",
                            **{"aria-label": "Menu"},
                        ),
                        p="md",
                    ),
                    dmc.AppShellMain(
                        [
                            html.Main(
                                html.Div(id=ids.PAGE, className="page"), id="main", tabIndex=-1
                            ),
                            _footer(store_name),
                        ],
                        className="shell-main",
                    ),
                ],
            ),
        ],
    )


def _header(pages: Sequence[Page]) -> Any:
    return html.Div(
        [
            dmc.Burger(
                id=ids.MENU_BURGER,
                size="sm",
                opened=False,
                hiddenFrom="sm",
                **{"aria-label": "Open the menu"},
            ),
            dcc.Link(
                [html.Span(className="logo", **{"aria-hidden": "true"}), NAME],
                href=RUNS,
                className="brand",
            ),
            html.Nav(
                navigation(pages, None),
                id=ids.NAVIGATION,
                className="nav nav-bar",
                **{"aria-label": "Pages"},
            ),
            html.Div(id=ids.CONTEXT, className="context"),
            dmc.ColorSchemeToggle(
                id=ids.SCHEME_TOGGLE,
                lightIcon=html.Span(className="icon icon-sun"),
                darkIcon=html.Span(className="icon icon-moon"),
                variant="subtle",
                size="lg",
                color="gray",
                **{"aria-label": "Switch between light and dark"},
            ),
        ],
        className="header-row",
    )


def navigation(pages: Sequence[Page], path: str | None) -> list[Any]:
    """Return the links to the pages, with the one at `path` marked as the current one."""
    return [
        html.Span(
            dcc.Link(page.name, href=page.path, className="nav-link"),
            className="nav-item current" if page.path == path else "nav-item",
        )
        for page in pages
    ]


def context(collection: str | None) -> list[Any]:
    """Return the name of the page's collection, for the header."""
    if collection is None:
        return []
    return [
        html.Span("Collection", className="context-label"),
        html.Span(wording.name(collection, 32), className="context-name", dir="auto"),
    ]


def _footer(store_name: str) -> Any:
    return html.Footer(
        [html.Span("Store "), html.Code(wording.name(store_name, 80))], className="shell-footer"
    )


def heading(title: Any, *below: Any) -> Any:
    """Return a page's heading, with what follows under it."""
    return html.Header([html.H1(title), *below], className="page-heading")


def card(title: Any, *children: Any, aside: Any = None, class_name: str = "") -> Any:
    """Return a titled section of a page, with its controls beside the title."""
    return html.Section(
        [
            html.Div(
                [html.H2(title), html.Div(aside, className="card-aside")], className="card-head"
            ),
            *children,
        ],
        className=f"card {class_name}".strip(),
    )


def _connection_notice() -> Any:
    """Return the notices of a request that failed; assets/evalstore.js shows and hides them."""
    return html.Div(
        [
            html.Div(
                [
                    html.Strong("No connection to the dashboard. "),
                    "What you asked for could not be loaded, so nothing is shown. "
                    "This page loads again by itself when the connection is back.",
                ],
                className="notice-lost",
            ),
            html.Div(
                [
                    html.Strong("The dashboard failed to answer. "),
                    "What you asked for could not be computed, so nothing is shown; the terminal "
                    "of the dashboard shows the reason. ",
                    html.A("Load the page again", href=""),
                ],
                className="notice-failed",
            ),
        ],
        className="connection-notice",
        role="alert",
    )


def problem(page_problem: PageProblem) -> Any:
    """Return the page that says what is wrong and what to do next."""
    text, link = page_problem.link_text, page_problem.link
    way_on = (
        dcc.Link(text, href=link, className="action")
        if link
        else html.A(text, href="", className="action")  # the same address, loaded again
    )
    return html.Div(
        [
            html.H1(page_problem.title),
            html.P(page_problem.sentence, className="lead", dir="auto"),
            html.P(page_problem.advice) if page_problem.advice else None,
            html.P(way_on),
        ],
        className="problem",
        role="alert",
    )


def commands(*lines: str) -> Any:
    """Return commands to type, as a block of code."""
    return html.Pre(html.Code("\n".join(lines)), className="commands", tabIndex=0)
