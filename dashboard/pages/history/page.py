"""The History page: did an engine get better, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, ids, shell, wording
from dashboard.components.controls import measure_choice
from dashboard.components.elements import td, th, tr
from dashboard.components.measure_info import comparison_default
from dashboard.page import Changes, Page, Rendered, View
from dashboard.pages.history import timeline
from dashboard.pages.history.load import FILES, Histories, load
from evalstore.tables.table import written_value
from evalstore.tracking.history import EngineHistory

FIGURE = "timeline"


def render(view: View) -> Rendered:
    """Render the page."""
    shown = load(view)
    chosen = [history.engine for history in shown.histories]
    current = shown.histories[0].qrels if shown.histories else None
    body = html.Div(
        [
            shell.heading("History"),
            html.Div(
                [
                    html.Span("engines", className="context-label"),
                    controls.multi_select(
                        ids.control("engine"),
                        controls.options(shown.engines),
                        chosen,
                        label="Engines",
                        class_name="select-wide",
                    ),
                    measure_choice(shown.measure.name, shown.measures),
                ],
                className="choices",
            ),
            html.Section(
                [
                    html.P(_caption(shown), id="history-caption", className="caption"),
                    elements.graph(
                        FIGURE,
                        _figure(shown, view),
                        label=f"{shown.measure.name} over time, a line an engine",
                        height=_height(shown),
                    ),
                ],
                className="card",
                id="history-figure",
            ),
            html.Div(_tables(shown), id="history-tables"),
        ]
    )
    return Rendered(
        f"History of {', '.join(wording.name(engine, 24) for engine in chosen[:3])}",
        body,
        view.address.collection,
        current,
        shown.qrels,
        {"m": comparison_default(shown.measures), "qrels": shown.qrels[0]},
    )


def update(view: View, before: View) -> Changes | None:
    """Another scheme draws the figure anew."""
    return dict([elements.figure_change(FIGURE, _figure(load(view), view))])


def _figure(shown: Histories, view: View) -> Any:
    return timeline.timeline(
        shown.histories, shown.measure, shown.slots, view.scheme, shown.judgments
    )


def _height(shown: Histories) -> int:
    rows = -(-len(shown.histories) // 2)
    return 220 * rows if len(shown.histories) > timeline.MOST_LINES else 420


def _caption(shown: Histories) -> str:
    queries = shown.histories[0].queries if shown.histories else 0
    over = shown.measure.aggregate_words(queries)
    caption = (
        f"{shown.measure.label}, {over}. A filled mark is a change to the run before that the "
        "paired test supports, corrected over the line. A point opens the comparison."
    )
    for history in shown.histories:
        if timeline.breaks(history, shown.judgments):
            name = wording.name(history.qrels)
            return (
                f"{caption} A line breaks where new judgments were stored; all values are under "
                f"{name}."
            )
    return caption


def _tables(shown: Histories) -> list[Any]:
    """A table for each engine with several runs, and one for all the others."""
    several = [history for history in shown.histories if len(history.runs) > 1]
    others = [history for history in shown.histories if len(history.runs) < 2]
    tables = [_table(shown, history) for history in several]
    return [*tables, _single_runs(shown, others)] if others else tables


def _single_runs(shown: Histories, histories: Sequence[EngineHistory]) -> Any:
    """The engines that have one run, or none with a value."""
    arrow = {True: " ↑", False: " ↓", None: ""}[shown.measure.higher_is_better]
    head = [
        th("Run"),
        th(f"{shown.measure.label}{arrow}", className="number"),
        th("Date (UTC)"),
    ]
    rows = []
    for history in histories:
        slot = shown.slots.get(history.engine, 0)
        for run in history.runs:
            href = Address("run", history.collection, run.run).href
            value = wording.value(run.value, counts=shown.measure.counts)
            rows.append(
                tr(
                    [
                        th(controls.engine(slot, run.run, href=href), scope="row"),
                        td(value, className="number"),
                        td(f"{run.at:%Y-%m-%d %H:%M}"),
                    ]
                )
            )
    notes = dict.fromkeys(wording.clean(note) for history in histories for note in history.notes)
    table = html.Table(
        [html.Thead(tr(head)), html.Tbody(rows)], className="plain-table history-table"
    )
    return html.Section(
        [
            html.H2("Engines with one run"),
            html.P("A history begins with the second run of an engine.", className="hint"),
            *(html.P(note, className="hint") for note in notes),
            html.Div(table, className="scroll-x", **controls.roving("a")) if rows else None,
        ],
        className="card",
    )


def _table(shown: Histories, history: EngineHistory) -> Any:
    arrow = {True: " ↑", False: " ↓", None: ""}[shown.measure.higher_is_better]
    value, level = f"{shown.measure.label}{arrow}", f"{100 * (1 - history.alpha):g} % interval"
    head = ("Run", value, "− run before", level, "p, Holm", "Date (UTC)")
    rows = []
    before = None
    between = timeline.breaks(history, shown.judgments)
    for number, run in enumerate(history.runs):
        rows += [_judgments_row(one, len(head)) for one in between.get(number, ())]
        href = Address("run", history.collection, run.run).href
        compare = timeline.compare_with_before(history, run, before)
        interval = ""
        if run.low is not None and run.high is not None:
            interval = f"{wording.difference(run.low)} to {wording.difference(run.high)}"
        difference: Any = ""
        if before is not None:
            difference = html.A(timeline.change_words(run, shown.measure), href=compare.href)
        tint = {"better": " better", "worse": " worse"}.get(run.change or "", "")
        rows.append(
            tr(
                [
                    th(html.A(html.Bdi(wording.name(run.run, 40)), href=href), scope="row"),
                    td(wording.value(run.value, counts=shown.measure.counts), className="number"),
                    td(difference, className=f"number{tint}"),
                    td(interval, className="number"),
                    td(
                        "" if run.p_corrected is None else written_value(run.p_corrected, "p", 4),
                        className="number",
                    ),
                    td(f"{run.at:%Y-%m-%d %H:%M}"),
                ]
            )
        )
        before = run
    slot = shown.slots.get(history.engine, 0)
    notes = [html.P(wording.clean(note), className="hint") for note in history.notes]
    table = html.Table(
        [
            html.Thead(
                tr(
                    [
                        th(text, className="number" if 0 < place < 5 else "")
                        for place, text in enumerate(head)
                    ]
                )
            ),
            html.Tbody(rows),
        ],
        className="plain-table history-table",
    )
    return html.Section(
        [
            html.H2(controls.engine(slot, history.engine)),
            *notes,
            html.Div(table, className="scroll-x", **controls.roving("a")),
        ],
        className="card",
    )


def _judgments_row(new: timeline.NewJudgments, columns: int) -> Any:
    """The row of a table between runs: when new judgments were stored."""
    text = f"{new.at:%Y-%m-%d %H:%M}: new judgments, "
    return tr(td([text, html.Bdi(wording.name(new.name))], colSpan=columns, className="hint"))


PAGE = Page("history", render, update, files=FILES)
