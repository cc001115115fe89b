"""The table of the queries: pure functions to the columns, rows and CSV of a comparison.

The field of a column is an id of ours (`run_0`), never a name from the data: a grid reads `a.b` as
a path, and `__proto__` as the prototype of an object.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from dashboard import wording
from dashboard.comparison.load import Comparison
from dashboard.grids import Column, Row, formatter, text_column, value_column
from dashboard.plots.frames import pair_values
from evalstore.exports.best import best
from evalstore.exports.delimited import guarded, row_writer
from evalstore.usecases.names import natural


def columns(comparison: Comparison) -> list[Column]:
    """Query id, text where there are any, the difference of the chosen pair, a column a run."""
    measure = comparison.measure
    all_columns = [text_column("qid", "Query", "The id of the query", pinned="left", width=110)]
    if comparison.loaded.texts:
        all_columns.append(text_column("text", "Text", "What was asked", minWidth=160, flex=1))
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    all_columns.append(
        {
            "field": "difference",
            "headerName": f"{run} − {base}",
            "headerTooltip": f"{measure.name} of {run} less {measure.name} of {base}",
            "type": "numericColumn",
            "filter": "agNumberColumnFilter",
            "valueFormatter": formatter("signed", counts=measure.counts),
            "cellClass": "cell-number",
            "cellClassRules": {"cell-tie": "params.value === 0"},
            "minWidth": 140,
        }
    )
    for number, name in enumerate(comparison.names):
        column = value_column(f"run_{number}", measure)
        column["headerName"] = wording.name(name, 40)
        column["headerTooltip"] = f"{measure.name} of {wording.clean(name)}"
        all_columns.append({**column, "minWidth": 110})
    return all_columns


def rows(comparison: Comparison) -> list[Row]:
    """A row for each judged query, in natural order; None where a run does not answer it."""
    runs, name = comparison.loaded.runs, comparison.measure.name
    if not runs:
        return []
    values = np.array([np.where(run.answered, run.values[name], np.nan) for run in runs])
    pair = comparison.names.index(comparison.run)
    differences = np.round(values[pair] - values[0], 9)
    table: list[Row] = []
    for position in sorted(range(len(runs[0].qids)), key=lambda at: natural(runs[0].qids[at])):
        qid = runs[0].qids[position]
        numbers = [None if np.isnan(v) else float(v) for v in values[:, position]]
        best_runs = best(numbers, comparison.measure.higher_is_better)
        row: Row = {
            "id": qid,
            "qid": qid,
            "text": comparison.loaded.texts.get(qid),
            "difference": None if np.isnan(differences[position]) else float(differences[position]),
            "href": comparison.address.to("query", qid).only("runs", "base", "m", "qrels").href,
        }
        for number, value in enumerate(numbers):
            row[f"run_{number}"] = value
            row[f"run_{number}_best"] = number in best_runs
        table.append(row)
    return table


def wide_csv(comparison: Comparison) -> str:
    """The same table with full precision. Texts that a spreadsheet would compute are guarded."""
    header = ["qid", "query", f"{comparison.run} − {comparison.baseline}", *comparison.names]
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow([guarded(text) for text in header])
    for row in rows(comparison):
        numbers = [row[f"run_{number}"] for number in range(len(comparison.names))]
        cells = [row["difference"], *numbers]
        texts = [guarded(row["qid"]), guarded(row["text"] or "")]
        writer.writerow([*texts, *("" if cell is None else repr(cell) for cell in cells)])
    return stream.getvalue()


def pair_frame(comparison: Comparison) -> Any:
    """The chosen pair by query, as figures take it: a is the run, b the baseline."""
    runs = {run.name: run for run in comparison.loaded.runs}
    return pair_values(
        runs[comparison.run],
        runs[comparison.baseline],
        comparison.measure.name,
        comparison.loaded.texts,
    )
