"""The sections of the Compare page that are drawn when they are opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.components import controls, graphs, ids, shell
from dashboard.components.measure_info import measure_info
from dashboard.figures import frames, interactive
from dashboard.figures.binned import MOST_POINTS, binned_scatter
from dashboard.figures.captions import mean_over, outcome
from dashboard.figures.figures import MOST_IN_LEGEND
from dashboard.page import View
from dashboard.pages.compare import curves, facts, pairs, significance, slices
from dashboard.pages.compare.load import RANK_MEASURES, Comparison

Section = Callable[[Comparison, View], Any]


def section_id(name: str) -> str:
    """The id of what holds a section."""
    return f"section-{name}"


def choice(comparison: Comparison) -> Any:
    """The sections to open, each once."""
    titles = {
        "ranks": "Curves by rank",
        "scatter": "Scatter",
        "pairs": "All pairs",
        "facts": "Parameters that differ",
        "slices": "Slices",
        "tests": "Statistics",
    }
    if len(comparison.names) == 2:
        del titles["pairs"]
    return html.Div(
        dmc.ChipGroup(
            [dmc.Chip(title, value=name, size="sm") for name, title in titles.items()],
            id=ids.control("open"),
            multiple=True,
            value=list(comparison.opened),
        ),
        className="section-choice",
        role="group",
        **{"aria-label": "Further sections to open"},
    )


def section(name: str, comparison: Comparison, view: View) -> Any:
    """A section, complete; nothing where it is not open."""
    return SECTIONS[name](comparison, view) if name in comparison.opened else None


def _ranks(comparison: Comparison, view: View) -> Any:
    runs, measure = comparison.loaded.runs, comparison.rank_measure
    points = frames.cutoff_curves(runs, measure)
    # Below its last document a ranking has nothing that a curve could show.
    deepest = max(run.depth for run in runs)
    points = points[points["cutoff"] <= max(deepest, frames.CUTOFFS[0])]
    points = points.assign(run_id=points["run_id"].map(dict(enumerate(comparison.labels))))
    title = f"{measure}@k"
    drawn = interactive.cutoff_curves(points, comparison.labels, title, view.scheme)
    drawn.update_layout(showlegend=len(runs) <= MOST_IN_LEGEND)
    info = measure_info(f"{measure}@10")
    return shell.card(
        "Curves by rank",
        html.P([html.Abbr(title, title=info.help), f": {mean_over(runs).lower()}",
                curves.marks_remark(comparison)], className="caption"),
        graphs.graph(
            "ranks",
            drawn,
            label=f"{title} against the rank, a line a run; the table below has the figures.",
        ),
        curves.points_table(points, comparison, "cutoff", "value", "Rank"),
        aside=controls.segments(
            ids.control("rank"),
            [(name, f"{name}@k") for name in RANK_MEASURES],
            measure,
            label="Measure of the curves by rank",
        ),
    )  # fmt: skip


def _scatter(comparison: Comparison, view: View) -> Any:
    frame, names = comparison.pair_values, (comparison.run, comparison.baseline)
    positions = (comparison.slots[comparison.run], comparison.slots[comparison.baseline])
    draw = interactive.scatter if len(frame) <= MOST_POINTS else binned_scatter
    words = outcome(frame["difference"].tolist(), comparison.measure, names)
    binned = "" if len(frame) <= MOST_POINTS else " The area of a mark is the number of queries."
    return shell.card(
        "Scatter",
        html.P(f"{words} On the diagonal both are the same.{binned}", className="caption"),
        graphs.graph(
            "scatter",
            draw(frame, comparison.measure, names, positions=positions, scheme=view.scheme),
            label=words,
            height=520,
        ),
        class_name="square-figure",
    )


SECTIONS: Mapping[str, Section] = MappingProxyType(
    {
        "ranks": _ranks,
        "scatter": _scatter,
        "pairs": pairs.section,
        "facts": facts.section,
        "slices": slices.section,
        "tests": significance.section,
    }
)
DEPEND_ON: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ranks": frozenset({"rank", "scheme"}),
        "scatter": frozenset({"pair", "scheme"}),
        "pairs": frozenset({"pair"}),
        "facts": frozenset(),
        "slices": frozenset({"pair", "slice"}),
        "tests": frozenset({"pair"}),
    }
)
"""The parameters that change an open section; opening and closing changes any."""
