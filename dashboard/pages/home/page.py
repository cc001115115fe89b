"""The home page: what is new, the collections of the store, and links to continue."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.controls import roving
from dashboard.components.elements import number, td, th, tr
from dashboard.components.files import csv_file
from dashboard.components.problems import read
from dashboard.components.selection import labels_of
from dashboard.page import File, Page, Rendered, View
from dashboard.pages import upload
from dashboard.pages.home import events, news
from dashboard.pages.home.events import day
from dashboard.theme import version_slot
from evalstore.catalog.links import run_names, tour
from evalstore.tables.table import Table
from evalstore.tracking.history import sparkline
from evalstore.tracking.overview import MEASURE, CollectionOverview, overview

MOST_IN_COURSE = 12
IN_TIME = (
    f"{MEASURE} of the last {MOST_IN_COURSE} runs by their date: a bar each, which begins at 0"
)
MOST_OF_STOP = 120
"""The most characters of a stop of the tour."""

DEFAULT_FILE = "evalstore.db"
"""The store that commands use without `--db`."""


def render(view: View) -> Rendered:
    """Render the page."""
    contents = read(view.store, lambda: overview(view.store))
    if not contents.collections:
        return Rendered("Nothing stored yet", _empty(view), files=())
    now = datetime.now(UTC)
    head = (
        *("Collection", f"Highest {MEASURE}", "Verdict"),
        *("Runs", "Queries", "Qrels", "Last stored"),
        html.Abbr(f"{MEASURE} of the last runs", title=IN_TIME),
    )
    numbers = ("Queries", "Runs")
    writable = {one.name for one in contents.collections if view.may_send(one.name)}
    rows = [_row(view, collection, now, writable) for collection in contents.collections]
    runs = read(
        view.store,
        lambda: {
            one.name: run_names(view.store, one.name)
            for one in contents.collections
            if any(event.collection == one.name for event in contents.events)
        },
    )
    cells = [th(text, className="number" if text in numbers else "") for text in head]
    cells += [td()] if writable else []
    table = elements.table(cells, rows, "plain-table collections")
    body = html.Div(
        [
            *news.parts(view.store, contents),
            shell.card("Collections", elements.scrolling(table, members="a")),
            html.Div(
                [
                    _tour(view),
                    shell.card("Latest changes", events.lately(contents.events, now, runs)),
                ],
                className="home-columns",
            ),
        ],
        className="home",
    )
    return Rendered("Collections", body)


def _tour(view: View) -> Any:
    """The stops of the store's tour as links; None without one.

    assets/pages/home.js hides a tour that was closed in this browser.
    """
    stops = read(view.store, lambda: tour(view.store))
    if not stops:
        return None
    links = [
        html.Li(
            html.A(
                html.Bdi(wording.name(_text_of_stop(stop.name or ""), MOST_OF_STOP)),
                href=Address("view", name=stop.key).href,
            )
        )
        for stop in stops
    ]
    close = html.Button("Close", type="button", className="quiet-action")
    stops_in_order = html.Ol(links, **roving("a"))
    return html.Div(
        shell.card("Tour", stops_in_order, aside=close),
        className="tour",
        **{"data-tour": " ".join(stop.key for stop in stops)},
    )


def _text_of_stop(name: str) -> str:
    """A name without `Tour 1: `, as the list has numbers."""
    return name.partition(": ")[2] or name


def _row(
    view: View, collection: CollectionOverview, now: datetime, writable: Collection[str]
) -> Any:
    """The row of a collection; it has a last cell if the user may write into some collection."""
    add = upload.link(collection.name, "") if collection.name in writable else None
    link = Address("leaderboard", collection.name)
    qrels: Any = "–"
    if collection.qrels:
        default, *others = (wording.name(name, 24) for name in collection.qrels)
        more = f" and {len(others):,} more" if others else ""
        also = html.Span(more, className="hint", title=", ".join(others))
        qrels = [html.Bdi(default), also]
    best: Any = "–"
    if collection.best is not None:
        run, slot = collection.best.run, version_slot(collection.best.slot, collection.best.newer)
        href = Address("run", collection.name, run).href
        label = controls.engine(
            slot, run, labels_of(view.store, collection.name, [run])[run], href=href
        )
        best = [label, f" {wording.value(collection.best.value)}"]
    return tr(
        [
            th(html.A(html.Bdi(wording.name(collection.name, 60)), href=link.href), scope="row"),
            td(best),
            td(html.Span(id=news.place_of_verdict(collection.name))),
            number(f"{collection.runs:,}"),
            number(f"{collection.queries:,}"),
            td(qrels),
            td(day(collection.last_run, now)),
            td(_course(collection)),
            *([td(add)] if writable else []),
        ]
    )


def _course(collection: CollectionOverview) -> Any:
    """The values of the newest runs by date, as a line of bars."""
    values = collection.course[-MOST_IN_COURSE:]
    if len(values) < 2:
        return "–"
    low, high = (wording.value(end) for end in (min(values), max(values)))
    words = f"{MEASURE} of the last {len(values):,} runs by their date: {low} to {high}"
    return html.Span(
        sparkline(values, 0.0), className="course", role="img", title=words, **{"aria-label": words}
    )


def program(view: View) -> str:
    """The beginning of a command for this store, with `--db` unless that is the default.

    Everyone who reaches the page can read it, so it names no host, user or folder, except the
    address of the team's server.
    """
    if view.server_url is not None:
        return f"evalstore --db {shlex.quote(view.server_url)}"
    store = view.store
    if store.file is None:
        return "evalstore --db URL"
    if store.file.resolve() == Path(DEFAULT_FILE).resolve():
        return "evalstore"
    return f"evalstore --db {shlex.quote(f'sqlite:///{wording.clean(store.file.name)}')}"


def _empty(view: View) -> Any:
    command = program(view)
    demo = [
        html.P("Or look at an experiment that comes with evalstore:"),
        shell.commands(f"{command} demo"),
    ]
    return html.Div(
        [
            html.H1("Nothing stored yet"),
            html.P("Store the runs of your engines with the judgments of a collection:"),
            shell.commands(f"{command} ingest --collection NAME --qrels QRELS RUN..."),
            *(demo if view.server_url is None else ()),  # not with a server
        ],
        className="problem",
    )


def _csv(view: View) -> File:
    """The table of the collections, with full precision."""
    contents = read(view.store, lambda: overview(view.store))
    names = ("collection", "queries", "qrels", "runs", "last_run", "best_run", f"best_{MEASURE}")
    rows = tuple(
        (
            *(one.name, one.queries, one.qrels[0] if one.qrels else None, one.runs),
            None if one.last_run is None else one.last_run.isoformat(),
            *((None, None) if one.best is None else (one.best.run, one.best.value)),
        )
        for one in contents.collections
    )
    return csv_file(Table.for_files(names, rows), "collections.csv")


PAGE = Page("home", render, files={"collections.csv": _csv}, register=news.register)
