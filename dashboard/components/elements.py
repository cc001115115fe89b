"""Tables, figures and grid columns for pages.

Rows and cells, of which a page has hundreds, are dictionaries with the content that Dash writes for
`html.Tr`, `html.Td` and `html.Th`. Dash's objects take ten times as long to make and to write,
which was a third of the time of a Run page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from dash import dcc, html

from dashboard.address import Address, linked
from dashboard.components import ids
from dashboard.components.controls import close_button, roving
from evalstore.catalog.names import natural

Element = dict[str, Any]
"""An element as the browser gets it."""


def tr(children: Any = None, **properties: Any) -> Element:
    """A row, with the properties of `html.Tr`."""
    return _element("Tr", children, properties)


def td(children: Any = None, **properties: Any) -> Element:
    """A cell, with the properties of `html.Td`."""
    return _element("Td", children, properties)


def th(children: Any = None, **properties: Any) -> Element:
    """A header cell, with the properties of `html.Th`."""
    return _element("Th", children, properties)


def number(children: Any = None, **properties: Any) -> Element:
    """A cell with a number, with the properties of `html.Td`."""
    return td(children, className="number", **properties)


def number_heads(first: Any, *others: Any) -> list[Element]:
    """The headings of a table in which all columns but the first are numbers."""
    return [th(first), *(th(text, className="number") for text in others)]


def table(head: Sequence[Any], rows: Sequence[Any], class_name: str = "plain-table") -> Any:
    """A table, with a row of headings unless `head` is empty."""
    body = html.Tbody(rows)
    return html.Table([html.Thead(tr(head)), body] if head else body, className=class_name)


def scrolling(
    content: Any, label: str = "", *, members: str = "", class_name: str = "scroll-x"
) -> Any:
    """A table that scrolls sideways if it is wider than the page.

    `label` is its name as a region, for screen readers. `members` is a CSS selector of its links,
    which together are one stop of the Tab key. Without `members`, the region itself is a stop.
    """
    region: dict[str, Any] = {"role": "region", "aria-label": label} if label else {}
    if members:
        region |= roving(members)
    elif label:
        region["tabIndex"] = 0
    return html.Div(content, className=class_name, **region)


OF_KEYS = "The keys of this page"


def keys_dialog(keys: Iterable[tuple[str, str]]) -> Any:
    """The dialog that lists keys and their effect; scripts of the pages open it."""
    rows = [tr([th(key, scope="row"), td(does)]) for key, does in keys]
    return html.Dialog(
        [html.H2("Keys"), table((), rows), close_button()],
        className="dialog keys",
        **{"aria-label": OF_KEYS},
    )


def _element(kind: str, children: Any, properties: dict[str, Any]) -> Element:
    return {
        "props": {"children": children, **properties},
        "type": kind,
        "namespace": "dash_html_components",
    }


def markdown(text: str, **properties: Any) -> Any:
    """A text of a person as Markdown; the policy of the page lets it load nothing."""
    # HTML stays text: `dangerously_allow_html` is left at its default.
    return dcc.Markdown(text, className="note-text", **properties)


# Figures on a page

CONFIG = {
    "displayModeBar": False,
    "responsive": True,
    "showTips": False,
}


def graph(name: str, figure: Any, *, label: str, height: int = 395, dims: bool = False) -> Any:
    """A figure with a description for screen readers; its id is `ids.graph(name)`.

    With `dims`, pointing at one of its curves dims the others (`dim` in assets/evalstore.js).
    """
    drawn = dcc.Graph(
        id=ids.graph(name),
        figure=figure,
        config=CONFIG,
        responsive=True,
        clear_on_unhover=dims,
        className="graph dims" if dims else "graph",
        style={"height": f"{height}px"},
    )
    buttons = html.Div(
        [
            html.Button(
                form, title=f"Save this figure as {form}", **{"aria-label": f"Save as {form}"}
            )
            for form in ("PNG", "SVG", "CSV")
        ],
        className="figure-buttons",
        **{"data-name": name, "data-roving": "button"},
    )
    return html.Div(
        [drawn, buttons],
        id=described(name),
        # Not role=img: the figure contains buttons, which could not be reached inside an image.
        role="figure",
        className="figure",
        # Reserves the space of the figure while it loads, so that nothing moves.
        style={"minHeight": f"{height}px"},
        **{"aria-label": label},
    )


def described(name: str) -> str:
    """The id of the container of a figure and its description, so that both can be updated."""
    return f"{name}-figure"


def figure_change(name: str, figure: Any, label: str = "") -> dict[Any, dict[str, Any]]:
    """A page change that redraws a figure, with a new description if one is given."""
    change = {tuple(ids.graph(name).items()): {"figure": figure}}
    return {**change, described(name): {"aria-label": label}} if label else change


def control_change(parameter: str, **properties: Any) -> dict[Any, dict[str, Any]]:
    """A page change that sets properties of the control of a parameter."""
    return {tuple(ids.control(parameter).items()): properties}


def axis_label(reach: float) -> tuple[float, str]:
    """A value of one digit within 70 % of an axis from -reach to reach, and its text."""
    digits = -math.floor(math.log10(0.7 * reach))
    value = math.floor(0.7 * reach * 10.0**digits) / 10.0**digits
    return value, f"{value:.{max(0, digits)}f}"


# Grid columns: the one place that defines how texts and values of measures look in AG Grid

Column = dict[str, Any]
Row = dict[str, Any]
T = TypeVar("T")


NATURAL = {"function": "natural"}
"""The comparator for texts in natural order; it is named, and the grid calls it with two values."""


def text_column(field: str, header: str, tooltip: str, **more: Any) -> Column:
    """A column of names or texts in natural order (`q2` before `q10`)."""
    return {
        "field": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "tooltipField": field,
        "filter": "agTextColumnFilter",
        "comparator": NATURAL,
        # Names may be left-to-right or right-to-left; each cell detects its direction.
        "cellClass": "cell-text",
        **more,
    }


def number_column(field: str, header: str, tooltip: str, counts: bool, **more: Any) -> Column:
    """A column of values of a measure."""
    return {
        "field": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "type": "numericColumn",
        "valueFormatter": formatter("plain", counts=counts),
        **more,
    }


def around_id(query: Address) -> dict[str, str]:
    """The address of a query's page before and after its id, for links made in the browser."""
    whole = Address("query", query.collection, "q", query.parameters)
    return {"before": linked(whole.path).removesuffix("q"), "after": whole.search}


def leading_to(query: Address, drawn: Any) -> Any:
    """A figure of queries that open on a click; their page is that of `query` with another id."""
    around = {f"data-{side}": text for side, text in around_id(query).items()}
    return html.Div(drawn, className="leads-to-queries", **around)


def ordered(column: Column, ascending: str, descending: str, now: str) -> Column:
    """A column with the names of its orders for the address; `now` is the current order.

    The grid clears the order of every other column.
    """
    sort = {ascending: "asc", descending: "desc"}.get(now)
    return {**column, "context": {"asc": ascending, "desc": descending}, "sort": sort}


def in_order(rows: Iterable[T], value: Callable[[T], Any], *, descending: bool = False) -> list[T]:
    """Sort rows by value, texts in natural order; stable, with rows without a value last."""

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
"""The filters "at least" and "at most": equality is useless if not all digits are shown."""


def formatter(kind: str, *, counts: bool) -> dict[str, str]:
    """The number format, `plain` or `signed`, with decimals unless the numbers are counts."""
    return {"function": f"{kind}Value(params.value, {'true' if counts else 'false'})"}
