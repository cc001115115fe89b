"""The files of the History page: its tables as CSV and for LaTeX, and its figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal

import pandas as pd

from dashboard.components import files, wording
from dashboard.components.figure_files import FORMS, Form, figure_file
from dashboard.page import File, View
from dashboard.pages.history import timeline
from dashboard.pages.history.load import Histories, load
from evalstore.tables.delimited import delimited
from evalstore.tables.latex import latex
from evalstore.tables.table import Column, Table
from evalstore.tracking.history import COLUMNS, HistoryRun

SIZE = (6.4, 4.0)
"""Of the figure, in inches."""


def table(shown: Histories) -> Table:
    """A row for each run, the oldest of an engine first; differences are to the row above."""
    texts = {"run": "Run", "at": "Date (UTC)", "value": shown.measure.label}
    headings = {**texts, "difference": "less the run before", "p_corrected": "p, Holm"}
    columns = (
        Column("engine", "Engine"),
        *(Column(name, headings.get(name), STYLES.get(name, "number")) for name in COLUMNS),
    )
    rows = tuple(
        (history.engine, *(_cell(run, name) for name in COLUMNS))
        for history in shown.histories
        for run in history.runs
    )
    caption = (
        f"{shown.measure.label} of the runs of an engine in time, each less the run before; "
        "p of the paired t test after Holm's correction over the runs of the engine.",
    )
    return Table(columns, rows, caption)


STYLES: Mapping[str, Literal["signed", "p"]] = MappingProxyType(
    {"difference": "signed", "p_corrected": "p"}
)


def _cell(run: HistoryRun, name: str) -> str | float | None:
    value = getattr(run, name)
    return f"{run.at:%Y-%m-%dT%H:%M:%SZ}" if name == "at" else value


def points(shown: Histories) -> pd.DataFrame:
    """The points of the figure as `static.history` takes them."""
    rows = []
    for line, history in enumerate(shown.histories):
        between = timeline.breaks(history, shown.judgments)
        for number, run in enumerate(history.runs):
            if number in between:
                rows.append((line, between[number][0].at, math.nan, False))
            rows.append((line, run.at, run.value, run.change in timeline.SIGNS))
    frame = pd.DataFrame(rows, columns=["line", "at", "value", "is_shown"])
    return frame.astype({"value": float, "is_shown": bool})


def _csv(view: View) -> File:
    shown = load(view)
    return File(_name(shown, ".csv"), delimited(table(shown), ",", guard_formulas=True))


def _tex(view: View) -> File:
    shown = load(view)
    return File(_name(shown, ".tex"), latex(table(shown), 4), "text/x-tex")


def _figure(view: View, form: Form) -> File:
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    shown = load(view)
    labels = {line: history.engine for line, history in enumerate(shown.histories)}
    slots = {line: shown.slots.get(engine, 0) for line, engine in labels.items()}
    drawn = static.history(points(shown), labels, slots, wording.clean(shown.measure.label), SIZE)
    return figure_file(drawn, _name(shown, ""), form)


def _name(shown: Histories, suffix: str) -> str:
    engines = [history.engine for history in shown.histories[:4]]
    parts = (shown.address.collection or "", "history", shown.measure.name, *engines)
    return files.file_name(*parts, suffix=suffix)


FILES: Mapping[str, Callable[[View], File]] = MappingProxyType(
    {
        "history.csv": _csv,
        "history.tex": _tex,
        **{f"history.{form}": partial(_figure, form=form) for form in FORMS},
    }
)
"""By the last part of their addresses; `Page.files` of the page."""
