"""The data of the History page: the histories of the engines that an address names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Literal

import pandas as pd

from dashboard.address import Address
from dashboard.components import files, wording
from dashboard.components.controls import chosen_measure
from dashboard.components.files import FORMS, Form, figure_file
from dashboard.components.measure_info import MeasureInfo, comparison_default, measure_info
from dashboard.components.problems import PageProblem, read
from dashboard.page import File, View
from dashboard.pages.history import timeline
from evalstore.catalog.links import engine_slots
from evalstore.catalog.qrels import list_qrels
from evalstore.leaderboard.leaderboard import leaderboard_measures
from evalstore.tables.renderers import delimited, latex
from evalstore.tables.table import Column, Table
from evalstore.tracking.history import (
    COLUMNS,
    EngineHistory,
    HistoryRun,
    active_engines,
    engine_history,
)


@dataclass(frozen=True)
class Histories:
    """What the page shows: histories of the chosen engines on a measure."""

    address: Address
    histories: tuple[EngineHistory, ...]
    engines: tuple[str, ...]
    measure: MeasureInfo
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    slots: dict[str, int]
    judgments: tuple[timeline.NewJudgments, ...] = ()


def load(view: View) -> Histories:
    """Load the histories that the address of a view asks for.

    Raises:
        PageProblem: an unknown collection, engine, qrels or measure.
    """
    address, store = view.address, view.store
    collection, qrels = address.collection or "", address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels))
    engines = read(store, lambda: active_engines(store, collection))
    if not engines:
        raise PageProblem(
            "No runs yet",
            f"The collection “{wording.name(collection)}” has no runs.",
            link=Address("leaderboard", collection).href,
            link_text="Go to the leaderboard",
        )
    several = tuple(engine for engine, runs in engines.items() if runs > 1)
    chosen = address.all("engine") or (several or tuple(engines))[: timeline.MOST_LINES]
    measure = chosen_measure(address, stored, comparison_default)
    way_on = address.changed(m=None, engine=None).href

    def history_of(engine: str) -> EngineHistory:
        return engine_history(store, engine, measure, collection, qrels)

    histories = read(
        store, lambda: tuple(map(history_of, chosen)), way_on, "Show the usual engines"
    )
    slots = read(store, lambda: engine_slots(store, collection))
    sets = read(store, lambda: list_qrels(store, collection))
    return Histories(
        address,
        histories,
        tuple(engines),
        measure_info(measure[0]),
        stored,
        tuple(one.name for one in sets),
        slots,
        new_judgments({one.name: one.created_at for one in sets}),
    )


def new_judgments(stored_at: Mapping[str, datetime]) -> tuple[timeline.NewJudgments, ...]:
    """All judgments of a collection but the first, by the time when they were stored."""
    in_time = sorted(stored_at.items(), key=lambda one: one[1])
    return tuple(timeline.NewJudgments(name, at) for name, at in in_time[1:])


# The files of the History page: its tables as CSV and for LaTeX, and its figure

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
