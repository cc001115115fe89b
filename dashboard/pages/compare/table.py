"""The table of the queries: pure functions to the columns, rows and CSV of a comparison.

The field of a column is an id of ours (`run_0`), never a name from the data: a grid reads `a.b` as
a path, and `__proto__` as the prototype of an object.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dashboard.address import encoded_part, linked
from dashboard.components import wording
from dashboard.components.grids import AS_SENT, Column, Row, formatter, ordered, text_column
from dashboard.pages.compare.filters import (
    DIFFERENCE,
    RUN,
    filtered,
    filters_of,
    orders_by_difference,
)
from dashboard.pages.compare.load import Comparison
from evalstore.catalog.names import natural
from evalstore.tables.delimited import guarded, row_writer

MOST_ROWS = 2_000
"""Rows that travel to the browser; filters and order choose them, files have all."""


def columns(comparison: Comparison) -> list[Column]:
    """Query id, text where there are any, the difference of the chosen pair, a column a run.

    Each says how the address has its order. The server sorts: not all rows are in the browser.
    """
    measure, address = comparison.measure, comparison.address
    now = filters_of(address, comparison.names).sort
    query = address.to("query", "q").only("runs", "base", "m", "qrels")
    qid = text_column(
        "qid",
        "Query",
        "The id of the query, which opens its rankings",
        initialPinned="left",
        initialWidth=96,
        cellRenderer="ComparedQuery",
        # The address of a query, less the part that each row has.
        cellRendererParams={
            "before": linked(query.path).removesuffix("q"),
            "after": query.search,
        },
        filter=False,
        sortingOrder=["asc", "desc"],
    )
    all_columns = [ordered(qid, "query", "-query", now)]
    if comparison.loaded.texts:
        text = text_column(
            "text", "Text", "What was asked", minWidth=110, initialFlex=1, filter=False
        )
        all_columns.append(ordered(text, "text", "-text", now))
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    difference = {
        "field": DIFFERENCE,
        "headerName": f"{run} − {base}",
        "headerTooltip": f"{measure.name} of {run} less {measure.name} of {base}",
        "type": "numericColumn",
        "valueFormatter": formatter("signed", counts=measure.counts),
        "cellClass": "cell-number",
        "cellClassRules": {"cell-tie": "params.value === 0"},
        "minWidth": 112,
        "initialWidth": 140,
    }
    all_columns.append(ordered(difference, *orders_by_difference(measure.higher_is_better), now))
    low, high = _range(comparison)
    better = {True: "max", False: "min", None: ""}[measure.higher_is_better]
    arrow = {True: " ↑", False: " ↓", None: ""}[measure.higher_is_better]
    for number, name in enumerate(comparison.names):
        order = f"{RUN}{name}"
        column = {
            "field": f"run_{number}",
            "colId": order,
            "headerName": f"{wording.name(name, 40)}{arrow}",
            "headerTooltip": f"{measure.name} of {wording.clean(name)}",
            "type": "numericColumn",
            "valueFormatter": formatter("plain", counts=measure.counts),
            "cellClass": "cell-number",
            "cellStyle": {"function": f"heat(params.value, {low!r}, {high!r})"},
            "cellClassRules": {"heat-best": f"isBest(params, '{better}')"} if better else {},
            "sortingOrder": ["desc", "asc", None],
            "minWidth": 100,
            "initialWidth": 110,
        }
        all_columns.append(ordered(column, order, f"-{order}", now))
    return [{**column, "comparator": AS_SENT} for column in all_columns]


def rows(comparison: Comparison) -> list[Row]:
    """A row for each judged query, in natural order; None where a run does not answer it.

    `part` is the query's id as its address has it; the query that is marked is `chosen`.
    """
    runs, name = comparison.loaded.runs, comparison.measure.name
    if not runs:
        return []
    values = np.array([np.where(run.answered, run.values[name], np.nan) for run in runs])
    pair = comparison.names.index(comparison.run)
    differences = np.round(values[pair] - values[0], 9)
    numbers = [[None if math.isnan(v) else v for v in row] for row in values.T.tolist()]
    texts, qids = comparison.loaded.texts, runs[0].qids
    table: list[Row] = []
    for position in sorted(range(len(qids)), key=lambda at: natural(qids[at])):
        qid, difference = qids[position], float(differences[position])
        row: Row = {
            "part": encoded_part(qid),
            "qid": qid,
            "text": texts.get(qid),
            DIFFERENCE: None if np.isnan(difference) else difference,
        }
        row.update({f"run_{number}": value for number, value in enumerate(numbers[position])})
        if qid == comparison.query:
            row["chosen"] = True
        table.append(row)
    return table


def shown_rows(comparison: Comparison) -> list[Row]:
    """The rows that the filters of the address leave, in their order."""
    return filtered(
        rows(comparison),
        filters_of(comparison.address, comparison.names),
        comparison.names,
        higher_is_better=comparison.measure.higher_is_better,
    )


def wide_csv(comparison: Comparison, table: Sequence[Row]) -> str:
    """A row a query, with full precision. Texts that a spreadsheet would compute are guarded."""
    header = ["qid", "query", f"{comparison.run} − {comparison.baseline}", *comparison.names]
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow([guarded(text) for text in header])
    for row in table:
        cells = [row[DIFFERENCE], *_values(row, comparison)]
        writer.writerow([*_texts(row), *map(_exact, cells)])
    return stream.getvalue()


def long_csv(comparison: Comparison, table: Sequence[Row]) -> str:
    """A row for each query and run: its value, and the difference to the baseline's."""
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow(["qid", "query", "run", "measure", "value", "baseline", "difference"])
    for row in table:
        values = _values(row, comparison)
        for name, value in zip(comparison.names, values, strict=True):
            both = value is not None and values[0] is not None
            difference = round(value - values[0], 9) if both else None
            names = map(guarded, (name, comparison.measure.name))
            writer.writerow(
                [*_texts(row), *names, _exact(value), guarded(comparison.baseline),
                 _exact(difference)]
            )  # fmt: skip
    return stream.getvalue()


def _range(comparison: Comparison) -> tuple[float, float]:
    """The least and the greatest value of the table, 0 and 1 among them where values are shares."""
    values = [run.values[comparison.measure.name][run.answered] for run in comparison.loaded.runs]
    every = np.concatenate([*values, [0.0]])
    high = float(every.max())
    return float(every.min()), 1.0 if high <= 1 else high


def _values(row: Row, comparison: Comparison) -> list[Any]:
    return [row[f"run_{number}"] for number in range(len(comparison.names))]


def _texts(row: Row) -> list[str]:
    return [guarded(row["qid"]), guarded(row["text"] or "")]


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)
