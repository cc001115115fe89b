"""The History page: whether an engine got better, and when."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd
from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, files, wording
from dashboard.components.controls import chosen_measure, measure_choice, usual_measure
from dashboard.components.elements import number, number_heads, scrolling, td, th, tr
from dashboard.components.files import FORMS, Form, figure_file
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.components.selection import labels_of
from dashboard.components.wording import MeasureInfo, measure_info
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.history import timeline
from evalstore.catalog.links import engine_slots
from evalstore.catalog.names import listed
from evalstore.catalog.qrels import list_qrels
from evalstore.leaderboard.positions import leaderboard_measures
from evalstore.tables.renderers import latex
from evalstore.tables.table import Column, Table, written_value
from evalstore.tracking.history import (
    COLUMNS,
    Change,
    EngineHistory,
    HistoryRun,
    active_engines,
    changed_facts,
    drifts,
    engine_history,
    headline,
    on_marks,
    tally,
)

# The data of the History page: the histories of the engines that an address names


@dataclass(frozen=True)
class Histories:
    """Histories of the chosen engines on a measure."""

    address: Address
    histories: tuple[EngineHistory, ...]
    engines: tuple[str, ...]
    measure: MeasureInfo
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    slots: dict[str, int]
    judgments: tuple[timeline.NewJudgments, ...] = ()
    changed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The facts in which a run differs from the one before, by its id."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The labels of the runs by name."""


def load(view: View) -> Histories:
    """Load the histories that the address of a view requests; raise PageProblem on an error."""
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
    measure = chosen_measure(address, stored)
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
        read(
            store,
            lambda: changed_facts(store, [[run.run_id for run in one.runs] for one in histories]),
        ),
        labels_of(store, collection, [run.run for one in histories for run in one.runs]),
    )


def new_judgments(stored_at: Mapping[str, datetime]) -> tuple[timeline.NewJudgments, ...]:
    """All judgments of a collection except the first, by the time they were stored."""
    in_time = sorted(stored_at.items(), key=lambda one: one[1])
    return tuple(timeline.NewJudgments(name, at) for name, at in in_time[1:])


# The files of the History page: its tables as CSV and for LaTeX, and its figure

SIZE = (6.4, 4.0)
"""The size of the figure, in inches."""


def table(shown: Histories) -> Table:
    """One row per run, the oldest of an engine first; differences are to the row above."""
    headings = {
        **{"run": "Run", "at": "Date (UTC)", "value": shown.measure.label},
        **{"difference": "less the run before", "low": "from", "high": "to"},
        **{"p": "p", "level": "needed", "change": "change"},
    }
    compared = "Differences to the run before"
    if any(run.reference_p is not None for history in shown.histories for run in history.runs):
        compared += " and to the reference, the last run before that was shown to differ, else the "
        compared += "first"
        headings |= {"reference": "reference", "reference_difference": "less it"}
        headings |= {"reference_p": "its p", "reference_level": "its needed"}
        headings |= {"reference_change": "its change"}
    columns = (
        Column("engine", "Engine", "text"),
        *(Column(name, headings.get(name), STYLES.get(name, "number")) for name in COLUMNS),
    )
    rows = tuple(
        (history.engine, *(_cell(run, name) for name in COLUMNS))
        for history in shown.histories
        for run in history.runs
    )
    engines = listed([history.engine for history in shown.histories])
    level = wording.level(shown.histories[0].alpha) if shown.histories else ""
    caption = (
        f"{compared}; p of the paired t test",
        f"From and to: the {level} interval of the difference to the run before. Needed: a "
        "difference is shown only if p is below this level, which falls with each test since the "
        "last that was shown",
    )
    return Table(
        columns,
        rows,
        title=f"{shown.measure.label} of the runs of {engines} in time",
        label=f"history {engines}",
        caption=caption,
    )


STYLES: Mapping[str, Literal["text", "signed", "p"]] = MappingProxyType(
    {
        **dict.fromkeys(("run", "at", "change", "reference", "reference_change"), "text"),
        **dict.fromkeys(("difference", "low", "high", "reference_difference"), "signed"),
        **dict.fromkeys(("p", "level", "reference_p", "reference_level"), "p"),
    }
)


def _cell(run: HistoryRun, name: str) -> str | float | None:
    value = getattr(run, name)
    return f"{run.at:%Y-%m-%dT%H:%M:%SZ}" if name == "at" else value


def points(shown: Histories) -> pd.DataFrame:
    """The points of the figure in the form that `static.history` needs."""
    rows = []
    for line, history in enumerate(shown.histories):
        between = timeline.breaks(history, shown.judgments)
        for place, run in enumerate(history.runs):
            if place in between:
                rows.append((line, between[place][0].at, math.nan, False))
            rows.append((line, run.at, run.value, run.mark in timeline.SIGNS))
    frame = pd.DataFrame(rows, columns=["line", "at", "value", "is_shown"])
    return frame.astype({"value": float, "is_shown": bool})


def _csv(view: View) -> File:
    shown = load(view)
    return files.csv_file(table(shown), _name(shown, ".csv"))


def _tex(view: View) -> File:
    shown = load(view)
    return File(_name(shown, ".tex"), latex(table(shown), 4), "text/x-tex")


def _history_figure(view: View, form: Form) -> File:
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
        **{f"history.{form}": partial(_history_figure, form=form) for form in FORMS},
    }
)
"""The files by the last part of their addresses: `Page.files` of the page."""


FIGURE = "timeline"
MOST_SAID = 3
"""The most engines about which the heading says something."""


def render(view: View) -> Rendered:
    """Render the page."""
    shown = load(view)
    chosen = [history.engine for history in shown.histories]
    current = shown.histories[0].qrels if shown.histories else None
    body = html.Div(
        [
            html.H1(_headline(shown), className="claim headline"),
            html.Div(
                [
                    html.Span("engines", className="context-label"),
                    controls.multi_select(
                        "engine",
                        controls.options(shown.engines),
                        chosen,
                        label="Engines",
                        class_name="select-wide",
                    ),
                    measure_choice(shown.measure.name, shown.measures),
                ],
                className="choices",
            ),
            _drawn(shown, view) if _has_changes(shown) else None,
            html.Div(_tables(shown), id="history-tables"),
        ]
    )
    return Rendered(
        f"History of {', '.join(wording.name(engine, 24) for engine in chosen[:3])}",
        body,
        view.address.collection,
        current,
        shown.qrels,
        {"m": usual_measure(shown.measures), "qrels": shown.qrels[0]},
    )


def _has_changes(shown: Histories) -> bool:
    return any(len(history.runs) > 1 for history in shown.histories)


def _drawn(shown: Histories, view: View) -> Any:
    return html.Section(
        [
            html.P(_caption(shown), id="history-caption", className="caption"),
            html.Details(
                [html.Summary("About the marks"), html.P(_marks(shown), className="hint")]
            ),
            elements.graph(
                FIGURE,
                _figure(shown, view),
                label=f"{shown.measure.name} over time, a line an engine",
                height=_height(shown),
            ),
        ],
        className="card",
        id="history-figure",
    )


def _headline(shown: Histories) -> Any:
    """The change by the newest run of each engine; of more than three only those that are shown.

    Those that are not the first are smaller.
    """
    told = [one for one in shown.histories if headline(one)]
    if not told:
        return "No engine shown has two runs: a history begins with the second."
    changed = [one for one in told if _has_changed(one)]
    same = [one for one in told if one.is_order_known and one not in changed]
    unknown = [one for one in told if not one.is_order_known]
    if len(told) <= MOST_SAID:
        texts = [_said(shown, one) for one in (*changed, *same, *unknown)]
    else:
        texts = [_said(shown, one) for one in changed[:MOST_SAID]]
        if len(changed) > MOST_SAID:
            more = wording.count(len(changed) - MOST_SAID, "more engine")
            texts.append(f"Also changed: {more}. ")
        if same:
            words = wording.count(len(same), "other engine" if changed else "engine")
            on = f"from the one before on {shown.measure.label}. "
            texts.append(f"Of {words} no newest run is shown to differ {on}")
        if unknown:
            words = wording.count(len(unknown), "other engine" if changed or same else "engine")
            texts.append(f"Of {words} the order of the runs is not known (stored together). ")
    first, *rest = map(wording.isolated, texts)
    return [first, *(html.Span(text, className="claim-more") for text in rest)]


def _has_changed(history: EngineHistory) -> bool:
    """Whether a change by the newest run, or a drift, is shown."""
    is_shown = history.runs[-1].change not in (None, "not shown")
    return history.is_order_known and (is_shown or bool(drifts(history)))


def _said(shown: Histories, history: EngineHistory) -> str:
    """The headline of an engine, whose name comes first if the names of its runs lack it."""
    names = _versions(shown, history)
    engine = wording.name(history.engine)
    is_short = history.is_order_known and not names.items() <= shown.labels.items()
    begin = f"{engine}: " if is_short else ""
    return wording.clean(f"{begin}{headline(_named(replace(history, engine=engine), names))}. ")


def _versions(shown: Histories, history: EngineHistory) -> dict[str, str]:
    """The names of the runs on the card of their engine: ends of long labels, if they differ."""
    labels = {run.run: shown.labels[run.run] for run in history.runs}
    ends = {run: wording.end_of(label) for run, label in labels.items()}
    return ends if len(set(ends.values())) == len(ends) else labels


def _named(history: EngineHistory, names: Mapping[str, str]) -> EngineHistory:
    """The history with other names of its runs."""
    runs = [
        replace(run, run=names[run.run], reference=run.reference and names.get(run.reference))
        for run in history.runs
    ]
    first = history.first and names.get(history.first, history.first)
    return replace(history, first=first, runs=tuple(runs))


def update(view: View, before: View) -> Changes | None:
    """Redraw the figure for another scheme."""
    shown = load(view)
    return elements.figure_change(FIGURE, _figure(shown, view)) if _has_changes(shown) else {}


def _figure(shown: Histories, view: View) -> Any:
    return timeline.timeline(
        shown.histories, shown.measure, shown.slots, view.scheme, shown.judgments
    )


def _height(shown: Histories) -> int:
    rows = -(-len(shown.histories) // 2)
    return 220 * rows if len(shown.histories) > timeline.MOST_LINES else 420


def _caption(shown: Histories) -> str:
    first = shown.histories[0]
    over = shown.measure.aggregate_words(first.queries)
    caption = (
        f"{shown.measure.label}, {over}. A filled point is shown to differ from an earlier run."
    )
    if any(timeline.breaks(history, shown.judgments) for history in shown.histories):
        caption += " A line breaks where new judgments were stored; all values are under "
        caption += f"{wording.name(first.qrels)}."
    return caption


def _marks(shown: Histories) -> str:
    marks = on_marks(shown.histories[0]) if any(map(tally, shown.histories)) else ""
    marks = f"{marks[:1].upper()}{marks[1:]}. " if marks else ""
    return (
        "Filled: shown to differ from the run before, or from the reference, which is the last run "
        "shown to differ, else the first. Dotted: the reference of the newest run. A point opens "
        f"the comparison with the run before. {marks}Each interval is of one difference alone; a "
        "mark needs a p below the number after it, which falls test by test."
    )


def _tables(shown: Histories) -> list[Any]:
    """One table for each engine with several runs, the changed first, and one for all others."""
    several = [history for history in shown.histories if len(history.runs) > 1]
    several.sort(key=_has_changed, reverse=True)
    others = [history for history in shown.histories if len(history.runs) < 2]
    tables = [_table(shown, history) for history in several]
    return [*tables, _single_runs(shown, others)] if others else tables


def _single_runs(shown: Histories, histories: Sequence[EngineHistory]) -> Any:
    """The engines with a single run, or without a value."""
    head = [*number_heads("Run", f"{shown.measure.label}{shown.measure.arrow}"), th("Date (UTC)")]
    rows = []
    for history in histories:
        slot = shown.slots.get(history.engine, 0)
        for run in history.runs:
            href = Address("run", history.collection, run.run).href
            value = wording.value(run.value, counts=shown.measure.counts)
            rows.append(
                tr(
                    [
                        th(
                            controls.engine(slot, run.run, shown.labels[run.run], href=href),
                            scope="row",
                        ),
                        number(value),
                        td(f"{run.at:%Y-%m-%d %H:%M}"),
                    ]
                )
            )
    names = [run.run for history in histories for run in history.runs]
    notes = dict.fromkeys(note for history in histories for note in history.notes)
    table = elements.table(head, rows, "plain-table history-table")
    return html.Section(
        [
            html.H2("Engines with one run"),
            html.P("A history begins with the second run of an engine.", className="hint"),
            *(html.P(sentence(wording.clean(note), names), className="hint") for note in notes),
            scrolling(table, members="a") if rows else None,
        ],
        className="card",
    )


def _table(shown: Histories, history: EngineHistory) -> Any:
    history = timeline.in_known_order(history)
    value = f"{shown.measure.label}{shown.measure.arrow}"
    level = f"{wording.level(history.alpha)} interval"
    to_reference_of = [timeline.reference_words(run, shown.measure) for run in history.runs]
    to_references = ("− reference", P_HEADER) if any(to_reference_of) else ()
    of_before = ("− run before", level, P_HEADER) if history.is_order_known else ()
    has_changes = bool(of_before) and any(shown.changed.get(run.run_id) for run in history.runs)
    head = [
        *number_heads("Run", value, *of_before, *to_references),
        th("Changed parameters", className="changed") if has_changes else None,
        th("Date (UTC)", className="date"),
    ]
    short = _versions(shown, history)
    rows = []
    before: HistoryRun | None = None
    between = timeline.breaks(history, shown.judgments)
    for place, run in enumerate(history.runs):
        rows += [_judgments_row(one, len(head)) for one in between.get(place, ())]
        href = Address("run", history.collection, run.run).href
        interval = ""
        if run.low is not None and run.high is not None:
            interval = wording.interval(run.low, run.high)
        difference: Any = ""
        if before is not None:
            compare = timeline.compare_with(history, run, before.run)
            needed = f" ({written_value(run.level, 'p', 4)} needed)" if run.level else ""
            # On a phone the columns of the interval and of p are beyond the screen.
            difference = [
                html.A(timeline.change_words(run, shown.measure), href=compare.href),
                html.Small(interval),
                html.Small(f"p {written_value(run.p, 'p', 4)}{needed}"),
            ]
        of_difference = (
            td(difference, className=f"number{_tint(run.change)}"),
            number(interval),
            _p_cell(run.p, run.level),
        )
        to_reference: list[Any] = []
        if run.reference is not None and (words := to_reference_of[place]):
            compare = timeline.compare_with(history, run, run.reference)
            name = html.Bdi(short[run.reference])
            to_reference = [html.A(words, href=compare.href), html.Div(name, className="hint")]
        changed, facts = _changed(shown.changed.get(run.run_id, ()))
        date = f"{run.at:%Y-%m-%d %H:%M}"
        # A phone has no columns of changes and dates.
        on_phones = html.Small([date, *([": ", *changed] if facts else ())])
        rows.append(
            tr(
                [
                    th([_linked(run.run, short, href), on_phones], scope="row"),
                    number(wording.value(run.value, counts=shown.measure.counts)),
                    *(of_difference if of_before else ()),
                    *(
                        (
                            td(to_reference, className=f"number{_tint(run.reference_change)}"),
                            _p_cell(run.reference_p, run.reference_level),
                        )
                        if to_references
                        else ()
                    ),
                    td(changed, title=facts, className="changed") if has_changes else None,
                    td(date, className="date"),
                ]
            )
        )
        before = run
    # Of two runs the row itself has the difference.
    told = [tally(_named(history, short))] if len(history.runs) > 2 else []
    texts = [sentence(wording.clean(text), short) for text in (*told, *history.notes) if text]
    notes = [html.P(text, className="hint") for text in texts]
    table = elements.table(head, rows[::-1], "plain-table history-table of-versions")
    folded = html.Details(
        [html.Summary(wording.count(len(history.runs), "run")), scrolling(table, members="a")],
        open=len(shown.histories) <= MOST_SAID or _has_changed(history),
    )
    title = controls.engine(shown.slots.get(history.engine, 0), history.engine)
    return html.Section([html.H2(title), *notes, folded], className="card")


P_HEADER = "p (needed)"


def _p_cell(p: float | None, level: float | None) -> Any:
    """p, and the number that it must be below to show a difference, which falls test by test."""
    if level is None:
        return number(written_value(p, "p", 4))
    needed = html.Span(f" ({written_value(level, 'p', 4)})", className="hint")
    return number([written_value(p, "p", 4), needed], title="Shown if below the second number")


def _linked(name: str, short: Mapping[str, str], href: str) -> Any:
    text = html.Bdi(short[name])
    return html.A(text, href=href, title=wording.name(name, 400))


MOST_CHANGED = 3


def _changed(facts: Sequence[str]) -> tuple[list[Any], str]:
    """The first facts that changed at a run, and all of them as a title."""
    words = [html.Bdi(wording.name(fact, 40)) for fact in facts[:MOST_CHANGED]]
    more = len(facts) - len(words)
    parts: list[Any] = [part for word in words for part in (word, ", ")][:-1]
    title = wording.name("; ".join(facts), 400)
    last = f" and {more} more" if more > 0 else ""
    return [*parts, last], title


def _tint(change: Change | None) -> str:
    return {"better": " better", "worse": " worse"}.get(change or "", "")


def _judgments_row(new: timeline.NewJudgments, columns: int) -> Any:
    """A row between runs that says when new judgments were stored."""
    text = f"{new.at:%Y-%m-%d %H:%M}: new judgments, "
    return tr(td([text, html.Bdi(wording.name(new.name))], colSpan=columns, className="hint"))


PAGE = Page("history", render, update, files=FILES)
