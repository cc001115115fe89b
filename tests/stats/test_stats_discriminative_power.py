"""Discriminative power: Sakai's paired bootstrap test over all pairs of runs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from drawn_values import F64, many_runs
from hypothesis import given
from hypothesis import strategies as st

from evalstore import stats
from evalstore.errors import DataError


def level_of_all_resamples(z: list[int]) -> float:
    """The level by Sakai's figure, over every resample of a few differences.

    In whole numbers n w, so that equal statistics are equal: t^2 is proportional to
    mean^2 / variance.
    """
    n = len(z)
    w = [n * value - sum(z) for value in z]

    def squared(values: tuple[int, ...] | list[int]) -> float:
        total = sum(values)
        spread = n * sum(v * v for v in values) - total * total
        if spread == 0:
            return math.inf if total else 0.0
        return total * total / spread

    observed = squared([n * value for value in z])
    resamples = list(itertools.product(w, repeat=n))
    return sum(squared(r) >= observed * (1 - 1e-12) for r in resamples) / len(resamples)


@pytest.mark.parametrize(
    "z", [[1, 2, 3], [1, 1, 0, 0, -1], [5, 0, 0, 0], [2, 3, 1, -1, 4, 2], [1, -1, 2, -2]]
)
def test_levels_near_those_of_all_resamples(z: list[int]) -> None:
    values = np.array([[0.0, value / 10] for value in z])
    expected = level_of_all_resamples(z)
    level = stats.bootstrap_levels(values, resamples=40_000)[0]
    error = math.sqrt(expected * (1 - expected) / 40_000)
    assert level == pytest.approx(expected, abs=5 * error)


def test_levels_are_sorted_and_the_share_is_of_those_below_alpha() -> None:
    random = np.random.default_rng(3)
    base = random.random(30)
    values = np.stack([base + shift + random.normal(0, 0.05, 30) for shift in (0, 0.01, 0.2)], 1)
    power = stats.discriminative_power(values)
    assert power.levels.tolist() == sorted(stats.bootstrap_levels(values).tolist())
    assert power.share == pytest.approx(2 / 3)


def test_levels_by_tukey_are_those_of_the_randomized_test() -> None:
    values = np.random.default_rng(4).random((12, 3))
    p = stats.tukey_randomized(values, resamples=5_000)
    power = stats.discriminative_power(values, test="tukey")
    assert power.levels.tolist() == sorted([p[0, 1], p[0, 2], p[1, 2]])


def test_equal_runs_and_single_queries_are_never_separated() -> None:
    assert stats.bootstrap_levels([[0.1, 0.1], [0.5, 0.5]]).tolist() == [1]
    assert stats.bootstrap_levels([[0.1, 0.9]]).tolist() == [1]
    assert stats.bootstrap_levels([[0.1, 0.2], [0.4, 0.5], [0.6, 0.7]]).tolist() == [0]


def test_one_run_has_no_pairs_to_separate() -> None:
    levels, share = stats.discriminative_power([[0.1], [0.2]])
    assert len(levels) == 0
    assert math.isnan(share)


@given(many_runs(), st.data())
def test_the_order_of_the_queries_changes_no_level(values: F64, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(values))))
    levels = stats.bootstrap_levels(values, resamples=200)
    assert stats.bootstrap_levels(values[order], resamples=200).tolist() == levels.tolist()


def test_another_test_is_refused() -> None:
    with pytest.raises(DataError, match="'bootstrap' or 'tukey'"):
        stats.discriminative_power([[0.1, 0.2]], test="anova")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="resamples must be at least 1"):
        stats.bootstrap_levels([[0.1, 0.2]], resamples=-1)
