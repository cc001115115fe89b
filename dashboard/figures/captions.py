"""Sentences below figures."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
from dashboard.figures.frames import shared_queries
from evalstore.comparison.comparability import RunValues


def outcome(values: list[float], measure: MeasureInfo, labels: tuple[str, str]) -> str:
    """On how many queries which run is better, as a sentence."""
    run, baseline = (wording.name(label) for label in labels)
    higher, lower = sum(value > 0 for value in values), sum(value < 0 for value in values)
    wins, losses = (lower, higher) if measure.higher_is_better is False else (higher, lower)
    better = "higher" if measure.higher_is_better is None else "better"
    return (
        f"{measure.label}, {run} − {baseline}, over "
        f"{wording.count(len(values), 'query', 'queries')}: {run} is {better} on {wins:,}, "
        f"{baseline} on {losses:,}; the same on {len(values) - higher - lower:,}."
    )


def mean_over(runs: Sequence[RunValues]) -> str:
    """Over which queries the points of a curve are means."""
    queries = len(shared_queries(runs))
    if queries == 1:
        return f"Of the only query that {'all runs answer' if len(runs) > 1 else 'is judged'}."
    chosen = "all runs answer" if len(runs) > 1 else "are judged"
    return f"Mean over the {queries:,} queries that {chosen}."
