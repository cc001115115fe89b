"""Recall-precision with bands, less the baseline, and of one query."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import report_runs
from checked_figures import checked

from dashboard.figures import frames, recall
from evalstore import stats
from evalstore.measures.notation import RECALL_LEVELS


def runs_with(values: list[float], *names: str) -> list[frames.RunValues]:
    """Runs whose interpolated precision of each query is one of these at all levels."""
    loaded = report_runs.loaded(*names, queries=len(values)).runs
    every = {name: np.array(values) for name in RECALL_LEVELS}
    return [replace(run, values={**run.values, **every}) for run in loaded]


def test_a_band_holds_the_mean_and_is_the_interval_of_the_leaderboard() -> None:
    runs = report_runs.loaded("a", "b").runs
    bands, curves = frames.recall_bands(runs), frames.recall_curves(runs)
    assert len(bands) == 2 * 11
    assert (bands["low"] < curves["precision"]).all()
    assert (bands["high"] > curves["precision"]).all()
    last = stats.value_interval(runs[1].values[RECALL_LEVELS[-1]])
    assert tuple(bands.iloc[-1][["low", "high"]]) == pytest.approx(last)


def test_the_band_of_a_mean_has_the_width_of_its_standard_error() -> None:
    values = np.random.default_rng(3).random(400)
    band = frames.recall_bands(runs_with(values.tolist(), "a")).iloc[0]
    assert band["high"] - band["low"] == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.1)


def test_less_the_baseline_a_band_is_of_the_differences_and_its_own_has_no_width() -> None:
    runs = report_runs.loaded("a", "b").runs
    less = frames.recall_bands(runs, baseline=0)
    assert (less.loc[less["run_id"] == 0, ["low", "high"]] == 0).all(axis=None)
    a, b = (run.values[RECALL_LEVELS[-1]] for run in runs)
    assert tuple(less.iloc[-1][["low", "high"]]) == pytest.approx(stats.t_interval(a, b))


def test_one_query_has_no_band() -> None:
    assert frames.recall_bands(report_runs.loaded("a", "b", queries=1).runs).empty
    assert frames.recall_bands([]).empty


@pytest.mark.parametrize("number", [2, 4, 5, 12])
def test_curves_are_named_at_their_ends_and_up_to_four_have_bands(number: int) -> None:
    names = [f"r{n}" for n in range(number)]
    runs = report_runs.loaded(*names).runs
    figure = checked(recall.mean_curves)(
        frames.recall_curves(runs), frames.recall_bands(runs), dict(enumerate(names))
    )
    filled = [trace for trace in figure.data if trace.fill == "toself"]
    lines = [trace for trace in figure.data if trace.fill is None and len(trace.x) > 2]
    leaders = [trace for trace in figure.data if trace.fill is None and len(trace.x) == 2]
    assert len(lines) == len(leaders) == number
    if number <= recall.MOST_BANDS:
        assert len(filled) == number
        assert figure.data[0].fill == "toself"  # below the lines
    else:
        assert not filled
    assert figure.layout.showlegend is False
    labels = figure.layout.annotations
    assert len(labels) == number
    for line, label in zip(leaders, labels, strict=True):
        assert line.name.strip("\u2068\u2069") in label.text
        [curve] = [one for one in lines if one.name == line.name]
        assert list(line.y) == [curve.y[-1], label.y]
        assert (line.line.color, line.marker.symbol) == (curve.line.color, curve.marker.symbol)
    places = sorted(label.y for label in labels)
    gap = recall.LABEL_GAP * (
        max(max(line.y) for line in lines) - min(min(line.y) for line in lines)
    )
    assert all(b - a >= gap * 0.999 for a, b in pairwise(places))


def test_less_the_baseline_its_own_curve_is_zero() -> None:
    curves = frames.recall_curves(report_runs.loaded("a", "b").runs)
    less = recall.less_baseline(curves, 0)
    assert (less.loc[less["run_id"] == 0, "precision"] == 0).all()
    both = [curves.loc[curves["run_id"] == n, "precision"].to_numpy() for n in (0, 1)]
    assert less.loc[less["run_id"] == 1, "precision"].tolist() == (both[1] - both[0]).tolist()


def test_the_steps_of_a_query_are_the_highest_precision_at_each_recall_or_above() -> None:
    # Relevant at ranks 2 and 3 of three relevant documents: 1/2 and 2/3.
    points = {4: [(1 / 3, 1 / 2), (2 / 3, 2 / 3)]}
    levels = pd.DataFrame({"run_id": 4, "recall": [0.0, 1.0], "precision": [2 / 3, 0.0]})
    steps, ticks, marks = checked(recall.query_curves)(points, levels, {4: "a"}).data
    assert list(steps.x) == [0, 1 / 3, 2 / 3, 1]
    assert list(steps.y) == [2 / 3, 2 / 3, 2 / 3, 0]
    assert steps.line.shape == "vh"
    assert list(ticks.y) == [2 / 3, 0]
    assert list(marks.y) == [1 / 2, 2 / 3]


def test_a_query_without_a_relevant_document_found_is_a_line_at_zero() -> None:
    levels = pd.DataFrame({"run_id": 0, "recall": [0.0], "precision": [0.0]})
    steps, _, marks = checked(recall.query_curves)({}, levels, {0: "<b>"}, "dark").data
    assert list(steps.y) == [0, 0]
    assert not marks.x
    assert "&lt;b&gt;" in marks.name
