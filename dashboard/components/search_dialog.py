"""The search of the header (Ctrl+K): pages, collections, runs, queries, qrels and others.

assets/search.js opens the dialog, sends what is typed, and moves in the results. Commands are the
parts of the page with the attribute `data-command`: the browser sends their names, and a result
clicks the part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html

from dashboard import address
from dashboard.address import Address
from dashboard.components import controls, ids, wording
from dashboard.components.problems import PageProblem, read
from dashboard.page import StoreOfRequest, View, callback
from dashboard.serving import response_cache
from evalstore.catalog.qrels import list_qrels
from evalstore.errors import MeasureError
from evalstore.leaderboard.positions import (
    EXACT,
    MOST,
    find_queries,
    find_runs,
    match_of,
    run_counts,
)
from evalstore.measures import registry
from evalstore.store import Store

T = TypeVar("T")

KINDS = ("Pages", "Collections", "Runs", "Queries", "Qrels", "Measures", "Commands")
LONGEST = 200
"""The most characters of a text to search."""
MOST_COMMANDS = 50
NAMED = "pages, runs, queries, qrels, measures, collections and commands"


@dataclass(frozen=True)
class Hit:
    """A result: how well it matches (`match_of`), and the address or the command that it opens."""

    kind: str
    match: int
    name: str
    about: str = ""
    href: str = ""


def button() -> Any:
    """The button of the header that opens the dialog."""
    return html.Button(
        [html.Span(className="icon icon-search"), html.Kbd("Ctrl K")],
        type="button",
        className="header-action search-button",
        title=f"Find {NAMED} (Ctrl+K or Cmd+K)",
        **{"aria-label": "Search", "aria-haspopup": "dialog", "aria-keyshortcuts": "Control+K"},
    )


def dialog() -> Any:
    """The dialog: a field, the results, and their number for screen readers."""
    return html.Dialog(
        [
            html.Div(
                [
                    dmc.TextInput(
                        id=ids.SEARCH_TEXT,
                        value="",
                        placeholder=f"Find {NAMED}",
                        # `attributes` are of the input itself, which takes no role otherwise.
                        attributes={
                            "input": {
                                "role": "combobox",
                                "aria-expanded": "true",
                                "aria-controls": ids.SEARCH_RESULTS,
                                "aria-autocomplete": "list",
                                "maxLength": LONGEST,
                                "autoComplete": "off",
                            }
                        },
                        className="search-text",
                        **{"aria-label": f"Find {NAMED}"},
                    ),
                    controls.close_button(),
                ],
                className="search-head",
            ),
            html.Div(
                id=ids.SEARCH_RESULTS,
                className="search-results",
                role="listbox",
                **{"aria-label": "Results"},
            ),
            html.P(id=ids.SEARCH_COUNT, role="status", className="hint search-count"),
            dcc.Store(id=ids.SEARCH_ASKED),
        ],
        id=ids.SEARCH_DIALOG,
        className="dialog search-dialog",
        **{"aria-label": "Search"},
    )


Pages = Callable[[View], Sequence[tuple[str, Address]]]
"""The pages to find, by name, where the address of the view is the one that links lead to."""


def hits(view: View, pages: Pages, text: str, commands: Sequence[str]) -> list[Hit]:
    """The results of a text, at most `MOST` of a kind; the kind with the best one comes first.

    `view` has the collection of the page on the screen, with the parameters that links keep.
    Without a text the results are all pages.
    """
    here = view.address.collection
    found_pages = pages(view)
    if not text:
        return [_page(name, to, EXACT) for name, to in found_pages]
    store = view.store
    found = [
        *(_page(name, to, match) for match, (name, to) in _matching(text, found_pages, _first)),
        *(
            Hit("Collections", match, name, href=Address("leaderboard", name).href)
            for match, name in _matching(text, list(run_counts(store)), lambda name: (name,))
        ),
        *(
            Hit(
                "Runs",
                run.match,
                run.name,
                _joined(*run.about, run.collection),
                Address("run", run.collection, run.name).href,
            )
            for run in find_runs(store, text, here)
        ),
        *(
            Hit(
                "Queries",
                query.match,
                query.qid,
                _joined(query.text or "", query.collection),
                _query(view.address, query.collection, query.qid).href,
            )
            for query in find_queries(store, text, here)
        ),
        *_qrels(store, text, here),
        *_measures(text),
        *(
            Hit("Commands", match, name)
            for match, name in _matching(text, commands, lambda name: (name,))
        ),
    ]
    best = {
        kind: min((hit.match for hit in found if hit.kind == kind), default=0) for kind in KINDS
    }
    return sorted(found, key=lambda hit: (best[hit.kind], KINDS.index(hit.kind)))


def _first(page: tuple[str, Address]) -> tuple[str, ...]:
    return (page[0],)


def _matching(
    text: str, given: Sequence[T], names: Callable[[T], Sequence[str]]
) -> list[tuple[int, T]]:
    """The best `MOST` of those with a name that the text matches."""
    pairs = [(match_of(text, *names(one)), one) for one in given]
    found = [(match, one) for match, one in pairs if match is not None]
    return sorted(found, key=lambda pair: pair[0])[:MOST]


def _page(name: str, to: Address, match: int) -> Hit:
    return Hit("Pages", match, name, to.collection or "", to.href)


def _query(here: Address, collection: str, qid: str) -> Address:
    """A query, with the runs and judgments that links keep if it is in the same collection."""
    if collection == here.collection:
        return here.to("query", qid)
    return Address("query", collection, qid)


def _qrels(store: Store, text: str, here: str | None) -> list[Hit]:
    """The qrels with this text in the name: those of the collection `here` before equal ones."""
    names = store.keep(
        ("names of qrels",),
        lambda: [(one.collection, one.name) for one in list_qrels(store)],
        lambda rows: sum(len(of) + len(name) for of, name in rows),
    )
    counts = Counter(of for of, _ in names)
    return [
        Hit(
            *("Qrels", match, name, of),
            # Judgments compares two; of one alone there is the leaderboard under it.
            Address(
                "judgments" if counts[of] > 1 else "leaderboard", of, None, {"qrels": (name,)}
            ).href,
        )
        for match, (of, name) in _matching(
            text, sorted(names, key=lambda one: one[0] != here), lambda one: (one[1],)
        )
    ]


def _measures(text: str) -> list[Hit]:
    """The measures with this text in a name or the title; before them the one that it names."""
    matching = _matching(text, list(registry().values()), controls.names_of)
    found = {one.name: Hit("Measures", match, one.name, one.title) for match, one in matching}
    try:
        named = controls.understood(text)
    except MeasureError:
        pass
    else:
        of_text = Hit("Measures", EXACT, str(named), named.descriptor.title)
        found = {of_text.name: of_text, **found, of_text.name: of_text}
    return [
        Hit(hit.kind, hit.match, name, hit.about, Address("measures", None, name).href)
        for name, hit in list(found.items())[:MOST]
    ]


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def results(found: Sequence[Hit], number: int) -> Any:
    """The results as options under the headings of their kinds; the first one is chosen.

    `number` is that of the request: the browser opens no results of an earlier text.
    """
    places = iter(range(len(found)))
    groups = [
        html.Div(
            [
                html.Div(kind, id=f"found-{kind}", className="found-kind", role="presentation"),
                *(_option(hit, next(places)) for hit in of_kind),
            ],
            role="group",
            **{"aria-labelledby": f"found-{kind}"},
        )
        for kind, of_kind in groupby(found, key=lambda hit: hit.kind)
    ]
    return html.Div(groups, role="presentation", **{"data-number": str(number)})


def _option(hit: Hit, place: int) -> Any:
    parts = [html.Bdi(wording.name(hit.name, 60), className="found-name")]
    if hit.about:
        about = html.Bdi(wording.shorten(wording.clean(hit.about), 160))
        parts.append(html.Span(about, className="hint found-about"))
    own: dict[str, Any] = {
        "id": f"found-{place}",
        "className": "found",
        "role": "option",
        "tabIndex": -1,
        "aria-selected": "false",
    }
    if hit.href:
        return html.A(parts, href=hit.href, **own)
    return html.Div(parts, **own, **{"data-clicks": hit.name})


def _count(found: Sequence[Hit], text: str) -> list[Any]:
    if found:
        return [wording.count(len(found), "result")]
    return ["Nothing matches ", html.Bdi(wording.name(text, 60)), "."]


def register(
    app: Dash,
    store_of_request: StoreOfRequest,
    view_of: Callable[..., View],
    pages: Pages,
) -> None:
    """Add the callback of the dialog."""

    @callback(
        app,
        Output(ids.SEARCH_RESULTS, "children"),
        Output(ids.SEARCH_COUNT, "children"),
        Input(ids.SEARCH_ASKED, "data"),
        State(ids.RENDERED, "data"),
        prevent_initial_call=True,
    )
    def search(asked: Any, on_screen: Any) -> tuple[Any, Any]:
        response_cache.keep_none()  # the texts of a person are seldom those of another
        text, commands, number = _asked(asked)
        store = store_of_request()
        try:
            here = read(store, lambda: _here(run_counts(store), on_screen))
            view = view_of(store, here)
            found = read(store, lambda: hits(view, pages, text, commands))
        except PageProblem as problem:
            return results((), number), problem.sentence
        return results(found, number), _count(found, text)


def _asked(asked: Any) -> tuple[str, list[str], int]:
    """The text, the names of the commands and the number that a browser sent."""
    given = asked if isinstance(asked, Mapping) else {}
    text, names, number = (given.get(part) for part in ("text", "commands", "number"))
    commands = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return (
        wording.clean(text[:LONGEST]) if isinstance(text, str) else "",
        list(dict.fromkeys(commands))[:MOST_COMMANDS],
        number if isinstance(number, int) else 0,
    )


def _here(collections: Mapping[str, int], on_screen: Any) -> Address:
    """The address that links lead to from the page on the screen; that of all collections else."""
    kept = on_screen.get("keep") if isinstance(on_screen, Mapping) else None
    try:
        here = address.parse_href(kept) if isinstance(kept, str) else None
    except PageProblem:
        here = None
    return here if here and here.collection in collections else Address("home")
