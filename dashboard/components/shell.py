"""The frame of every page: header, navigation, export menu, footer, notices and problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboard import address, theme
from dashboard.address import MEASURES, Address
from dashboard.components import controls, copy_link, files, ids, search_dialog, wording
from dashboard.components.controls import best_first, kept_measure
from dashboard.components.problems import PageProblem, read
from dashboard.page import Rendered, View
from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.catalog.qrels import origin_name, origin_note
from evalstore.leaderboard.positions import run_counts
from evalstore.store import Store
from evalstore.store.queries.qrels import StoredQrels

NAME = "evalstore"
SWITCH_SCHEME = "Switch the theme between light and dark"
NOBODY = ""
"""The account of a visitor who is not logged in, if the server has logins."""

# Dash's own index page, plus the language and colours that are set before the first paint.
INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <meta name="color-scheme" content="light dark">
    <title>{%title%}</title>
    <link rel="icon" href="__ICON__" type="image/svg+xml">
    <style>__VARIABLES__</style>
    {%css%}
    <script src="__HEAD__" data-plotly="__PLOTLY__" data-prefix="__PREFIX__"></script>
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


def index(assets: str, version: float, plotly: str, prefix: str = "") -> str:
    """Return the page that loads everything else.

    `version` is the version of head.js, so that browsers load a new one.
    """
    return (
        INDEX.replace("__VARIABLES__", theme.style_variables())
        .replace("__HEAD__", f"{assets}head.js?m={version}")
        .replace("__ICON__", f"{assets}favicon.svg")
        .replace("__PLOTLY__", plotly)
        .replace("__PREFIX__", prefix)
    )


def layout(store_name: str, account: str | None = None, prefix: str = "") -> Any:
    """Return the frame around every page.

    `account` is the logged-in user, `NOBODY` if nobody is logged in, None if there are no logins.
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
            search_dialog.dialog(),
            dmc.AppShell(
                id=ids.APP_SHELL,
                header={"height": 60},
                navbar={
                    "width": 240,
                    "breakpoint": "lg",
                    "collapsed": {"desktop": True, "mobile": True},
                },
                padding=0,
                children=[
                    dmc.AppShellHeader(_header(account, prefix), className="shell-header"),
                    dmc.AppShellNavbar(
                        html.Nav(id=ids.MENU, className="nav nav-menu", **{"aria-label": "Menu"}),
                        p="md",
                    ),
                    dmc.AppShellMain(
                        [
                            # AppShellMain is the <main> element; the skip link jumps here, over the
                            # header.
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
                hiddenFrom="lg",
                **{"aria-label": "Menu", "aria-controls": ids.MENU},
            ),
            html.A(
                [html.Span(className="logo", **{"aria-hidden": "true"}), NAME],
                href=f"{prefix}/",
                className="brand",
                title="All collections",
            ),
            html.Div(id=ids.CONTEXT, className="context"),
            html.Nav(id=ids.NAVIGATION, className="nav nav-bar", **{"aria-label": "Pages"}),
            search_dialog.button(),
            html.Div(id=ids.EXPORTS),
            copy_link.button(),
            dmc.ColorSchemeToggle(
                id=ids.SCHEME_TOGGLE,
                lightIcon=html.Span(className="icon icon-sun"),
                darkIcon=html.Span(className="icon icon-moon"),
                variant="subtle",
                size="lg",
                color="gray",
                **{"aria-label": SWITCH_SCHEME, "data-command": SWITCH_SCHEME},
            ),
            *_login(account, prefix),
        ],
        className="header-row",
    )


def _login(account: str | None, prefix: str) -> list[Any]:
    """Return the logged-in user as a link to the account page, and a way to log out."""
    if account is None:
        return []
    if account == NOBODY:
        link = html.A("Log in", href=f"{prefix}/login", target="_self", className="header-action")
        return [link]
    return [
        html.A(
            html.Bdi(wording.name(account, 24)),
            href=f"{prefix}/account",
            target="_self",  # the account page is not part of the app, so the browser loads it
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
    """Return a page's heading with the elements below it."""
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
    """Return the notices of failed requests; assets/evalstore.js shows and hides them."""
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
    """Return a page that explains a problem and says what to do next."""
    text = page_problem.link_text
    link = address.linked("/") if page_problem.link is None else page_problem.link
    way_on = (
        html.A(text, href=link, className="action")
        if link
        else html.A(text, href="", className="action reload")  # loads the same address again
    )
    others = [html.A(words, href=to, className="quiet-action") for to, words in page_problem.others]
    add = controls.add_run(page_problem.runs) if page_problem.runs else None
    return html.Div(
        [
            html.H1(page_problem.title),
            html.P(page_problem.sentence, className="lead", dir="auto"),
            html.P(page_problem.advice) if page_problem.advice else None,
            html.Div([way_on, *others, add], className="ways-on"),
        ],
        className="problem",
        role="alert",
    )


def commands(*lines: str) -> Any:
    """Return commands as a block of code."""
    return html.Pre(html.Code("\n".join(lines)), className="commands", tabIndex=0)


# The navigation: pages, collection and judgments, and the parameters carried along in links

NAVIGATION = (
    ("Leaderboard", "leaderboard"),
    ("Compare", "compare"),
    ("Queries", "queries"),
    ("Judgments", "judgments"),
    ("Judge", "judge"),
    ("History", "history"),
    ("SQL", "sql"),
    ("Measures", "measures"),
)
VIEWS_TO_FIND = ("Agreement", "Cost", "Sweep")
"""The views of the leaderboard that a search finds as pages."""
KEPT = ("qrels", "runs", "base")
"""The parameters that are carried along from page to page of a collection."""


@dataclass(frozen=True)
class Here:
    """The contents of the header and the navigation.

    `kept` is the address of the collection that links lead to, with the parameters carried along;
    None if there is no collection. `judged`: it has qrels, which are `qrels` if they are known.
    """

    address: Address
    kept: Address | None
    collections: tuple[str, ...]
    judged: bool = False
    qrels: tuple[StoredQrels, ...] = ()


def here(view: View, rendered: Rendered, on_screen: Mapping[str, Any] | None) -> Here:
    """Take the collection from the page, else from the page before, else the first with runs."""
    try:
        runs_of = read(view.store, lambda: run_counts(view.store))
        kept = _kept_of(view, rendered, str((on_screen or {}).get("keep") or ""), runs_of)
        qrels = _qrels_of(view.store, kept)
        return Here(view.address, kept, tuple(runs_of), bool(qrels), qrels)
    except PageProblem:
        return Here(view.address, None, ())


def _kept_of(
    view: View, rendered: Rendered, before: str, runs_of: Mapping[str, int]
) -> Address | None:
    chosen = rendered.collection
    kept = address.parse_href(before) if before else None
    # The SQL page has no address of a collection, and keeps the parameters of the page before.
    is_other = view.address.collection or kept is None or kept.collection != chosen
    if chosen in runs_of and is_other:
        return _kept(view.address, chosen, rendered.defaults)
    if kept is not None and kept.collection in runs_of:
        return kept
    with_runs = [name for name, runs in runs_of.items() if runs]
    first = next(iter([*with_runs, *runs_of]), None)
    return Address("leaderboard", first) if first else None


def _qrels_of(store: Store, kept: Address | None) -> tuple[StoredQrels, ...]:
    """The qrels of the collection that links lead to."""
    name = kept.collection if kept is not None else None
    return () if name is None else read(store, lambda: kept_collection(store, name)).qrels


def follow(now: Address, on_screen: Mapping[str, Any]) -> dict[str, Any]:
    """The new links, and the new `kept`, after parts of a page changed.

    `on_screen` is the browser's data of the page, still with the old links.
    """
    before, defaults = str(on_screen.get("keep") or ""), on_screen.get("defaults") or {}
    chosen = now.collection or now.one("collection") or defaults.get("collection")
    if not chosen or not before:
        return {}
    if not now.collection and address.parse_href(before).collection == chosen:
        return {}
    kept = _kept(now, chosen, defaults)
    if kept.href == on_screen["keep"]:
        return {}
    page_links = links(Here(now, kept, (), judged=bool(on_screen.get("judged"))))
    return {
        "navigation": page_links,
        "menu": page_links,
        "rendered": {**on_screen, "keep": kept.href},
    }


def _kept(
    of: Address, collection: str | None, defaults: Mapping[str, str | Sequence[str]]
) -> Address:
    """The address of a page's collection with the parameters that are carried to other pages."""
    kept = Address("leaderboard", collection, None, of.parameters).only(*KEPT)
    return kept.changed(**{MEASURES: kept_measure(of, defaults)})


def links(here: Here) -> list[Any]:
    """Return the links to the pages, with the current one marked."""
    return [
        html.Span(
            html.A(
                name,
                href=_target(here.kept, page).href,
                className="nav-link",
                **({"aria-current": "page"} if page == here.address.page else {}),
            ),
            className="nav-item current" if page == here.address.page else "nav-item",
        )
        for name, page in _pages(here.kept, here.judged)
    ]


def _pages(kept: Address | None, judged: bool) -> list[tuple[str, str]]:
    """The names and kinds of the pages that links lead to."""
    return [
        (name, page)
        for name, page in NAVIGATION
        if (kept is not None or page not in address.OF_COLLECTION)
        and (judged or page != "judgments")
    ]


def _target(kept: Address | None, page: str) -> Address:
    if page == "sql" and kept is not None:
        return Address(page, None, None, {"collection": (kept.collection or "",)})
    if page not in address.OF_COLLECTION or kept is None:
        return Address(page)
    name = kept.one(MEASURES)
    if page == "leaderboard" and name:  # of its several measures, the one it is sorted by
        kept = kept.changed(**{MEASURES: None, "sort": best_first(name)})
    return kept.to(page)


def pages_to_find(view: View) -> list[tuple[str, Address]]:
    """The pages that a search finds, by name, for the address that links lead to."""
    kept = view.address if view.address.collection else None
    judged = bool(_qrels_of(view.store, kept))
    pages = [(name, _target(kept, page)) for name, page in _pages(kept, judged)]
    if kept is not None:
        board = _target(kept, "leaderboard")
        pages += [(name, board.changed(view=name.lower())) for name in VIEWS_TO_FIND]
    if kept is not None and view.may_send(kept.collection or ""):
        pages.append(("Add files", Address("upload", kept.collection)))
    return [*pages, ("All collections", Address("home"))]


def context(here: Here, rendered: Rendered) -> list[Any]:
    """Return the selects of the collection and its qrels, for the header."""
    if here.kept is None:
        return []
    page = here.address.page if here.address.page in address.OF_COLLECTION else "leaderboard"
    if page == "compare":  # its runs belong to this collection
        page = "leaderboard"
    if here.address.page == "sql":
        names = controls.options(here.collections)
        about = "The collection that the questions are about"
        return [controls.select("collection", names, rendered.collection, label=about)]
    links = {name: Address(page, name).href for name in here.collections}
    current = links.get(rendered.collection or "")
    choices: list[Any] = [
        controls.select(
            None,
            [{"value": href, "label": wording.name(name, 60)} for name, href in links.items()],
            current,
            label="Collection",
            placeholder="All collections",
        )
    ]
    if rendered.qrels is not None and len(rendered.choices) > 1:
        choices.append(
            controls.select(
                "qrels",
                controls.options(rendered.choices),
                rendered.qrels,
                label="Qrels: the judgments that the figures are under",
            )
        )
    elif rendered.qrels is not None:
        choices.append(
            html.Span(
                [
                    "" if "qrels" in rendered.qrels.casefold() else "qrels ",
                    html.Bdi(wording.name(rendered.qrels, 24)),
                ],
                className="context-label",
                title="The judgments that the figures are under",
            )
        )
    own = here.qrels if here.kept and here.kept.collection == rendered.collection else ()
    for one in own:
        note = origin_note(one) if one.name == rendered.qrels else None
        if note is not None:
            # One word: the header has no room, and the figures have the sentence as a note.
            label = origin_name(one).partition(" ")[0]
            choices.append(html.Span(label, className="context-label", title=wording.clean(note)))
    return choices


# The Export menu: the files in which the view on the screen can be downloaded

KINDS_OF_FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Tables": (".csv", ".tex"), "Figures": files.FIGURES, "This page": ("",)}
)
"""The kinds of files by the ends of their names; the last kind has all others."""


def menu(page: Address, names: Iterable[str], contents: Mapping[str, str]) -> Any:
    """Return a menu of a page's files by kind, with their contents; it is pale without any.

    Parameters can change without a new page. The browser therefore updates the links when the menu
    is opened (assets/links.js).
    """
    by_kind: dict[str, list[Any]] = {kind: [] for kind in KINDS_OF_FILES}
    missing = files.figures_need()
    for name in names:
        kind = next(k for k, ends in KINDS_OF_FILES.items() if name.endswith(ends))
        if missing and name.endswith(files.FIGURES):
            by_kind[kind] = [html.Li(html.Span(missing, className="hint"))]
            continue
        hint = html.Span(contents[name], className="hint") if name in contents else None
        link = html.A(
            [html.Span(className="icon icon-download"), name, hint],
            href=files.href(page, name),
            download="",
            **{"data-file": name, "data-command": f"Export {name}"},
        )
        by_kind[kind].append(html.Li(link))
    if not any(by_kind.values()):  # the other parts of the header stay at their places
        return html.Button(
            [html.Span(className="icon icon-download"), html.Span("Export")],
            disabled=True,
            className="header-action",
            title="This page has no files",
            **{"aria-label": "Export"},
        )
    groups = [
        html.Li([html.Span(kind, className="file-kind"), html.Ul(links)])
        for kind, links in by_kind.items()
        if links
    ]
    return html.Details(
        [
            html.Summary(
                [html.Span(className="icon icon-download"), html.Span("Export")],
                className="header-action",
                title="What is shown, as a file",
                **{"aria-label": "Export"},
            ),
            html.Ul(groups, className="file-kinds"),
        ],
        id=ids.EXPORT_MENU,
        className="export-menu",
    )
