"""Correction by the largest |t| of a family, under flips of signs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from drawn_values import F64, many_runs
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstore import stats
from evalstore.errors import DataError


def differences(values: F64) -> F64:
    """Those of all pairs: pairs x queries."""
    a, b = stats.pairs(values.shape[1])
    return np.ascontiguousarray((values[:, b] - values[:, a]).T)


def absolute_t(rows: F64) -> F64:
    """|t| by its definition: 0 for a row of zeros, infinite for other rows without spread."""
    result = []
    for row in np.rint(rows * 10_000):
        if len(set(row)) > 1:
            result.append(abs(row.mean()) / (row.std(ddof=1) / math.sqrt(len(row))))
        else:
            result.append(math.inf if row[0] else 0.0)
    return np.array(result).round(9)


@settings(max_examples=25, deadline=None)
@given(many_runs(queries=6, runs=4))
def test_it_counts_the_patterns_in_which_any_t_reaches_the_own(values: F64) -> None:
    rows = differences(values)
    flips = itertools.product((-1, 1), repeat=rows.shape[1])
    largest = [absolute_t(rows * np.array(signs)).max(initial=0) for signs in flips]
    expected = [np.mean([most >= t for most in largest]) for t in absolute_t(rows)]
    if rows.shape[1] > 1 and len(rows):
        assert stats.max_t(rows).tolist() == pytest.approx(expected)


@given(st.integers(0, 2**32), st.integers(1, 14))
def test_one_row_has_the_p_of_the_randomization_test(seed: int, queries: int) -> None:
    # |t| grows with |mean|, for the sum of squares stays.
    row = np.random.default_rng(seed).integers(-3, 4, queries) / 4
    expected = stats.randomization(np.zeros(queries), row).p
    assert stats.max_t(row[None, :]).tolist() == [expected]


def test_resamples_near_all_patterns() -> None:
    shift = np.array([0, 0, 0.1, 0.3])
    rows = differences(np.random.default_rng(3).random((12, 4)) + shift)
    exact, near = stats.max_t(rows), stats.max_t(rows, resamples=2_000)  # of 2,048 patterns
    assert exact.min() < 0.1
    assert near == pytest.approx(exact, abs=5 * math.sqrt(0.25 / 2_000))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([8, 25]), st.data())
def test_the_order_of_queries_rows_and_runs_changes_nothing(
    seed: int, queries: int, data: st.DataObject
) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (queries, 5)) / 3
    rows = differences(values)
    p = stats.max_t(rows, resamples=500)
    order = data.draw(st.permutations(range(queries)))
    pair_order = data.draw(st.permutations(range(len(rows))))
    exchanged = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=10, max_size=10)))
    moved = (rows * exchanged[:, None])[np.ix_(pair_order, order)]
    assert stats.max_t(moved, resamples=500).tolist() == p[pair_order].tolist()


@given(st.integers(0, 2**32), st.floats(0.01, 100))
def test_the_unit_of_a_row_changes_nothing_and_more_rows_never_lower_p(
    seed: int, unit: float
) -> None:
    rows = differences(np.random.default_rng(seed).random((10, 4)))
    p = stats.max_t(rows)
    assert stats.max_t(rows * np.array([[unit]] + [[1]] * 5)) == pytest.approx(p)
    assert (stats.max_t(rows[:3]) <= p[:3]).all()
    assert stats.max_t(np.vstack([rows, rows, -rows])).tolist() == [*p, *p, *p]


def test_rows_without_spread() -> None:
    zeros, equal = np.zeros(6), np.full(6, 0.2)
    some = np.array([0.5, -0.1, 0.0, 0.2, 0.1, -0.3])
    p = stats.max_t([zeros, equal, some])
    assert p[0] == 1
    assert p[1] == 2 / 2**6  # t is infinite as observed and in the mirror image alone
    assert stats.max_t([zeros, zeros]).tolist() == [1, 1]
    assert stats.max_t([[0.4]]).tolist() == [1]  # one query
    many = stats.max_t([np.full(40, 0.2)], resamples=99)
    assert many.tolist() == [1 / 100]


def test_no_table_and_no_resample_are_refused() -> None:
    with pytest.raises(DataError, match="must be a table"):
        stats.max_t([0.1, 0.2])
    with pytest.raises(DataError, match="resamples must be at least 1"):
        stats.max_t([[0.1, 0.2]], resamples=0)


@pytest.mark.slow
def test_equal_engines_are_rarely_separated_and_better_ones_found_more_often_than_by_holm() -> None:
    random = np.random.default_rng(8)
    experiments, queries, variants = 150, 20, 5  # of each of three engines, nearly the same
    first, second = stats.pairs(3 * variants)
    differ = (first < variants) & (second >= variants)
    false = found = found_by_holm = 0
    for seed in range(experiments):
        engines = np.repeat(random.beta(0.6, 1.5, (queries, 3)), variants, axis=1)
        values = engines + random.normal(0, 0.05, engines.shape)
        false += int((stats.max_t(differences(values), 499, seed) < 0.05).any())
        values[:, :variants] += 0.25
        found += np.count_nonzero(stats.max_t(differences(values), 499, seed)[differ] < 0.05)
        by_holm = stats.holm(stats.paired_t_all(values).p)
        found_by_holm += np.count_nonzero(by_holm[differ] < 0.05)
    assert false / experiments <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / experiments)
    assert found > 1.2 * found_by_holm
