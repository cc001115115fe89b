"""The home page: what is in the store, what is new, and where to go next."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from dash import dcc, html

from dashboard.address import Address
from dashboard.components import controls, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.components.store_problems import read
from dashboard.page import File, Page, Rendered, View
from dashboard.pages import upload
from dashboard.pages.home import new_runs
from dashboard.pages.home.new_runs import day
from evalstore.store.queries.events import Event
from evalstore.tables.delimited import delimited
from evalstore.tables.table import Column, Table
from evalstore.tracking.overview import MEASURE, CollectionOverview, overview

MOST_NAMED = 3
"""Of the things that were done alike, so many are named."""

DEFAULT_FILE = "evalstore.db"
"""Where commands find the store unless they are told otherwise."""


def render(view: View) -> Rendered:
    """Render the page."""
    contents = read(view.store, lambda: overview(view.store))
    if not contents.collections:
        return Rendered("Nothing stored yet", _empty(view), files=())
    now = datetime.now(UTC)
    head = ("Collection", "Queries", "Qrels", "Runs", "Last run", f"Best on {MEASURE}")
    numbers = ("Queries", "Runs")
    writable = {one.name for one in contents.collections if view.may_write(one.name)}
    rows = [_row(collection, now, writable) for collection in contents.collections]
    table = html.Table(
        [
            html.Thead(
                tr(
                    [
                        *(th(t, className="number" if t in numbers else "") for t in head),
                        *([td()] if writable else []),
                    ]
                )
            ),
            html.Tbody(rows),
        ],
        className="plain-table collections",
    )
    body = html.Div(
        [
            shell.heading("Collections"),
            # What is new since the last visit, of which the browser knows (assets/home.js).
            dcc.Store(id=new_runs.LAST_VISIT),
            html.Div(id=new_runs.NEWS, **{"aria-live": "polite"}),
            html.Section(
                html.Div(table, className="scroll-x", **controls.roving("a")), className="card"
            ),
            html.Section(
                [
                    html.H2("Lately"),
                    # assets/home.js says which of them are new since the last visit.
                    html.P(className="since", **{"aria-live": "polite"}),
                    html.Ul(
                        [_events(group, now) for group in alike(contents.events)],
                        className="events",
                    ),
                ],
                className="card",
            ),
        ]
    )
    return Rendered("Collections", body)


def _row(collection: CollectionOverview, now: datetime, writable: Collection[str]) -> Any:
    """The row of a collection; its last cell is there where one may write into some."""
    add = upload.link(collection.name, "") if collection.name in writable else None
    link = Address("leaderboard", collection.name)
    qrels: list[Any] = []
    for position, name in enumerate(collection.qrels[:4]):
        default = position == 0 and len(collection.qrels) > 1
        star = html.Span("*", title="the default") if default else ""
        qrels += [", " if position else "", html.Bdi(wording.name(name, 24)), star]
    best: Any = "–"
    if collection.best is not None:
        href = Address("run", collection.name, collection.best.run).href
        best = [
            controls.engine(collection.best.slot, collection.best.run, href=href),
            f" {wording.value(collection.best.value)}",
        ]
    return tr(
        [
            th(html.A(html.Bdi(wording.name(collection.name, 60)), href=link.href), scope="row"),
            td(f"{collection.queries:,}", className="number"),
            td(qrels or "–"),
            td(f"{collection.runs:,}", className="number"),
            td(day(collection.last_run, now)),
            td(best),
            *([td(add)] if writable else []),
        ]
    )


def alike(events: Iterable[Event]) -> list[list[Event]]:
    """Events in a row that one person did to several things of a collection on one day."""

    def kind(event: Event) -> tuple[Any, ...]:
        return event.at.date(), event.action, event.collection, event.who

    return [list(group) for _, group in groupby(events, key=kind)]


def _events(events: Sequence[Event], now: datetime) -> Any:
    newest = events[0]
    where = "" if newest.collection is None else wording.name(newest.collection, 40)
    named = list(dict.fromkeys(event.subject for event in events))
    subjects: list[Any] = []
    for name in named[:MOST_NAMED]:
        subjects += (
            [", ", html.Bdi(wording.name(name, 60))]
            if subjects
            else [html.Bdi(wording.name(name, 60))]
        )
    if len(named) > MOST_NAMED:
        subjects.append(f" and {len(named) - MOST_NAMED} more")
    at = html.Span(day(newest.at, now), className="event-time", title=f"{newest.at:%F %T} UTC")
    return html.Li(
        [
            at,
            html.Span(newest.action, className="event-action"),
            html.Span(subjects, title=wording.name(", ".join(named), 400)),
            html.Span(f" in {where}" if where and named != [newest.collection] else ""),
            html.Span(f" by {wording.name(newest.who, 40)}", className="event-who"),
        ],
        **{"data-at": " ".join(event.at.isoformat() for event in events)},
    )


def program(view: View) -> str:
    """How a command on this store begins: with its `--db`, unless that is the default.

    The page is for everyone who reaches it: it names no host, user or folder, but for the address
    of the team's server, through which commands reach it then.
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
            *(demo if view.server_url is None else ()),  # a server takes none
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
    columns = tuple(Column(name, None) for name in names)
    return File("collections.csv", delimited(Table(columns, rows), ",", guard_formulas=True))


PAGE = Page("home", render, files={"collections.csv": _csv}, register=new_runs.register)
