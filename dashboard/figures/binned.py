"""A scatter of many queries: counted in squares, each a mark with an area of its count."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
from dashboard.figures import figure as plain
from dashboard.figures.interactive import scatter, value_range
from dashboard.theme import TOKENS, Scheme

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
