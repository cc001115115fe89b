"""The filters of the leaderboard: the runs that an address chooses, and the controls for it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.address import Address
from dashboard.components import controls, ids
from dashboard.components.elements import control_change
from evalstore.catalog.given_facts import flat
from evalstore.catalog.names import date_span, natural, parse_conditions
from evalstore.leaderboard.positions import Leaderboard
from evalstore.leaderboard.run_list import Choice, as_text, sorted_runs
from evalstore.store import Store
from evalstore.store.queries.leaderboard import LeaderboardRun

NAMES = ("engine", "experiment", "tag", "since", "until", "where")
"""The parameters of the address, which are options of `evalstore runs`."""
SUMMARY = "board-filter"
SIZE_OF_ID = 64
"""The approximate memory of the id of a run in a set, in bytes."""
MOST_CONDITIONS, LONGEST_VALUE = 200, 60
"""The most conditions that are offered to choose from, and their longest value in characters."""
MOST_READ = 1_000
"""The most runs whose parameters are read for these conditions."""


def chosen_runs(store: Store, board: Leaderboard, address: Address) -> frozenset[int] | None:
    """The ids of the runs that the filters of an address choose; None without filters.

    Raises DataError or NotFound if a filter can't be read, or names what no run has.
    """
    if not any(address.all(name) for name in NAMES):
        return None
    since, until = address.one("since"), address.one("until")
    choice = Choice(
        collection=board.collection,
        qrels=board.qrels,
        engine=address.one("engine") or None,
        experiment=address.one("experiment") or None,
        tag=address.one("tag") or None,
        since=date_span("since", since)[0] if since else None,
        until=date_span("until", until)[1] if until else None,
        where=parse_conditions(address.all("where")),
    )
    return store.keep(
        ("runs of the leaderboard", choice),
        lambda: frozenset(run.id for run in sorted_runs(store, (), choice)),
        lambda found: SIZE_OF_ID * len(found),
    )


def without_filters(address: Address) -> Address:
    """The address of all runs."""
    return address.changed(find=None, **dict.fromkeys(NAMES))


def filter_controls(address: Address, runs: Iterable[LeaderboardRun]) -> Any:
    """The controls, folded away; one for which no run has a value is left out."""
    runs = list(runs)
    values = {
        "engine": {run.engine for run in runs},
        "experiment": {run.experiment for run in runs if run.experiment},
        "tag": {tag for run in runs for tag in run.tags},
    }
    parts = [
        controls.labelled(
            name,
            controls.select(
                name,
                controls.options(sorted(values[name], key=natural)),
                address.one(name) or None,
                label=f"Only runs with this {name}",
                placeholder=f"any {name}",
                class_name="select-measure",
                clearable=True,
            ),
        )
        for name in values
        if values[name]
    ]
    parts += [
        controls.labelled(name, _date(name, address.one(name), hint))
        for name, hint in (("since", "since 2026-06, 7d"), ("until", "until 2026-06-30"))
    ]
    where = dmc.TagsInput(
        id=ids.control("where"),
        data=conditions(runs),
        value=list(address.all("where")),
        splitChars=[],
        placeholder="+ k1>=0.9",
        size="xs",
        className="tags-input",
        comboboxProps={"width": "max-content", "position": "bottom-start"},
        **{"aria-label": "Conditions on parameters and other facts; type one and press Enter"},
    )
    parts.append(controls.labelled("where", where))
    return html.Details(
        [
            html.Summary(_summary(address), id=SUMMARY, className="quiet-action"),
            html.Div(parts, className="choices"),
        ],
        className="board-filter folded",
    )


def changes(address: Address) -> dict[Any, dict[str, Any]]:
    """The changes of the controls for another address."""
    each: dict[Any, dict[str, Any]] = {SUMMARY: {"children": _summary(address)}}
    for name in ("engine", "experiment", "tag"):
        each |= control_change(name, value=address.one(name) or None)
    for name in ("since", "until"):
        each |= control_change(name, value=address.one(name))
    return each | control_change("where", value=list(address.all("where")))


def conditions(runs: Iterable[LeaderboardRun]) -> list[str]:
    """The conditions to choose from: the parameters of the first runs with their values."""
    found = {
        f"{name[1:]}={as_text(value)}"
        for run in islice(runs, MOST_READ)
        for name, value in flat("", run.parameters)
        if isinstance(value, str | int | float) and len(as_text(value)) <= LONGEST_VALUE
    }
    return sorted(found, key=natural)[:MOST_CONDITIONS]


def _date(name: str, value: str, hint: str) -> Any:
    return dmc.TextInput(
        id=ids.control(name),
        value=value,
        placeholder=hint,
        debounce=True,  # half a date would be a problem on the page
        size="xs",
        className="board-date",
        **{"aria-label": f"Only runs {name} this date"},
    )


def _summary(address: Address) -> str:
    others = sum(bool(address.all(name)) for name in NAMES if name != "where")
    number = others + len(address.all("where"))
    return f"Filter: {number} set" if number else "Filter"
