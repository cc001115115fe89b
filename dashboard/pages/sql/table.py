"""The answer of a statement as a grid, a file and a chart: pure functions.

Columns are identified by their position (`c0`): an answer may have two columns with the same name,
and names that a grid would read as a path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as time_of_day
from typing import Any, Literal

from dashboard.components import wording
from dashboard.components.elements import NATURAL, NUMBER_FILTER, Column, Row
from dashboard.figures.figure import Figure
from dashboard.figures.interactive import message
from dashboard.theme import TOKENS, Scheme
from evalstore.sql.ask import Answer
from evalstore.tables.table import Table, Value

Kind = Literal["integer", "number", "time", "text"]

LONGEST_TEXT = 2_000
"""The most characters of a value that are shown; the file has all of them."""
EXACT = 2**53
"""Browsers round whole numbers beyond this, so such numbers are sent as text."""
BYTES_SHOWN = 16
TIME_TEXT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")
"""A pattern for times as SQLite stores them."""


def kinds(answer: Answer) -> tuple[Kind, ...]:
    """The kind of each column; a column without any value is text."""
    return tuple(
        _kind([row[number] for row in answer.rows]) for number in range(len(answer.columns))
    )


def _kind(values: Sequence[Any]) -> Kind:
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, int | float) for value in present):
        return "integer" if all(isinstance(value, int) for value in present) else "number"
    if present and all(_is_time(value) for value in present):
        return "time"
    return "text"


def _is_time(value: Any) -> bool:
    return isinstance(value, datetime) or (
        isinstance(value, str) and TIME_TEXT.fullmatch(value) is not None
    )


def columns(answer: Answer) -> list[Column]:
    """The columns of the grid, in the order of the answer."""
    return [
        _column(number, name, kind)
        for number, (name, kind) in enumerate(zip(answer.columns, kinds(answer), strict=True))
    ]


def _column(number: int, name: str, kind: Kind) -> Column:
    header = wording.name(name, 40)
    column: Column = {
        "field": f"c{number}",
        "headerName": header,
        "headerTooltip": f"{wording.name(name, 400)} ({kind})",
        "tooltipField": f"c{number}",
        "cellClassRules": {"cell-null": "params.value === null"},
        "valueFormatter": {"function": f"sqlValue(params.value, '{kind}')"},
        "minWidth": 90,
    }
    if kind in ("integer", "number"):
        numeric = {"type": "numericColumn", "cellClass": "cell-number"}
        filtered = {"filter": "agNumberColumnFilter", "filterParams": NUMBER_FILTER}
        return {**column, **numeric, **filtered}
    return {
        **column,
        "filter": "agTextColumnFilter",
        "cellClass": "cell-text",
        "comparator": NATURAL,
    }


def rows(answer: Answer) -> list[Row]:
    """The rows of the grid."""
    return [
        {"id": str(at), **{f"c{number}": _shown(value) for number, value in enumerate(row)}}
        for at, row in enumerate(answer.rows)
    ]


def _shown(value: Any) -> str | int | float | None:
    """A value for the browser, as it can be written in JSON; long ones are cut."""
    if isinstance(value, bytes):
        more = "…" if len(value) > BYTES_SHOWN else ""
        return f"x'{value[:BYTES_SHOWN].hex()}{more}' ({wording.count(len(value), 'byte')})"
    if isinstance(value, str):
        if len(value) <= LONGEST_TEXT:
            return value
        return f"{value[:LONGEST_TEXT]}… ({len(value):,} characters)"
    if isinstance(value, datetime | date | time_of_day):
        return _time(value)
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= EXACT):
        return str(value)
    number: int | float | None = value
    return number


def _time(value: datetime | date | time_of_day) -> str:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")  # all times of a store are UTC
    return str(value)


def file_table(answer: Answer) -> Table:
    """The answer for a file; NULL is an empty cell, bytes are hexadecimal."""
    return Table.for_files(answer.columns, (tuple(map(_cell, row)) for row in answer.rows))


def _cell(value: Any) -> Value:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time_of_day):
        return _time(value)
    return value if isinstance(value, str | int | float) else None


# A quick chart of two columns of an answer: a pure function to a plotly figure

NO_CHART = "none"
CHARTS = (NO_CHART, "bar", "line", "scatter")
MOST_TICKS = 40
"""The most texts along an axis; if there are more, some are left out."""
NUMERIC = ("integer", "number")


@dataclass(frozen=True)
class Axes:
    """The columns of a chart, as positions in the answer; None if there is none."""

    x: int | None
    y: int | None


def axes(answer: Answer, x: str = "", y: str = "") -> Axes:
    """The columns with these names, from `Answer.distinct_columns`.

    By default y is the last column of numbers, and x the first other column.
    """
    names, types = answer.distinct_columns, kinds(answer)
    numbers = [n for n, kind in enumerate(types) if kind in NUMERIC]
    y_column = names.index(y) if y in names else None
    if y_column not in numbers:
        y_column = numbers[-1] if numbers else None
    others = [n for n in range(len(names)) if n != y_column]
    x_column = names.index(x) if x in names else next(iter(others), y_column)
    return Axes(x_column, y_column)


def chart(kind: str, answer: Answer, chosen: Axes, scheme: Scheme = "light") -> Figure:
    """Draw a column of numbers against another column, as `bar`, `line` or `scatter`.

    Rows are drawn in their order, except those in which x or y is NULL.
    """
    if chosen.x is None or chosen.y is None:
        return message("No column of this answer holds numbers to draw.", scheme)
    x, y = chosen.x, chosen.y
    drawn = [row for row in answer.rows if row[x] is not None and row[y] is not None]
    if not drawn:
        return message("No row of this answer has a value in both columns.", scheme)
    type_of_x = kinds(answer)[x]
    texts = [wording.plot_name(str(row[x]), 40) for row in drawn]
    in_place = type_of_x == "text" or (kind == "bar" and type_of_x not in NUMERIC)
    figure = Figure(scheme, hovermode="closest")
    colour = TOKENS[scheme]["accent"]
    values = {
        "x": list(range(len(drawn))) if in_place else [row[x] for row in drawn],
        "y": [row[y] for row in drawn],
        "customdata": [
            [text, wording.plot_name(str(row[y]))] for text, row in zip(texts, drawn, strict=True)
        ],
        "hovertemplate": "%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    }
    if kind == "bar":
        figure.add_bar(**values, marker={"color": colour})
    elif kind == "line":
        mode = "lines+markers" if len(drawn) <= 100 else "lines"
        figure.add_scatter(**values, mode=mode, line={"color": colour, "width": 2})
    else:
        marker = {"color": colour, "size": 8, "opacity": 0.7}
        figure.add_scatter(**values, mode="markers", marker=marker)
    names = [wording.plot_name(name) for name in answer.columns]
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=names[x], **(_ticks(texts) if in_place else {}))
    figure.update_yaxes(title=names[y], rangemode="tozero" if kind == "bar" else "normal")
    if not in_place:
        figure.update_xaxes(type="date" if type_of_x == "time" else "linear")
    return figure


def label(kind: str, answer: Answer, chosen: Axes) -> str:
    """A text description of a chart for screen readers."""
    if chosen.x is None or chosen.y is None:
        return "There is nothing to draw"
    names = [wording.name(name) for name in answer.columns]
    rows = wording.count(len(answer.rows), "row")
    return f"A {kind} chart of {names[chosen.y]} by {names[chosen.x]}, {rows}"


def _ticks(texts: Sequence[str]) -> dict[str, Any]:
    """Texts along an axis of numbers, so that a text that occurs twice has two positions."""
    step = -(-len(texts) // MOST_TICKS)
    return {
        "tickmode": "array",
        "tickvals": list(range(0, len(texts), step)),
        "ticktext": list(texts[::step]),
    }
