"""Columns of AG Grid: one place that says how texts and values of measures look in a grid."""

from __future__ import annotations

from typing import Any

from dashboard.measure_info import MeasureInfo

Column = dict[str, Any]
Row = dict[str, Any]


NATURAL = {"function": "natural"}
"""The order of texts in the browser. A comparator is named, not called: it gets both values."""


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


def value_column(field: str, measure: MeasureInfo, sort: str | None = None) -> Column:
    """A column of values of a measure; `<field>_best` of a row says whether it is the best."""
    arrow = {True: " ↑", False: " ↓", None: ""}[measure.higher_is_better]
    column: Column = {
        "field": field,
        "headerName": f"{measure.name}{arrow}",
        "headerTooltip": measure.help,
        "type": "numericColumn",
        "filter": "agNumberColumnFilter",
        "filterParams": NUMBER_FILTER,
        "valueFormatter": formatter("plain", counts=measure.counts),
        "cellRenderer": "MeasureValue",
        "cellClass": "cell-number",
        "cellClassRules": {"cell-best": f"params.data.{field}_best"},
        "sortingOrder": ["desc", "asc", None],
        "width": 100,
    }
    if sort:
        column["sort"] = sort
    return column


NUMBER_FILTER = {
    "filterOptions": ["greaterThanOrEqual", "lessThanOrEqual", "inRange"],
    "inRangeInclusive": True,
    "maxNumConditions": 1,
}
"""At least and at most: nobody asks for equality with digits that are not shown."""


def formatter(kind: str, *, counts: bool) -> dict[str, str]:
    """The format of numbers: `plain` or `signed`, with decimals unless they are counts."""
    return {"function": f"{kind}Value(params.value, {'true' if counts else 'false'})"}
