"""Figures of a reproduction; tests/golden compares them with repro_eval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError


def test_tau_union_pairs_the_numbers_of_the_ids_at_equal_ranks() -> None:
    # Of a, b, c, x: a b c are 0 1 2, a x b are 0 3 1; two of three pairs go the same way.
    assert stats.tau_union(list("abc"), list("axb")) == pytest.approx(1 / 3)
    assert stats.tau_union(list("cab"), list("cab")) == 1


def test_tau_union_stops_at_the_shorter_list_and_at_the_depth() -> None:
    assert stats.tau_union(list("abcx"), list("abc")) == 1
    assert stats.tau_union(list("abcx"), list("abxc"), depth=2) == 1
    assert math.isnan(stats.tau_union(["a"], ["b"]))


def test_rbo_to_depth_by_hand() -> None:
    # Common down to 1, 2, 3: 0, 2, 2 of a b and b a; weights 1, 0.5, 0.25.
    expected = (0 * 1 + 2 / 2 * 0.5 + 2 / 3 * 0.25) / 1.75
    assert stats.rbo_to_depth(list("ab"), list("ba"), p=0.5, depth=3) == pytest.approx(expected)
    assert stats.rbo_to_depth(list("ab"), list("ab"), p=0.5, depth=2) == 1
    assert stats.rbo_to_depth([], list("ab")) == 0


@pytest.mark.parametrize("compared", [stats.tau_union, stats.rbo_to_depth])
def test_a_list_of_an_id_twice_and_a_depth_of_0_are_refused(compared: object) -> None:
    assert callable(compared)
    with pytest.raises(DataError, match="twice"):
        compared(["a", "a"], ["b"])
    with pytest.raises(DataError, match="depth"):
        compared(["a"], ["b"], depth=0)


def test_rmse_by_hand() -> None:
    assert stats.rmse([0.2, 0.4], [0.5, 0.8]) == pytest.approx(0.5 / math.sqrt(2))
    # The largest errors are 0.8 and 0.6.
    assert stats.nrmse([0.2, 0.4], [0.5, 0.8]) == pytest.approx(0.5)
    assert stats.nrmse([0.5, 1 + 1e-12], [0.5, 1.0]) == pytest.approx(0, abs=1e-9)


def test_nrmse_is_of_values_from_0_to_1() -> None:
    with pytest.raises(DataError, match="between 0 and 1"):
        stats.nrmse([0.2, 3.0], [0.5, 0.8])


def test_effects_by_hand() -> None:
    a, b, again_a, again_b = [0.2, 0.4], [0.4, 0.5], [0.3, 0.3], [0.3, 0.6]
    assert stats.effect_ratio(a, b, again_a, again_b) == pytest.approx(0.15 / 0.15)
    improved, again = 0.15 / 0.3, 0.15 / 0.3
    delta = stats.delta_relative_improvement(a, b, again_a, again_b)
    assert delta == pytest.approx(improved - again)
    # An experiment may be on other queries.
    assert stats.effect_ratio(a, b, [0.2], [0.1]) == pytest.approx(-0.1 / 0.15)


def test_no_effect_has_no_ratio_and_a_mean_of_0_no_improvement() -> None:
    assert math.isnan(stats.effect_ratio([0.1, 0.3], [0.3, 0.1], [0.1], [0.2]))
    assert math.isnan(stats.effect_ratio([0.1 + 0.2], [0.3], [0.1], [0.2]))
    assert math.isnan(stats.delta_relative_improvement([0.0], [0.2], [0.1], [0.2]))


@given(two_runs(least=2, most=30))
def test_unpaired_t_is_scipys(values: tuple[F64, F64]) -> None:
    a, b = values
    assume(max(np.ptp(a), np.ptp(b)) > 1e-6)
    expected = scipy_stats.ttest_ind(b, a)
    found = stats.unpaired_t(a, b)
    assert found == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)


def test_unpaired_t_without_a_spread() -> None:
    assert stats.unpaired_t([0.1, 0.1], [0.1, 0.1, 0.1]) == (0, 1)
    assert stats.unpaired_t([0.1, 0.1], [0.3, 0.3]) == (math.inf, 0)
    assert stats.unpaired_t([0.1], [0.3])[1] == 1
    with pytest.raises(DataError, match="must be a list"):
        stats.unpaired_t([], [0.3])
