"""The rows and cells of tables, of which a page has hundreds.

They are what Dash writes of its `html.Tr`, `html.Td` and `html.Th`, as dictionaries: its objects
take ten times as long to make and to write, which was a third of the time of a Run page.
"""

from __future__ import annotations

from typing import Any

Element = dict[str, Any]
"""An element as the browser gets it."""


def tr(children: Any = None, **properties: Any) -> Element:
    """A row, with the properties of `html.Tr`."""
    return _element("Tr", children, properties)


def td(children: Any = None, **properties: Any) -> Element:
    """A cell, with the properties of `html.Td`."""
    return _element("Td", children, properties)


def th(children: Any = None, **properties: Any) -> Element:
    """A cell of headings, with the properties of `html.Th`."""
    return _element("Th", children, properties)


def _element(kind: str, children: Any, properties: dict[str, Any]) -> Element:
    return {
        "props": {"children": children, **properties},
        "type": kind,
        "namespace": "dash_html_components",
    }
