"""The interactive figures: pure functions from a DataFrame to a plotly Figure, without a store.

All text from data passes through `wording.plot_name` or `wording.plot_paragraph` (plotly reads a
subset of HTML), and reaches hover boxes as `customdata`, never as part of a template. The number of
a run determines its colour and mark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures.figure import Figure
from dashboard.figures.frames import RunPair
from dashboard.theme import (
    TOKENS,
    Scheme,
    series_colour,
    series_dash,
    series_number,
    series_symbol,
)
from evalstore.comparison.comparability import F64
from evalstore.comparison.significance import Pair, Settings

Order = Literal["query", "difference"]

MOST_LABELS = 24
"""The most query labels on an axis."""
MOST_BARS = 300
"""The most queries drawn as bars: more are sorted and drawn as areas, as bars would be too thin."""
MOST_IN_LEGEND = 4
"""The most runs for which a figure on a page has a legend: on a phone, more names would take the
space of the curves. Then the table above the figure and the hover boxes name the runs."""
NO_QUERIES = "There are no queries to compare on."
UNIT_AXIS: Mapping[str, Any] = MappingProxyType(
    {"range": [-0.02, 1.03], "tick0": 0, "dtick": 0.2, "tickformat": ".1f"}
)
"""The axis properties for values from 0 to 1."""


def message(sentence: str, scheme: Scheme = "light") -> Figure:
    """A figure with only a sentence that says why there is nothing to draw."""
    figure = Figure(scheme)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=wording.plot_paragraph(sentence, width=48),
        showarrow=False,
        xref="paper",
        yref="paper",
        x=0.5,
        y=0.5,
        font={"size": 14, "color": TOKENS[scheme]["muted"]},
    )
    return figure


def usual_order(queries: int) -> Order:
    """The default order of the differences by query."""
    return "query" if queries <= MOST_BARS else "difference"


# Curves, one line per run


def recall_precision(
    curves: pd.DataFrame, labels: Mapping[int, str], scheme: Scheme = "light"
) -> Figure:
    """Draw interpolated precision at the recall levels: run_id, recall, precision.

    `labels` has the names by run number.
    """
    if curves.empty:
        return message("There are no relevant documents to draw a curve from.", scheme)
    figure = _curves(curves.rename(columns={"recall": "x", "precision": "y"}), labels, scheme)
    figure.update_xaxes(title="Recall", hoverformat=".1f", **UNIT_AXIS)
    figure.update_yaxes(title="Interpolated precision", **UNIT_AXIS)
    return figure


def cutoff_curves(
    curves: pd.DataFrame, labels: Mapping[int, str], title: str, scheme: Scheme = "light"
) -> Figure:
    """Draw run_id, cutoff, value over a logarithmic axis of ranks; `title` names the measure."""
    figure = _curves(curves.rename(columns={"cutoff": "x", "value": "y"}), labels, scheme)
    # Between 10 and 20 the label of 15 would touch its neighbours.
    ticks = sorted({int(cutoff) for cutoff in curves["cutoff"]} - {15})
    figure.update_xaxes(
        type="log",
        title="Rank k (logarithmic)",
        tickvals=ticks,
        ticktext=[f"{tick:,}" for tick in ticks],
        hoverformat=",d",
    )
    if curves["value"].max() <= 1:
        figure.update_yaxes(**UNIT_AXIS)
    figure.update_yaxes(title=title, rangemode="tozero")
    return figure


MOST_NAMED = 12
"""The most points of a sweep with the names of their runs beside them."""


def sweep(
    points: pd.DataFrame,
    labels: Mapping[int, str],
    along: str,
    measure: MeasureInfo,
    scheme: Scheme = "light",
    slots: Mapping[str, int] | None = None,
) -> Figure:
    """Draw a measure against a parameter: run_id (of the line), x, y and the name of the run.

    A line is through the mean of the runs at each x. With the `slots` of the runs by name, points
    have the colours and marks of their runs, and a line that of its engine; a single one is
    neutral. Up to 12 points have the names of their runs.
    """
    if points.empty:
        return message(f"No run has a number as its parameter {along}.", scheme)
    means = points.groupby(["run_id", "x"])[["y"]].mean().reset_index()
    figure = _curves(means, labels, scheme)
    short = wording.labels(points["name"], 24)
    named = len(points) <= MOST_NAMED
    middle = (points["x"].min() + points["x"].max()) / 2
    for trace, line in zip([*figure.data], sorted(points["run_id"].unique()), strict=True):
        own = points[points["run_id"] == line]
        trace["hoverinfo"] = "skip"
        # The mark of a run is that of its mean too.
        several = own.groupby("x").size().to_numpy() > 1
        trace["marker"] = {"symbol": "circle-open", "size": np.where(several, 7, 0).tolist()}
        mean_at = dict(zip(trace["x"], trace["y"], strict=True))
        # A line of one x is not seen; its points have names, or else are in the legend themselves.
        trace["showlegend"] = named and own["x"].nunique() > 1
        marks = [line] * len(own)
        if slots is not None:
            marks = [slots[name] for name in own["name"]]
            of_engine = series_colour(series_number(marks[0]), scheme)
            colour = of_engine if len(labels) > 1 else TOKENS[scheme]["muted"]
            trace["line"] = {"color": colour, "width": 1.5}
        figure.add_scatter(
            x=own["x"].tolist(),
            y=own["y"].tolist(),
            text=[wording.plot_name(short[name]) for name in own["name"]],
            mode="markers+text" if named else "markers",
            textposition=[
                _off_line(x, y, mean_at, "left" if x > middle else "right")
                for x, y in zip(own["x"], own["y"], strict=True)
            ],
            textfont={"size": 11, "color": TOKENS[scheme]["ink"]},
            marker={
                "symbol": [series_symbol(mark) for mark in marks],
                "size": 8,
                "color": [series_colour(mark, scheme) for mark in marks],
            },
            cliponaxis=False,
            name=trace["name"],
            showlegend=not named,
            hovertemplate="%{text}: %{y:.4f}<extra></extra>",
        )
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(title=wording.plot_name(along))
    figure.update_yaxes(title=measure.label)
    figure.update_layout(showlegend=len(labels) > 1)
    return figure


def _off_line(x: float, y: float, mean_at: Mapping[float, float], side: str) -> str:
    """The position of a name beside a point: on the side where no line through means goes on."""
    beyond = [other for other in mean_at if (other < x if side == "left" else other > x)]
    if y != mean_at[x] or not beyond:
        height = mean_at[x]
    else:
        height = mean_at[min(beyond, key=lambda other: abs(other - x))]
    return f"{'top' if y > height else 'bottom' if y < height else 'middle'} {side}"


def _curves(points: pd.DataFrame, labels: Mapping[int, str], scheme: Scheme) -> Figure:
    """Draw a line for each run that has points."""
    figure = Figure(scheme)
    for run_id, label in labels.items():
        part = points[points["run_id"] == run_id].sort_values("x")
        if part.empty:
            continue
        line = {"color": series_colour(run_id, scheme), "width": 2.5, "dash": series_dash(run_id)}
        figure.add_scatter(
            x=part["x"].tolist(),
            y=part["y"].tolist(),
            name=wording.plot_name(label),
            mode="lines+markers",
            line=line,
            marker={"symbol": series_symbol(run_id), "size": 8},
            cliponaxis=False,
            hovertemplate="%{y:.4f}",
        )
    figure.update_layout(hovermode="x unified", showlegend=True, hoverlabel={"namelength": -1})
    return figure


# The difference a - b of every query: as bars, or as areas if there are many queries


def differences(
    pair: RunPair, *, order: Order = "query", scheme: Scheme = "light", chosen: str | None = None
) -> Figure:
    """Draw the differences with one bar per query; each half names the run that is better there.

    More than 300 queries are sorted and drawn as two areas with a gap for the ties; hovering shows
    query and difference if all query ids are plain words. The query `chosen` is marked.
    """
    values = pair.values
    if values.empty:
        return message(NO_QUERIES, scheme)
    if len(values) > MOST_BARS or order == "difference":
        # Stable sort: queries with equal differences stay in query order.
        values = values.sort_values("difference", ascending=False, kind="stable")
    pair = pair._replace(values=values)
    if len(values) > MOST_BARS:
        return _areas(pair, scheme, chosen)
    return _bars(pair, order, scheme, chosen)


def _bars(pair: RunPair, order: Order, scheme: Scheme, chosen: str | None) -> Figure:
    pairs, measure = pair.values, pair.measure
    token = TOKENS[scheme]
    (_, above), (_, below) = halves(pair, scheme)
    values = [float(number) for number in pairs["difference"]]
    categories = _categories(pairs["qid"])
    figure = Figure(scheme)
    figure.add_bar(
        x=categories,
        y=values,
        customdata=_hover_rows(pair),
        marker={
            "color": [above if v > 0 else below if v < 0 else token["tie"] for v in values],
            # Only the outline of a bar of height zero is drawn: a tie must be visible.
            "line": {"color": token["tie"], "width": [0 if v else 5 for v in values]},
        },
        hovertemplate=(
            "<b>Query %{customdata[0]}</b>%{customdata[1]}<br>"
            "%{customdata[2]}<br>%{customdata[3]}<br>"
            "<b>Difference: %{customdata[4]}</b><extra></extra>"
        ),
        showlegend=False,
    )
    qids = [str(qid) for qid in pairs["qid"]]
    if chosen in qids:
        at = qids.index(chosen)
        anchor = "bottom" if values[at] >= 0 else "top"
        _mark_query(figure, at, chosen, scheme, y=values[at], yanchor=anchor)
    figure.update_layout(hovermode="x", bargap=0.15, clickmode="event", margin={"l": 72})
    figure.update_xaxes(
        type="category",
        categoryorder="array",
        categoryarray=categories,
        title="Query" if order == "query" else f"Query, by difference in {measure.label}",
        showgrid=False,
        # Leaves space between the labels: plotly's default does not.
        nticks=MOST_LABELS,
        range=[-0.7, len(values) - 0.3],
    )
    _name_halves(figure, pair, max(map(abs, values)), scheme)
    return figure


def _areas(pair: RunPair, scheme: Scheme, chosen: str | None) -> Figure:
    pairs = pair.values
    values = pairs["difference"].to_numpy(np.float32)
    qids = [str(qid) for qid in pairs["qid"]]
    are_words = all(PLAIN.fullmatch(qid) for qid in qids)
    (_, above), (_, below) = halves(pair, scheme)
    first_tie, after_ties = int((values > 0).sum()), int((values >= 0).sum())
    figure = Figure(scheme)
    for start, end, colour in ((0, first_tie, above), (after_ties, len(values), below)):
        hover = {"customdata": qids[start:end], "hovertemplate": AREA_HOVER}
        figure.add_scatter(
            # The step is as wide as a query, with the query in its middle.
            x0=start + 1, dx=1, y=values[start:end], mode="lines",
            line={"shape": "hvh", "width": 0}, fill="tozeroy", fillcolor=colour,
            showlegend=False, **(hover if are_words else {"hoverinfo": "skip"}),
        )  # fmt: skip
    if chosen in qids:
        place = {"y": 0.5, "yref": "paper", "xanchor": "left", "xshift": 4}
        _mark_query(figure, qids.index(chosen) + 1, chosen, scheme, **place)
    figure.update_layout(hovermode="x" if are_words else False)
    figure.update_xaxes(
        title=f"Queries, by difference in {pair.measure.label}",
        tickformat=",",
        range=[0, len(values) + 1],
        showgrid=False,
    )
    _name_halves(figure, pair, float(np.abs(values).max()), scheme)
    if after_ties > first_tie:
        ties = after_ties - first_tie
        figure.add_annotation(
            text=wording.count(ties, "tie"), showarrow=False, x=(first_tie + after_ties + 1) / 2,
            # On the opposite side of zero from the mean, whose line would cross it.
            y=0, yanchor="top" if values.mean() > 0 else "bottom",
            font={"size": 12, "color": TOKENS[scheme]["muted"]},
        )  # fmt: skip
    return figure


PLAIN = re.compile(r"[\w.:-]{1,40}")
"""A pattern for query ids that a figure can show unchanged and that are not addresses."""
AREA_HOVER = "<b>%{customdata}</b> %{y:+.4f}<extra></extra>"


def _mark_query(figure: Figure, x: float, qid: str, scheme: Scheme, **place: Any) -> None:
    """Mark a query with a line and its name."""
    token = TOKENS[scheme]
    figure.add_vline(x=x, line={"color": token["ink"], "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        text=f"<b>{wording.plot_name(qid, 20)}</b>", showarrow=False, x=x,
        font={"color": token["ink"]}, bgcolor=token["surface"], **place,
    )  # fmt: skip


def halves(pair: RunPair, scheme: Scheme) -> tuple[tuple[str, str], tuple[str, str]]:
    """The name and colour of the run that is better above zero, and of the one better below."""
    colours = [series_colour(position, scheme) for position in pair.positions]
    a, b = zip(wording.differing(pair.labels), colours, strict=True)
    # If lower is better, a difference above zero means that A's value is higher, so B is better.
    return (b, a) if pair.measure.higher_is_better is False else (a, b)


def _name_halves(figure: Figure, pair: RunPair, reach: float, scheme: Scheme) -> None:
    """Set the range of the axis of differences to `reach`, and name the better run of each half."""
    reach = reach or 1.0
    # The range is the same up and down, so that both halves can be compared by eye.
    figure.update_yaxes(
        title=_difference_title(pair.measure.label, *pair.labels),
        range=[-1.22 * reach, 1.22 * reach],
        zeroline=True,
        zerolinewidth=1,
        zerolinelayer="below traces",
    )
    above, below = halves(pair, scheme)
    for (winner, colour), arrow, y, anchor in ((above, "↑", 1, "top"), (below, "↓", 0, "bottom")):
        text = f"<b>{wording.plot_name(winner)}</b> {pair.measure.better} {arrow}"
        place = {"x": 0.01, "xanchor": "left", "y": y, "yanchor": anchor}
        _name_side(figure, text, colour, scheme, **place)


def _name_side(figure: Figure, text: str, colour: str, scheme: Scheme, **place: Any) -> None:
    """Write the better run of a side, above the grid lines, which would cross the text."""
    figure.add_annotation(
        text=text, showarrow=False, xref="paper", yref="paper", font={"size": 14, "color": colour},
        bgcolor=TOKENS[scheme]["surface"], borderpad=3, **place,
    )  # fmt: skip


def _categories(qids: Iterable[str]) -> list[str]:
    # An axis identifies queries by their text. If shortening makes two equal, zero-width characters
    # keep them apart.
    seen: dict[str, int] = {}
    categories = []
    for qid in qids:
        text = wording.plot_name(str(qid), 20)
        seen[text] = seen.get(text, -1) + 1
        categories.append(text + "\u200b" * seen[text])
    return categories


def _difference_title(measure: str, a: str, b: str) -> str:
    first, second = (f"{wording.plot_name(measure)}({wording.plot_name(x)})" for x in (a, b))
    # The text runs along the axis: long names get two lines, so that they don't leave the figure.
    long = len(measure) * 2 + len(a) + len(b) > 42
    return f"{first}<br>− {second}" if long else f"{first} − {second}"


def _hover_rows(pair: RunPair) -> list[list[str]]:
    # Engine names are escaped too: in the template, plotly would evaluate a name such as "%{y}".
    name_a, name_b = map(wording.plot_name, pair.labels)
    counts = pair.measure.counts
    columns = pair.values[["qid", "text", "a", "b", "difference"]]
    rows = []
    for qid, text, a, b, difference in columns.itertuples(index=False, name=None):
        paragraph = wording.plot_paragraph(None if pd.isna(text) else str(text))
        rows.append(
            [
                wording.plot_name(str(qid), 40),
                f"<br>{paragraph}" if paragraph else "",
                f"{name_a}: {wording.value(float(a), counts=counts)}",
                f"{name_b}: {wording.value(float(b), counts=counts)}",
                wording.difference(float(difference), counts=counts),
                # Not shown on hover: the query that a click on the bar opens.
                str(qid),
            ]
        )
    return rows


# One point per query, with b on the x axis and a on the y axis


def scatter(pair: RunPair, scheme: Scheme = "light") -> Figure:
    """Draw each query as a point; equal values are on the diagonal."""
    pairs, measure, labels, _ = pair
    if pairs.empty:
        return message(NO_QUERIES, scheme)
    token = TOKENS[scheme]
    (_, above), (_, below) = halves(pair, scheme)
    low, high = value_range(pairs[["a", "b"]].to_numpy(np.float64))
    signs = np.sign(pairs["difference"].to_numpy())
    figure = Figure(scheme)
    figure.add_scatter(
        x=[low, high], y=[low, high], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": token["zero"], "width": 1},
    )  # fmt: skip
    for sign, colour in ((1, above), (0, token["tie"]), (-1, below)):
        part = pairs[signs == sign]
        figure.add_scatter(
            x=part["b"].to_numpy(np.float64),
            y=part["a"].to_numpy(np.float64),
            customdata=[wording.plot_name(str(qid), 40) for qid in part["qid"]],
            mode="markers",
            marker={"color": colour, "size": 8 if len(pairs) <= MOST_BARS else 4},
            opacity=0.8,
            hovertemplate="<b>Query %{customdata}</b><br>%{y:.4f} and %{x:.4f}<extra></extra>",
            showlegend=False,
        )
    counts = [int((signs > 0).sum()), int((signs < 0).sum())]
    for (x, y, anchor), label, count, colour in zip(
        ((0.02, 0.98, "left"), (0.98, 0.02, "right")), labels, counts, (above, below), strict=True
    ):
        figure.add_annotation(
            text=f"{wording.plot_name(label)} higher: <b>{count:,}</b>",
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


def value_range(values: F64) -> tuple[float, float]:
    """The ends of an axis or a ramp of values: 0 to 1 if all values are within it, else wider."""
    return float(values.min(initial=0.0)), float(values.max(initial=1.0))


# A scatter of many queries: they are counted in squares, each a mark with an area for its count

MOST_POINTS = 1_000
"""The most queries that are drawn as single points."""
SQUARES = 25
"""The number of squares per side."""
LARGEST = 20
"""The width in pixels of the mark with the most queries."""


def binned(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the queries per square: x, y (the middle of a square), side (sign of a - b), queries.

    Queries above, below and on the diagonal are counted separately.
    """
    low, high = value_range(pairs[["a", "b"]].to_numpy(np.float64))
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


def binned_scatter(pair: RunPair, scheme: Scheme = "light") -> Figure:
    """Draw the result of `binned` in the frame of `scatter`."""
    figure = scatter(pair, scheme)
    counted = binned(pair.values)
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


# The mean differences with their intervals


def intervals(
    pairs: Sequence[Pair],
    positions: Mapping[str, int],
    settings: Settings,
    scheme: Scheme = "light",
) -> Figure:
    """Draw the mean difference of each pair and measure with its interval.

    `positions` has the number of each run. A filled marker means that the difference is shown after
    correction.
    """
    if not pairs:
        return message("There are no pairs to draw.", scheme)
    token, level = TOKENS[scheme], wording.level(settings.alpha)
    figure = Figure(scheme)
    for number, pair in enumerate(pairs):
        colour = series_colour(positions[pair.b], scheme)
        low, high = pair.interval
        if math.isfinite(low) and math.isfinite(high):
            line = {"color": colour, "width": 2.5}
            figure.add_scatter(
                x=[low, high], y=[number, number], mode="lines+markers", hoverinfo="skip",
                showlegend=False, line=line,
                marker={"symbol": "line-ns", "size": 10, "line": line},
            )  # fmt: skip
        words = "shown" if pair.is_shown else "not shown"
        interval = f"{wording.difference(low)} to {wording.difference(high)}"
        figure.add_scatter(
            x=[pair.difference],
            y=[number],
            mode="markers",
            customdata=[[interval, f"{pair.p_corrected[settings.test]:.4f}", words]],
            marker={
                "symbol": series_symbol(positions[pair.b]), "size": 10,
                "color": colour if pair.is_shown else token["surface"],
                "line": {"color": colour, "width": 2},
            },
            hovertemplate=(
                f"%{{x:+.4f}}<br>{level} interval %{{customdata[0]}}<br>"
                "p %{customdata[1]} after correction: %{customdata[2]}<extra></extra>"
            ),
            showlegend=False,
        )  # fmt: skip
    figure.add_vline(x=0, line={"color": token["zero"], "width": 1}, layer="below")
    figure.update_layout(hovermode="closest", height=90 + 30 * len(pairs), showlegend=False)
    figure.update_xaxes(title=f"Difference, {level} interval", tickformat="+.3~f")
    figure.update_yaxes(
        tickvals=list(range(len(pairs))),
        ticktext=[wording.plot_name(text, 60) for text in row_labels(pairs)],
        range=[len(pairs) - 0.4, -0.6],
        showgrid=False,
    )
    return figure


def row_labels(pairs: Sequence[Pair]) -> list[str]:
    """The row names of a figure of intervals, with measures only if they differ."""
    several = len({pair.measure for pair in pairs}) > 1
    return [
        f"{wording.name(pair.b, 22)} − {wording.name(pair.a, 22)}"
        f"{f', {pair.measure}' if several else ''}"
        for pair in pairs
    ]


# The distribution of the differences: bins, and the figure of them

MOST_DISTINCT = 60
"""The most different values of differences that get a bar each."""
BINS_A_SIDE = 20


class Bin(NamedTuple):
    """The number of queries with a difference from `low` to `high`, which may be equal."""

    low: float
    high: float
    queries: int


def bins(differences: Sequence[float]) -> list[Bin]:
    """Count the differences in bins, from the lowest up, without empty bins.

    Up to 60 different values are counted separately. More are put into 41 bins: 20 of equal width
    on each side, open at 0 and closed at the far end, and one for exactly 0.
    """
    values = np.round(np.asarray(differences, np.float64), 9) + 0.0
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= MOST_DISTINCT:
        return [Bin(v, v, c) for v, c in zip(distinct.tolist(), counts.tolist(), strict=True)]
    width = float(np.abs(values).max()) / BINS_A_SIDE
    # A quotient may exceed a whole number of widths by a rounding error.
    number = np.sign(values) * np.ceil(np.round(np.abs(values) / width, 9))
    numbers, counts = np.unique(number.astype(int), return_counts=True)
    return [
        Bin(width * min(n, n - np.sign(n)), width * max(n, n - np.sign(n)), c)
        for n, c in zip(numbers.tolist(), counts.tolist(), strict=True)
    ]


def distribution(pair: RunPair, *, scheme: Scheme = "light", chosen: str | None = None) -> Figure:
    """Draw the number of queries per difference; the bar of the query `chosen` has an outline."""
    pairs, measure, labels, _ = pair
    if pairs.empty:
        return message(NO_QUERIES, scheme)
    token = TOKENS[scheme]
    counted = bins(pairs["difference"].tolist())
    reach = max(max(abs(one.low), abs(one.high)) for one in counted) or 1.0
    above, below = halves(pair, scheme)
    middles = [(one.low + one.high) / 2 for one in counted]
    colours = [above[1] if x > 0 else below[1] if x < 0 else token["tie"] for x in middles]
    value = pairs.loc[pairs["qid"] == chosen, "difference"]
    holds = [len(value) > 0 and _holds(one, float(value.iloc[0])) for one in counted]
    figure = Figure(scheme)
    figure.add_bar(
        x=middles,
        y=[one.queries for one in counted],
        width=_width(middles, reach),
        customdata=[
            [_words(one, measure), wording.count(one.queries, "query", "queries")]
            for one in counted
        ],
        marker={
            "color": colours,
            "line": {"color": token["ink"], "width": [2 if h else 0 for h in holds]},
        },
        hovertemplate="%{customdata[0]}<br><b>%{customdata[1]}</b><extra></extra>",
        showlegend=False,
    )
    for (winner, colour), x, anchor, text in (
        (above, 0.99, "right", "<b>{}</b> {} →"),
        (below, 0.01, "left", "← <b>{}</b> {}"),
    ):
        words = text.format(wording.plot_name(winner), measure.better)
        _name_side(figure, words, colour, scheme, x=x, xanchor=anchor, y=1, yanchor="top")
    figure.update_layout(hovermode="closest", bargap=0)
    run, baseline = map(wording.plot_name, labels)
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
    """The smallest distance between two bars, or more if a bar would be too narrow to see."""
    gaps = [high - low for low, high in pairwise(middles)]
    usual = 2 * reach / (2 * BINS_A_SIDE + 1)
    return max(min([*gaps, usual]) * 0.9, reach / 100)


def _words(one: Bin, measure: MeasureInfo) -> str:
    low, high = (wording.difference(end, counts=measure.counts) for end in (one.low, one.high))
    return low if one.low == one.high else f"{low} to {high}"
