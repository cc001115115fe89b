"""The controls that several pages have: choices of measures, grids, links to CSV."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dash import html

from dashboard import theme, wording
from dashboard.measure_info import measure_info

# Up to this many rows a grid is as tall as they are; a longer one scrolls.
_ALL_ROWS = 14


def options(names: Iterable[str]) -> list[dict[str, str]]:
    """Return the choices of a select, by name."""
    return [{"value": name, "label": wording.name(name, 60)} for name in names]


def measure_options(measures: Iterable[str]) -> list[dict[str, str]]:
    """Return the choices of measures, each with its title and meaning."""
    infos = [measure_info(name) for name in measures]
    return [
        {"value": info.name, "label": info.name, "title": info.title, "help": info.help}
        for info in infos
    ]


def grid_options(rows: int) -> dict[str, Any]:
    """Return the options that all grids share."""
    return {
        "theme": theme.grid_theme(),
        "domLayout": "autoHeight" if rows <= _ALL_ROWS else "normal",
        # A dot in a field would be read as a path.
        "suppressFieldDotNotation": True,
        "enableCellTextSelection": True,
        "ensureDomOrder": True,
        "tooltipShowDelay": 300,
        "suppressColumnVirtualisation": True,
    }


def grid_size(rows: int) -> dict[str, str]:
    """Return the size of a grid with this many rows."""
    return {"height": "auto" if rows <= _ALL_ROWS else "34rem", "width": "100%"}


def csv_link(component_id: str, address: str) -> Any:
    """Return the link that downloads a table."""
    return html.A(
        [html.Span(className="icon icon-download"), "CSV"],
        id=component_id,
        href=address,
        className="quiet-action",
        title="All rows, with full precision. Texts that a spreadsheet would take for a formula "
        "get an apostrophe in front.",
    )
