"""The answer of a statement as a grid, a file and a chart: pure functions.

Columns are identified by their position (`c0`): an answer may have two columns with the same name,
and names that a grid would read as a path.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as time_of_day
from types import MappingProxyType
from typing import Any, Literal

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.elements import NATURAL, NUMBER_FILTER, Column, Row
from dashboard.figures.figure import Figure
from dashboard.figures.interactive import MOST_IN_LEGEND, message
from dashboard.theme import SLOTS, TOKENS, Scheme, series_colour, series_dash, series_symbol
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


def columns(answer: Answer, collection: str | None = None) -> list[Column]:
    """The columns of the grid, in the order of the answer; some link to runs and queries.

    `collection` is that of rows which name none.
    """
    given = [
        _column(number, name, kind)
        for number, (name, kind) in enumerate(zip(answer.columns, kinds(answer), strict=True))
    ]
    has_collection = "collection" in answer.columns
    for number, name in enumerate(answer.columns):
        if name in LINKED and (has_collection or collection is not None):
            given[number] |= _linked(number)
            if not has_collection:
                tooltip = f"{given[number]['headerTooltip']} in {wording.name(collection or '')}"
                given[number]["headerTooltip"] = tooltip
    return given


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


def rows(answer: Answer, collection: str | None = None) -> list[Row]:
    """The rows of the grid; `collection` is that of rows which name none."""
    links = LINKED.keys() & set(answer.columns)
    return [
        {
            "id": str(at),
            **{f"c{number}": _shown(value) for number, value in enumerate(row)},
            **(_hrefs(answer.columns, row, collection) if links else {}),
        }
        for at, row in enumerate(answer.rows)
    ]


# Links to runs and queries

LINKED = {"run": "run", "qid": "query"}
"""The page to which the values of a column lead, by the name of the column."""


def _linked(number: int) -> Column:
    return {"cellRenderer": "SqlLink", "cellRendererParams": {"link": f"href{number}"}}


def _hrefs(names: Sequence[str], row: Sequence[Any], collection: str | None) -> Row:
    """The links of a row, by `href` and the number of the column.

    They keep the judgments of the row, and a query shows the run of the row.
    """
    first = dict(reversed([*zip(names, row, strict=True)]))
    where = first.get("collection", collection)
    if not _is_name(where):
        return {}
    of_row = {name: (first[name],) for name in ("run", "qrels") if _is_name(first.get(name))}
    kept = {"qrels": of_row.get("qrels", ())}
    shown = {"run": kept, "qid": {"runs": of_row.get("run", ()), **kept}}
    return {
        f"href{number}": Address(LINKED[name], where, value, shown[name]).href
        for number, (name, value) in enumerate(zip(names, row, strict=True))
        if name in LINKED and _is_name(value)
    }


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT


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


# A quick chart of columns of an answer: a pure function to a plotly figure

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
    colour: int | None = None


def axes(answer: Answer, x: str = "", y: str = "", colour: str = "") -> Axes:
    """The columns with these names, from `Answer.distinct_columns`.

    By default y is the last column of numbers, better one with decimals than one that counts; x is
    the first other column, better one without equal values; and all has one colour.
    """
    names, types = answer.distinct_columns, kinds(answer)
    numbers = [n for n, kind in enumerate(types) if kind in NUMERIC]
    y_column = names.index(y) if y in names else None
    if y_column not in numbers:
        y_column = max(numbers, key=lambda n: (types[n] == "number", n), default=None)
    others = [n for n in range(len(names)) if n != y_column]
    unlike = [n for n in others if len({row[n] for row in answer.rows}) == len(answer.rows)]
    x_column = names.index(x) if x in names else next(iter([*unlike, *others]), y_column)
    return Axes(x_column, y_column, names.index(colour) if colour in names else None)


@dataclass(frozen=True)
class Drawn:
    """The rows that a chart draws, in their order, and the others.

    Attributes:
        rows: each row with the number of its series.
        series: the value of each series in the column of colours, as text.
        left_out: the values beyond the number of colours.
        without_value: the number of rows in which x or y is NULL.
    """

    rows: Sequence[tuple[int, Sequence[Any]]]
    series: Sequence[str]
    left_out: Sequence[str]
    without_value: int


def drawn_rows(answer: Answer, x: int, y: int, colour: int | None) -> Drawn:
    """The rows that a chart of these columns draws; the values that come first get the colours."""
    present = [row for row in answer.rows if row[x] is not None and row[y] is not None]
    values = ["" if colour is None else _series_text(row[colour]) for row in present]
    series = list(dict.fromkeys(values))
    numbers = {value: number for number, value in enumerate(series[:SLOTS])}
    return Drawn(
        [(numbers[v], row) for v, row in zip(values, present, strict=True) if v in numbers],
        series[:SLOTS],
        series[SLOTS:],
        len(answer.rows) - len(present),
    )


def _series_text(value: Any) -> str:
    return "NULL" if value is None else str(_shown(value))


def chart(
    kind: str,
    answer: Answer,
    chosen: Axes,
    scheme: Scheme = "light",
    slots: Mapping[str, int] = MappingProxyType({}),
) -> Figure:
    """Draw a column of numbers against another column, as `bar`, `line` or `scatter`.

    Rows are drawn in their order. Each value of the column of colours is a series. `slots` are the
    slots of all series that are runs or engines; other series get slots in their order.
    """
    if chosen.x is None or chosen.y is None:
        return message("No column of this answer holds numbers to draw.", scheme)
    x, y = chosen.x, chosen.y
    drawn = drawn_rows(answer, x, y, chosen.colour)
    if not drawn.rows:
        return message("No row of this answer has a value in both columns.", scheme)
    type_of_x = kinds(answer)[x]
    in_place = type_of_x == "text" or (kind == "bar" and type_of_x not in NUMERIC)
    places, texts = _places(drawn.rows, x, shared=kind == "scatter")
    figure = Figure(scheme, hovermode="closest")
    for number, text in enumerate(drawn.series):
        here = [at for at, (series, _) in enumerate(drawn.rows) if series == number]
        of_series = [drawn.rows[at][1] for at in here]
        name, slot = wording.plot_name(text), slots.get(text, number)
        values = {
            "name": name,
            "x": [places[at] for at in here] if in_place else [row[x] for row in of_series],
            "y": [row[y] for row in of_series],
            "customdata": [
                [wording.plot_name(str(row[x]), 40), wording.plot_name(str(row[y])), name]
                for row in of_series
            ],
            "hovertemplate": "%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
        }
        colour = TOKENS[scheme]["accent"]
        marker: dict[str, Any] = {}
        if chosen.colour is not None:
            colour, marker["symbol"] = series_colour(slot, scheme), series_symbol(slot)
            values["hovertemplate"] = f"%{{customdata[2]}}<br>{values['hovertemplate']}"
        if kind == "bar":
            figure.add_bar(**values, marker={"color": colour})
        elif kind == "line":
            mode = "lines+markers" if len(of_series) <= 100 else "lines"
            line = {"color": colour, "width": 2, "dash": series_dash(slot)}
            figure.add_scatter(**values, mode=mode, line=line, marker=marker)
        else:
            marker |= {"color": colour, "size": 8, "opacity": 0.7}
            figure.add_scatter(**values, mode="markers", marker=marker)
    names = [wording.plot_name(name) for name in answer.columns]
    figure.update_layout(showlegend=1 < len(drawn.series) <= MOST_IN_LEGEND)
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
    coloured = "" if chosen.colour is None else f", in colours of {names[chosen.colour]}"
    return f"A {kind} chart of {names[chosen.y]} by {names[chosen.x]}{coloured}, {rows}"


def _places(
    drawn: Sequence[tuple[int, Sequence[Any]]], x: int, *, shared: bool
) -> tuple[list[int], list[str]]:
    """The place of each row along an axis of texts, and the text at each place.

    Rows of several series share the place of a text; those of one series have a place each, unless
    all rows of a text are `shared`, as points can be.
    """
    seen: Counter[tuple[int, str]] = Counter()
    keys = []
    for series, row in drawn:
        text = str(row[x])
        keys.append((text, 0 if shared else seen[series, text]))
        seen[series, text] += 1
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return [places[key] for key in keys], [wording.plot_name(text, 40) for text, _ in places]


def _ticks(texts: Sequence[str]) -> dict[str, Any]:
    """Texts along an axis of numbers, so that a text that occurs twice has two positions."""
    step = -(-len(texts) // MOST_TICKS)
    return {
        "tickmode": "array",
        "tickvals": list(range(0, len(texts), step)),
        "ticktext": list(texts[::step]),
    }
