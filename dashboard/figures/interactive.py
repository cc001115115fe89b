"""Further figures of a comparison: pure functions from a DataFrame to a plotly Figure.

Names and texts reach plotly as in `figures.figures`. A run's number gives its colour and marker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
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
