"""Columns of AG Grid: one place that says how texts and values of measures look in a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from evalstore.catalog.names import natural

Column = dict[str, Any]
Row = dict[str, Any]
T = TypeVar("T")


NATURAL = {"function": "natural"}
"""The order of texts in the browser. A comparator is named, not called: it gets both values."""

AS_SENT = {"function": "asSent"}
"""The comparator of a grid whose rows come in their order: a header asks for another order."""


def text_column(field: str, header: str, tooltip: str, **more: Any) -> Column:
    """A column of names or texts; natural order (`q2` before `q10`)."""
    return {
        "field": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "tooltipField": field,
        "filter": "agTextColumnFilter",
        "comparator": NATURAL,
        # Names may run in either direction; each cell finds its own.
        "cellClass": "cell-text",
        **more,
    }


def ordered(column: Column, ascending: str, descending: str, now: str) -> Column:
    """A column whose order stands in the address, as one of these texts; `now` stands there.

    The grid claims the order of the address alone: of every other column it forgets what it was
    sorted by.
    """
    sort = {ascending: "asc", descending: "desc"}.get(now)
    return {**column, "context": {"asc": ascending, "desc": descending}, "sort": sort}


def in_order(rows: Iterable[T], value: Callable[[T], Any], *, descending: bool = False) -> list[T]:
    """Rows by their values, texts in natural order; those without a value last.

    Rows of the same value stay in their order.
    """

    def key(row: T) -> Any:
        content = value(row)
        return natural(content) if isinstance(content, str) else content

    every = list(rows)
    with_value = sorted((r for r in every if value(r) is not None), key=key, reverse=descending)
    return with_value + [row for row in every if value(row) is None]


NUMBER_FILTER = {
    "filterOptions": ["greaterThanOrEqual", "lessThanOrEqual", "inRange"],
    "inRangeInclusive": True,
    "maxNumConditions": 1,
}
"""At least and at most: nobody asks for equality with digits that are not shown."""


def formatter(kind: str, *, counts: bool) -> dict[str, str]:
    """The format of numbers: `plain` or `signed`, with decimals unless they are counts."""
    return {"function": f"{kind}Value(params.value, {'true' if counts else 'false'})"}
