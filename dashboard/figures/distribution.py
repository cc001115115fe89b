"""How often which difference occurs: bins, and the figure of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
from dashboard.figures import figure as plain
from dashboard.figures import figures
from dashboard.theme import TOKENS, Scheme

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
