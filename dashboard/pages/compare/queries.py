"""The table of queries on the Compare page, with its files and filters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import dash_mantine_components as dmc
import numpy as np
from dash import html

from dashboard.address import Address
from dashboard.components import controls, ids, shell, wording
from dashboard.components.elements import (
    Element,
    control_change,
    in_order,
    number,
    scrolling,
    table,
    td,
    th,
    tr,
)
from dashboard.figures.interactive import value_range
from dashboard.pages.compare.load import Comparison
from evalstore.catalog.names import natural
from evalstore.tables.table import Table, Value

TABLE = "queries-table"
NOTE = "queries-note"
ON_A_PAGE = 25
"""Rows of the table at a time; files have all rows."""


class QueryRow(NamedTuple):
    """A judged query: the difference of the chosen pair, and the value of each run.

    None for a run that does not answer the query. In the difference it counts as an empty ranking,
    as in the comparison.
    """

    qid: str
    text: str | None
    difference: float | None
    values: Sequence[float | None]


def card(comparison: Comparison) -> Any:
    """The table with its filters above it."""
    rows = shown_rows(comparison)
    return shell.card(
        "Query by query",
        _controls(comparison),
        html.P(_note(comparison, rows), id=NOTE, className="caption", role="status"),
        html.Div(_table(comparison, rows), id=TABLE),
    )


def changes(comparison: Comparison) -> dict[Any, dict[str, Any]]:
    """The properties to update: the rows, the note, and the control of the order."""
    rows = shown_rows(comparison)
    order = filters_of(comparison.address, comparison.names).sort
    return {
        TABLE: {"children": _table(comparison, rows)},
        NOTE: {"children": _note(comparison, rows)},
        **control_change("sort", value=order),
    }


def _note(comparison: Comparison, rows: Sequence[QueryRow]) -> str:
    """The number of queries that the filters leave, and what a row does."""
    every, filters = len(comparison.compared.qids), filters_of(comparison.address, comparison.names)
    if not rows:
        return f"None of the {every:,} queries is left: widen the filters."
    of = f"{len(rows):,} of {wording.count(every, 'query', 'queries')}. " if filters.narrow else ""
    return f"{of}A row clicked is marked in the figures; its id opens the query."


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


# The table on the page: a part of the rows, and links to the parts before and after it

SHADES = 4
"""The darkest shade of a value, of the steps of the heat map."""


def _table(comparison: Comparison, rows: Sequence[QueryRow]) -> Any:
    """The part of the rows that the address names, or that has the marked query."""
    if not rows:
        return None
    marked = next((at for at, row in enumerate(rows) if row.qid == comparison.query), None)
    asked = (_number(comparison.address.one("from")) or 1) - 1 if marked is None else marked
    first = int(min(max(asked, 0), len(rows) - 1)) // ON_A_PAGE * ON_A_PAGE
    measure = comparison.measure.name
    answered = [run.values[measure][run.answered] for run in comparison.loaded.runs]
    ends = value_range(np.concatenate([*answered, [0.0]]))
    body = [_cells(comparison, row, *ends) for row in rows[first : first + ON_A_PAGE]]
    made = table(_heads(comparison), body, "plain-table query-table")
    parts = [scrolling(made, "The queries, with the values of the runs", members="tbody a")]
    if len(rows) > ON_A_PAGE:
        parts.append(_other_parts(comparison.address, first, len(rows)))
    return parts


def _heads(comparison: Comparison) -> list[Element]:
    measure = comparison.measure
    run, base = map(comparison.selection.short, (comparison.run, comparison.baseline))
    by_id = {"query": "ascending", "-query": "descending"}
    by_text = {"text": "ascending", "-text": "descending"}
    low, high = orders_by_difference(measure.higher_is_better)
    by_difference = {low: "ascending", high: "descending"}
    of_both = f"{measure.name} of {wording.clean(comparison.run)} less that of "
    of_both += wording.clean(comparison.baseline)
    head = partial(_head, comparison.address, filters_of(comparison.address, comparison.names).sort)
    heads = [head("Query", "The id of the query, which opens its rankings", by_id, "")]
    if comparison.loaded.texts:
        heads.append(head("Text", "The text of the query", by_text, "text"))
    heads.append(head(f"{run} − {base}", of_both, by_difference))
    for name in comparison.names:
        by_value = {f"-{RUN}{name}": "descending", f"{RUN}{name}": "ascending"}
        label = f"{comparison.selection.short(name)}{measure.arrow}"
        title = f"{measure.name} of {wording.clean(name)}"
        heads.append(head(label, title, by_value))
    return heads


def _head(
    address: Address,
    now: str,
    label: str,
    title: str,
    orders: dict[str, str],
    kind: str = "number",
) -> Element:
    """A heading that leads to the first of its orders, or from that one to the second.

    `now` is the order of the rows.
    """
    direction = orders.get(now)
    sign = {"ascending": " ▴", "descending": " ▾", None: ""}[direction]
    other = next(order for order in orders if order != now)
    words = [*controls.breakable(label), sign]
    first_rows = {"sort": other, "from": ""}
    link = controls.choice(words, address, "sorts", title=title, **first_rows)
    sorts = {"aria-sort": direction} if direction else {}
    return th(link, className=kind, scope="col", **sorts)


def _cells(comparison: Comparison, row: QueryRow, low: float, high: float) -> Element:
    """The row of a query: its values are shaded from `low` to `high`, and the best one is bold."""
    counts = comparison.measure.counts
    query = comparison.address.only("runs", "base", "m", "qrels").to("query", row.qid)
    cells = [th(html.A(row.qid, href=query.href, className="query-link", dir="auto"), scope="row")]
    if comparison.loaded.texts:
        text = wording.clean(row.text or "")
        cells.append(td(text, className="text", title=text, dir="auto"))
    kind = "number cell-tie" if row.difference == 0 else "number"
    cells.append(td(wording.difference(row.difference, counts=counts), className=kind))
    known = [value for value in row.values if value is not None]
    better = comparison.measure.higher_is_better
    best = None
    if better is not None and known and min(known) < max(known):
        best = max(known) if better else min(known)
    for value in row.values:
        if value is None:
            cells.append(number("–"))
            continue
        shade = round(SHADES * (value - low) / (high - low))
        kind = f"number heat-{shade}{' heat-best' if value == best else ''}"
        cells.append(td(wording.value(value, counts=counts), className=kind))
    chosen = "row-marked" if row.qid == comparison.query else ""
    return tr(cells, className=chosen, **{"data-query": row.qid})


def _other_parts(address: Address, first: int, rows: int) -> Any:
    """The rows that are on the screen, between links to those before and after them."""
    starts = {"Previous": first - ON_A_PAGE, "Next": first + ON_A_PAGE}
    before, after = (
        controls.choice(
            words,
            address,
            "quiet-action",
            # The rows of a marked query would be shown in their place.
            query="",
            **{"from": f"{start + 1}" if start else ""},
        )
        if 0 <= start < rows
        else None
        for words, start in starts.items()
    )
    shown = html.Span(f"{first + 1:,} to {min(first + ON_A_PAGE, rows):,} of {rows:,}")
    return html.P([before, shown, after], className="other-rows")


# The rows: pure functions from a comparison to rows and CSV


def rows(comparison: Comparison) -> list[QueryRow]:
    """One row per judged query, in natural order."""
    runs, name = comparison.loaded.runs, comparison.measure.name
    if not runs:
        return []
    values = np.array([run.values[name] for run in runs])
    shown = np.where([run.answered for run in runs], values, np.nan)
    differences = np.round(values[comparison.names.index(comparison.run)] - values[0], 9)
    texts, qids = comparison.loaded.texts, runs[0].qids
    return [
        QueryRow(
            qids[at], texts.get(qids[at]), _known(differences[at]), [*map(_known, shown[:, at])]
        )
        for at in sorted(range(len(qids)), key=lambda at: natural(qids[at]))
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def shown_rows(comparison: Comparison) -> list[QueryRow]:
    """The rows that pass the filters of the address, in the order of the address."""
    return filtered(
        rows(comparison),
        filters_of(comparison.address, comparison.names),
        comparison.names,
        higher_is_better=comparison.measure.higher_is_better,
    )


def wide_table(comparison: Comparison, table: Sequence[QueryRow]) -> Table:
    """One row per query."""
    header = ("qid", "query", f"{comparison.run} − {comparison.baseline}", *comparison.names)
    rows = ((row.qid, row.text, row.difference, *row.values) for row in table)
    return Table.for_files(header, rows)


def long_table(comparison: Comparison, table: Sequence[QueryRow]) -> Table:
    """One row per query and run: its value, and the difference to the baseline's value."""
    measure, runs = comparison.measure.name, comparison.loaded.runs
    counted = {
        run.name: dict(zip(run.qids, run.values[measure].tolist(), strict=True)) for run in runs
    }
    base = comparison.baseline
    rows: list[tuple[Value, ...]] = []
    for row in table:
        for name, value in zip(comparison.names, row.values, strict=True):
            difference = _known(round(counted[name][row.qid] - counted[base][row.qid], 9))
            rows.append((row.qid, row.text, name, measure, value, base, difference))
    header = ("qid", "query", "run", "measure", "value", "baseline", "difference")
    return Table.for_files(header, rows)


# The filters and the order of the table, shared by its controls and its files

DIFFERENCE = "difference"
SORTS = ("query", "worst", "best")
OF_TEXT = ("query", "text")
RUN = "run:"
"""The prefix of a run's name in an order by the values of that run."""
PARAMETERS = frozenset({"find", "least", "most", "of", "sort", "from"})


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
    rows: Sequence[QueryRow],
    filters: Filters,
    runs: Sequence[str],
    *,
    higher_is_better: bool | None,
) -> list[QueryRow]:
    """The rows that pass the filters, sorted; rows without the value to sort by come last.

    A query that a run does not answer passes no bound on that run's values.
    """
    of = None if filters.of == DIFFERENCE else runs.index(filters.of)
    kept = [
        row
        for row in rows
        if _holds(row, filters, row.difference if of is None else row.values[of])
    ]
    column, descending = filters.sort.removeprefix("-"), filters.sort.startswith("-")
    if column == "query":
        return kept[::-1] if descending else kept
    if column == "text":
        return in_order(kept, lambda row: row.text, descending=descending)
    if column in SORTS:
        descending = column == orders_by_difference(higher_is_better)[1]
        return in_order(kept, lambda row: row.difference, descending=descending)
    by = runs.index(column.removeprefix(RUN))
    return in_order(kept, lambda row: row.values[by], descending=descending)


def _holds(row: QueryRow, filters: Filters, value: float | None) -> bool:
    wanted = filters.text.casefold()
    if wanted and not any(wanted in text.casefold() for text in (row.qid, row.text or "")):
        return False
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
