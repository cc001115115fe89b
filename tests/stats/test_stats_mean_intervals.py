"""Intervals of a mean within the bounds of a measure, without spread, and of a share."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError
from evalstore.stats.intervals import (
    mean_intervals_of_rows,
    t_intervals_of_rows,
    value_intervals_of_rows,
)

DIFFERENCE = (-1.0, 1.0)  # what a difference can be, for a measure from 0 to 1
LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.999])


@given(two_runs(), LEVELS)
def test_it_lies_within_the_bounds_holds_the_mean_and_has_a_width(
    runs: tuple[F64, F64], level: float
) -> None:
    a, b = runs
    low, high = stats.mean_interval(a, b, level, DIFFERENCE)
    assert -1 <= low < high <= 1
    assert low - 1e-12 <= (b - a).mean() <= high + 1e-12


@given(two_runs(), LEVELS)
def test_with_a_spread_it_is_students_cut_at_the_bounds(
    runs: tuple[F64, F64], level: float
) -> None:
    a, b = runs
    assume(len(set(np.rint((b - a) * 10_000))) > 1)
    student = stats.t_interval(a, b, level)
    assert stats.mean_interval(a, b, level, DIFFERENCE) == tuple(np.clip(student, -1, 1))
    assert stats.mean_interval(a, b, level) == student


@given(two_runs(), st.floats(0.01, 100), st.data())
def test_exchange_order_and_unit_change_nothing_else(
    runs: tuple[F64, F64], unit: float, data: st.DataObject
) -> None:
    a, b = runs
    low, high = stats.mean_interval(a, b, bounds=DIFFERENCE)
    assert stats.mean_interval(b, a, bounds=DIFFERENCE) == pytest.approx((-high, -low), abs=1e-9)
    order = data.draw(st.permutations(range(len(a))))
    moved = stats.mean_interval(a[order], b[order], bounds=DIFFERENCE)
    assert moved == pytest.approx((low, high), abs=1e-9)
    scaled = stats.mean_interval(unit * a, unit * b, bounds=(-unit, unit))
    assert scaled == pytest.approx((unit * low, unit * high), abs=1e-7 * unit)


@pytest.mark.parametrize("queries", [1, 2, 10, 50])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_equal_differences_leave_room_for_the_share_that_no_sample_showed(
    queries: int, level: float
) -> None:
    # The exact interval of a share of which none was seen, one tail at each end.
    unseen = scipy_stats.binomtest(0, queries).proportion_ci(level, method="exact").high
    for only in (0.0, 0.4, 1.0):
        low, high = stats.mean_interval(np.zeros(queries), [only] * queries, level, DIFFERENCE)
        assert low == pytest.approx(only - unseen * (only + 1))
        assert high == pytest.approx(only + unseen * (1 - only))


def test_equal_differences_of_an_unbounded_measure_bound_nothing() -> None:
    a, b = [0.1, 0.2, 0.6], [0.3, 0.4, 0.8]  # equal up to the last bit
    assert stats.mean_interval(a, b) == (-math.inf, math.inf)
    low, high = stats.mean_interval(a, b, bounds=(-math.inf, 1))
    assert low == -math.inf
    assert 0.2 < high < 1


def test_rows_are_the_pairs_one_by_one() -> None:
    rows = np.array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [-1.0, 1.0, 1.0]])
    low, high = mean_intervals_of_rows(rows, 0.9, DIFFERENCE)
    one_by_one = [stats.mean_interval(np.zeros(3), row, 0.9, DIFFERENCE) for row in rows]
    assert [*zip(low, high, strict=True)] == one_by_one


@pytest.mark.parametrize("bounds", [(-0.1, 0.1), (0.5, -0.5), (math.nan, 1)])
def test_values_outside_the_bounds_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(DataError, match="within their bounds"):
        stats.mean_interval([0.1, 0.2], [0.4, 0.1], bounds=bounds)


def test_ten_differences_of_a_measure_of_0_or_1_are_covered_as_often_as_asked() -> None:
    """Over every sample of 10 differences of -1, 0 and 1, each with its probability."""
    queries = 10
    samples = [
        (wins, losses)
        for wins, losses in itertools.product(range(queries + 1), repeat=2)
        if wins + losses <= queries
    ]
    rows = np.array([[1.0] * w + [-1.0] * m + [0.0] * (queries - w - m) for w, m in samples])
    low, high = mean_intervals_of_rows(rows, 0.95, DIFFERENCE)
    student = t_intervals_of_rows(rows, 0.95)
    covered, covered_by_student = [], []
    for better, worse in itertools.product([0.02, 0.1, 0.2, 0.3], [0.02, 0.1, 0.2]):
        counts = [(w, m, queries - w - m) for w, m in samples]
        chance = scipy_stats.multinomial.pmf(counts, queries, [better, worse, 1 - better - worse])
        mean = better - worse
        covered.append(chance[(low <= mean) & (mean <= high)].sum())
        covered_by_student.append(chance[(student.low <= mean) & (mean <= student.high)].sum())
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)
    assert min(covered) >= 0.93
    assert min(covered_by_student) < 0.75  # where a sample often shows no difference


# --- the mean of one run --------------------------------------------------------------------------


@given(two_runs(), LEVELS, st.data())
def test_the_mean_of_a_run_has_an_interval_within_the_bounds(
    runs: tuple[F64, F64], level: float, data: st.DataObject
) -> None:
    values, _ = runs
    low, high = stats.value_interval(values, level)
    assert 0 <= low < high <= 1
    assert low - 1e-12 <= values.mean() <= high + 1e-12
    order = data.draw(st.permutations(range(len(values))))
    assert stats.value_interval(values[order], level) == pytest.approx((low, high), abs=1e-9)
    assert stats.value_interval(1 - values, level) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    percent = stats.value_interval(100 * values, level, (0, 100))
    assert percent == pytest.approx((100 * low, 100 * high), abs=1e-6)


def test_the_interval_of_a_mean_is_students_of_its_logit() -> None:
    values = np.array([0.1, 0.3, 0.0, 0.2])
    mean, error = values.mean(), scipy_stats.sem(values)
    half = scipy_stats.t.ppf(0.975, 3) * error / (mean * (1 - mean))
    middle = math.log(mean / (1 - mean))
    expected = [1 / (1 + math.exp(-middle - sign * half)) for sign in (-1, 1)]
    assert stats.value_interval(values) == pytest.approx(expected)


def test_a_mean_without_bounds_or_spread_has_the_interval_of_differences() -> None:
    values = [0.1, 0.3, 2.0]
    unbounded = stats.value_interval(values, bounds=(0, math.inf))
    assert unbounded == stats.mean_interval([0, 0, 0], values, bounds=(0, math.inf))
    for only in (0.0, 0.25):
        equal = stats.value_interval([only] * 5)
        assert equal == stats.mean_interval([0] * 5, [only] * 5, bounds=(0, 1))


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, math.nan], [0.5, 1.5]])
def test_what_are_no_values_of_a_run_is_refused(values: list[float]) -> None:
    with pytest.raises(DataError, match="values must"):
        stats.value_interval(values)


def test_the_mean_of_a_skewed_measure_is_covered_more_often_than_by_students() -> None:
    values = np.random.default_rng(1).beta(0.5, 2, (4_000, 10))  # mean 0.2
    low, high = value_intervals_of_rows(values, 0.95)
    student = t_intervals_of_rows(values, 0.95)
    assert np.mean((low <= 0.2) & (high >= 0.2)) == pytest.approx(0.95, abs=0.015)
    assert np.mean((student.low <= 0.2) & (student.high >= 0.2)) < 0.93


# --- shares --------------------------------------------------------------------------------------


@given(st.integers(1, 300), st.floats(0, 1), LEVELS)
def test_the_interval_of_a_share_is_scipys(queries: int, share: float, level: float) -> None:
    successes = round(share * queries)
    expected = scipy_stats.binomtest(successes, queries).proportion_ci(level, method="exact")
    ends = stats.proportion_interval(successes, queries, level)
    assert ends == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize("queries", [1, 2, 10, 50])
def test_a_share_is_covered_at_least_as_often_as_asked(queries: int) -> None:
    successes = np.arange(queries + 1)
    low, high = np.array([stats.proportion_interval(s, queries) for s in successes.tolist()]).T
    for share in np.linspace(0, 1, 101):
        chance = scipy_stats.binom.pmf(successes, queries, share)
        assert chance[(low <= share) & (share <= high)].sum() >= 0.95


def test_no_share_is_refused() -> None:
    for successes, queries in ((-1, 5), (6, 5)):
        with pytest.raises(DataError, match="between 0 and 5"):
            stats.proportion_interval(successes, queries)
    with pytest.raises(DataError, match="queries must be at least 1"):
        stats.proportion_interval(0, 0)
