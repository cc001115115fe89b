"""What the home page says of runs that are new since one's last visit.

The time of that visit stays in the browser (assets/home.js), which sends it with its question.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from dash import Dash, Input, Output, html, no_update

from dashboard.address import Address
from dashboard.components import controls, wording
from dashboard.components.problems import PageProblem, Redirect
from dashboard.components.selection import MOST_RUNS
from dashboard.components.store_problems import read
from dashboard.page import StoreOfRequest, View, callback
from dashboard.pages.compare.load import Comparison, load
from evalstore.catalog.linked_runs import engine_slots, find_linked_runs
from evalstore.store import Store
from evalstore.tracking.overview import NewRuns, runs_since

NEWS = "new-runs"
LAST_VISIT = "last-visit"


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Answer which runs are new, once the browser tells the time of the last visit."""

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
            return no_update  # the store can't be read: the next page says so


def as_time(text: object) -> datetime | None:
    """A time as a browser writes it; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def line(store: Store, new: NewRuns, since: datetime) -> Any:
    """A line for a collection: how many runs are new, and what may be claimed of them.

    The claims are those of the comparison with the baseline that the line leads to. It has as
    many runs as a comparison can, the newest.
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
    """The comparison with the baseline; None where these runs can't be compared."""
    try:
        comparison = load(View(store, address))
    except (PageProblem, Redirect):
        return None
    return comparison if comparison.compared.pairs else None


def _named(store: Store, collection: str, names: tuple[str, ...]) -> list[Any]:
    """The runs by mark and name, with commas between them."""
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
            words = f"{difference} {_claim(comparison, name)}"
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


def _claim(comparison: Comparison, name: str) -> str:
    pair = comparison.pair(name)
    if pair is None or not comparison.is_shown(pair):
        return "not shown"
    if not pair.direction:
        return "▲ higher" if pair.difference > 0 else "▼ lower"
    return "▲ better" if pair.difference * pair.direction > 0 else "▼ worse"


def day(at: datetime | None, now: datetime | None = None) -> str:
    """A day as people name it: today, yesterday, its weekday within a week, else its date."""
    if at is None:
        return "–"
    days = ((now or datetime.now(UTC)).date() - at.date()).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{at:%A}" if days < 7 else f"{at:%Y-%m-%d}"
