"""The marks of a history: those of a plain recomputation, kept for ever, and rarely false."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pytest

from evalstore.comparison.significance import TESTS, Settings, Test
from evalstore.measures import parse
from evalstore.stats import paired_t
from evalstore.store.queries.tracking import RunInTime
from evalstore.tracking.history import HistoryRun, marked_runs

F64 = npt.NDArray[np.float64]
QUERIES = 50
SHOWN = ("better", "worse")


def history(values: F64, test: Test = "t") -> list[HistoryRun]:
    """The tested versions v1, v2, ... of an engine; `values` are versions x queries."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    runs = [
        RunInTime("c", number, f"v{number}", start + timedelta(days=number))
        for number in range(1, len(values) + 1)
    ]
    figures = [float(of_version.mean()) for of_version in values]
    return marked_runs(runs, figures, np.ascontiguousarray(values), parse("AP"), Settings(test))


def versions(random: np.random.Generator, means: Sequence[float], spread: float = 0.07) -> F64:
    """Values of versions with these means in the population of the queries, skewed as AP is."""
    queries = random.beta(0.5, 1.2, QUERIES)
    noise = random.exponential(spread, (len(means), QUERIES))
    noise *= random.choice([-1, 0, 1], noise.shape)
    return np.asarray(queries + np.asarray(means)[:, None] + noise)


def plain_marks(values: F64) -> list[tuple[int, int]]:
    """The marks as (version, the version that it differs from), numbered from 0."""
    marks: list[tuple[int, int]] = []
    reference, last_mark, tests = 0, 0, 0
    for version in range(1, len(values)):
        differing = False
        for other in [version - 1, *([reference] if reference != version - 1 else [])]:
            tests += 1
            place = tests - last_mark
            if paired_t(values[other], values[version]).p < 0.5 / ((place + 9) * (place + 10)):
                marks.append((version, other))
                last_mark, differing = tests, True
        reference = version if differing else reference
    return marks


def marks(runs: Sequence[HistoryRun]) -> list[tuple[int, int]]:
    number = {run.run: place for place, run in enumerate(runs)}
    return [
        (place, other)
        for place, run in enumerate(runs)
        for other, change in (
            (place - 1, run.change),
            (number.get(run.reference or "", 0), run.reference_change),
        )
        if change in SHOWN
    ]


@pytest.mark.parametrize("seed", range(5))
def test_marks_are_those_of_a_plain_recomputation(seed: int) -> None:
    random = np.random.default_rng(seed)
    steps = random.choice([0, 0, 0, -0.05, 0.02, 0.1], 60)
    values = versions(random, np.cumsum(steps).tolist())
    found = marks(history(values))
    assert found == plain_marks(values)
    assert len(found) > 5


@pytest.mark.parametrize("test", TESTS)
def test_no_later_version_changes_a_figure_of_those_before(test: Test) -> None:
    random = np.random.default_rng(3)
    values = versions(random, np.cumsum(random.choice([0, 0, -0.05, 0.1], 12)).tolist())
    whole = history(values, test)
    assert any(run.mark in SHOWN for run in whole)
    for shown in range(1, 13):
        assert history(values[:shown], test) == whole[:shown]


def test_a_drift_in_small_steps_is_found_by_the_reference() -> None:
    values = versions(np.random.default_rng(1), [-0.0053 * step for step in range(21)])
    runs = history(values)
    assert paired_t(values[0], values[-1]).p < 0.001
    assert {run.change for run in runs[1:]} == {"not shown"}
    assert "worse" in [run.reference_change for run in runs]


def test_a_version_equal_to_the_one_before_is_no_new_look() -> None:
    values = versions(np.random.default_rng(2), [0.0] * 3)
    same = history(values[[0, 1, 1, 1, 2]])
    once = history(values)
    assert [run.level for run in same[2:]] == [once[2].level] * 3
    assert (same[-1].p, same[-1].reference_p) == (once[-1].p, once[-1].reference_p)


def test_of_constant_engines_at_most_one_in_twenty_has_a_mark_in_100_looks() -> None:
    random = np.random.default_rng(1)
    engines = 100
    marked = sum(bool(marks(history(versions(random, [0.0] * 101)))) for _ in range(engines))
    assert marked <= engines * (0.05 + 2 * (0.05 * 0.95 / engines) ** 0.5)
