"""Figures as plain dicts for plotly.js, and the sentences and signs that belong to figures.

plotly's own classes check each property when it is set, which took more time than everything else
on a page. The tests build those classes from every kind of figure, and so find properties that do
not exist.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dashboard.components import wording
from dashboard.figures.frames import RunPair, shared_queries
from dashboard.theme import Scheme, template
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.significance import Pair, Test
from evalstore.tables.table import written_value

Trace = dict[str, Any]


class Figure:
    """Traces and a layout, in the colours of a scheme."""

    def __init__(self, scheme: Scheme, **layout: Any) -> None:
        self.data: list[Trace] = []
        self.layout: dict[str, Any] = {"template": template(scheme), **layout}

    def add_scatter(self, **properties: Any) -> Trace:
        """Add points, lines or areas on top of all other traces."""
        self.data.append({"type": "scatter", **properties})
        return self.data[-1]

    def add_bar(self, **properties: Any) -> None:
        """Add bars on top of all other traces."""
        self.data.append({"type": "bar", **properties})

    def update_layout(self, **properties: Any) -> None:
        """Set properties of the layout; of a property that is a dict, only the given keys."""
        _update(self.layout, properties)

    def update_xaxes(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the x axis."""
        self.update_layout(xaxis=properties | _title(title))

    def update_yaxes(self, title: str | None = None, **properties: Any) -> None:
        """Set properties of the y axis."""
        self.update_layout(yaxis=properties | _title(title))

    def add_annotation(self, **properties: Any) -> None:
        """Add a text."""
        self.layout.setdefault("annotations", []).append(properties)

    def add_shape(self, **properties: Any) -> None:
        """Add a line or a rectangle."""
        self.layout.setdefault("shapes", []).append(properties)

    def add_vline(self, x: float, **properties: Any) -> None:
        """Add a vertical line over the whole height."""
        ends = {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1}
        self.add_shape(**ends, yref="y domain", **properties)

    def to_plotly_json(self) -> dict[str, Any]:
        """The figure as Dash sends it."""
        return {"data": [_packed(trace) for trace in self.data], "layout": self.layout}


def from_plotly(figure: Any, scheme: Scheme) -> Figure:
    """Turn a figure of plotly's classes into this type, in the colours of a scheme."""
    made = figure.to_plotly_json()
    drawn = Figure(scheme)
    drawn.data = made["data"]
    drawn.layout.update({name: one for name, one in made["layout"].items() if name != "template"})
    return drawn


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
    """Encode the arrays of a trace in the form that takes plotly.js the fewest bytes."""
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


# Sentences below figures


def outcome(pair: RunPair) -> str:
    """A sentence on how many queries each run is better for."""
    values, measure = pair.values["difference"].tolist(), pair.measure
    run, baseline = (wording.name(label) for label in pair.labels)
    higher, lower = sum(value > 0 for value in values), sum(value < 0 for value in values)
    wins, losses = (lower, higher) if measure.higher_is_better is False else (higher, lower)
    return (
        f"{measure.label}, {run} − {baseline}, over "
        f"{wording.count(len(values), 'query', 'queries')}: {run} is {measure.better} on {wins:,}, "
        f"{baseline} on {losses:,}; the same on {len(values) - higher - lower:,}."
    )


def mean_over(runs: Sequence[RunValues]) -> str:
    """The queries over which the points of a curve are means, in words."""
    queries = len(shared_queries(runs))
    return "Of the only query." if queries == 1 else f"Mean over the {queries:,} queries."


# The signs of a difference: filled if shown after the correction, empty if shown only before

ALONE = 0.05
"""An uncorrected p below this is marked: the difference is shown only before the correction."""


def better_or_worse(pair: Pair, test: Test = "t", *, turned: bool = False) -> tuple[str, str]:
    """The sign of a difference, and its meaning; both empty if nothing is shown.

    With `turned` they are of the baseline less the run.
    """
    towards = pair.difference * (pair.direction or 1) * (-1 if turned else 1)
    if towards == 0 or not pair.direction:
        return "", ""
    if pair.is_shown:
        sign, word = ("▲", "better") if towards > 0 else ("▼", "worse")
        return sign, f"{word}, shown by the test after correction"
    if not pair.untested and pair.p[test] < ALONE and pair.test_points_to * pair.difference > 0:
        sign, word = ("△", "ahead") if towards > 0 else ("▽", "behind")
        return sign, f"{word}; not shown after correction"
    return "", ""


def tint(sign: str) -> str:
    """The CSS class of a cell with this sign."""
    return {"▲": "better", "▼": "worse"}.get(sign, "")


def corrected_p(pair: Pair, test: Test) -> str:
    """The corrected p of a test, for a table; a dash if no test may be made."""
    if pair.untested:
        return "–"
    return written_value(pair.p_corrected[test], "p", 4)
