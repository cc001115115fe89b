"""Data frames for figures, made from runs with their values per query.

Runs are numbered by their position, which determines the colour and marker of each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dashboard.components.wording import MeasureInfo
from evalstore.catalog.names import listed, natural
from evalstore.comparison.comparability import F64, RunValues
from evalstore.measures.notation import RECALL_LEVELS
from evalstore.stats.intervals import mean_intervals_of_rows, value_intervals_of_rows

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""The ranks at which NIST's reports give precision."""


def at_cutoffs(measure: str) -> tuple[str, ...]:
    """The names of a measure at these ranks: P@5, P@10, ..."""
    return tuple(f"{measure}@{cutoff}" for cutoff in CUTOFFS)


LEVELS: Mapping[str, float] = MappingProxyType(
    {name: float(name.partition("@")[2]) for name in RECALL_LEVELS}
)
"""The recall levels by the names of their measures."""
LEVEL = 0.95
"""Of the bands of curves."""

FOR_CURVES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "recall-precision": RECALL_LEVELS,
        "precision-at-k": at_cutoffs("P"),
        "recall-at-k": at_cutoffs("R"),
    }
)
"""The measures needed for each kind of curve."""

FOR_REPORTS = (
    *("AP", "Rprec", "NumRet", "NumRel", "NumRelRet"),
    *(measure for measures in FOR_CURVES.values() for measure in measures),
)
"""The measures needed for reports, in addition to those that a user names."""


def shared_queries(runs: Sequence[RunValues]) -> list[str]:
    """The judged queries of all runs; one without an answer counts as an empty ranking."""
    shared = set(runs[0].qids).intersection(*(run.qids for run in runs))
    return [qid for qid in runs[0].qids if qid in shared]


def recall_curves(runs: Sequence[RunValues]) -> pd.DataFrame:
    """Interpolated precision at the 11 recall levels, over `shared_queries`.

    Columns: run_id, recall, precision.
    """
    return _curves(runs, LEVELS, ("recall", "precision"))


def recall_curves_of_means(means: F64) -> pd.DataFrame:
    """`recall_curves` from mean precisions: float64, runs x recall levels."""
    points = [
        (number, level, float(value))
        for number, row in enumerate(means)
        for level, value in zip(LEVELS.values(), row, strict=True)
    ]
    return pd.DataFrame(points, columns=["run_id", "recall", "precision"])


def recall_bands(runs: Sequence[RunValues], *, baseline: int | None = None) -> pd.DataFrame:
    """95 % intervals of `recall_curves`: run_id, recall, low, high.

    They are those of the leaderboard (`value_interval`). If `baseline` is given, the intervals are
    of the differences to its curve (`mean_interval`), without a width for itself. Empty without
    runs or with fewer than two queries.
    """
    queries = set(shared_queries(runs)) if runs else set()
    columns = ["run_id", "recall", "low", "high"]
    if len(queries) < 2:
        return pd.DataFrame(columns=columns)
    chosen = [[row for row, qid in enumerate(run.qids) if qid in queries] for run in runs]
    values = np.array(
        [
            [run.values[name][rows] for name in RECALL_LEVELS]
            for run, rows in zip(runs, chosen, strict=True)
        ]
    )
    if baseline is None:
        low, high = value_intervals_of_rows(values.reshape(-1, len(queries)), LEVEL)
    else:
        less = (values - values[baseline]).reshape(-1, len(queries))
        low, high = mean_intervals_of_rows(less, LEVEL, (-1, 1))
        itself = slice(baseline * len(LEVELS), (baseline + 1) * len(LEVELS))
        low[itself] = high[itself] = 0
    points = [(number, x) for number in range(len(runs)) for x in LEVELS.values()]
    rows = [(*point, *ends) for point, *ends in zip(points, low, high, strict=True)]
    return pd.DataFrame(rows, columns=columns)


def cutoff_curves(runs: Sequence[RunValues], measure: str) -> pd.DataFrame:
    """A measure at the cutoffs: run_id, cutoff, value; over `shared_queries`."""
    return _curves(runs, dict(zip(at_cutoffs(measure), CUTOFFS, strict=True)), ("cutoff", "value"))


def _curves(
    runs: Sequence[RunValues], points: Mapping[str, float], columns: tuple[str, str]
) -> pd.DataFrame:
    queries = set(shared_queries(runs))
    rows: list[tuple[int, float, float]] = []
    for number, run in enumerate(runs):
        chosen = [row for row, qid in enumerate(run.qids) if qid in queries]
        rows += [(number, x, _mean(run.values[name][chosen])) for name, x in points.items()]
    return pd.DataFrame(rows, columns=["run_id", *columns])


def _mean(values: F64) -> float:
    """The mean, summed one value after another like stored aggregates; 0 without values."""
    return float(np.add.accumulate(values)[-1]) / len(values) if len(values) else 0.0


def pair_values(
    run: RunValues, baseline: RunValues, measure: str, texts: Mapping[str, str]
) -> pd.DataFrame:
    """One row per query on which both have a value: qid, text (or None), a, b, difference = a - b.

    `a` are the values of the run, `b` those of the baseline; a query without an answer counts as
    an empty ranking, as in the comparison. The difference is rounded to 1e-9, as wins, ties and
    losses are counted. Rows are in natural order of the query ids.
    """
    values, others = (
        dict(zip(one.qids, one.values[measure].tolist(), strict=True)) for one in (run, baseline)
    )
    both = [qid for qid in values if math.isfinite(values[qid] - others.get(qid, math.nan))]
    return _pair_frame(both, values, others, texts)


def values_and_medians(
    run: RunValues, medians: F64, measure: str, texts: Mapping[str, str]
) -> pd.DataFrame:
    """Like `pair_values`, with the median of several runs as baseline, for every judged query."""
    values = dict(zip(run.qids, run.values[measure].tolist(), strict=True))
    return _pair_frame(run.qids, values, dict(zip(run.qids, medians.tolist(), strict=True)), texts)


def _pair_frame(
    qids: Sequence[str], a: Mapping[str, float], b: Mapping[str, float], texts: Mapping[str, str]
) -> pd.DataFrame:
    ordered = sorted(qids, key=natural)
    return pd.DataFrame(
        {
            "qid": pd.Series(ordered, dtype="object"),
            "text": pd.Series([texts.get(qid) for qid in ordered], dtype="object"),
            "a": np.array([a[qid] for qid in ordered], np.float64),
            "b": np.array([b[qid] for qid in ordered], np.float64),
            "difference": np.round([a[qid] - b[qid] for qid in ordered], 9),
        }
    )


class RunPair(NamedTuple):
    """The values of two runs by query, as figures need them.

    `values` is a frame of `pair_values`; `labels` are the names of a and b, and `positions` the
    numbers that determine their colours and marks.
    """

    values: pd.DataFrame
    measure: MeasureInfo
    labels: tuple[str, str]
    positions: tuple[int, int] = (0, 1)


# A sweep: a measure against a parameter of the engine, a line for each value of another


class Swept(NamedTuple):
    """A run of a sweep: its name, parameters and value, and whether it answers all queries."""

    name: str
    parameters: Mapping[str, Any]
    value: float
    is_complete: bool


def complete_runs(runs: Sequence[Swept], along: str) -> tuple[list[Swept], list[str]]:
    """Leave out the runs of a sweep along a parameter that do not answer all queries; their names.

    A sweep compares means of runs, so that one with empty rankings would speak against a value. If
    none answers all, all stay; and so do runs without a number, which are in no sweep.
    """
    of_sweep = [run for run in runs if is_number(run.parameters.get(along))]
    lacking = [run.name for run in of_sweep if not run.is_complete]
    if len(lacking) == len(of_sweep):
        return [*runs], []
    return [run for run in runs if run.name not in lacking], lacking


def on_incomplete(names: Sequence[str]) -> str:
    """The remark on runs that `complete_runs` left out."""
    do = "does" if len(names) == 1 else "do"
    return f"{listed(names, MOST_LEFT_OUT)} {do} not answer all queries: left out"


MOST_LEFT_OUT = 3
"""The runs that a remark names of those left out."""


def sweep(
    runs: Sequence[Swept], along: str, lines: str = ""
) -> tuple[pd.DataFrame, dict[int, str]]:
    """The points of a sweep (run_id, x, y, name), and the names of its lines.

    `run_id` is the number of the line: one for each value of the parameter `lines` in natural
    order, or a single one if that is empty. Runs whose parameter `along` is no number are left
    out.
    """
    kept = [run for run in runs if is_number(run.parameters.get(along))]
    values = {_text(run.parameters.get(lines)) for run in kept} if lines else {""}
    numbers = {value: number for number, value in enumerate(sorted(values, key=natural))}
    rows = [
        (
            numbers[_text(run.parameters.get(lines)) if lines else ""],
            float(run.parameters[along]),
            run.value,
            run.name,
        )
        for run in kept
    ]
    labels = {n: f"{lines} = {value}" if lines else along for value, n in numbers.items()}
    return pd.DataFrame(rows, columns=["run_id", "x", "y", "name"]), labels


def numeric_parameters(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of parameters that have two numbers or more, those of most numbers first.

    Of parameters with as many numbers, those of most runs come first.
    """
    values: dict[str, list[float]] = {}
    for parameters in runs:
        for name, value in parameters.items():
            if is_number(value):
                values.setdefault(name, []).append(float(value))
    sizes = {name: (-len(set(of)), -len(of)) for name, of in values.items() if len(set(of)) > 1}
    return sorted(sizes, key=lambda name: (sizes[name], natural(name)))


def is_number(value: object) -> bool:
    """Whether the value of a parameter is a number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: object) -> str:
    return "(none)" if value is None else str(value)
