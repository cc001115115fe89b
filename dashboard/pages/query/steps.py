"""The recall-precision steps of one query: a pure function to a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.components import wording
from dashboard.figures import figure as plain
from dashboard.figures import figures
from dashboard.theme import Scheme, series_colour, series_dash, series_symbol

UNIT_AXIS = {"range": [-0.02, 1.03], "tick0": 0, "dtick": 0.1, "tickformat": ".1f"}


@dataclass(frozen=True)
class Steps:
    """The ranking of a run, as far as the curve needs it.

    Attributes:
        name: of the run.
        slot: of its colour and mark.
        ranks: of the relevant documents, ascending.
        relevant: how many are known.
        levels: interpolated precision at recall 0, 0.1, ..., 1.
    """

    name: str
    slot: int
    ranks: Sequence[int]
    relevant: int
    levels: Sequence[float]


def points(steps: Steps) -> tuple[list[float], list[float]]:
    """Recall and precision at the rank of each relevant document."""
    counts = range(1, len(steps.ranks) + 1)
    recall = [number / steps.relevant for number in counts]
    return recall, [number / rank for number, rank in zip(counts, steps.ranks, strict=True)]


def envelope(steps: Steps) -> tuple[list[float], list[float]]:
    """The corners of the interpolated curve, from recall 0 to 1.

    At each recall the highest precision at this recall or a higher one; 0 where the ranking never
    gets so far.
    """
    recall, precision = points(steps)
    highest = 0.0
    heights = []
    for value in reversed(precision):
        highest = max(highest, value)
        heights.append(highest)
    heights.reverse()
    xs, ys = [0.0, *recall], [heights[0] if heights else 0.0, *heights]
    if xs[-1] < 1:
        xs.append(1.0)
        ys.append(0.0)
    return xs, ys


def recall_precision_steps(runs: Sequence[Steps], scheme: Scheme = "light") -> plain.Figure:
    """Draw the interpolated curve of each run as steps, its 11 levels, and the raw points.

    A level has the mark of the run; a raw point is a small dot, at a relevant document.
    """
    if not runs or not runs[0].relevant:
        return figures.message(
            "No document is known to be relevant to this query, so it has no curve.", scheme
        )
    figure = plain.Figure(scheme)
    for steps in runs:
        colour, name = series_colour(steps.slot, scheme), wording.plot_name(steps.name)
        group = f"run {steps.slot}"
        xs, ys = envelope(steps)
        figure.add_trace(
            plain.scatter(
                x=xs,
                y=ys,
                mode="lines",
                line={
                    "color": colour,
                    "width": 2,
                    "dash": series_dash(steps.slot),
                    # Between two relevant documents the height is that of the second.
                    "shape": "vh",
                },
                legendgroup=group,
                showlegend=False,
                hoverinfo="skip",
            )
        )
        figure.add_trace(
            plain.scatter(
                x=[level / 10 for level in range(len(steps.levels))],
                y=list(steps.levels),
                mode="markers",
                name=name,
                marker={"symbol": series_symbol(steps.slot), "size": 9, "color": colour},
                legendgroup=group,
                cliponaxis=False,
                hovertemplate="at recall %{x:.1f}: %{y:.4f}",
            )
        )
        recall, precision = points(steps)
        figure.add_trace(
            plain.scatter(
                x=recall,
                y=precision,
                mode="markers",
                name=name,
                marker={"symbol": "circle", "size": 5, "color": colour, "opacity": 0.6},
                customdata=[f"{rank:,}" for rank in steps.ranks],
                legendgroup=group,
                showlegend=False,
                cliponaxis=False,
                hovertemplate="rank %{customdata}: recall %{x:.4f}, precision %{y:.4f}",
            )
        )
    named = len(runs) <= figures.MOST_IN_LEGEND
    figure.update_layout(hovermode="closest", showlegend=named, hoverlabel={"namelength": -1})
    figure.update_xaxes(title="Recall", **UNIT_AXIS)
    figure.update_yaxes(title="Precision", **UNIT_AXIS)
    return figure
