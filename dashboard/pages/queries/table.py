"""The table of the queries: pure functions to the columns, rows and CSV of the Queries page.

The field of a column is an id of ours (`run_0`), never a name from the data.
"""

from __future__ import annotations

import io
from typing import Any

from dashboard.address import Address, linked
from dashboard.components import wording
from dashboard.components.elements import (
    NUMBER_FILTER,
    Column,
    Row,
    formatter,
    ordered,
    text_column,
)
from dashboard.pages.queries.load import COLUMNS, DECIDES, DECIMALS, DIFFERENCE, RUN, Queries
from evalstore.tables.renderers import guarded, row_writer

LONGEST_TEXT = 160
KEPT = ("qrels", "m", "base")
"""The parameters that the page of a query takes over."""


def columns(queries: Queries) -> list[Column]:
    """Query, text, relevant documents, median, spread, the difference, and a column a run."""
    address = queries.address
    of_page = address.only(*KEPT)
    all_columns = [
        text_column(
            "qid", "Query", "The id of the query", initialPinned="left", initialWidth=104,
            filter=False, cellRenderer="QueryLink",
            cellRendererParams=_link(of_page.changed(runs=address.all("runs"))),
        ),
    ]  # fmt: skip
    if queries.difficulty.texts:
        # The search of the page looks in ids and texts.
        text = text_column(
            "text", "Text", "What was asked", minWidth=200, initialFlex=1, filter=False
        )
        all_columns.append(text)
    all_columns.append(
        _number(
            "rel", COLUMNS["rel"], "How many documents are judged relevant", counts=True, width=84
        )
    )
    counts = queries.measure.counts
    runs = wording.count(len(queries.names), "run")
    median = f"The median of the values of the {runs} shown"
    all_columns.append(_number("median", COLUMNS["median"], median, counts=counts))
    spread = f"The highest value of the {runs} shown less the lowest"
    all_columns.append(_number("spread", COLUMNS["spread"], spread, counts=counts))
    if queries.show == DECIDES and queries.pair is not None:
        run, base = (wording.name(name, 24) for name in queries.pair)
        title = f"{queries.measure.name} of {run} less that of {base}"
        header = queries.headers[DIFFERENCE]
        column = _number(DIFFERENCE, header, title, counts=counts, width=140)
        all_columns.append({**column, "valueFormatter": formatter("signed", counts=counts)})
    for number, one in enumerate(queries.difficulty.runs):
        all_columns.append(_run_column(queries, number, one.name, of_page, one.values_only))
    return [_ordered(column, queries.sort) for column in all_columns]


def _ordered(column: Column, now: str) -> Column:
    key = str(column.get("colId", column["field"]))
    return ordered(column, key, f"-{key}", now)


def rows(queries: Queries) -> list[Row]:
    """A row for each query that is found; values are rounded to what the grid shows.

    The grid has its filters in its headers: they take no row away here.
    """
    of = queries.difficulty
    medians, spreads = of.median.tolist(), of.spread.tolist()
    values, relevant = of.values.tolist(), of.relevant.tolist()
    differences = queries.differences if queries.show == DECIDES else None
    table: list[Row] = []
    for at in queries.found:
        qid = of.qids[at]
        row: Row = {
            "id": qid,
            "qid": qid,
            "href": Address("query", "", qid).path.rpartition("/")[2],
            "rel": relevant[at],
            "median": round(medians[at], DECIMALS),
            "spread": round(spreads[at], DECIMALS),
        }
        if qid in of.texts:
            row["text"] = wording.shorten(of.texts[qid], LONGEST_TEXT)
        if differences is not None:
            row["difference"] = round(float(differences[at]), DECIMALS)
        row |= {f"run_{number}": round(value, DECIMALS) for number, value in enumerate(values[at])}
        table.append(row)
    return table


def csv(queries: Queries) -> str:
    """The queries that are shown, with all digits. Texts that would be formulas are guarded."""
    of = queries.difficulty
    pair = queries.pair if queries.show == DECIDES else None
    header = ["qid", "query", "relevant", "median", "spread"]
    header += [f"{pair[0]} − {pair[1]}"] if pair else []
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow([guarded(name) for name in [*header, *queries.names]])
    medians, spreads, values = of.median.tolist(), of.spread.tolist(), of.values.tolist()
    differences = queries.differences
    for at in queries.rows:
        qid = of.qids[at]
        numbers = [medians[at], spreads[at]]
        if pair and differences is not None:
            numbers.append(float(differences[at]))
        texts = [guarded(qid), guarded(of.texts.get(qid, "")), str(int(of.relevant[at]))]
        writer.writerow([*texts, *(repr(number) for number in [*numbers, *values[at]])])
    return stream.getvalue()


def scale(queries: Queries) -> tuple[float, float]:
    """The values that the ramp goes from and to: 0 to 1 where all values lie in it."""
    values = queries.difficulty.values
    low, high = min(0.0, float(values.min(initial=0.0))), float(values.max(initial=0.0))
    return low, 1.0 if high <= 1 and not queries.measure.counts else high


def _run_column(
    queries: Queries, number: int, name: str, page: Address, values_only: bool
) -> Column:
    run = next(run for run in queries.selection.runs if run.name == name)
    low, high = scale(queries)
    beside = _beside(queries, name)
    return {
        "field": f"run_{number}",
        "colId": f"{RUN}{name}",
        "headerName": wording.name(name, 40) + (" (values only)" if values_only else ""),
        "headerTooltip": f"{queries.measure.name} of {wording.name(name, 200)}",
        "headerComponentParams": {
            "innerHeaderComponent": "RunHeader",
            "slot": queries.selection.slots[run.id],
        },
        "type": "numericColumn",
        "valueFormatter": formatter("plain", counts=queries.measure.counts),
        "cellRenderer": "QueryLink",
        "cellRendererParams": _link(page.changed(runs=beside)),
        "cellClass": {"function": f"heatClass(params.value, {low!r}, {high!r})"},
        "initialWidth": 92,
        "minWidth": 26,
    }


def _beside(queries: Queries, name: str) -> tuple[str, ...]:
    """The runs that the page of a query shows for the cell of a run: the baseline and the run."""
    if queries.pair is None:
        return (name,)
    run, base = queries.pair
    return (base, run if name == base else name)


def _link(page: Address) -> dict[str, str]:
    """What stands before and after the id of a query in its address."""
    query = Address("query", page.collection, "q", page.parameters)
    return {"before": linked(query.path).removesuffix("q"), "after": query.search}


def _number(field: str, header: str, tooltip: str, *, counts: bool, width: int = 122) -> Column:
    column: dict[str, Any] = {
        "field": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "type": "numericColumn",
        "filter": "agNumberColumnFilter",
        "filterParams": NUMBER_FILTER,
        "valueFormatter": formatter("plain", counts=counts),
        "cellClass": "cell-number",
        "initialWidth": width,
    }
    return column
