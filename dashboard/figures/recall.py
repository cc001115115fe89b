"""Recall-precision curves on a page: with bands, minus the baseline's curve, or of one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.components import wording
from dashboard.figures.figure import Figure
from dashboard.figures.interactive import MOST_IN_LEGEND, UNIT_AXIS, recall_precision
from dashboard.theme import TOKENS, Scheme, series_colour, series_dash, series_symbol
from evalstore.comparison.ranked_query import Point

MOST_BANDS = 4
"""The most runs whose curves have bands: more bands would cover each other."""
LABEL_GAP = 0.055
"""The least distance of two labels at the ends of curves, as a share of the height."""
LABEL_AT = 1.08
"""The place of the marks before the labels, on the axis of recall."""
MOST_ROOM = 200
"""The most pixels beside the curves for their labels; most take half of them."""


def mean_curves(
    curves: pd.DataFrame,
    bands: pd.DataFrame,
    labels: Mapping[int, str],
    *,
    less: str | None = None,
    scheme: Scheme = "light",
) -> Figure:
    """Draw mean curves over recall, with bands for up to 4 runs; both come from `frames`.

    Each curve has its name at its end. With more runs, pointing at one dims the others
    (assets/evalstore.js). `less` is the name of the baseline if its precision was subtracted.
    """
    figure = recall_precision(curves, labels, scheme)
    if curves.empty:
        return figure
    drawn = set(curves["run_id"])
    _label_ends(figure, [labels[run_id] for run_id in labels if run_id in drawn], scheme)
    figure.update_layout(showlegend=False)
    if len(labels) <= MOST_BANDS:
        _add_bands(figure, bands, labels, scheme)
    else:
        figure.update_layout(hovermode="closest")
    if less is not None:
        title = f"Interpolated precision − that of {wording.plot_name(less)}"
        figure.update_yaxes(title=title, range=None, dtick=None, tickformat="+.2~f", zeroline=True)
        for trace in figure.data:
            if trace["mode"] == "lines+markers" and trace.get("hoverinfo") != "skip":
                trace["hovertemplate"] = "%{y:+.4f}"
    return figure


def _label_ends(figure: Figure, names: Sequence[str], scheme: Scheme) -> None:
    """Write the name of each curve beside its end, moved apart where they would touch.

    A short line with the mark of the curve leads to the name. Curves with one end are in the order
    of their means.
    """
    names = wording.differing(names)
    curves = list(figure.data)
    heights = [height for trace in curves for height in trace["y"]]
    gap = LABEL_GAP * max(max(heights) - min(heights), 1e-9)
    ends = [trace["y"][-1] for trace in curves]
    means = [sum(trace["y"]) / len(trace["y"]) for trace in curves]
    next_free = min(ends) - gap
    for number in sorted(range(len(ends)), key=lambda at: (round(ends[at] / gap), means[at])):
        next_free = max(ends[number], next_free + gap)
        trace = curves[number]
        figure.add_scatter(
            x=[1.0, LABEL_AT], y=[ends[number], next_free], name=trace["name"],
            mode="lines+markers", line={**trace["line"], "width": 1},
            marker={**trace["marker"], "size": [0, trace["marker"]["size"]]},
            cliponaxis=False, hoverinfo="skip", showlegend=False,
        )  # fmt: skip
        figure.add_annotation(
            text=wording.plot_name(names[number], 40),
            showarrow=False, x=LABEL_AT, y=next_free, xanchor="left", xshift=7,
            font={"size": 11, "color": TOKENS[scheme]["ink"]},
        )  # fmt: skip
    room = 20 + min(MOST_ROOM, 7 * max(map(len, names), default=0))
    figure.update_layout(margin={"l": 64, "r": room, "t": 16, "b": 60})
    figure.update_xaxes(range=[UNIT_AXIS["range"][0], LABEL_AT])


def less_baseline(curves: pd.DataFrame, baseline: int) -> pd.DataFrame:
    """Subtract the precision of the baseline's curve from each curve."""
    of_baseline = curves[curves["run_id"] == baseline].set_index("recall")["precision"]
    return curves.assign(precision=curves["precision"] - curves["recall"].map(of_baseline))


def query_curves(
    points: Mapping[int, Sequence[Point]],
    levels: pd.DataFrame,
    labels: Mapping[int, str],
    scheme: Scheme = "light",
) -> Figure:
    """Draw the curves of one query: points unchanged, and the interpolation as steps.

    `points` has recall and precision at each relevant document by run number, in order of rank;
    `levels` (run_id, recall, precision) has the interpolated precision at the 11 levels.
    """
    figure = Figure(scheme)
    for run_id, label in labels.items():
        colour, symbol = series_colour(run_id, scheme), series_symbol(run_id)
        of_run = list(points.get(run_id, ()))
        at_levels = levels[levels["run_id"] == run_id].sort_values("recall")
        name = wording.plot_name(label)
        figure.add_scatter(
            x=[0.0, *(recall for recall, _ in of_run), 1.0],
            y=interpolated(of_run),
            mode="lines",
            line={"color": colour, "width": 1.5, "shape": "vh", "dash": series_dash(run_id)},
            hoverinfo="skip",
            name=name,
            # If a run has no mark, its line is in the legend.
            showlegend=not of_run,
        )
        figure.add_scatter(
            x=at_levels["recall"].tolist(),
            y=at_levels["precision"].tolist(),
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 9, "color": colour},
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_scatter(
            x=[recall for recall, _ in of_run],
            y=[precision for _, precision in of_run],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 9, "color": colour},
            cliponaxis=False,
            hovertemplate="recall %{x:.4f}, precision %{y:.4f}",
        )
    named = len(labels) <= MOST_IN_LEGEND
    figure.update_layout(hovermode="closest", showlegend=named, hoverlabel={"namelength": -1})
    figure.update_xaxes(title="Recall", **UNIT_AXIS)
    figure.update_yaxes(title="Precision", **UNIT_AXIS)
    return figure


def interpolated(points: Sequence[Point]) -> list[float]:
    """The highest precision at each recall or above: at 0, at each point, and 0 at the end."""
    highest: list[float] = []
    for _, precision in reversed(points):
        highest.append(max(precision, highest[-1] if highest else 0.0))
    highest.reverse()
    last = highest[-1] if highest and points[-1][0] >= 1 else 0.0
    return [highest[0] if highest else 0.0, *highest, last]


def _add_bands(
    figure: Figure, bands: pd.DataFrame, labels: Mapping[int, str], scheme: Scheme
) -> None:
    lines = figure.data
    figure.data = []
    for run_id in labels:
        band = bands[bands["run_id"] == run_id].sort_values("recall")
        if band.empty:
            continue
        recall, low, high = (band[name].tolist() for name in ("recall", "low", "high"))
        figure.add_scatter(
            x=[*recall, *reversed(recall)],
            y=[*high, *reversed(low)],
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=_see_through(series_colour(run_id, scheme)),
            hoverinfo="skip",
            showlegend=False,
        )
    figure.data += lines


def _see_through(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.13)"
