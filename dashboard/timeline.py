"""The figure of engines in time: a pure function from histories to a plotly figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard import figures, wording
from dashboard.address import Address
from dashboard.measure_info import MeasureInfo
from dashboard.theme import TOKENS, Scheme, series_colour, series_symbol, template
from evalstore.usecases.history import EngineHistory, HistoryRun

MOST_LINES = 6
"""Engines in one figure; more are drawn side by side, each in its own."""

SIGNS = {"better": "▲", "worse": "▼", "higher": "▲", "lower": "▼"}


def timeline(
    histories: Sequence[EngineHistory],
    measure: MeasureInfo,
    slots: Mapping[str, int],
    scheme: Scheme = "light",
) -> go.Figure:
    """Draw a measure over time, a line an engine.

    A mark is filled where the corrected test supports the change to the run before. Of one engine
    the changes are drawn below, with their intervals. A point leads to the comparison with the
    run before.
    """
    drawn = [history for history in histories if history.runs]
    if not drawn:
        return figures.message("No run of these engines has a value of this measure.", scheme)
    several = len(drawn) > MOST_LINES
    if several:
        titles = [wording.plot_name(history.engine, 40) for history in drawn]
        rows = -(-len(drawn) // 2)
        figure = make_subplots(rows, 2, shared_yaxes=True, subplot_titles=titles)
    elif len(drawn) == 1:
        figure = make_subplots(
            2, 1, shared_xaxes=True, row_heights=[0.65, 0.35], vertical_spacing=0.06
        )
    else:
        figure = make_subplots(1, 1)
    figure.update_layout(template=template(scheme), hovermode="closest", showlegend=not several)
    for number, history in enumerate(drawn):
        place = {"row": number // 2 + 1, "col": number % 2 + 1} if several else {"row": 1, "col": 1}
        figure.add_trace(_line(history, measure, slots.get(history.engine, 0), scheme), **place)
    figure.update_yaxes(title_text=wording.plot_name(measure.label), row=1, col=1)
    if len(drawn) == 1:
        _changes(figure, drawn[0], measure, scheme)
    return figure


def _line(history: EngineHistory, measure: MeasureInfo, slot: int, scheme: Scheme) -> go.Scatter:
    colour, surface = series_colour(slot, scheme), TOKENS[scheme]["surface"]
    runs = history.runs
    return go.Scatter(
        x=[run.at for run in runs],
        y=[run.value for run in runs],
        name=wording.plot_name(history.engine),
        mode="lines+markers",
        line={"color": colour, "width": 2},
        marker={
            "symbol": series_symbol(slot).removesuffix("-open"),
            "size": 11,
            "color": [colour if run.change in SIGNS else surface for run in runs],
            "line": {"color": colour, "width": 2},
        },
        customdata=_hover(history, measure),
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}"
        "<extra></extra>",
    )


def _changes(
    figure: go.Figure, history: EngineHistory, measure: MeasureInfo, scheme: Scheme
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
            x=[run.at for run in runs],
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
    before: HistoryRun | None = None
    for run in history.runs:
        value = wording.value(run.value, counts=measure.counts)
        rows.append(
            [
                wording.plot_name(run.run, 40),
                f"{run.at:%Y-%m-%d %H:%M} · {value}",
                change_words(run, measure),
                compare_with_before(history, run, before).href,
            ]
        )
        before = run
    return rows


def change_words(run: HistoryRun, measure: MeasureInfo) -> str:
    """The change to the run before: its sign, its size, and whether the test supports it."""
    if run.difference is None:
        return "the first run"
    difference = wording.difference(run.difference, counts=measure.counts)
    if run.change is None:
        return difference
    return f"{difference} {SIGNS.get(run.change, '')} {run.change}".replace("  ", " ")


def compare_with_before(
    history: EngineHistory, run: HistoryRun, before: HistoryRun | None
) -> Address:
    """The comparison of a run with the one before it; of the first run its own page."""
    if before is None:
        return Address("run", history.collection, run.run)
    chosen = {"runs": (before.run, run.run), "base": (before.run,), "m": (history.measure,)}
    return Address("compare", history.collection, None, chosen)
