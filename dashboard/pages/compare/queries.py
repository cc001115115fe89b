"""Query by query: the table with its filters, and what is said of the rows that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import html

from dashboard.components import controls, ids, shell, wording
from dashboard.components.grids import Row
from dashboard.pages.compare import table
from dashboard.pages.compare.filters import DIFFERENCE, Filters, filters_of
from dashboard.pages.compare.load import Comparison

GRID = "queries-grid"
NOTE = "queries-note"


def card(comparison: Comparison) -> Any:
    """The table below its filters."""
    rows = table.shown_rows(comparison)
    grid = dag.AgGrid(
        id=GRID,
        columnDefs=table.columns(comparison),
        rowData=rows[: table.MOST_ROWS],
        getRowId="params.data.part",
        # Where there is little room figures come first (assets/compare.js). Of the events of a new
        # grid this one alone comes after its wrapper listens.
        eventListeners={
            "viewportChanged": ["comparedFit(params)"],
            "sortChanged": ["keepOrder(params)"],
        },
        className="grid late",
        dashGridOptions=controls.linked_grid_options(len(rows)),
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
    """What changes on the table with its rows; with another pair or order also its columns."""
    rows = table.shown_rows(comparison)
    grid: dict[str, Any] = {"rowData": rows[: table.MOST_ROWS]}
    changed: dict[Any, dict[str, Any]] = {GRID: grid, NOTE: {"children": note(comparison, rows)}}
    if columns:
        grid["columnDefs"] = table.columns(comparison)
        order = filters_of(comparison.address, comparison.names).sort
        changed[tuple(ids.control("sort").items())] = {"value": order}
    if comparison.query:
        grid["scrollTo"] = scroll_to(rows)
    return changed


def scroll_to(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Where the marked row is; None where the table does not show it."""
    number = next((n for n, row in enumerate(rows[: table.MOST_ROWS]) if "chosen" in row), None)
    # No further than needed: a row that is on the screen stays where it is.
    return None if number is None else {"rowIndex": number, "rowPosition": "auto"}


def note(comparison: Comparison, rows: Sequence[Row]) -> str:
    """How many queries the table shows, of how many, and what to do where these are not all."""
    every, filters = len(comparison.compared.qids), filters_of(comparison.address, comparison.names)
    parts = []
    if not rows:
        return f"None of the {every:,} queries is left: widen the filters."
    if filters.narrow:
        parts.append(f"{len(rows):,} of {wording.count(every, 'query', 'queries')}.")
    if len(rows) > table.MOST_ROWS:
        parts.append(
            f"The first {table.MOST_ROWS:,} are here; filters and other orders bring others, and "
            "the exports have all."
        )
    parts.append("A row clicked is marked in the figures; Enter or its id opens the query.")
    return " ".join(parts)


def _controls(comparison: Comparison) -> Any:
    filters = filters_of(comparison.address, comparison.names)
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    of = [
        {"value": DIFFERENCE, "label": f"{run} − {base}"},
        *controls.options(name for name in comparison.names if name != DIFFERENCE),
    ]
    return html.Div(
        [
            controls.search(ids.control("find"), filters.text, label="Find query or text"),
            html.Span(
                [
                    controls.select(
                        ids.control("of"), of, filters.of, label="Which values to filter by"
                    ),
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
        ids.control("sort"),
        (("query", "Query order"), ("worst", "Worst first"), ("best", "Best first")),
        filters.sort,
        label="Order of the queries",
    )
