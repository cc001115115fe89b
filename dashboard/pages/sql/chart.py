"""A quick chart of two columns of an answer: a pure function to a plotly figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.components import wording
from dashboard.figures import figure as plain
from dashboard.figures import figures
from dashboard.pages.sql.table import Kind, kinds
from dashboard.theme import TOKENS, Scheme
from evalstore.sql.ask import Answer

NO_CHART = "none"
CHARTS = (NO_CHART, "bar", "line", "scatter")
MOST_TICKS = 40
"""Texts that are written along an axis; of more, some are left out."""
NUMERIC = ("integer", "number")


@dataclass(frozen=True)
class Axes:
    """The columns that a chart draws, as positions in the answer; None where there is none."""

    x: int | None
    y: int | None


def axes(answer: Answer, x: str = "", y: str = "") -> Axes:
    """The columns of these names, in `Answer.distinct_columns`.

    Unless it is named, y is the last column of numbers, and x the first other one.
    """
    names, types = answer.distinct_columns, kinds(answer)
    numbers = [n for n, kind in enumerate(types) if kind in NUMERIC]
    y_column = names.index(y) if y in names else None
    if y_column not in numbers:
        y_column = numbers[-1] if numbers else None
    others = [n for n in range(len(names)) if n != y_column]
    x_column = names.index(x) if x in names else next(iter(others), y_column)
    return Axes(x_column, y_column)


def chart(kind: str, answer: Answer, chosen: Axes, scheme: Scheme = "light") -> plain.Figure:
    """Draw a column of numbers against another column.

    Args:
        kind: `bar`, `line` or `scatter`.
        answer: the rows, drawn in their order; one in which x or y is NULL is left out.
        chosen: the columns.
        scheme: of the colours.
    """
    if chosen.x is None or chosen.y is None:
        return figures.message("No column of this answer holds numbers to draw.", scheme)
    x, y = chosen.x, chosen.y
    drawn = [row for row in answer.rows if row[x] is not None and row[y] is not None]
    if not drawn:
        return figures.message("No row of this answer has a value in both columns.", scheme)
    type_of_x = kinds(answer)[x]
    texts = [wording.plot_name(str(row[x]), 40) for row in drawn]
    in_place = type_of_x == "text" or (kind == "bar" and type_of_x not in NUMERIC)
    figure = plain.Figure(scheme, hovermode="closest")
    figure.add_trace(
        _trace(
            kind,
            x=list(range(len(drawn))) if in_place else [row[x] for row in drawn],
            y=[row[y] for row in drawn],
            customdata=[
                [text, wording.plot_name(str(row[y]))]
                for text, row in zip(texts, drawn, strict=True)
            ],
            colour=TOKENS[scheme]["accent"],
        )
    )
    names = [wording.plot_name(name) for name in answer.columns]
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=names[x], **(_ticks(texts) if in_place else {}))
    figure.update_yaxes(title=names[y], rangemode="tozero" if kind == "bar" else "normal")
    if not in_place:
        figure.update_xaxes(type=_axis_type(type_of_x))
    return figure


def label(kind: str, answer: Answer, chosen: Axes) -> str:
    """What a chart shows, for those who can't see it."""
    if chosen.x is None or chosen.y is None:
        return "There is nothing to draw"
    names = [wording.name(name) for name in answer.columns]
    rows = wording.count(len(answer.rows), "row")
    return f"A {kind} chart of {names[chosen.y]} by {names[chosen.x]}, {rows}"


def _trace(
    kind: str, *, x: Sequence[Any], y: Sequence[Any], customdata: Sequence[Any], colour: str
) -> Any:
    hover = "%{customdata[0]}<br>%{customdata[1]}<extra></extra>"
    shared = {"x": x, "y": y, "customdata": customdata, "hovertemplate": hover}
    if kind == "bar":
        return plain.bar(**shared, marker={"color": colour})
    if kind == "line":
        mode = "lines+markers" if len(x) <= 100 else "lines"
        return plain.scatter(**shared, mode=mode, line={"color": colour, "width": 2})
    marker = {"color": colour, "size": 8, "opacity": 0.7}
    return plain.scatter(**shared, mode="markers", marker=marker)


def _ticks(texts: Sequence[str]) -> dict[str, Any]:
    """Texts along an axis of numbers: one that stands twice among them has two places."""
    step = -(-len(texts) // MOST_TICKS)
    return {
        "tickmode": "array",
        "tickvals": list(range(0, len(texts), step)),
        "ticktext": list(texts[::step]),
    }


def _axis_type(kind: Kind) -> str:
    return "date" if kind == "time" else "linear"
