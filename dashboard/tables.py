"""The grids and their CSV: pure functions from DataFrames to columns, rows and text.

They use no app and no store. The field of a column is an id of ours (`m0`, `run_12`), never a name
from the data: a grid reads `a.b` as a path, and `__proto__` as the prototype of an object.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard import wording
from dashboard.links import RunLink
from dashboard.measure_info import MeasureInfo
from evalstore.exports.best import best
from evalstore.exports.delimited import guarded

Column = dict[str, Any]
Row = dict[str, Any]


def leaderboard_columns(
    measures: Sequence[MeasureInfo], queries: int, *, unjudged: bool = False
) -> list[Column]:
    """Return the columns of the leaderboard: a column per measure, sorted by the first of them.

    `queries` is how many queries the qrels judges. `unjudged` adds a column for the queries that
    runs answer beside these.
    """
    # The quick filter searches them all; buttons in the headers would take a phone's whole width.
    first = [
        _text_column("engine", "Engine", "The retrieval system", pinned="left", width=128),
        _text_column(
            "run",
            "Run",
            "Its ranked answers to the queries; “values only” are values without rankings",
            minWidth=100,
            flex=1,
        ),
    ]
    values = [
        _value_column(f"m{index}", measure, sort=_best_first(measure) if index == 0 else None)
        for index, measure in enumerate(measures)
    ]
    for column, measure in zip(values, measures, strict=True):
        words = measure.aggregate_words(queries)
        column["headerTooltip"] += f" The figure: {words}."
    last = [
        {
            "field": "answered",
            "headerName": "Answered",
            "headerTooltip": f"How many of the {queries:,} judged queries the run answers. Every "
            "figure is over all of them: one without an answer counts as an empty ranking.",
            "type": "numericColumn",
            "valueFormatter": {"function": f"countOf(params.value, {int(queries)})"},
            "cellClass": "cell-number",
            "cellClassRules": {"cell-warn": f"params.value < {int(queries)}"},
            "width": 110,
        },
        *([_unjudged_column()] if unjudged else []),
        _text_column("experiment", "Experiment", "The group of runs it belongs to", width=150),
        _text_column("date", "Date", "When it was ingested (UTC)", width=120),
    ]
    return [{**column, "filter": False} for column in [*first, *values, *last]]


def leaderboard_rows(
    runs: pd.DataFrame, values: pd.DataFrame, measures: Sequence[MeasureInfo]
) -> list[Row]:
    """Return the rows of the leaderboard; `m0_best` marks the best value of `m0`, see `best`.

    Runs that came as values, without rankings, say so behind their name.
    """
    rows: list[Row] = []
    for run in runs.to_dict("records"):
        rows.append(
            {
                "id": str(run["run_id"]),
                "link": str(RunLink.of(int(run["run_id"]), str(run["content_hash"]))),
                "engine": str(run["engine"]),
                "run": f"{run['run']}{' (values only)' if run['values_only'] else ''}",
                "experiment": _text_or_none(run["experiment"]),
                "date": "" if pd.isna(run["date"]) else f"{run['date']:%Y-%m-%d}",
                "answered": int(run["judged_answered"]),
                "unjudged": int(run["queries_answered"]) - int(run["judged_answered"]),
            }
        )
    for index, measure in enumerate(measures):
        column = [_value_or_none(values, int(row["id"]), measure.name) for row in rows]
        best_rows = best(column, measure.higher_is_better)
        for position, (row, number) in enumerate(zip(rows, column, strict=True)):
            row[f"m{index}"] = number
            row[f"m{index}_best"] = position in best_rows
    return rows


def query_columns(
    labels: Mapping[int, str], measure: MeasureInfo, pair: tuple[str, str], *, texts: bool = True
) -> list[Column]:
    """Return the columns of the per-query table: qid, text, a column per engine, A − B.

    Without `texts` (a collection whose queries came as ids alone) there is no column for them.
    """
    columns = [_text_column("qid", "Query", "The id of the query (qid)", pinned="left", width=110)]
    if texts:
        columns.append(_text_column("text", "Text", "What was asked", minWidth=180, flex=1))
    for run_id, label in labels.items():
        column = _value_column(f"run_{int(run_id)}", measure)
        column["headerName"] = wording.name(label, 60)
        column["headerTooltip"] = f"{measure.name} of {wording.clean(label)}"
        column["filter"] = "agNumberColumnFilter"
        column["wrapHeaderText"] = True
        column["autoHeaderHeight"] = True
        column["minWidth"] = 130
        column["flex"] = 0.35
        columns.append(column)
    a, b = (wording.name(label, 24) for label in pair)
    columns.append(
        {
            "field": "difference",
            "headerName": f"{a} − {b}",
            "headerTooltip": f"{measure.name} of {a} less {measure.name} of {b}",
            "type": "numericColumn",
            "filter": "agNumberColumnFilter",
            "valueFormatter": _formatter("signed", measure),
            "cellClass": "cell-number",
            "cellClassRules": {"cell-tie": "params.value === 0"},
            "wrapHeaderText": True,
            "autoHeaderHeight": True,
            "minWidth": 150,
            "flex": 0.4,
        }
    )
    return columns


def query_rows(values: pd.DataFrame, pairs: pd.DataFrame, measure: MeasureInfo) -> list[Row]:
    """Return the rows of the per-query table, in the order of `pairs`.

    `values` is indexed by qid with a column per run id; `run_1_best` marks the best of a row, see
    `best`.
    """
    run_ids = [int(str(run_id)) for run_id in values.columns]
    by_query = values.reindex(pairs["qid"]).to_numpy(dtype=float)
    rows: list[Row] = []
    for position, (qid, text, difference) in enumerate(
        pairs[["qid", "text", "difference"]].itertuples(index=False, name=None)
    ):
        numbers = [None if pd.isna(number) else float(number) for number in by_query[position]]
        best_columns = best(numbers, measure.higher_is_better)
        row: Row = {
            "id": str(position),
            "qid": str(qid),
            "text": _text_or_none(text),
            "difference": None if pd.isna(difference) else float(difference),
        }
        for column, (run_id, number) in enumerate(zip(run_ids, numbers, strict=True)):
            row[f"run_{run_id}"] = number
            row[f"run_{run_id}_best"] = column in best_columns
        rows.append(row)
    return rows


def leaderboard_csv(
    runs: pd.DataFrame, values: pd.DataFrame, measures: Sequence[MeasureInfo], queries: int
) -> str:
    """Return the leaderboard as CSV, with full precision. Texts are guarded, see `guarded`.

    `judged_queries` is how many queries the figures are over, `judged_answered` how many of them
    the run answers, and `unjudged_answered` how many queries beside them, which count nowhere;
    `values_only` whether the run came as values, without rankings.
    """
    header = ["engine", "run", "experiment", "date"]
    header += ["judged_queries", "judged_answered", "unjudged_answered", "values_only"]
    lines: list[list[object]] = [[*header, *(guarded(measure.name) for measure in measures)]]
    for run in runs.to_dict("records"):
        lines.append(
            [
                guarded(str(run["engine"])),
                guarded(str(run["run"])),
                guarded(_text_or_none(run["experiment"]) or ""),
                "" if pd.isna(run["date"]) else f"{run['date']:%Y-%m-%dT%H:%M:%SZ}",
                queries,
                int(run["judged_answered"]),
                int(run["queries_answered"]) - int(run["judged_answered"]),
                "true" if run["values_only"] else "false",
                *(
                    _number(_value_or_none(values, int(run["run_id"]), measure.name))
                    for measure in measures
                ),
            ]
        )
    return _csv(lines)


def queries_csv(
    values: pd.DataFrame,
    pairs: pd.DataFrame,
    labels: Mapping[int, str],
    pair: tuple[str, str],
) -> str:
    """Return every row of the per-query table as CSV, with full precision.

    Texts are guarded, see `guarded`.
    """
    run_ids = list(labels)
    names = [guarded(labels[run_id]) for run_id in run_ids]
    lines: list[list[object]] = [["qid", "query", *names, guarded(f"{pair[0]} − {pair[1]}")]]
    by_query = values[run_ids].reindex(pairs["qid"]).to_numpy(dtype=float)
    for position, (qid, text, difference) in enumerate(
        pairs[["qid", "text", "difference"]].itertuples(index=False, name=None)
    ):
        numbers = [_number(None if pd.isna(x) else float(x)) for x in by_query[position]]
        last = _number(None if pd.isna(difference) else float(difference))
        lines.append([guarded(str(qid)), guarded(_text_or_none(text) or ""), *numbers, last])
    return _csv(lines)


def _csv(lines: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue()


def _number(number: float | None) -> str:
    # repr is the shortest text that reads back as the same double.
    if number is None:
        return ""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _text_or_none(text: Any) -> str | None:
    return None if pd.isna(text) else str(text)


def _value_or_none(values: pd.DataFrame, run_id: int, measure: str) -> float | None:
    if measure not in values.columns or run_id not in values.index:
        return None
    number: Any = values.at[run_id, measure]
    return None if pd.isna(number) else float(number)


def _unjudged_column() -> Column:
    return {
        "field": "unjudged",
        "headerName": "Not judged",
        "headerTooltip": "How many queries the run answers that the qrels does not judge: they "
        "are in no figure.",
        "type": "numericColumn",
        "valueFormatter": {"function": "plainValue(params.value, true)"},
        "cellClass": "cell-number",
        "width": 120,
    }


def _best_first(measure: MeasureInfo) -> str:
    return "asc" if measure.higher_is_better is False else "desc"


def _text_column(field: str, header: str, tooltip: str, **more: Any) -> Column:
    return {
        "field": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "tooltipField": field,
        "filter": "agTextColumnFilter",
        # Names may run in either direction; each cell finds its own.
        "cellClass": "cell-text",
        **more,
    }


def _value_column(field: str, measure: MeasureInfo, sort: str | None = None) -> Column:
    column: Column = {
        "field": field,
        "headerName": measure.name,
        "headerTooltip": measure.help,
        "type": "numericColumn",
        "valueFormatter": _formatter("plain", measure),
        "cellRenderer": "MeasureValue",
        "cellClass": "cell-number",
        "cellClassRules": {"cell-best": f"params.data.{field}_best"},
        "sortingOrder": ["desc", "asc", None],
        "width": 100,
    }
    if sort:
        column["sort"] = sort
    return column


def _formatter(kind: str, measure: MeasureInfo) -> dict[str, str]:
    counts = "true" if measure.counts else "false"
    return {"function": f"{kind}Value(params.value, {counts})"}
