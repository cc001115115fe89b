"""A figure as plotly.js takes it: plain dicts, without plotly's classes.

Those check each property as it is set, which took more time than all else on a page. The tests
make them of every kind of figure, so a property that there is not is found there.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.theme import Scheme, template

Trace = dict[str, Any]


class Figure:
    """Traces and a layout, in the colours of a scheme.

    Attributes:
        data: the traces.
        layout: axes, annotations, shapes and the rest.
    """

    def __init__(self, scheme: Scheme, **layout: Any) -> None:
        self.data: list[Trace] = []
        self.layout: dict[str, Any] = {"template": template(scheme), **layout}

    def add_trace(self, trace: Trace) -> None:
        """Draw a trace above the others."""
        self.data.append(trace)

    def update_layout(self, **properties: Any) -> None:
        """Set properties of the layout; of one that is a dict only the keys given."""
        _update(self.layout, properties)

    def update_xaxes(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the axis across."""
        self.update_layout(xaxis=properties | _title(title))

    def update_yaxes(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the axis upwards."""
        self.update_layout(yaxis=properties | _title(title))

    def add_annotation(self, **properties: Any) -> None:
        """Write a text."""
        self.layout.setdefault("annotations", []).append(properties)

    def add_shape(self, **properties: Any) -> None:
        """Draw a line or a rectangle."""
        self.layout.setdefault("shapes", []).append(properties)

    def add_vline(self, x: float, **properties: Any) -> None:
        """Draw a line from the bottom to the top."""
        ends = {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1}
        self.add_shape(**ends, yref="y domain", **properties)

    def to_plotly_json(self) -> dict[str, Any]:
        """The figure as Dash sends it."""
        return {"data": [_packed(trace) for trace in self.data], "layout": self.layout}


def from_plotly(figure: Any, scheme: Scheme) -> Figure:
    """A figure that plotly's classes made, in the colours of a scheme.

    To give it the template of the scheme before would take plotly 50 ms of checking.
    """
    made = figure.to_plotly_json()
    drawn = Figure(scheme)
    drawn.data = made["data"]
    drawn.layout.update({name: one for name, one in made["layout"].items() if name != "template"})
    return drawn


def scatter(**properties: Any) -> Trace:
    """Points, lines or areas."""
    return {"type": "scatter", **properties}


def bar(**properties: Any) -> Trace:
    """Bars."""
    return {"type": "bar", **properties}


def _title(text: str | None) -> dict[str, Any]:
    return {} if text is None else {"title": {"text": text}}


def _update(properties: dict[str, Any], changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        before = properties.get(name)
        if isinstance(value, dict):
            properties[name] = {**before} if isinstance(before, dict) else {}
            _update(properties[name], value)
        else:
            properties[name] = value


def _packed(value: Any) -> Any:
    """Arrays in the trace as plotly.js takes them in the fewest bytes."""
    if isinstance(value, dict):
        return {name: _packed(one) for name, one in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return {
        "dtype": f"f{value.itemsize}",
        "bdata": base64.b64encode(np.ascontiguousarray(value).tobytes()).decode(),
    }
