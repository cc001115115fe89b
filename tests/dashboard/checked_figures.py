"""Figures of the dashboard as plotly's own classes, which refuse a property that there is not."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import plotly.graph_objects as go

from dashboard.figures.figure import Figure


def checked(draw: Callable[..., Any]) -> Callable[..., Any]:
    """A function that draws a figure, each property of it checked."""

    def draw_checked(*given: Any, **options: Any) -> Any:
        drawn = draw(*given, **options)
        if not isinstance(drawn, Figure):
            return drawn
        figure = go.Figure(data=drawn.data, layout=drawn.layout)
        return figure

    return draw_checked


class Checked:
    """A module, with all figures that its functions draw checked."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._module, name)
        return checked(attribute) if callable(attribute) else attribute
