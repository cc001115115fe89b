"""The navigation: the pages, the collection and its judgments, and what goes along with a link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dash import html

from dashboard import address
from dashboard.address import MEASURES, Address
from dashboard.components import controls, files, ids, wording
from dashboard.components.controls import best_first, kept_measure
from dashboard.components.problems import PageProblem, read
from dashboard.page import Rendered, View
from evalstore.leaderboard.leaderboard import run_counts

NAVIGATION = (
    ("Leaderboard", "leaderboard"),
    ("Compare", "compare"),
    ("Queries", "queries"),
    ("History", "history"),
    ("SQL", "sql"),
    ("Measures", "measures"),
)
KEPT = ("qrels", "runs", "base")
"""The parameters that go along from page to page of a collection."""


@dataclass(frozen=True)
class Here:
    """What the header and the navigation show.

    Attributes:
        address: of the page on the screen.
        kept: the collection that links lead to, with the parameters that go along, among them the
            measure of a page that has one; None where there is none.
        collections: the names of all collections.
    """

    address: Address
    kept: Address | None
    collections: tuple[str, ...]


def here(view: View, rendered: Rendered, on_screen: Mapping[str, Any] | None) -> Here:
    """The collection of the page; else that of the page before; else the first that has runs."""
    try:
        runs_of = read(view.store, lambda: run_counts(view.store))
    except PageProblem:
        return Here(view.address, None, ())
    names = tuple(runs_of)
    before = str((on_screen or {}).get("keep") or "")
    with_runs = [name for name, runs in runs_of.items() if runs]
    if rendered.collection in names:
        kept = _kept(view.address, rendered.collection, rendered.defaults)
        return Here(view.address, kept, names)
    if before:
        kept = address.parse_href(before)
        if kept.collection in names:
            return Here(view.address, kept, names)
    first = next(iter([*with_runs, *names]), None)
    return Here(view.address, Address("leaderboard", first) if first else None, names)


def follow(now: Address, on_screen: Mapping[str, Any]) -> dict[str, Any]:
    """What follows where parts of a page have changed and lead elsewhere: links, what is kept.

    Args:
        now: the address of the page.
        on_screen: what the browser keeps of the page, still with the links of before.
    """
    if not now.collection or not on_screen.get("keep"):
        return {}
    kept = _kept(now, now.collection, on_screen.get("defaults") or {})
    if kept.href == on_screen["keep"]:
        return {}
    page_links = links(Here(now, kept, ()))
    return {
        "navigation": page_links,
        "menu": page_links,
        "rendered": {**on_screen, "keep": kept.href},
    }


def _kept(
    of: Address, collection: str | None, defaults: Mapping[str, str | Sequence[str]]
) -> Address:
    """The collection of a page with what goes along from it to others, as to its leaderboard."""
    kept = Address("leaderboard", collection, None, of.parameters).only(*KEPT)
    return kept.changed(**{MEASURES: kept_measure(of, defaults)})


def links(here: Here) -> list[Any]:
    """Return the links to the pages, with the current one marked."""
    return [
        html.Span(
            html.A(
                name,
                href=_target(here, page),
                className="nav-link",
                **({"aria-current": "page"} if page == here.address.page else {}),
            ),
            className="nav-item current" if page == here.address.page else "nav-item",
        )
        for name, page in NAVIGATION
        if here.kept is not None or page not in address.OF_COLLECTION
    ]


def _target(here: Here, page: str) -> str:
    if page in address.OF_COLLECTION and here.kept is not None:
        kept, name = here.kept.to(page), here.kept.one(MEASURES)
        if page == "leaderboard" and name:  # it has several, and leads with the one it is sorted by
            kept = kept.changed(**{MEASURES: None, "sort": best_first(name)})
        return kept.href
    return Address(page).href


def context(here: Here, rendered: Rendered) -> list[Any]:
    """Return the choices of the collection and of its qrels, for the header."""
    if here.kept is None:
        return []
    page = here.address.page if here.address.page in address.OF_COLLECTION else "leaderboard"
    if page == "compare":  # its runs are of this collection
        page = "leaderboard"
    links = {name: Address(page, name).href for name in here.collections}
    current = links.get(rendered.collection or "")
    choices: list[Any] = [
        controls.select(
            ids.COLLECTION,
            [{"value": href, "label": wording.name(name, 60)} for name, href in links.items()],
            current,
            label="Collection",
            placeholder="Collection",
        )
    ]
    if rendered.qrels is not None and len(rendered.choices) > 1:
        choices.append(
            controls.select(
                ids.control("qrels"),
                controls.options(rendered.choices),
                rendered.qrels,
                label="Qrels: the judgments that the figures are under",
            )
        )
    elif rendered.qrels is not None:
        choices.append(
            html.Span(
                ["qrels ", html.Bdi(wording.name(rendered.qrels, 24))],
                className="context-label",
                title="The judgments that the figures are under",
            )
        )
    return choices


# The Export menu: the files that the view on the screen can be had as


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
