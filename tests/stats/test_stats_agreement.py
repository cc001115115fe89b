"""Agreement of rankings: Kendall's tau, tau-AP, rank-biased overlap, overlap."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError

Agreement = Callable[..., float]
RANKINGS = st.lists(st.sampled_from("abcdefghij"), unique=True)


@given(two_runs(least=2, most=30))
def test_tau_b_is_scipys(values: tuple[F64, F64]) -> None:
    x, y = values
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    expected = scipy_stats.kendalltau(x, y).statistic
    assert stats.kendall_tau_b(x, y) == pytest.approx(expected, abs=1e-12)
    assert stats.kendall_tau_b(y, x) == pytest.approx(expected, abs=1e-12)


def test_tau_of_rankings_counts_the_ids_in_both() -> None:
    # a, c, d are in both; of their 3 pairs only (c, d) is turned round.
    assert stats.kendall_tau_b(list("abcd"), list("adxcy")) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        # Yilmaz et al.: 2 / 3 x the sum of C(i) / (i - 1), less 1.
        ("abcd", 2 / 3 * (1 / 1 + 2 / 2 + 3 / 3) - 1),
        ("bacd", 2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1),
        ("abdc", 2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1),
        ("cabd", 2 / 3 * (0 / 1 + 1 / 2 + 3 / 3) - 1),
        ("dcba", -1.0),
    ],
)
def test_tau_ap_by_hand(other: str, expected: float) -> None:
    assert stats.tau_ap(list("abcd"), list(other)) == pytest.approx(expected, abs=1e-12)
    values = {name: len(other) - place for place, name in enumerate(other)}
    assert stats.tau_ap([4, 3, 2, 1], [values[n] for n in "abcd"]) == pytest.approx(expected)


def test_tau_ap_is_not_symmetric() -> None:
    assert stats.tau_ap(list("abcd"), list("cabd")) == pytest.approx(0)
    # a, b, c, d in the order of the reference c, a, b, d: C = 1, 0, 3.
    assert stats.tau_ap(list("cabd"), list("abcd")) == pytest.approx(2 / 3 * 2 - 1)


def test_tau_ap_leaves_equal_values_in_the_order_of_the_arrays() -> None:
    assert stats.tau_ap([0.3, 0.3, 0.1], [0.5, 0.5, 0.2]) == 1
    assert stats.tau_ap([0.3, 0.3, 0.1], [0.4, 0.5, 0.2]) == pytest.approx(2 / 2 * (0 + 1) - 1)


@pytest.mark.parametrize("tau", [stats.kendall_tau_b, stats.tau_ap])
def test_fewer_than_two_items_have_no_order(tau: Agreement) -> None:
    for none in ([], [0.5], ["a"]):
        assert math.isnan(tau(none, none))
    assert math.isnan(tau(["a", "b"], []))
    assert math.isnan(tau([], ["a", "b"]))
    assert math.isnan(stats.kendall_tau_b([1, 1], [1, 2]))


@pytest.mark.parametrize("tau", [stats.kendall_tau_b, stats.tau_ap])
def test_what_cannot_be_ordered_is_refused(tau: Agreement) -> None:
    with pytest.raises(DataError, match="one length"):
        tau([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match="must be finite"):
        tau([1, float("nan")], [1, 2])
    with pytest.raises(DataError, match="not one of each"):
        tau(["a", "b"], [1, 2])
    with pytest.raises(DataError, match="twice"):
        tau(["a", "a"], ["a", "b"])
    with pytest.raises(DataError, match="must be numbers"):
        tau([1, "a"], [1, 2])


# --- rank-biased overlap -------------------------------------------------------------------------


def rbo_by_definition(a: list[str], b: list[str], p: Fraction, to: int = 400) -> float:
    """The sum of RBO itself to a great depth, the lists going on as RBO_EXT assumes.

    Beyond its end the shorter list keeps its agreement, which adds (d - s) A_s common ids at depth
    d to those counted; beyond the end of the longer one the agreement there stays.
    """
    shorter, longer = sorted((a, b), key=len)
    s, l = len(shorter), len(longer)  # noqa: E741  (as in the paper)
    counted = [len(set(shorter[:d]) & set(longer[:d])) for d in range(l + 1)]
    agreement = []
    for depth in range(1, to + 1):
        here = min(depth, l)
        more = Fraction(counted[s], s) * max(0, here - s)
        agreement.append((counted[here] + more) / here)
    return float((1 - p) * sum(x * p**d for d, x in enumerate(agreement)))


@given(RANKINGS.filter(bool), RANKINGS.filter(bool), st.sampled_from([0.5, 0.9]))
def test_rbo_is_the_sum_over_all_depths(a: list[str], b: list[str], p: float) -> None:
    expected = rbo_by_definition(a, b, Fraction(str(p)))
    assert stats.rbo(a, b, p) == pytest.approx(expected, abs=1e-12)
    assert stats.rbo(b, a, p) == stats.rbo(a, b, p)


def test_rbo_by_hand() -> None:
    # Nothing shared at depth 1, everything from depth 2 on: (1 - p) (0 + p + p^2 + ...) = p.
    assert stats.rbo(["a", "b"], ["b", "a"], p=0.5) == pytest.approx(0.5)
    assert stats.rbo(["a", "b"], ["c", "d"]) == 0
    assert stats.rbo(["a"], ["a", "b", "c"]) == pytest.approx(1)  # a beginning of the other


def test_empty_rankings_agree_with_each_other_alone() -> None:
    assert stats.rbo([], []) == 1
    assert stats.rbo(["a"], []) == 0
    assert stats.overlap([], [], 10) == 1
    assert stats.overlap(["a"], [], 10) == 0


def test_overlap_by_hand() -> None:
    a, b = list("abcde"), list("edxaz")
    assert stats.overlap(a, b, 1) == 0
    assert stats.overlap(a, b, 4) == 2 / 4
    assert stats.overlap(a, b, 5) == 3 / 5
    assert stats.overlap(a, b[:4], 100) == 3 / 5


@given(RANKINGS)
def test_a_ranking_agrees_with_itself_wholly(ids: list[str]) -> None:
    assert stats.rbo(ids, ids) == pytest.approx(1)
    assert stats.overlap(ids, ids, 3) == 1


def test_an_id_twice_is_refused() -> None:
    with pytest.raises(DataError, match="twice"):
        stats.rbo(["a", "a"], ["a"])
    with pytest.raises(DataError, match="twice"):
        stats.overlap(["a"], ["b", "b"], 5)
    with pytest.raises(DataError, match="k must be at least 1"):
        stats.overlap(["a"], ["b"], 0)
    with pytest.raises(DataError, match="p must lie between 0 and 1"):
        stats.rbo(["a"], ["a"], p=1)


def test_long_rankings_are_counted_without_comparing_every_pair() -> None:
    order = np.random.default_rng(0).permutation(3000).astype(float)
    expected = scipy_stats.kendalltau(np.arange(3000), order).statistic
    assert stats.kendall_tau_b(np.arange(3000), order) == pytest.approx(expected, abs=1e-12)
