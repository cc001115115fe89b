"""The luck of the best of equal runs: published values, the definition, and a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalstore import stats
from evalstore.errors import DataError


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, 0.0),
        (2, 1 / math.sqrt(math.pi)),
        (3, 1.5 / math.sqrt(math.pi)),
        (10, 1.53875),  # Harter 1961, table 1
        (100, 2.50759),
    ],
)
def test_the_expected_maximum_is_that_of_the_tables(k: int, expected: float) -> None:
    assert stats.expected_maximum(k) == pytest.approx(expected, abs=1e-5)


def test_the_luck_is_the_expected_maximum_times_the_error_of_the_two_way_residuals() -> None:
    # The means of the runs and of the queries are 0.5, so the residuals are 0.1, -0.1 and 0.
    table = np.array([[0.6, 0.4, 0.5], [0.4, 0.6, 0.5]])
    error = math.sqrt(4 * 0.1**2 / (1 * 2) / 2)
    assert stats.luck_of_best(table) == pytest.approx(stats.expected_maximum(3) * error)


def test_what_the_runs_have_in_common_and_how_far_they_are_apart_does_not_count() -> None:
    table = np.random.default_rng(1).random((20, 5))
    shifted = table + np.linspace(0, 3, 20)[:, None] + np.arange(5)
    assert stats.luck_of_best(shifted) == pytest.approx(stats.luck_of_best(table))
    assert stats.luck_of_best(np.arange(20)[:, None] + np.arange(5)) == pytest.approx(0, abs=1e-12)


def test_one_run_has_no_luck_and_one_query_tells_nothing() -> None:
    assert stats.luck_of_best([[0.1], [0.5]]) == 0
    assert stats.luck_of_best([[0.1, 0.5]]) == math.inf
    with pytest.raises(DataError, match="queries x runs"):
        stats.luck_of_best([0.1])
    with pytest.raises(DataError, match="at least 1"):
        stats.expected_maximum(0)


@pytest.mark.parametrize(("queries", "runs"), [(10, 3), (10, 12), (50, 12), (50, 50)])
def test_the_best_of_exchangeable_engines_leads_their_mean_by_it(queries: int, runs: int) -> None:
    """Engines that succeed on a query with the same chance, which differs between queries."""
    random = np.random.default_rng(1)
    leads, told = [], []
    for _ in range(1_000):
        chance = random.beta(0.8, 1.5, (queries, 1))
        values = (random.random((queries, runs)) < chance).astype(np.float64)
        means = values.mean(axis=0)
        leads.append(means.max() - means.mean())
        told.append(stats.luck_of_best(values))
    assert np.mean(told) == pytest.approx(np.mean(leads), rel=0.05)
