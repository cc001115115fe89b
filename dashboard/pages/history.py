"""The History page: did an engine get better, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dash import html

from dashboard import controls, graphs, ids, shell, timeline, wording
from dashboard.address import Address
from dashboard.chosen_measure import chosen_measure, measure_choice
from dashboard.measure_info import MeasureInfo, comparison_default, measure_info
from dashboard.page import Changes, Page, Rendered, View
from dashboard.problems import PageProblem
from dashboard.store_problems import read
from evalstore.exports.table import written_value
from evalstore.usecases.history import EngineHistory, active_engines, engine_history
from evalstore.usecases.leaderboard import leaderboard_measures
from evalstore.usecases.linked_runs import engine_slots
from evalstore.usecases.qrels import list_qrels

FIGURE = "timeline"


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
    names = tuple(one.name for one in read(store, lambda: list_qrels(store, collection)))
    return Histories(
        address, histories, tuple(engines), measure_info(measure[0]), stored, names, slots
    )


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
                    graphs.graph(
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
    return dict([graphs.figure_change(FIGURE, _figure(load(view), view))])


def _figure(shown: Histories, view: View) -> Any:
    return timeline.timeline(shown.histories, shown.measure, shown.slots, view.scheme)


def _height(shown: Histories) -> int:
    rows = -(-len(shown.histories) // 2)
    return 220 * rows if len(shown.histories) > timeline.MOST_LINES else 420


def _caption(shown: Histories) -> str:
    queries = shown.histories[0].queries if shown.histories else 0
    over = shown.measure.aggregate_words(queries)
    return (
        f"{shown.measure.label}, {over}. A filled mark is a change to the run before that the "
        "paired test supports, corrected over the line. A point opens the comparison."
    )


def _tables(shown: Histories) -> list[Any]:
    return [_table(shown, history) for history in shown.histories]


def _table(shown: Histories, history: EngineHistory) -> Any:
    arrow = {True: " ↑", False: " ↓", None: ""}[shown.measure.higher_is_better]
    value, level = f"{shown.measure.label}{arrow}", f"{100 * (1 - history.alpha):g} % interval"
    head = ("Run", "Date (UTC)", value, "− run before", level, "p, Holm")
    rows = []
    before = None
    for run in history.runs:
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
            html.Tr(
                [
                    html.Th(html.A(html.Bdi(wording.name(run.run, 40)), href=href), scope="row"),
                    html.Td(f"{run.at:%Y-%m-%d %H:%M}"),
                    html.Td(
                        wording.value(run.value, counts=shown.measure.counts), className="number"
                    ),
                    html.Td(difference, className=f"number{tint}"),
                    html.Td(interval, className="number"),
                    html.Td(
                        "" if run.p_corrected is None else written_value(run.p_corrected, "p", 4),
                        className="number",
                    ),
                ]
            )
        )
        before = run
    slot = shown.slots.get(history.engine, 0)
    notes = [html.P(wording.clean(note), className="hint") for note in history.notes]
    table = html.Table(
        [
            html.Thead(
                html.Tr(
                    [
                        html.Th(text, className="number" if place > 1 else "")
                        for place, text in enumerate(head)
                    ]
                )
            ),
            html.Tbody(rows),
        ],
        className="plain-table",
    )
    return html.Section(
        [
            html.H2(controls.engine(slot, history.engine)),
            *notes,
            html.Div(table, className="scroll-x", **controls.roving("a")),
        ],
        className="card",
    )


PAGE = Page("history", render, update)
