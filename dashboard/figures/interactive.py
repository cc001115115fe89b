"""Further figures of a comparison: pure functions from a DataFrame to a plotly Figure.

Names and texts reach plotly as in `figures.figures`. A run's number gives its colour and marker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures import figure as plain
from dashboard.figures import figures
from dashboard.figures.frames import MeanDifference
from dashboard.theme import TOKENS, Scheme, series_colour, series_dash, series_symbol

MOST_BARS = 300
"""Above so many queries differences are drawn sorted, as areas: bars would be under a pixel."""


def differences(
    pairs: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    order: figures.Order = "query",
    scheme: Scheme = "light",
    chosen: str | None = None,
) -> plain.Figure:
    """Draw the difference a - b of every query, as `dashboard.figures.figures.differences` does.

    Above 300 queries they are sorted, and drawn as two areas with a gap for the ties; hovering
    shows query and difference where all query ids are plain words.
    """
    if len(pairs) <= MOST_BARS:
        return figures.differences(
            pairs, measure, labels, positions=positions, order=order, scheme=scheme, chosen=chosen
        )
    ranked = pairs.sort_values("difference", ascending=False, kind="stable")
    values = ranked["difference"].to_numpy(np.float32)
    qids = [str(qid) for qid in ranked["qid"]]
    are_words = all(PLAIN.fullmatch(qid) for qid in qids)
    (_, above), (_, below) = figures.halves(measure, labels, positions, scheme)
    first_tie, after_ties = int((values > 0).sum()), int((values >= 0).sum())
    figure = plain.Figure(scheme)
    for start, end, colour in ((0, first_tie, above), (after_ties, len(values), below)):
        figure.add_trace(
            plain.scatter(
                # A step as wide as a query, with the query in its middle.
                x0=start + 1, dx=1, y=values[start:end], mode="lines",
                line={"shape": "hvh", "width": 0}, fill="tozeroy", fillcolor=colour,
                showlegend=False,
                **({"customdata": qids[start:end], "hovertemplate": AREA_HOVER} if are_words
                   else {"hoverinfo": "skip"}),
            )
        )  # fmt: skip
    if chosen in qids:
        _mark_query(figure, qids.index(chosen) + 1, chosen, scheme)
    figure.update_layout(hovermode="x" if are_words else False)
    figure.update_xaxes(
        title=f"Queries, by difference in {measure.label}",
        tickformat=",",
        range=[0, len(values) + 1],
        showgrid=False,
    )
    figures.name_halves(figure, measure, labels, positions, float(np.abs(values).max()), scheme)
    if after_ties > first_tie:
        ties = after_ties - first_tie
        figure.add_annotation(
            text=wording.count(ties, "tie"), showarrow=False, x=(first_tie + after_ties + 1) / 2,
            # On the other side of zero than the mean, whose line would cross it.
            y=0, yanchor="top" if values.mean() > 0 else "bottom",
            font={"size": 12, "color": TOKENS[scheme]["muted"]},
        )  # fmt: skip
    return figure


PLAIN = re.compile(r"[\w.:-]{1,40}")
"""A query id that a figure can show as it is, and that is no address."""
AREA_HOVER = "<b>%{customdata}</b> %{y:+.4f}<extra></extra>"


def _mark_query(figure: plain.Figure, x: float, qid: str, scheme: Scheme) -> None:
    """Mark a query of an axis of numbers by a line and its name."""
    figure.add_vline(x=x, line={"color": TOKENS[scheme]["ink"], "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        text=f"<b>{wording.plot_name(qid, 20)}</b>", showarrow=False, x=x, y=0.5, yref="paper",
        xanchor="left", xshift=4, font={"color": TOKENS[scheme]["ink"]},
        bgcolor=TOKENS[scheme]["surface"],
    )  # fmt: skip


def cutoff_curves(
    curves: pd.DataFrame, labels: Mapping[int, str], title: str, scheme: Scheme = "light"
) -> plain.Figure:
    """Draw a measure at cutoffs, a line a run, over a logarithmic axis of ranks.

    `curves` has the columns run_id, cutoff, value; `title` names the measure on the axis.
    """
    figure = plain.Figure(scheme)
    for run_id, label in labels.items():
        part = curves[curves["run_id"] == run_id].sort_values("cutoff")
        figure.add_trace(
            plain.scatter(
                x=part["cutoff"].tolist(),
                y=part["value"].tolist(),
                name=wording.plot_name(label),
                mode="lines+markers",
                line={
                    "color": series_colour(run_id, scheme),
                    "width": 2.5,
                    "dash": series_dash(run_id),
                },
                marker={"symbol": series_symbol(run_id), "size": 8},
                cliponaxis=False,
                hovertemplate="%{y:.4f}",
            )
        )
    # Between 10 and 20 the label of 15 would touch its neighbours.
    ticks = sorted({int(cutoff) for cutoff in curves["cutoff"]} - {15})
    figure.update_layout(hovermode="x unified", showlegend=True, hoverlabel={"namelength": -1})
    figure.update_xaxes(
        type="log",
        title="Rank k (logarithmic)",
        tickvals=ticks,
        ticktext=[f"{tick:,}" for tick in ticks],
        hoverformat=",d",
    )
    if curves["value"].max() <= 1:
        figure.update_yaxes(range=[-0.02, 1.03], dtick=0.2, tickformat=".1f")
    figure.update_yaxes(title=title, rangemode="tozero")
    return figure


def scatter(
    pairs: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    scheme: Scheme = "light",
) -> plain.Figure:
    """Draw each query as a point, b across and a upwards; equal values lie on the diagonal."""
    if pairs.empty:
        return figures.message("There are no queries to compare on.", scheme)
    token = TOKENS[scheme]
    colours = [series_colour(position, scheme) for position in positions]
    if measure.higher_is_better is False:
        colours.reverse()
    above, below = colours
    low, high = value_range(pairs)
    signs = np.sign(pairs["difference"].to_numpy())
    figure = plain.Figure(scheme)
    figure.add_trace(
        plain.scatter(
            x=[low, high], y=[low, high], mode="lines", hoverinfo="skip", showlegend=False,
            line={"color": token["zero"], "width": 1},
        )
    )  # fmt: skip
    for sign, colour in ((1, above), (0, token["tie"]), (-1, below)):
        part = pairs[signs == sign]
        figure.add_trace(
            plain.scatter(
                x=part["b"].to_numpy(np.float64),
                y=part["a"].to_numpy(np.float64),
                customdata=[wording.plot_name(str(qid), 40) for qid in part["qid"]],
                mode="markers",
                marker={"color": colour, "size": 8 if len(pairs) <= MOST_BARS else 4},
                opacity=0.8,
                hovertemplate="<b>Query %{customdata}</b><br>%{y:.4f} and %{x:.4f}<extra></extra>",
                showlegend=False,
            )
        )
    counts = [int((signs > 0).sum()), int((signs < 0).sum())]
    for (x, y, anchor), label, count, colour in zip(
        ((0.02, 0.98, "left"), (0.98, 0.02, "right")), labels, counts, (above, below), strict=True
    ):
        figure.add_annotation(
            text=f"{wording.plot_name(label, 20)} higher: <b>{count:,}</b>",
            showarrow=False, xref="paper", yref="paper", x=x, y=y, xanchor=anchor,
            font={"size": 13, "color": token["ink"]}, bgcolor=token["surface"], bordercolor=colour,
            borderpad=4,
        )  # fmt: skip
    pad = 0.03 * (high - low)
    name = wording.plot_name(measure.label)
    for axis, label in ((figure.update_yaxes, labels[0]), (figure.update_xaxes, labels[1])):
        axis(title=f"{name}({wording.plot_name(label)})", range=[low - pad, high + pad])
    figure.update_yaxes(scaleanchor="x", constrain="domain")
    figure.update_xaxes(constrain="domain")
    figure.update_layout(hovermode="closest")
    return figure


def value_range(pairs: pd.DataFrame) -> tuple[float, float]:
    """The range of both axes of a scatter: 0 to 1 where all values lie in it."""
    values = pairs[["a", "b"]].to_numpy(np.float64)
    low, high = min(0.0, float(values.min())), float(values.max())
    return low, (1.0 if high <= 1 else high)


def intervals(rows: Sequence[MeanDifference], level: str, scheme: Scheme = "light") -> plain.Figure:
    """Draw the mean difference of every pair and measure with its interval.

    A filled marker is a difference that is shown after correction. `level` says of which level the
    intervals are: "95 %".
    """
    if not rows:
        return figures.message("There are no pairs to draw.", scheme)
    token = TOKENS[scheme]
    figure = plain.Figure(scheme)
    for number, row in enumerate(rows):
        colour = series_colour(row.run_id, scheme)
        symbol = series_symbol(row.run_id)
        low, high = row.low, row.high
        if math.isfinite(low) and math.isfinite(high):
            figure.add_trace(
                plain.scatter(
                    x=[low, high], y=[number, number], mode="lines+markers", hoverinfo="skip",
                    showlegend=False, line={"color": colour, "width": 2.5},
                    marker={"symbol": "line-ns", "size": 10,
                            "line": {"color": colour, "width": 2.5}},
                )
            )  # fmt: skip
        words = "shown" if row.shown else "not shown"
        interval = f"{wording.difference(low)} to {wording.difference(high)}"
        figure.add_trace(
            plain.scatter(
                x=[row.difference],
                y=[number],
                mode="markers",
                customdata=[[interval, f"{row.p:.4f}", words]],
                marker={
                    "symbol": symbol, "size": 10,
                    "color": colour if row.shown else token["surface"],
                    "line": {"color": colour, "width": 2},
                },
                hovertemplate=(
                    f"%{{x:+.4f}}<br>{level} interval %{{customdata[0]}}<br>"
                    "p %{customdata[1]} after correction: %{customdata[2]}<extra></extra>"
                ),
                showlegend=False,
            )
        )  # fmt: skip
    figure.add_vline(x=0, line={"color": token["zero"], "width": 1}, layer="below")
    figure.update_layout(hovermode="closest", height=90 + 30 * len(rows), showlegend=False)
    figure.update_xaxes(
        title=f"Difference, {level} interval",
        tickformat="+.3~f",
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[wording.plot_name(text, 60) for text in row_labels(rows)],
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
    )
    return figure


def row_labels(rows: Sequence[MeanDifference]) -> list[str]:
    """What each row of a figure of intervals is called; its measure only where they differ."""
    several = len({row.measure for row in rows}) > 1
    return [
        f"{wording.name(row.run, 22)} − {wording.name(row.baseline, 22)}"
        f"{f', {row.measure}' if several else ''}"
        for row in rows
    ]


# A scatter of many queries: counted in squares, each a mark with an area of its count

MOST_POINTS = 1_000
"""Queries up to which each is a point of its own."""
SQUARES = 25
"""Squares to a side."""
LARGEST = 20
"""Pixels across the mark with the most queries."""


def binned(pairs: pd.DataFrame) -> pd.DataFrame:
    """The queries counted: x, y (the middle of a square), side (sign of a - b), queries.

    The queries on either side of the diagonal and those on it are counted apart, so that the
    counts of the sides are those of all queries.
    """
    low, high = value_range(pairs)
    width = (high - low) / SQUARES
    middle = {
        name: low + width * (np.minimum((pairs[name] - low) // width, SQUARES - 1) + 0.5)
        for name in ("a", "b")
    }
    side = np.sign(pairs["difference"]).astype(int)
    counted = (
        pd.DataFrame({"x": middle["b"], "y": middle["a"], "side": side})
        .groupby(["x", "y", "side"])
        .size()
    )
    return counted.reset_index(name="queries")


def binned_scatter(
    pairs: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    scheme: Scheme = "light",
) -> plain.Figure:
    """Draw `binned` in the frame of `scatter`, whose arguments it takes."""
    figure = scatter(pairs, measure, labels, positions=positions, scheme=scheme)
    counted = binned(pairs)
    largest = float(counted["queries"].max())
    for trace, side in zip(figure.data[1:], (1, 0, -1), strict=True):
        part = counted[counted["side"] == side]
        size = np.maximum(LARGEST * np.sqrt(part["queries"] / largest), 2)
        trace.update(
            x=part["x"].to_numpy(),
            y=part["y"].to_numpy(),
            customdata=[wording.count(n, "query", "queries") for n in part["queries"].tolist()],
            hovertemplate="%{customdata}<br>around %{y:.2f} and %{x:.2f}<extra></extra>",
            marker={
                "color": trace["marker"]["color"],
                "size": size.to_numpy(),
                "line": {"width": 1, "color": TOKENS[scheme]["surface"]},
            },
        )
    return figure


# How often which difference occurs: bins, and the figure of them

MOST_DISTINCT = 60
"""Different differences up to which each has a bar of its own."""
BINS_A_SIDE = 20


class Bin(NamedTuple):
    """How many queries have a difference from `low` to `high`, which may be one number."""

    low: float
    high: float
    queries: int


def bins(differences: Sequence[float]) -> list[Bin]:
    """The differences counted, from the lowest on, without empty bins.

    Up to 60 different ones are counted each for itself. More fall into 41 bins: 20 of one width on
    each side, open at 0 and closed at the far end, and one of exactly 0.
    """
    values = np.round(np.asarray(differences, np.float64), 9) + 0.0
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= MOST_DISTINCT:
        return [Bin(v, v, c) for v, c in zip(distinct.tolist(), counts.tolist(), strict=True)]
    width = float(np.abs(values).max()) / BINS_A_SIDE
    # Divided values may lie a rounding error above a whole number of widths.
    number = np.sign(values) * np.ceil(np.round(np.abs(values) / width, 9))
    numbers, counts = np.unique(number.astype(int), return_counts=True)
    return [
        Bin(width * min(n, n - np.sign(n)), width * max(n, n - np.sign(n)), c)
        for n, c in zip(numbers.tolist(), counts.tolist(), strict=True)
    ]


def distribution(
    pairs: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    scheme: Scheme = "light",
    chosen: str | None = None,
) -> plain.Figure:
    """Draw how many queries have which difference a - b, in the colour of the better run.

    Arguments as of `figures.differences`; the bar of the query `chosen` has an outline.
    """
    if pairs.empty:
        return figures.message("There are no queries to compare on.", scheme)
    token = TOKENS[scheme]
    counted = bins(pairs["difference"].tolist())
    reach = max(max(abs(one.low), abs(one.high)) for one in counted) or 1.0
    (_, above), (_, below) = figures.halves(measure, labels, positions, scheme)
    middles = [(one.low + one.high) / 2 for one in counted]
    colours = [above if x > 0 else below if x < 0 else token["tie"] for x in middles]
    value = pairs.loc[pairs["qid"] == chosen, "difference"]
    holds = [len(value) > 0 and _holds(one, float(value.iloc[0])) for one in counted]
    figure = plain.Figure(scheme)
    figure.add_trace(
        plain.bar(
            x=middles,
            y=[one.queries for one in counted],
            width=_width(middles, reach),
            customdata=[[_words(one, measure), wording.count(one.queries, "query", "queries")]
                        for one in counted],
            marker={"color": colours,
                    "line": {"color": token["ink"], "width": [2 if h else 0 for h in holds]}},
            hovertemplate="%{customdata[0]}<br><b>%{customdata[1]}</b><extra></extra>",
            showlegend=False,
        )
    )  # fmt: skip
    wins = "higher" if measure.higher_is_better is None else "better"
    names = figures.halves(measure, labels, positions, scheme)
    for (winner, colour), x, anchor, text in (
        (names[0], 0.99, "right", "<b>{}</b> {} →"),
        (names[1], 0.01, "left", "← <b>{}</b> {}"),
    ):
        figure.add_annotation(
            text=text.format(wording.plot_name(winner, 20), wins), showarrow=False,
            xref="paper", yref="paper", x=x, xanchor=anchor, y=1, yanchor="top",
            font={"size": 14, "color": colour}, bgcolor=token["surface"], borderpad=3,
        )  # fmt: skip
    figure.update_layout(hovermode="closest", bargap=0)
    run, baseline = (wording.plot_name(label, 24) for label in labels)
    figure.update_xaxes(
        title=f"{wording.plot_name(measure.label)}, {run} − {baseline}",
        range=[-1.08 * reach, 1.08 * reach],
        tickformat="+.3~f",
        zeroline=True,
    )
    most = max(one.queries for one in counted)
    figure.update_yaxes(title="Queries", tickformat=",d", range=[0, 1.2 * most])
    return figure


def _holds(one: Bin, value: float) -> bool:
    value = round(value, 9)
    if one.low == one.high:
        return value == one.low
    inside = one.low - 1e-9 <= value <= one.high + 1e-9
    return inside and value != 0 and not math.isclose(value, min(one[:2], key=abs), abs_tol=1e-9)


def _width(middles: Sequence[float], reach: float) -> float:
    """As wide as the least distance between two bars, but wide enough to be seen."""
    gaps = [high - low for low, high in pairwise(middles)]
    usual = 2 * reach / (2 * BINS_A_SIDE + 1)
    return max(min([*gaps, usual]) * 0.9, reach / 100)


def _words(one: Bin, measure: MeasureInfo) -> str:
    low, high = (wording.difference(end, counts=measure.counts) for end in (one.low, one.high))
    return low if one.low == one.high else f"{low} to {high}"
