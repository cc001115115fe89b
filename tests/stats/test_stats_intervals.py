"""Intervals of the mean difference."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from test_stats_paired import FIRST_DRUG, SECOND_DRUG

from evalstore import stats
from evalstore.errors import DataError

pytestmark = pytest.mark.slow  # many resamples


def test_the_t_interval_of_students_sleep_data_is_as_r_prints_it() -> None:
    expected = (0.7001142, 2.4598858)
    assert stats.t_interval(FIRST_DRUG, SECOND_DRUG) == pytest.approx(expected, abs=5e-8)


@given(two_runs(least=2), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_t_interval_is_scipys(runs: tuple[F64, F64], level: float) -> None:
    a, b = runs
    assume(len(set(np.rint((b - a) * 10_000))) > 1)
    expected = scipy_stats.ttest_rel(b, a).confidence_interval(level)
    assert stats.t_interval(a, b, level) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def bca_of_all_resamples(difference: F64, level: float) -> tuple[float, float]:
    """Efron's definition over every resample of a few differences, each counted once."""
    n = len(difference)
    means = np.array([*itertools.product(difference, repeat=n)]).mean(axis=1).round(12)
    observed = np.mean(difference).round(12)
    share = (np.mean(means < observed) + np.mean(means <= observed)) / 2
    z0 = scipy_stats.norm.ppf(share)
    without_one = np.array([np.delete(difference, i).mean() for i in range(n)])
    influence = without_one.mean() - without_one
    a = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + scipy_stats.norm.ppf(tail)
        ends.append(float(np.quantile(means, scipy_stats.norm.cdf(z0 + z / (1 - a * z)))))
    return ends[0], ends[1]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_nears_the_interval_of_all_resamples(level: float) -> None:
    difference = np.array([0.02, 0.11, -0.043, 0.301, 0.0871, 0.007, -0.0202])
    expected = bca_of_all_resamples(difference, level)
    ends = stats.bca_interval(np.zeros(7), difference, level, resamples=400_000)
    assert ends == pytest.approx(expected, abs=0.001)


def test_bca_is_near_scipys() -> None:
    random = np.random.default_rng(5)
    a = random.beta(2, 3, 60).round(4)
    b = np.clip(a + random.exponential(0.08, 60) - 0.05, 0, 1).round(4)
    resample = {"n_resamples": 50_000, "rng": np.random.default_rng(1)}
    expected = scipy_stats.bootstrap((b - a,), np.mean, method="BCa", **resample)
    ends = stats.bca_interval(a, b, resamples=50_000)
    # Ends from 50,000 resamples have a standard deviation of about 0.0002 here.
    assert ends == pytest.approx(expected.confidence_interval, abs=0.0015)


@given(two_runs())
def test_exchanging_the_runs_mirrors_the_intervals(runs: tuple[F64, F64]) -> None:
    a, b = runs
    for interval in (stats.t_interval, stats.bca_interval):
        low, high = interval(a, b)
        assert low <= high
        assert interval(b, a) == pytest.approx((-high, -low), abs=1e-12)


@given(two_runs(), st.data())
def test_the_order_of_the_queries_changes_no_interval(
    runs: tuple[F64, F64], data: st.DataObject
) -> None:
    a, b = runs
    order = data.draw(st.permutations(range(len(a))))
    for interval in (stats.t_interval, stats.bca_interval):
        assert interval(a[order], b[order]) == pytest.approx(interval(a, b), abs=1e-12)


@given(two_runs(least=2))
def test_a_run_against_itself_has_the_interval_zero(runs: tuple[F64, F64]) -> None:
    a, _ = runs
    assert stats.t_interval(a, a) == (0, 0)
    assert stats.bca_interval(a, a) == (0, 0)


@given(two_runs(least=2), st.sampled_from([0.9, 0.95]))
def test_the_t_interval_leaves_zero_out_exactly_where_p_is_below(
    runs: tuple[F64, F64], level: float
) -> None:
    a, b = runs
    low, high = stats.t_interval(a, b, level)
    p = stats.paired_t(a, b).p
    assume(abs(p - (1 - level)) > 1e-9)
    assume(len(set(np.rint((b - a) * 10_000))) > 1)
    assert (low > 0 or high < 0) == (p < 1 - level)


def test_one_query_bounds_nothing() -> None:
    for interval in (stats.t_interval, stats.bca_interval):
        assert interval([0.1], [0.9]) == (-math.inf, math.inf)


def test_equal_differences_have_an_interval_without_width() -> None:
    a, b = np.array([0.1, 0.2, 0.6]), np.array([0.3, 0.4, 0.8])
    for interval in (stats.t_interval, stats.bca_interval):
        assert interval(a, b) == pytest.approx((0.2, 0.2), abs=1e-12)


def test_a_level_is_between_0_and_1() -> None:
    for interval in (stats.t_interval, stats.bca_interval):
        for level in (0, 1, 95, float("nan")):
            with pytest.raises(DataError, match="level must lie between 0 and 1"):
                interval([0.1, 0.2], [0.3, 0.2], level)
