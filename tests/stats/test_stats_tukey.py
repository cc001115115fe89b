"""Tukey's test over many runs, from the analysis of variance and by randomization."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from drawn_values import F64, many_runs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError
from evalstore.stats.corrections import studentized_range_sf

pytestmark = pytest.mark.slow  # many permutations

FEW = settings().max_examples // 4  # each integrates or permutes thousands of times

TukeyTest = Callable[..., F64]
TESTS: tuple[TukeyTest, ...] = (stats.tukey_anova, stats.tukey_randomized)


@pytest.mark.parametrize(
    ("q", "runs", "df", "p"),
    [  # upper percentage points as printed in Harter, Annals of Mathematical Statistics 1960
        (3.877, 3, 10, 0.05),
        (4.232, 5, 20, 0.05),
        (4.560, 10, 120, 0.05),
        (5.270, 3, 10, 0.01),
        (8.331, 3, 2, 0.05),
    ],
)
def test_the_studentized_range_has_the_printed_points(
    q: float, runs: int, df: float, p: float
) -> None:
    above, below = studentized_range_sf(np.array([q - 0.0005, q + 0.0005]), runs, df)
    assert above >= p >= below


@pytest.mark.parametrize("df", [2, 20_000])
@pytest.mark.parametrize("runs", [2, 3, 8, 100])
def test_the_studentized_range_is_scipys(runs: int, df: int) -> None:
    q = np.array([0.0, 0.01, 0.5, 2.0, 3.5, 5.0, 8.0])
    expected = scipy_stats.studentized_range.sf(q, runs, df)
    assert studentized_range_sf(q, runs, df) == pytest.approx(expected, abs=2e-7)


def test_tukey_by_hand() -> None:
    # Means 2, 4, 6; those of the queries 3, 4, 5. Left over: -1, 0, 1, 0, 0, 0, 1, 0, -1 by query;
    # their squares sum to 4 with (3 - 1) (3 - 1) degrees of freedom, so that MSE = 1.
    values = np.array([[0.0, 3.0, 6.0], [2.0, 4.0, 6.0], [4.0, 5.0, 6.0]])
    near, far = scipy_stats.studentized_range.sf([2 * math.sqrt(3), 4 * math.sqrt(3)], 3, 4)
    expected = np.array([[1, near, far], [near, 1, near], [far, near, 1]])
    assert stats.tukey_anova(values) == pytest.approx(expected, abs=1e-7)


@settings(max_examples=FEW)
@given(st.integers(0, 2**32), st.integers(2, 30))
def test_two_runs_have_the_p_of_the_t_test(seed: int, queries: int) -> None:
    values = np.random.default_rng(seed).random((queries, 2))
    p = stats.tukey_anova(values)[0, 1]
    # With one degree of freedom the range of values is too long for more digits.
    tolerance = 1e-4 if queries == 2 else 1e-6
    assert p == pytest.approx(stats.paired_t(*values.T).p, abs=tolerance)


@pytest.mark.parametrize("queries", [6, 15])
def test_two_runs_randomized_have_the_p_of_the_randomization_test(queries: int) -> None:
    values = np.random.default_rng(queries).integers(0, 9, (queries, 2)) / 8
    expected = stats.randomization(*values.T).p  # exact: at most 20 differences
    p = stats.tukey_randomized(values, resamples=100_000)[0, 1]
    error = math.sqrt(expected * (1 - expected) / 100_000)
    assert p == pytest.approx(expected, abs=5 * error + 1e-5)


def test_three_runs_randomized_near_all_permutations() -> None:
    # One query: the range is 0.5 whatever the order, so every pair nearer than that has p = 1.
    p = stats.tukey_randomized([[0.1, 0.2, 0.6]], resamples=99)
    assert p.tolist() == np.ones((3, 3)).tolist()
    # Two queries, each (0, 0, 1): in 1 of 3 permutations both ones meet and the range is 2, else 1.
    p = stats.tukey_randomized([[0, 0, 1], [0, 0, 1]], resamples=50_000)
    assert p[0, 1] == 1
    assert p[0, 2] == p[1, 2] == pytest.approx(1 / 3, abs=0.011)


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=FEW)
@given(values=many_runs(), data=st.data())
def test_the_order_of_queries_and_of_runs_changes_nothing(
    test: TukeyTest, values: F64, data: st.DataObject
) -> None:
    queries, runs = values.shape
    p = test(values)
    assert (p == p.T).all()
    assert (np.diag(p) == 1).all()
    assert ((p >= 0) & (p <= 1)).all()
    rows = data.draw(st.permutations(range(queries)))
    columns = data.draw(st.permutations(range(runs)))
    moved = test(values[np.ix_(rows, columns)])
    assert moved == pytest.approx(p[np.ix_(columns, columns)], abs=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_equal_runs_have_p_1(test: TukeyTest) -> None:
    values = np.array([[0.1, 0.1, 0.9], [0.2, 0.2, 0.5], [0.7, 0.7, 0.8]])
    assert test(values)[0, 1] == 1
    assert test(values[:, :2]).tolist() == [[1, 1], [1, 1]]
    assert test(values[:, :1]).tolist() == [[1]]
    assert test(values[:1])[0, 1] == 1


def test_runs_that_differ_by_a_constant_alone_are_separated() -> None:
    values = np.array([[0.1, 0.1, 0.3], [0.2, 0.2, 0.4], [0.6, 0.6, 0.8]])
    assert stats.tukey_anova(values).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_what_is_no_table_or_no_resample_is_refused() -> None:
    for test in TESTS:
        with pytest.raises(DataError, match="queries x runs"):
            test([0.1, 0.2])
    with pytest.raises(DataError, match="resamples must be at least 1"):
        stats.tukey_randomized([[0.1, 0.2]], resamples=0)
