"""The table of queries on the Compare page, with its files and filters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import numpy as np
from dash import html

from dashboard.address import Address, encoded_part
from dashboard.components import controls, ids, shell, wording
from dashboard.components.elements import (
    AS_SENT,
    Column,
    Row,
    around_id,
    control_change,
    formatter,
    in_order,
    number_column,
    ordered,
    text_column,
)
from dashboard.figures.interactive import value_range
from dashboard.pages.compare.load import Comparison
from evalstore.catalog.names import natural
from evalstore.tables.table import Table, Value

GRID = "queries-grid"
NOTE = "queries-note"


def card(comparison: Comparison) -> Any:
    """The table with its filters above it."""
    rows = shown_rows(comparison)
    grid = dag.AgGrid(
        id=GRID,
        columnDefs=table_columns(comparison),
        rowData=rows[:MOST_ROWS],
        getRowId="params.data.part",
        # On narrow screens the figures come first (assets/pages/compare.js). This is the only event
        # of a new grid that fires after its wrapper starts to listen.
        eventListeners={
            "viewportChanged": ["comparedFit(params)"],
            "sortChanged": ["keepOrder(params)"],
        },
        className="grid",
        dashGridOptions={**controls.linked_grid_options(len(rows)), "headerHeight": 46},
        style=controls.grid_size(len(rows)),
        rowClassRules={"row-marked": "params.data.chosen"},
        **({"scrollTo": scroll_to(rows)} if comparison.query else {}),
    )
    return shell.card(
        "Query by query",
        _controls(comparison),
        html.P(note(comparison, rows), id=NOTE, className="caption", role="status"),
        grid,
    )


def changes(comparison: Comparison, *, columns: bool) -> dict[Any, dict[str, Any]]:
    """The properties to update: rows and note; with `columns` also the columns and their order."""
    rows = shown_rows(comparison)
    grid: dict[str, Any] = {"rowData": rows[:MOST_ROWS]}
    changed: dict[Any, dict[str, Any]] = {GRID: grid, NOTE: {"children": note(comparison, rows)}}
    if columns:
        grid["columnDefs"] = table_columns(comparison)
        order = filters_of(comparison.address, comparison.names).sort
        changed |= control_change("sort", value=order)
    if comparison.query:
        grid["scrollTo"] = scroll_to(rows)
    return changed


def scroll_to(rows: Sequence[Row]) -> dict[str, Any] | None:
    """The position of the marked row; None if the table does not show it."""
    number = next((n for n, row in enumerate(rows[:MOST_ROWS]) if "chosen" in row), None)
    # "auto" scrolls no further than needed: a visible row stays where it is.
    return None if number is None else {"rowIndex": number, "rowPosition": "auto"}


def note(comparison: Comparison, rows: Sequence[Row]) -> str:
    """The number of queries shown and in total, and how to get the others."""
    every, filters = len(comparison.compared.qids), filters_of(comparison.address, comparison.names)
    parts = []
    if not rows:
        return f"None of the {every:,} queries is left: widen the filters."
    if filters.narrow:
        parts.append(f"{len(rows):,} of {wording.count(every, 'query', 'queries')}.")
    if len(rows) > MOST_ROWS:
        parts.append(
            f"The first {MOST_ROWS:,} are here; filters and other orders bring others, and "
            "the exports have all."
        )
    parts.append("A row clicked is marked in the figures; Enter or its id opens the query.")
    return " ".join(parts)


def _controls(comparison: Comparison) -> Any:
    filters = filters_of(comparison.address, comparison.names)
    run, base = map(comparison.selection.short, (comparison.run, comparison.baseline))
    of = [
        {"value": DIFFERENCE, "label": f"{run} − {base}"},
        *controls.options(name for name in comparison.names if name != DIFFERENCE),
    ]
    return html.Div(
        [
            controls.search("find", filters.text, label="Find query or text"),
            html.Span(
                [
                    controls.select("of", of, filters.of, label="Which values to filter by"),
                    _bound("least", "at least", filters.least),
                    _bound("most", "at most", filters.most),
                ],
                className="bounds",
            ),
            _order(filters),
        ],
        className="choices query-filters",
    )


def _bound(parameter: str, words: str, value: float | None) -> Any:
    return dmc.NumberInput(
        id=ids.control(parameter),
        value="" if value is None else value,
        placeholder=words,
        debounce=300,
        size="xs",
        hideControls=True,
        className="bound",
        **{"aria-label": f"Values {words}"},
    )


def _order(filters: Filters) -> Any:
    return controls.segments(
        "sort",
        (("query", "Query order"), ("worst", "Worst first"), ("best", "Best first")),
        filters.sort,
        label="Order of the queries",
    )


# The table of the queries: pure functions from a comparison to columns, rows and CSV.
#
# The field of a column is one of our ids (`run_0`), never a name from the data: a grid reads `a.b`
# as a path, and `__proto__` as the prototype of an object.

MOST_ROWS = 2_000
"""The most rows sent to the browser, after filters and order; files have all rows."""


def table_columns(comparison: Comparison) -> list[Column]:
    """Query id, text if there are any, the difference of the chosen pair, and one column per run.

    Each order is in the address. The server sorts, since not all rows are in the browser.
    """
    measure, address = comparison.measure, comparison.address
    now = filters_of(address, comparison.names).sort
    qid = text_column(
        "qid",
        "Query",
        "The id of the query, which opens its rankings",
        initialPinned="left",
        initialWidth=96,
        cellRenderer="ComparedQuery",
        cellRendererParams=around_id(address.only("runs", "base", "m", "qrels")),
        filter=False,
        sortingOrder=["asc", "desc"],
    )
    all_columns = [ordered(qid, "query", "-query", now)]
    if comparison.loaded.texts:
        text = text_column(
            "text", "Text", "What was asked", minWidth=110, initialFlex=1, filter=False
        )
        all_columns.append(ordered(text, "text", "-text", now))
    run, base = map(comparison.selection.short, (comparison.run, comparison.baseline))
    difference = number_column(
        DIFFERENCE,
        f"{run} − {base}",
        f"{measure.name} of {run} less {measure.name} of {base}",
        measure.counts,
        valueFormatter=formatter("signed", counts=measure.counts),
        cellClass="cell-number",
        cellClassRules={"cell-tie": "params.value === 0"},
        minWidth=112,
        initialWidth=140,
        wrapHeaderText=True,
        autoHeaderHeight=True,
    )
    all_columns.append(ordered(difference, *orders_by_difference(measure.higher_is_better), now))
    answered = [run.values[measure.name][run.answered] for run in comparison.loaded.runs]
    low, high = value_range(np.concatenate([*answered, [0.0]]))
    better = {True: "max", False: "min", None: ""}[measure.higher_is_better]
    for number, name in enumerate(comparison.names):
        order = f"{RUN}{name}"
        column = number_column(
            f"run_{number}",
            f"{comparison.selection.short(name)}{measure.arrow}",
            f"{measure.name} of {wording.clean(name)}",
            measure.counts,
            colId=order,
            cellClass="cell-number",
            cellStyle={"function": f"heat(params.value, {low!r}, {high!r})"},
            cellClassRules={"heat-best": f"isBest(params, '{better}')"} if better else {},
            sortingOrder=["desc", "asc", None],
            minWidth=100,
            initialWidth=104,
            wrapHeaderText=True,
            autoHeaderHeight=True,
        )
        all_columns.append(ordered(column, order, f"-{order}", now))
    return [{**column, "comparator": AS_SENT} for column in all_columns]


def rows(comparison: Comparison) -> list[Row]:
    """One row per judged query, in natural order; None for a run that does not answer it.

    In the difference such a query counts as an empty ranking, as in the comparison. `part` is the
    query's id in its address; the marked query is `chosen`.
    """
    runs, name = comparison.loaded.runs, comparison.measure.name
    if not runs:
        return []
    values = np.array([run.values[name] for run in runs])
    shown = np.where([run.answered for run in runs], values, np.nan)
    pair = comparison.names.index(comparison.run)
    differences = np.round(values[pair] - values[0], 9)
    numbers = [[None if math.isnan(v) else v for v in row] for row in shown.T.tolist()]
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
    """The rows that pass the filters of the address, in the order of the address."""
    return filtered(
        rows(comparison),
        filters_of(comparison.address, comparison.names),
        comparison.names,
        higher_is_better=comparison.measure.higher_is_better,
    )


def wide_table(comparison: Comparison, table: Sequence[Row]) -> Table:
    """One row per query."""
    header = ("qid", "query", f"{comparison.run} − {comparison.baseline}", *comparison.names)
    return Table.for_files(
        header,
        ((row["qid"], row["text"], row[DIFFERENCE], *_values(row, comparison)) for row in table),
    )


def long_table(comparison: Comparison, table: Sequence[Row]) -> Table:
    """One row per query and run: its value, and the difference to the baseline's value."""
    measure, runs = comparison.measure.name, comparison.loaded.runs
    counted = {
        run.name: dict(zip(run.qids, run.values[measure].tolist(), strict=True)) for run in runs
    }
    rows: list[tuple[Value, ...]] = []
    for row in table:
        for name, value in zip(comparison.names, _values(row, comparison), strict=True):
            qid, base = row["qid"], comparison.baseline
            difference = round(counted[name][qid] - counted[base][qid], 9)
            known = None if math.isnan(difference) else difference
            rows.append((qid, row["text"], name, measure, value, base, known))
    header = ("qid", "query", "run", "measure", "value", "baseline", "difference")
    return Table.for_files(header, rows)


def _values(row: Row, comparison: Comparison) -> list[Any]:
    return [row[f"run_{number}"] for number in range(len(comparison.names))]


# The filters and the order of the table, shared by its controls and its files

DIFFERENCE = "difference"
SORTS = ("query", "worst", "best")
OF_TEXT = ("query", "text")
RUN = "run:"
"""The prefix of a run's name in an order by the values of that run."""
PARAMETERS = frozenset({"find", "least", "most", "of", "sort"})


@dataclass(frozen=True)
class Filters:
    """The filters of the table.

    `text` is searched in ids and texts. `least` and `most` limit the shown values of `of`, which is
    a run or the difference. `sort` is one of `SORTS`, `text`, or `run:` and a name; a `-` before it
    sorts in descending order.
    """

    text: str = ""
    least: float | None = None
    most: float | None = None
    of: str = DIFFERENCE
    sort: str = SORTS[0]

    @property
    def narrow(self) -> bool:
        """Whether the filters may exclude a query."""
        return bool(self.text) or self.least is not None or self.most is not None


def filters_of(address: Address, runs: Sequence[str]) -> Filters:
    """Read the filters of an address; values that can't be parsed are ignored."""
    of = address.one("of")
    return Filters(
        address.one("find"),
        _number(address.one("least")),
        _number(address.one("most")),
        of if of in runs else DIFFERENCE,
        _order_of_rows(address.one("sort"), runs),
    )


def _order_of_rows(sort: str, runs: Sequence[str]) -> str:
    column = sort.removeprefix("-")
    of_run = column.startswith(RUN) and column.removeprefix(RUN) in runs
    return sort if sort in SORTS or column in OF_TEXT or of_run else SORTS[0]


def orders_by_difference(higher_is_better: bool | None) -> tuple[str, str]:
    """The names of the orders by ascending and by descending difference."""
    return ("best", "worst") if higher_is_better is False else ("worst", "best")


def filtered(
    rows: Sequence[Row], filters: Filters, runs: Sequence[str], *, higher_is_better: bool | None
) -> list[Row]:
    """The rows that pass the filters, sorted; rows without the value to sort by come last.

    A query that a run does not answer passes no bound on that run's values.
    """
    field = DIFFERENCE if filters.of == DIFFERENCE else _field(filters.of, runs)
    kept = [row for row in rows if _holds(row, filters, field)]
    column, descending = filters.sort.removeprefix("-"), filters.sort.startswith("-")
    if column == "query":
        return kept[::-1] if descending else kept
    if column in SORTS:
        by = DIFFERENCE
        descending = column == orders_by_difference(higher_is_better)[1]
    else:
        by = column if column in OF_TEXT else _field(column.removeprefix(RUN), runs)
    return in_order(kept, lambda row: row[by], descending=descending)


def _field(run: str, runs: Sequence[str]) -> str:
    return f"run_{runs.index(run)}"


def _holds(row: Row, filters: Filters, field: str) -> bool:
    wanted = filters.text.casefold()
    if wanted and not any(wanted in str(row[name] or "").casefold() for name in ("qid", "text")):
        return False
    value: Any = row[field]
    if value is None:
        return filters.least is None and filters.most is None
    rounded = round(value, 4)
    above = filters.least is None or rounded >= filters.least
    return above and (filters.most is None or rounded <= filters.most)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
