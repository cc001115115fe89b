"""The home page: the contents of the store, news, and links to continue.

The module has the lines on runs since the last visit, then the page and its file.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dash import Dash, Input, Output, dcc, html, no_update

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import number, td, th, tr
from dashboard.components.files import csv_file
from dashboard.components.problems import PageProblem, Redirect, read
from dashboard.components.selection import MOST_RUNS
from dashboard.page import File, Page, Rendered, StoreOfRequest, View, callback
from dashboard.pages import upload
from dashboard.pages.compare.load import Comparison, load
from evalstore.catalog.links import engine_slots, find_linked_runs
from evalstore.comparison.significance import Pair
from evalstore.store import Store
from evalstore.store.queries.events import Event
from evalstore.tables.table import Table
from evalstore.tracking.history import sparkline
from evalstore.tracking.overview import MEASURE, CollectionOverview, NewRuns, overview, runs_since

# The lines on runs that are new since the user's last visit.
#
# The browser stores the time of that visit (assets/pages/home.js), and sends it in its request.

NEWS = "new-runs"
LAST_VISIT = "last-visit"


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add the callback that lists new runs once the browser has sent the time of the last visit."""

    @callback(app, Output(NEWS, "children"), Input(LAST_VISIT, "data"), prevent_initial_call=True)
    def show_new_runs(last_visit: str | None) -> Any:
        since = as_time(last_visit)
        if since is None:
            return no_update
        store = store_of_request()
        try:
            new = read(store, lambda: runs_since(store, since))
            return [line(store, one, since) for one in new]
        except PageProblem:
            return no_update  # the store can't be read: the next page will say so


def as_time(text: object) -> datetime | None:
    """Parse a time written by a browser; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def line(store: Store, new: NewRuns, since: datetime) -> Any:
    """A line for a collection: the number of new runs, and what can be claimed about the newest.

    The claims are the same as in the comparison with the baseline to which the line links.
    """
    runs = tuple(name for name in new.runs if name != new.baseline)[: MOST_RUNS - 1]
    chosen = runs if new.baseline is None else (new.baseline, *runs)
    address = Address("compare", new.collection, None, {"runs": chosen})
    parts: list[Any] = [
        html.Strong(f"+ {wording.count(len(new.runs), 'run')} since {day(since)} in "),
        html.A(
            html.Bdi(wording.name(new.collection, 40)),
            href=Address("leaderboard", new.collection).href,
        ),
        ": ",
    ]
    compared = _compared(store, address) if new.baseline is not None and runs else None
    if compared is None:
        parts += _named(store, new.collection, new.runs[: MOST_RUNS - 1])
    else:
        parts += _claimed(compared)
    if len(new.runs) > MOST_RUNS - 1:
        parts.append(f" and {len(new.runs) - (MOST_RUNS - 1):,} more")
    if len(chosen) > 1:
        parts += [" ", html.A("Compare these", href=address.href, className="quiet-action")]
    return html.P(parts, className="new-runs")


def _compared(store: Store, address: Address) -> Comparison | None:
    """The comparison with the baseline; None if these runs can't be compared."""
    try:
        comparison = load(View(store, address))
    except (PageProblem, Redirect):
        return None
    return comparison if comparison.compared.pairs else None


def _named(store: Store, collection: str, names: tuple[str, ...]) -> list[Any]:
    """The runs by mark and name, separated by commas."""
    linked = find_linked_runs(store, collection, names)
    slots = engine_slots(store, collection)
    parts: list[Any] = []
    for run in linked.runs:
        href = Address("run", collection, run.name).href
        parts += [", ", controls.engine(slots.get(run.engine, 0), run.name, href=href)]
    return parts[1:]


def _claimed(comparison: Comparison) -> list[Any]:
    """The runs, each with its difference to the baseline and whether the test shows it."""
    selection, info = comparison.selection, comparison.measure
    parts: list[Any] = []
    for name in comparison.names[1:]:
        pair = comparison.pair(name)
        if pair is None:
            words = "no query in common"
        else:
            difference = wording.difference(pair.difference, counts=info.counts)
            words = f"{difference} {_claim(comparison, pair)}"
        parts += [" · ", selection.label(selection.run(name)), f" {words}"]
    base = selection.label(selection.run(comparison.baseline))
    pairs = wording.count(len(comparison.compared.pairs), "pair")
    return [
        f"{wording.clean(info.label)} − ⚑ ",
        base,
        ": ",
        *parts[1:],
        html.Span(f" (after Holm over {pairs})", className="hint"),
    ]


def _claim(comparison: Comparison, pair: Pair) -> str:
    if not pair.is_shown:
        return "not shown"
    if not pair.direction:
        return "▲ higher" if pair.difference > 0 else "▼ lower"
    return "▲ better" if pair.difference * pair.direction > 0 else "▼ worse"


def day(at: datetime | None, now: datetime | None = None) -> str:
    """A day in words: today, yesterday, the weekday within the last week, else the date."""
    if at is None:
        return "–"
    days = ((now or datetime.now(UTC)).date() - at.date()).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{at:%A}" if days < 7 else f"{at:%Y-%m-%d}"


MOST_IN_COURSE = 20
DONE: Mapping[str, str] = MappingProxyType(
    {
        "ingest": "stored",
        "replace": "replaced",
        "measure": "measured",
        "reevaluate": "evaluated again",
        "edit": "edited",
        "annotate": "edited",
        "rename": "renamed",
        "tag": "tagged",
        "rm": "removed",
        "restore": "restored",
        "purge": "deleted",
        "copy": "copied",
        "default": "made default",
        "baseline": "made baseline",
        "facts": "given facts",
        "rank": "ranked",
        "gate": "checked",
        "new": "made",
    }
)
"""The action of an event in words, with what it was done to after it."""
MOST_NAMED = 3
"""The most names in a line about similar events."""

DEFAULT_FILE = "evalstore.db"
"""The store that commands use without `--db`."""


def render(view: View) -> Rendered:
    """Render the page."""
    contents = read(view.store, lambda: overview(view.store))
    if not contents.collections:
        return Rendered("Nothing stored yet", _empty(view), files=())
    now = datetime.now(UTC)
    head = ("Collection", "Queries", "Qrels", "Runs", "Last run", f"Best on {MEASURE}", "In time")
    numbers = ("Queries", "Runs")
    writable = {one.name for one in contents.collections if view.may_write(one.name)}
    rows = [_row(collection, now, writable) for collection in contents.collections]
    cells = [th(text, className="number" if text in numbers else "") for text in head]
    cells += [td()] if writable else []
    table = elements.table(cells, rows, "plain-table collections")
    body = html.Div(
        [
            shell.heading("Collections"),
            # The time of the last visit, which only the browser knows (assets/pages/home.js).
            dcc.Store(id=LAST_VISIT),
            html.Div(id=NEWS, **{"aria-live": "polite"}),
            html.Section(elements.scrolling(table, members="a"), className="card"),
            html.Section(
                [
                    html.H2("Lately"),
                    # assets/pages/home.js fills in which runs are new since the last visit.
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
    """The row of a collection; it has a last cell if the user may write into some collection."""
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
            number(f"{collection.queries:,}"),
            td(qrels or "–"),
            number(f"{collection.runs:,}"),
            td(day(collection.last_run, now)),
            td(best),
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
        sparkline(values), className="course", role="img", title=words, **{"aria-label": words}
    )


def alike(events: Iterable[Event]) -> list[list[Event]]:
    """Group consecutive events of one user with the same action in a collection on the same day."""

    def kind(event: Event) -> tuple[Any, ...]:
        return event.at.date(), event.action, event.collection, event.who

    return [list(group) for _, group in groupby(events, key=kind)]


def _events(events: Sequence[Event], now: datetime) -> Any:
    newest = events[0]
    where = "" if newest.collection is None else wording.name(newest.collection, 40)
    named = list(dict.fromkeys(event.subject for event in events))
    subjects: list[Any] = []
    for name in named[:MOST_NAMED]:
        subjects += [*([", "] if subjects else []), html.Bdi(wording.name(name, 60))]
    if len(named) > MOST_NAMED:
        subjects.append(f" and {len(named) - MOST_NAMED} more")
    at = html.Span(day(newest.at, now), className="event-time", title=f"{newest.at:%F %T} UTC")
    return html.Li(
        [
            at,
            html.Span(DONE.get(newest.action, newest.action), className="event-action"),
            html.Span(subjects, title=wording.name(", ".join(named), 400)),
            html.Span(f" in {where}" if where and named != [newest.collection] else ""),
            html.Span(f" by {wording.name(newest.who, 40)}", className="event-who"),
        ],
        **{"data-at": " ".join(event.at.isoformat() for event in events)},
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


PAGE = Page("home", render, files={"collections.csv": _csv}, register=register)
