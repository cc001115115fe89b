"""What every page shares: header, colour scheme, footer, notices and problems."""

from __future__ import annotations

from html import escape
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboard import address, theme
from dashboard.components import copy_link, ids, wording
from dashboard.components.problems import PageProblem

NAME = "evalstore"
NOBODY = ""
"""The account of a visitor who is not logged in, where one can log in."""

# Dash's own index, with the language, and the colours set before the first paint.
INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <meta name="color-scheme" content="light dark">
    <title>{%title%}</title>
    <link rel="icon" href="__ICON__" type="image/svg+xml">
    <style>__VARIABLES__</style>
    {%css%}
    <script src="__HEAD__" data-plotly="__PLOTLY__" data-prefix="__PREFIX__" data-page="__PAGE__">
    </script>
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


def index(assets: str, version: float, plotly: str, page: str, prefix: str = "") -> str:
    """Return the page that loads everything else.

    Args:
        assets: the address of the folder of assets.
        version: of head.js, so that a browser that keeps it asks for another version of it.
        plotly: the address of plotly.js.
        page: the body of the request for a page, which head.js completes.
        prefix: the path before every path of the server.
    """
    return (
        INDEX.replace("__VARIABLES__", theme.style_variables())
        .replace("__HEAD__", f"{assets}head.js?m={version}")
        .replace("__ICON__", f"{assets}favicon.svg")
        .replace("__PLOTLY__", plotly)
        .replace("__PREFIX__", prefix)
        .replace("__PAGE__", escape(page))
    )


def layout(store_name: str, account: str | None = None, prefix: str = "") -> Any:
    """Return what surrounds every page.

    Args:
        store_name: the name of the database.
        account: who is logged in, `NOBODY` for who could log in; None where there is no login.
        prefix: the path before every path of the server.
    """
    return dmc.MantineProvider(
        theme=theme.components_theme(),
        defaultColorScheme="auto",
        children=[
            # refresh=False: a callback that writes the address doesn't reload the page.
            dcc.Location(id=ids.URL, refresh=False),
            dcc.Store(id=ids.RENDERED),
            dcc.Store(id=ids.CHANGES),
            dcc.Store(id=ids.SCHEME),
            dcc.Store(id=ids.TITLE),
            dcc.Store(id=ids.REDIRECT),
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
                    dmc.AppShellHeader(_header(account, prefix), className="shell-header"),
                    dmc.AppShellNavbar(
                        html.Nav(
                            id=ids.MENU,
                            className="nav nav-menu",
                            **{"aria-label": "Menu"},
                        ),
                        p="md",
                    ),
                    dmc.AppShellMain(
                        [
                            # AppShellMain is the <main> element; the skip link leads past the
                            # header to here.
                            html.Div(
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


def _header(account: str | None, prefix: str) -> Any:
    return html.Div(
        [
            dmc.Burger(
                id=ids.MENU_BURGER,
                size="sm",
                opened=False,
                hiddenFrom="sm",
                **{"aria-label": "Menu", "aria-controls": ids.MENU},
            ),
            html.A(
                [html.Span(className="logo", **{"aria-hidden": "true"}), NAME],
                href=f"{prefix}/",
                className="brand",
                title="All collections",
            ),
            html.Div(id=ids.CONTEXT, className="context"),
            html.Nav(
                id=ids.NAVIGATION,
                className="nav nav-bar",
                **{"aria-label": "Pages"},
            ),
            html.Div(id=ids.EXPORTS),
            copy_link.button(),
            dmc.ColorSchemeToggle(
                id=ids.SCHEME_TOGGLE,
                lightIcon=html.Span(className="icon icon-sun"),
                darkIcon=html.Span(className="icon icon-moon"),
                variant="subtle",
                size="lg",
                color="gray",
                **{"aria-label": "Switch between light and dark"},
            ),
            *_login(account, prefix),
        ],
        className="header-row",
    )


def _login(account: str | None, prefix: str) -> list[Any]:
    """Return who is logged in, with a link to the page of the account, and a way to log out."""
    if account is None:
        return []
    if account == NOBODY:
        link = html.A("Log in", href=f"{prefix}/login", target="_self", className="header-action")
        return [link]
    return [
        html.A(
            html.Bdi(wording.name(account, 24)),
            href=f"{prefix}/account",
            target="_self",  # a page of its own, which the browser loads
            className="header-action",
            title="Your account: password and sessions",
        ),
        html.Form(
            html.Button("Log out", type="submit", className="header-action"),
            action=f"{prefix}/logout",
            method="POST",
            className="log-out",
        ),
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
    text = page_problem.link_text
    link = address.linked("/") if page_problem.link is None else page_problem.link
    way_on = (
        html.A(text, href=link, className="action")
        if link
        else html.A(text, href="", className="action reload")  # the same address, loaded again
    )
    return html.Div(
        [
            html.H1(page_problem.title),
            html.P(page_problem.sentence, className="lead", dir="auto"),
            html.P(page_problem.advice) if page_problem.advice else None,
            html.P([way_on, *_other_links(page_problem)], className="ways-on"),
        ],
        className="problem",
        role="alert",
    )


def _other_links(page_problem: PageProblem) -> list[Any]:
    return [html.A(text, href=href, className="quiet-action") for href, text in page_problem.others]


def commands(*lines: str) -> Any:
    """Return commands to type, as a block of code."""
    return html.Pre(html.Code("\n".join(lines)), className="commands", tabIndex=0)
