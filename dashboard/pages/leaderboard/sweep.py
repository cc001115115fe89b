"""The sweep view: the leading measure against a parameter of the engines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import pandas as pd
from dash import html

from dashboard.components import controls, elements, shell, wording
from dashboard.components.problems import read
from dashboard.figures import frames, interactive
from dashboard.figures.frames import Swept, is_number
from dashboard.page import View
from dashboard.pages.leaderboard.load import Shown, names_of_parameters
from evalstore.leaderboard.positions import all_values
from evalstore.tables.table import Table

FIGURE = "sweep"
MOST_LINES = 12
"""The most lines that can be told apart by colour and mark."""


def view_body(view: View, shown: Shown, program: str) -> tuple[str | None, list[Any]]:
    """The headline; the choice of parameters and the figure, or how to record parameters."""
    board, info = shown.board, shown.columns[0]
    names = frames.numeric_parameters([run.parameters for run in shown.runs.values()])
    if not names:
        collection = shlex.quote(board.collection)
        return None, [
            shell.card(
                f"{info.label} by a parameter",
                html.P("No parameter has two numbers or more. Record those of each run:"),
                shell.commands(f"{program} ingest --collection {collection} --param k1=0.9 RUN"),
            )
        ]
    along, lines = _along(shown, names), shown.address.one("lines")
    swept = _swept(view, shown)
    points, labels = frames.sweep(swept, along, lines)
    choice = html.Span(
        [
            controls.labelled(
                "along",
                controls.select("along", controls.options(names), along, label="Parameter"),
            ),
            controls.labelled(
                "lines",
                controls.select(
                    "lines",
                    controls.options(n for n in names_of_parameters(shown) if n != along),
                    lines or None,
                    label="Parameter with a line for each value",
                    placeholder="one line",
                ),
            ),
        ],
        className="choices",
    )
    title = f"{info.label} by {wording.name(along, 40)}"
    drawn_runs = wording.count(len(points), "run")
    caption = f"A point is a run: {drawn_runs} of {board.runs:,}. Lines are through means."
    if len(labels) > MOST_LINES:
        caption += (
            f" {wording.name(lines)} has {len(labels):,} values: more than {MOST_LINES} lines are "
            "not drawn."
        )
        points, labels = frames.sweep(swept, along)
    slots = {run.name: shown.slots[run_id] for run_id, run in shown.runs.items()}
    drawn = interactive.sweep(points, labels, along, info, view.scheme, slots)
    return _headline(shown, points, along), [
        shell.card(
            title,
            html.P(caption, className="caption"),
            elements.graph(FIGURE, drawn, label=title, height=480),
            aside=choice,
        )
    ]


def _along(shown: Shown, names: Sequence[str]) -> str:
    asked = shown.address.one("along")
    return asked if asked in names else names[0]


def _swept(view: View, shown: Shown) -> list[Swept]:
    """The runs that have a value of the leading measure."""
    values = read(view.store, lambda: all_values(view.store, shown.board, shown.lead))
    return [
        Swept(run.name, run.parameters, values[run_id])
        for run_id, run in shown.runs.items()
        if run_id in values
    ]


def table(view: View, shown: Shown) -> Table:
    """The points of the figure as a file: run, the chosen parameters, and the value."""
    names = frames.numeric_parameters([run.parameters for run in shown.runs.values()])
    along, lines = _along(shown, names) if names else "", shown.address.one("lines")
    chosen = tuple(dict.fromkeys(filter(None, (along, lines))))
    rows = (
        (run.name, *(run.parameters.get(name) for name in chosen), run.value)
        for run in _swept(view, shown)
        if is_number(run.parameters.get(along))
    )
    return Table.for_files(("run", *chosen, str(shown.lead)), rows)


def _headline(shown: Shown, points: pd.DataFrame, along: str) -> str | None:
    """The value of the parameter with the best mean; None without runs of two values."""
    info = shown.columns[0]
    engine_of = {run.name: run.engine for run in shown.runs.values()}
    values: dict[float, list[float]] = {}
    engines: dict[float, set[str]] = {}
    for x, y, name in zip(points["x"], points["y"], points["name"], strict=True):
        values.setdefault(float(x), []).append(float(y))
        engines.setdefault(float(x), set()).add(engine_of[name])
    if len(values) < 2:
        return None
    lowest = info.higher_is_better is False
    best = (min if lowest else max)(values, key=lambda x: fmean(values[x]))
    mean = wording.value(fmean(values[best]), counts=info.counts)
    several = f" of {len(engines[best]):,} engines" if len(engines[best]) > 1 else ""
    return (
        f"{info.label} is {'lowest' if lowest else 'highest'} at {wording.name(along, 40)} = "
        f"{best:g} of {len(values):,} values: {mean}, the mean of "
        f"{wording.count(len(values[best]), 'run')}{several}. Differences are not tested here."
    )
