"""The figure of engines over time: a pure function from histories to a plotly figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures.figure import Figure, from_plotly
from dashboard.figures.interactive import message
from dashboard.theme import TOKENS, Scheme, series_colour, series_symbol
from evalstore.tracking.history import Change, EngineHistory, HistoryRun

MOST_LINES = 6
"""The most engines in one figure; more get a small figure each, side by side."""

SHORTEST = timedelta(minutes=10)
"""If all runs are closer in time than this, they are drawn in order: their times mean nothing."""

SIGNS = {"better": "▲", "worse": "▼", "higher": "▲", "lower": "▼"}


@dataclass(frozen=True)
class NewJudgments:
    """Judgments stored when the collection already had some: their name, and the time (UTC)."""

    name: str
    at: datetime


def timeline(
    histories: Sequence[EngineHistory],
    measure: MeasureInfo,
    slots: Mapping[str, int],
    scheme: Scheme = "light",
    judgments: Sequence[NewJudgments] = (),
) -> Figure:
    """Draw a measure over time, with one line per engine; a point links to a comparison.

    A point is filled if its run is shown to differ from the one before or from the reference. For a
    single engine, the changes are drawn below, with their intervals. Runs that were stored
    together have no meaningful times: they are drawn in order, at 1, 2, 3, ...; if the order is not
    known, no line joins them, and none is filled. A line breaks at new judgments, since the makers
    of the later runs knew more; all values are under the same ones.
    """
    drawn = [in_known_order(history) for history in histories if history.runs]
    if not drawn:
        return message("No run of these engines has a value of this measure.", scheme)
    several = len(drawn) > MOST_LINES
    has_changes = len(drawn) == 1 and drawn[0].is_order_known
    if several:
        titles = [wording.plot_name(history.engine, 40) for history in drawn]
        rows = -(-len(drawn) // 2)
        figure = make_subplots(rows, 2, shared_yaxes=True, subplot_titles=titles)
    elif has_changes:
        figure = make_subplots(
            2, 1, shared_xaxes=True, row_heights=[0.65, 0.35], vertical_spacing=0.06
        )
    else:
        figure = make_subplots(1, 1)
    figure.update_layout(template=None, hovermode="closest", showlegend=not several)
    in_order = stored_together(drawn)
    for number, history in enumerate(drawn):
        place = {"row": number // 2 + 1, "col": number % 2 + 1} if several else {"row": 1, "col": 1}
        line = _line(history, measure, slots.get(history.engine, 0), scheme)
        places = _places(history, in_order=in_order)
        line.update(x=places)
        figure.add_trace(_broken(line, breaks(history, judgments), in_order=in_order), **place)
        _mark_reference(figure, history, places, line.line.color, place)
    figure.update_yaxes(title_text=wording.plot_name(measure.label), row=1, col=1)
    if has_changes:
        _changes(figure, drawn[0], measure, scheme, in_order=in_order)
    if not in_order:
        _mark_judgments(figure, drawn, judgments, scheme)
    if in_order:
        most = max(len(history.runs) for history in drawn)
        figure.update_xaxes(
            range=[0.5, most + 0.5], tickmode="linear", tick0=1, dtick=-(-most // 20)
        )
        day = f"{drawn[0].runs[0].at:%Y-%m-%d}"
        title = f"Run, in order (all of {day})"
        if not several:
            figure.update_xaxes(title_text=title, row=2 if has_changes else 1, col=1)
    return from_plotly(figure, scheme)


def in_known_order(history: EngineHistory) -> EngineHistory:
    """The history; without differences to the runs before if it is not known which these are."""
    if history.is_order_known:
        return history
    runs = (HistoryRun(run.run_id, run.run, run.at, run.value) for run in history.runs)
    return replace(history, runs=tuple(runs))


def stored_together(histories: Sequence[EngineHistory]) -> bool:
    """Whether the runs are so close in time that a time axis would show nothing."""
    times = [run.at for history in histories for run in history.runs]
    return max(times) - min(times) < SHORTEST if len(times) > 1 else False


def _places(history: EngineHistory, *, in_order: bool) -> list[datetime] | list[int]:
    """The positions of the runs on the axis: their times, or their numbers in the history."""
    if in_order:
        return list(range(1, len(history.runs) + 1))
    return [run.at for run in history.runs]


def breaks(
    history: EngineHistory, judgments: Sequence[NewJudgments]
) -> dict[int, list[NewJudgments]]:
    """The judgments stored between a run and the one before it, by number of the run."""
    between: dict[int, list[NewJudgments]] = {}
    for number in range(1, len(history.runs)):
        before, after = history.runs[number - 1].at, history.runs[number].at
        if new := [one for one in judgments if before < one.at <= after]:
            between[number] = new
    return between


def _broken(
    line: go.Scatter, between: Mapping[int, Sequence[NewJudgments]], *, in_order: bool
) -> go.Scatter:
    """The line with an added point without a value at each break."""
    x, y, hover = list(line.x), list(line.y), list(line.customdata)
    colours = list(line.marker.color)
    for number in sorted(between, reverse=True):
        x.insert(number, number + 0.5 if in_order else between[number][0].at)
        y.insert(number, None)
        hover.insert(number, [""] * len(hover[0]))
        colours.insert(number, colours[number])
    line.update(x=x, y=y, customdata=hover, connectgaps=False)
    line.marker.color = colours
    return line


def _mark_reference(
    figure: go.Figure,
    history: EngineHistory,
    x: Sequence[datetime] | Sequence[int],
    colour: str,
    place: Mapping[str, int],
) -> None:
    """Draw the level of the newest run's reference, from it to the newest run."""
    names = [run.run for run in history.runs]
    if len(names) < 2 or not history.is_order_known:
        return
    at = names.index(history.runs[-1].reference or names[-2])
    level = history.runs[at].value
    line = {"color": colour, "width": 1.5, "dash": "dot"}
    figure.add_shape(type="line", x0=x[at], x1=x[-1], y0=level, y1=level, line=line, **place)


def _mark_judgments(
    figure: go.Figure,
    drawn: Sequence[EngineHistory],
    judgments: Sequence[NewJudgments],
    scheme: Scheme,
) -> None:
    """Draw a dashed line, with a name, at the time of new judgments between the runs."""
    times = [run.at for history in drawn for run in history.runs]
    token = TOKENS[scheme]
    for one in judgments:
        if not min(times) < one.at <= max(times):
            continue
        figure.add_vline(x=one.at, line={"color": token["muted"], "width": 1, "dash": "dash"})
        figure.add_annotation(
            x=one.at,
            y=1,
            yref="y domain",
            yanchor="bottom",
            text=f"qrels {wording.plot_name(one.name, 20)}",
            showarrow=False,
            font={"size": 11, "color": token["muted"]},
        )


def _line(history: EngineHistory, measure: MeasureInfo, slot: int, scheme: Scheme) -> go.Scatter:
    colour, surface = series_colour(slot, scheme), TOKENS[scheme]["surface"]
    runs = history.runs
    return go.Scatter(
        y=[run.value for run in runs],
        name=wording.plot_name(history.engine),
        mode="lines+markers" if history.is_order_known else "markers",
        line={"color": colour, "width": 2},
        marker={
            "symbol": series_symbol(slot).removesuffix("-open"),
            "size": 11,
            "color": [colour if run.mark in SIGNS else surface for run in runs],
            "line": {"color": colour, "width": 2},
        },
        customdata=_hover(history, measure),
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}"
        "<extra></extra>",
    )


def _changes(
    figure: go.Figure,
    history: EngineHistory,
    measure: MeasureInfo,
    scheme: Scheme,
    *,
    in_order: bool,
) -> None:
    """Draw the difference of each run to the one before, with its interval."""
    runs = [run for run in history.runs if run.difference is not None]
    if not runs:
        return
    token = TOKENS[scheme]
    up = [0.0 if r.high is None or r.difference is None else r.high - r.difference for r in runs]
    down = [0.0 if r.low is None or r.difference is None else r.difference - r.low for r in runs]
    figure.add_trace(
        go.Scatter(
            x=_places(history, in_order=in_order)[len(history.runs) - len(runs) :],
            y=[run.difference for run in runs],
            error_y={"type": "data", "array": up, "arrayminus": down, "color": token["ink"]},
            mode="markers",
            marker={
                "size": 8,
                "color": [
                    token["ink"] if run.change in SIGNS else token["surface"] for run in runs
                ],
                "line": {"color": token["ink"], "width": 1.5},
            },
            customdata=_hover(history, measure)[len(history.runs) - len(runs) :],
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[2]}<extra></extra>",
            showlegend=False,
        ),
        row=2,
        col=1,
    )
    figure.add_hline(y=0, line={"color": token["zero"], "width": 1}, row=2, col=1)
    figure.update_yaxes(title_text="Change", row=2, col=1)


def _hover(history: EngineHistory, measure: MeasureInfo) -> list[list[str]]:
    rows = []
    before: str | None = None
    for run in history.runs:
        value = wording.value(run.value, counts=measure.counts)
        rows.append(
            [
                wording.plot_name(run.run, 40),
                f"{run.at:%Y-%m-%d %H:%M} · {value}",
                _both_changes(run, measure),
                compare_with(history, run, before).href,
            ]
        )
        before = run.run
    return rows


def change_words(run: HistoryRun, measure: MeasureInfo) -> str:
    """The change to the run before: its sign, its size, and whether the test supports it."""
    if run.difference is None:
        return ""
    return _change(run.difference, run.change, measure)


def _both_changes(run: HistoryRun, measure: MeasureInfo) -> str:
    words = reference_words(run, measure)
    against = f"<br>{words} (to {wording.plot_name(run.reference or '', 40)})" if words else ""
    return f"{change_words(run, measure)}{against}"


def reference_words(run: HistoryRun, measure: MeasureInfo) -> str:
    """The same of the change to the reference; empty if that is the run before."""
    if run.reference_difference is None:
        return ""
    return _change(run.reference_difference, run.reference_change, measure)


def _change(difference: float, change: Change | None, measure: MeasureInfo) -> str:
    words = (wording.difference(difference, counts=measure.counts), SIGNS.get(change or ""), change)
    return " ".join(filter(None, words))


def compare_with(history: EngineHistory, run: HistoryRun, other: str | None) -> Address:
    """The comparison of a run with an earlier one; for None, the page of the run."""
    if other is None:
        return Address("run", history.collection, run.run)
    chosen = {"runs": (other, run.run), "base": (other,), "m": (history.measure,), "open": ("why",)}
    return Address("compare", history.collection, None, chosen)
