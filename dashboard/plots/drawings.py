"""The figures of `evalstore plot`: each can be drawn as an interactive and as a static one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go
from matplotlib.figure import Figure

from dashboard import figures, wording
from dashboard.measure_info import MeasureInfo, measure_info
from dashboard.plots import frames, interactive, static
from evalstore.measures import Measure
from evalstore.usecases.loaded_runs import LoadedRuns
from evalstore.usecases.medians import Medians
from evalstore.usecases.significance import Compared

Size = tuple[float, float]
"""Width and height in inches."""


@dataclass(frozen=True)
class Drawing:
    """A figure that is not drawn yet.

    Attributes:
        title: what it shows.
        caption: over what, and how to read it.
        interactive: draws it with plotly, in light colours.
        static: draws it with matplotlib.
    """

    title: str
    caption: str
    interactive: Callable[[], go.Figure]
    static: Callable[[Size], Figure]


def recall_precision(loaded: LoadedRuns) -> Drawing:
    """Interpolated precision at the 11 recall levels, a line a run."""
    labels = _labels(loaded)
    curves = frames.recall_curves(loaded.runs)
    return Drawing(
        "Recall-precision",
        _mean_over(loaded),
        lambda: figures.recall_precision(curves, labels),
        lambda size: static.recall_precision(curves, labels, size),
    )


def at_cutoffs(loaded: LoadedRuns, measure: str) -> Drawing:
    """P or R at cutoffs from 5 to 1,000, a line a run."""
    labels = _labels(loaded)
    curves = frames.cutoff_curves(loaded.runs, measure)
    title = f"{measure}@k"
    return Drawing(
        title,
        _mean_over(loaded),
        lambda: interactive.cutoff_curves(curves, labels, title),
        lambda size: static.cutoff_curves(curves, labels, title, size),
    )


def differences(
    loaded: LoadedRuns, measure: tuple[str, Measure], baseline: int, order: figures.Order
) -> Drawing:
    """The difference run - baseline of every query, of two runs."""
    shown, info, run = measure[0], measure_info(str(measure[1])), 1 - baseline
    pairs = frames.pair_values(loaded.runs[run], loaded.runs[baseline], shown, loaded.texts)
    labels = (loaded.runs[run].name, loaded.runs[baseline].name)
    positions = (run, baseline)
    return Drawing(
        f"{info.label}: {wording.name(labels[0])} − {wording.name(labels[1])}",
        outcome(pairs["difference"].tolist(), info, labels),
        lambda: interactive.differences(pairs, info, labels, positions=positions, order=order),
        lambda size: static.differences(
            pairs, info, labels, size, positions=positions, order=order
        ),
    )


def median(
    loaded: LoadedRuns, measure: tuple[str, Measure], medians: Medians, order: figures.Order
) -> Drawing:
    """The difference of a run to the median of several runs, of every query."""
    (run,) = loaded.runs
    shown, info = measure[0], measure_info(str(measure[1]))
    pairs = frames.values_and_medians(run, medians.values[shown], shown, loaded.texts)
    labels = (run.name, f"median of {wording.count(medians.runs, 'run')}")
    return Drawing(
        f"{info.label}: {wording.name(run.name)} − {labels[1]}",
        outcome(pairs["difference"].tolist(), info, labels),
        lambda: interactive.differences(pairs, info, labels, order=order),
        lambda size: static.differences(pairs, info, labels, size, order=order),
    )


def scatter(loaded: LoadedRuns, measure: tuple[str, Measure], baseline: int) -> Drawing:
    """The value of the baseline against that of the run, a point a query."""
    shown, info, run = measure[0], measure_info(str(measure[1])), 1 - baseline
    pairs = frames.pair_values(loaded.runs[run], loaded.runs[baseline], shown, loaded.texts)
    labels = (loaded.runs[run].name, loaded.runs[baseline].name)
    positions = (run, baseline)
    return Drawing(
        f"{info.label} by query",
        outcome(pairs["difference"].tolist(), info, labels),
        lambda: interactive.scatter(pairs, info, labels, positions=positions),
        lambda size: static.scatter(pairs, info, labels, size, positions=positions),
    )


def intervals(compared: Compared) -> Drawing:
    """The mean difference of every pair and measure, with its interval."""
    rows = frames.mean_differences(compared)
    level = f"{100 * (1 - compared.settings.alpha):g} %"
    return Drawing(
        "Mean differences",
        f"Differences are run − baseline, with their {level} intervals. A filled mark is a "
        "difference that is shown after the correction.",
        lambda: interactive.intervals(rows, level),
        lambda size: static.intervals(rows, level, size),
    )


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


def _labels(loaded: LoadedRuns) -> dict[int, str]:
    return {number: run.name for number, run in enumerate(loaded.runs)}


def _mean_over(loaded: LoadedRuns) -> str:
    queries = wording.count(len(frames.shared_queries(loaded.runs)), "query", "queries")
    chosen = "all runs answer" if len(loaded.runs) > 1 else "are judged"
    return f"Mean over the {queries} that {chosen}."
