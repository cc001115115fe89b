"""Figures on a page."""

from __future__ import annotations

from typing import Any

from dash import dcc, html

from dashboard.components import ids

CONFIG = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"scale": 2},
    "responsive": True,
    "showTips": False,
}


def graph(name: str, figure: Any, *, label: str, height: int = 395) -> Any:
    """A figure with a description for those who can't see it.

    Its id is `ids.graph(name)`, so that it can be updated, and its points clicked.
    """
    return html.Div(
        dcc.Graph(
            id=ids.graph(name),
            figure=figure,
            config=CONFIG,
            responsive=True,
            className="graph",
            style={"height": f"{height}px"},
        ),
        id=described(name),
        # Not role=img: it holds a button, which could not be reached in an image.
        role="figure",
        className="figure",
        # The place of the figure also while it loads, so that nothing moves when it comes.
        style={"minHeight": f"{height}px"},
        **{"aria-label": label},
    )


def described(name: str) -> str:
    """The id of what holds a figure and its description, so that this can be updated too."""
    return f"{name}-figure"


def figure_change(name: str, figure: Any) -> tuple[tuple[tuple[str, str], ...], dict[str, Any]]:
    """The change of a page that draws a figure anew."""
    return tuple(ids.graph(name).items()), {"figure": figure}
