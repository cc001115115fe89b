"""The answer of a statement as a grid and as a file: pure functions.

A column is named by its position (`c0`): an answer may have two columns of one name, and names
that a grid would read as a path.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from datetime import time as time_of_day
from typing import Any, Literal

from dashboard.components import wording
from dashboard.components.grids import NATURAL, NUMBER_FILTER, Column, Row
from evalstore.sql.ask import Answer
from evalstore.tables.delimited import guarded, row_writer

Kind = Literal["integer", "number", "time", "text"]

LONGEST_TEXT = 2_000
"""Characters of a value that are shown; the file has all of them."""
EXACT = 2**53
"""Beyond it a browser rounds whole numbers: they travel as text."""
BYTES_SHOWN = 16
TIME_TEXT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")
"""How SQLite gives a time."""


def kinds(answer: Answer) -> tuple[Kind, ...]:
    """What each column holds; a column without any value is text."""
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
    """A value as it travels to the browser, in JSON; long ones are cut."""
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


def csv_text(answer: Answer) -> str:
    """The answer as CSV with every digit; NULL is an empty cell, bytes are hexadecimal.

    Texts that a spreadsheet would take for a formula get an apostrophe in front.
    """
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow([guarded(name) for name in answer.columns])
    for row in answer.rows:
        writer.writerow([_cell(value) for value in row])
    return stream.getvalue()


def _cell(value: Any) -> str | int | float | None:
    if isinstance(value, str):
        return guarded(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time_of_day):
        return _time(value)
    return value if isinstance(value, int | float) else None
