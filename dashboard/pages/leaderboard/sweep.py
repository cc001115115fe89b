"""The sweep view: the leading measure against a parameter of the engines."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from dash import html

from dashboard.components import controls, elements, shell, wording
from dashboard.components.problems import read
from dashboard.figures import frames, interactive
from dashboard.figures.frames import Swept, is_number
from dashboard.page import View
from dashboard.pages.leaderboard.load import Shown, names_of_parameters
from evalstore.leaderboard.positions import all_values, answered
from evalstore.tables.table import Table

FIGURE = "sweep"
ENGINE = "engine"
MOST_LINES = 12
"""The most lines that can be told apart by colour and mark."""


def view_body(view: View, shown: Shown, program: str) -> tuple[str | None, list[Any]]:
    """The headline; the choice of parameters and the figure, or how to record parameters."""
    board, info = shown.board, shown.columns[0]
    names = frames.numeric_parameters([run.parameters for run in shown.runs.values()])
    if not names:
        collection = shlex.quote(board.collection)
        return "No parameter of these runs has two numbers or more.", [
            shell.card(
                f"{info.label} by a parameter",
                html.P("Record the parameters of each run:"),
                shell.commands(f"{program} ingest --collection {collection} --param k1=0.9 RUN"),
            )
        ]
    along = _along(shown, names)
    swept, left_out = _swept(view, shown, along)
    lines = _lines(shown, swept, along)
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
                    controls.options(
                        dict.fromkeys(
                            [ENGINE, *(n for n in names_of_parameters(shown) if n != along)]
                        )
                    ),
                    lines or None,
                    label="Engine or parameter with a line for each value",
                    placeholder="one line",
                ),
            ),
        ],
        className="choices",
    )
    of_engines = lines in ("", ENGINE)
    if of_engines:
        labels = {line: label.removeprefix(f"{ENGINE} = ") for line, label in labels.items()}
    headline = _headline(shown, points, labels, along)
    title = f"{info.label} by {wording.name(along, 40)}"
    drawn_runs = wording.count(len(points), "run")
    caption = (
        f"A point is a run: {drawn_runs} of {board.runs:,}. Lines are through means; a circle is "
        "the mean of several runs."
    )
    if left_out:
        caption += f" {frames.on_incomplete(left_out)}."
    if len(labels) > MOST_LINES:
        caption += (
            f" {wording.name(lines)} has {len(labels):,} values: more than {MOST_LINES} lines are "
            "not drawn."
        )
        points, labels = frames.sweep(swept, along)
    slots = None
    if of_engines or len(labels) == 1:
        slots = {run.name: shown.slots[run_id] for run_id, run in shown.runs.items()}
    drawn = interactive.sweep(points, labels, along, info, view.scheme, slots)
    return headline, [
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


def _lines(shown: Shown, swept: Sequence[Swept], along: str) -> str:
    """The parameter with a line for each value; the engine, unless the runs are of one."""
    engines = {run.parameters[ENGINE] for run in swept if is_number(run.parameters.get(along))}
    return shown.address.one("lines") or (ENGINE if len(engines) > 1 else "")


def _swept(view: View, shown: Shown, along: str) -> tuple[list[Swept], list[str]]:
    """The runs that have a value of the leading measure, and the labels of those left out.

    Their engine is a parameter too.
    """
    values = read(view.store, lambda: all_values(view.store, shown.board, shown.lead))
    runs = {run_id: run for run_id, run in shown.runs.items() if run_id in values}
    answers = read(view.store, lambda: answered(view.store, shown.board, list(runs)))
    swept, left_out = frames.complete_runs(
        [
            Swept(
                run.name,
                {ENGINE: run.engine, **run.parameters},
                values[run_id],
                answers[run_id] >= shown.board.queries,
            )
            for run_id, run in runs.items()
        ],
        along,
    )
    return swept, [*map(shown.label, left_out)]


def table(view: View, shown: Shown) -> Table:
    """The points of the figure as a file: run, the chosen parameters, and the value."""
    names = frames.numeric_parameters([run.parameters for run in shown.runs.values()])
    along = _along(shown, names) if names else ""
    swept, _ = _swept(view, shown, along)
    chosen = tuple(dict.fromkeys(filter(None, (along, _lines(shown, swept, along)))))
    rows = (
        (run.name, *(run.parameters.get(name) for name in chosen), run.value)
        for run in swept
        if is_number(run.parameters.get(along))
    )
    return Table.for_files(("run", *chosen, str(shown.lead)), rows)


def _headline(
    shown: Shown, points: pd.DataFrame, labels: Mapping[int, str], along: str
) -> str | None:
    """The value of the parameter with the best mean, of one line, and that of the best run."""
    info, name = shown.columns[0], wording.name(along, 40)
    means = points.groupby(["run_id", "x"])["y"].agg(["mean", "size"]).reset_index()
    means = means[means.groupby("run_id")["x"].transform("size") > 1]
    if means.empty:
        if points["x"].nunique() < 2:
            return None
        return f"No line has runs of two values of {name}: what it changes can't be told."
    lowest = info.higher_is_better is False
    best: Any = next(means.sort_values("mean", ascending=lowest, kind="stable").itertuples())
    run: Any = next(
        points.sort_values("y", ascending=lowest, kind="stable").itertuples(index=False)
    )
    own = means[means["run_id"] == best.run_id]
    line = f" of {wording.name(labels[best.run_id], 40)}" if len(labels) > 1 else ""
    # A run a value is the usual sweep; beside means of several, one run is no fair value.
    if own["size"].min() == 1 < own["size"].max():
        which = "highest" if info.higher_is_better is None else "best"
        return (
            f"No value of {name} is chosen: some have a single run, others a mean of several. The "
            f"{which} run, {shown.label(run.name)} "
            f"({wording.value(run.y, counts=info.counts)}), has {name} = {run.x:g}."
        )
    begin = info.label
    ties = points[(points["y"] == run.y) & (points["x"] == best.x)]
    if info.higher_is_better is not None and ties.empty:
        value = wording.value(run.y, counts=info.counts)
        begin = (
            f"The best run, {shown.label(run.name)} ({value}), has {name} = {run.x:g}; the mean "
            f"{info.label}"
        )
    return (
        f"{begin}{line} is {'lowest' if lowest else 'highest'} at {name} = {best.x:g} of "
        f"{len(own):,} values: {wording.value(best.mean, counts=info.counts)}, the mean of "
        f"{wording.count(int(best.size), 'run')}. Differences are not tested here."
    )
