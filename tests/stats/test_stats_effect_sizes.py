"""Effect sizes, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import given
from test_stats_paired import FIRST_DRUG, SECOND_DRUG

from evalstore import stats
from evalstore.errors import DataError

SIZES = (stats.cohens_dz, stats.standardised_mean_difference)


def test_dz_is_t_over_the_root_of_n() -> None:
    # t = 4.0621 of R's `sleep`, 10 patients.
    assert stats.cohens_dz(FIRST_DRUG, SECOND_DRUG) == pytest.approx(
        4.0621 / math.sqrt(10), rel=1e-4
    )


def test_the_standardised_mean_difference_by_hand() -> None:
    # Means 2 and 5, variances 1 and 9: 3 / sqrt((1 + 9) / 2).
    size = stats.standardised_mean_difference([1, 2, 3], [2, 5, 8])
    assert size == pytest.approx(3 / math.sqrt(5))


def test_superiority_and_outcomes_by_hand() -> None:
    a, b = [0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.3, 0.4, 0.4, 0.1]
    assert stats.wins_ties_losses(a, b) == (3, 1, 1)
    assert stats.probability_of_superiority(a, b) == pytest.approx(3.5 / 5)


def test_a_tie_is_as_wide_as_is_said() -> None:
    a, b = np.zeros(5), np.array([0.01, 0.010001, -0.01, -0.02, 0.0])
    assert stats.wins_ties_losses(a, b, tie_width=0.01) == (1, 3, 1)
    # 0.3 - 0.2 is below 0.1 and 0.4 - 0.3 above it, as doubles: both are a tie of width 0.1.
    assert stats.wins_ties_losses([0.2, 0.3], [0.3, 0.4], tie_width=0.1) == (0, 2, 0)
    with pytest.raises(DataError, match="tie width must be at least 0"):
        stats.wins_ties_losses(a, b, tie_width=-0.1)


@given(two_runs())
def test_exchanging_the_runs_exchanges_the_sides(runs: tuple[F64, F64]) -> None:
    a, b = runs
    assert stats.wins_ties_losses(b, a) == stats.wins_ties_losses(a, b)[::-1]
    other = stats.probability_of_superiority(b, a)
    assert stats.probability_of_superiority(a, b) == pytest.approx(1 - other)
    for size in SIZES:
        assert size(b, a) == pytest.approx(-size(a, b), nan_ok=True)


@given(two_runs(least=2))
def test_a_run_against_itself_has_no_effect(runs: tuple[F64, F64]) -> None:
    a, _ = runs
    for size in SIZES:
        assert size(a, a) == 0
    assert stats.probability_of_superiority(a, a) == 0.5
    assert stats.wins_ties_losses(a, a) == (0, len(a), 0)


def test_without_spread_an_effect_is_infinite() -> None:
    assert stats.cohens_dz([0.1, 0.2, 0.6], [0.3, 0.4, 0.8]) == math.inf
    assert stats.standardised_mean_difference([0.3, 0.3], [0.1, 0.1]) == -math.inf


def test_one_query_has_no_spread_to_compare_with() -> None:
    for size in SIZES:
        assert math.isnan(size([0.1], [0.9]))
