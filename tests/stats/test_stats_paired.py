"""Paired tests: against SciPy, published examples and the definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError
from evalstore.stats.paired import least_p

# Student, Biometrika 1908: hours of sleep gained with two drugs (the data set `sleep` of R).
FIRST_DRUG = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SECOND_DRUG = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])

# Fisher, The Design of Experiments, 1935, 21: heights of crossed less self-fertilized maize.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]) / 8

PairedTestFunction = Callable[..., stats.PairedTest]
TESTS: tuple[PairedTestFunction, ...] = (
    stats.paired_t,
    stats.wilcoxon,
    stats.sign,
    stats.randomization,
)


def units(a: F64, b: F64) -> F64:
    """Differences as whole numbers: exact for values of four decimals."""
    return np.rint((b - a) * 10_000)


def test_t_of_students_sleep_data_is_as_r_prints_it() -> None:
    statistic, p = stats.paired_t(FIRST_DRUG, SECOND_DRUG)
    assert statistic == pytest.approx(4.0621, abs=5e-5)
    assert p == pytest.approx(0.002833, abs=5e-7)


def test_randomization_of_darwins_maize_is_fishers() -> None:
    # Fisher counts 863 of 32,768 patterns with a sum of 314 or more, and so many on the other side.
    statistic, p = stats.randomization(np.zeros(15), DARWIN)
    assert statistic == pytest.approx(314 / 8 / 15)
    assert p == 2 * 863 / 32_768


def test_wilcoxon_of_the_depression_data_has_the_published_rank_sum() -> None:
    # Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 29: V = 40.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    assert stats.wilcoxon(after, before).statistic == 40


@given(two_runs(least=2))
def test_t_is_scipys(runs: tuple[F64, F64]) -> None:
    a, b = runs
    assume(len(set(units(a, b))) > 1)
    expected = scipy_stats.ttest_rel(b, a)
    assert stats.paired_t(a, b) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


@given(two_runs())
def test_wilcoxon_is_scipys_with_the_variant_stated(runs: tuple[F64, F64]) -> None:
    a, b = runs
    difference = units(a, b)
    assume(difference.any())
    expected = scipy_stats.wilcoxon(
        difference, zero_method="wilcox", correction=False, method="asymptotic"
    )
    statistic, p = stats.wilcoxon(a, b)
    m = np.count_nonzero(difference)
    # SciPy gives the smaller of the two rank sums, which together are m (m + 1) / 2.
    assert min(statistic, m * (m + 1) / 2 - statistic) == expected.statistic
    assert p == pytest.approx(expected.pvalue, rel=1e-9)


@given(two_runs())
def test_sign_is_the_binomial_test_without_ties(runs: tuple[F64, F64]) -> None:
    a, b = runs
    wins, losses = int((units(a, b) > 0).sum()), int((units(a, b) < 0).sum())
    assume(wins + losses)
    expected = scipy_stats.binomtest(wins, wins + losses).pvalue
    assert stats.sign(a, b) == pytest.approx((wins, expected), rel=1e-9)


@given(two_runs(most=9))
def test_randomization_counts_every_sign_pattern(runs: tuple[F64, F64]) -> None:
    a, b = runs
    difference = units(a, b)
    sums = [
        abs(sum(s * d for s, d in zip(signs, difference, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(difference))
    ]
    expected = sum(total >= abs(difference.sum()) for total in sums) / len(sums)
    statistic, p = stats.randomization(a, b)
    assert p == expected
    assert statistic == pytest.approx((b - a).mean(), abs=1e-12)


def exact_by_convolution(difference: F64) -> float:
    """P(|sum| >= |observed|) over all sign patterns of whole numbers."""
    chance = {0: 1.0}
    for size in np.abs(difference).astype(int).tolist():
        after: dict[int, float] = {}
        for total, share in chance.items():
            for signed in (total - size, total + size):
                after[signed] = after.get(signed, 0.0) + share / 2
        chance = after
    observed = abs(int(difference.sum()))
    return sum(share for total, share in chance.items() if abs(total) >= observed)


@pytest.mark.parametrize("queries", [20, 21, 37, 150])
def test_randomization_by_resampling_is_near_the_exact_p(queries: int) -> None:
    random = np.random.default_rng(queries)
    difference = random.integers(-9, 12, queries).astype(np.float64)
    expected = exact_by_convolution(difference)
    for resamples in (1_000, 300_000):
        p = stats.randomization(np.zeros(queries), difference / 10, resamples=resamples).p
        error = math.sqrt(expected * (1 - expected) / resamples)
        assert p == pytest.approx(expected, abs=5 * error + 1 / resamples)


def test_up_to_20_differences_other_than_zero_are_exact_however_many_are_zero() -> None:
    difference = np.zeros(500)
    difference[:20] = np.arange(1, 21)
    p = {stats.randomization(np.zeros(500), difference, seed=seed).p for seed in range(5)}
    assert p == {2 / 2**20}  # all of one sign: only that pattern and its mirror image are as far


def test_randomization_never_gives_zero() -> None:
    p = stats.randomization(np.zeros(100), np.ones(100), resamples=99).p
    assert p == 1 / 100


def test_one_seed_gives_one_p_and_another_seed_another() -> None:
    random = np.random.default_rng(0)
    a, b = random.random(60), random.random(60)
    assert stats.randomization(a, b, seed=3) == stats.randomization(a, b, seed=3)
    assert stats.randomization(a, b, seed=3).p != stats.randomization(a, b, seed=4).p


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@given(runs=two_runs())
def test_exchanging_the_runs_leaves_p_as_it_is(
    test: PairedTestFunction, runs: tuple[F64, F64]
) -> None:
    a, b = runs
    assert test(a, b).p == pytest.approx(test(b, a).p, rel=1e-12)
    if test in (stats.paired_t, stats.randomization) and len(a) > 1:
        assert test(a, b).statistic == -test(b, a).statistic


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@given(runs=two_runs(), data=st.data())
def test_the_order_of_the_queries_changes_nothing(
    test: PairedTestFunction, runs: tuple[F64, F64], data: st.DataObject
) -> None:
    a, b = runs
    order = data.draw(st.permutations(range(len(a))))
    expected = pytest.approx(test(a, b), rel=1e-9, abs=1e-12, nan_ok=True)
    assert test(a[order], b[order]) == expected


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@given(runs=two_runs(least=2))
def test_a_run_against_itself_has_p_1(test: PairedTestFunction, runs: tuple[F64, F64]) -> None:
    a, _ = runs
    assert test(a, a) == (0, 1)


@pytest.mark.parametrize("test", TESTS)
def test_equal_values_tie_however_they_were_computed(test: PairedTestFunction) -> None:
    a = np.array([0.3, 0.7, 0.1 + 0.2, 0.6])
    assert test(a, np.array([0.1 + 0.2, 0.1 * 7, 0.3, 0.2 * 3])) == (0, 1)


def test_equal_differences_tie_however_they_were_computed() -> None:
    # 0.3 - 0.1 and 0.4 - 0.2 differ in the last bit; so ranked, W+ would not be 3 x 2.
    a, b = np.array([0.1, 0.2, 0.6]), np.array([0.3, 0.4, 0.8])
    assert len(set((b - a).tolist())) > 1
    assert stats.wilcoxon(a, b) == stats.wilcoxon(np.zeros(3), np.full(3, 0.2))


@pytest.mark.parametrize("queries", [2, 3, 6])
def test_equal_differences_other_than_zero_have_t_infinite_and_the_p_of_sign_flips(
    queries: int,
) -> None:
    a = np.array([0.1, 0.2, 0.6, 0.7, 0.0, 0.3])[:queries]
    b = a + 0.2  # differences that are equal up to the last bit
    p = stats.randomization(a, b).p
    assert p == 2 / 2**queries
    assert stats.paired_t(a, b) == (math.inf, p)
    assert stats.paired_t(b, a) == (-math.inf, p)


@given(two_runs(most=9))
def test_the_least_p_is_that_of_sign_flips_if_all_differences_had_one_sign(
    runs: tuple[F64, F64],
) -> None:
    a, b = runs
    least = least_p((b - a)[None, :])
    assert least.tolist() == [stats.randomization(np.zeros(len(a)), np.abs(b - a)).p]
    assert stats.randomization(a, b).p >= least[0]


def test_a_difference_of_rounding_alone_gives_no_evidence() -> None:
    rows = np.array([[0.1 + 0.2 - 0.3, 0.5, -0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.1]])
    assert least_p(rows).tolist() == [0.5, 1, 1]


def test_one_query_decides_nothing() -> None:
    statistic, p = stats.paired_t([0.1], [0.9])
    assert math.isnan(statistic)
    assert p == 1
    assert stats.sign([0.1], [0.9]) == (1, 1)
    assert stats.randomization([0.1], [0.9]) == (pytest.approx(0.8), 1)
    # The normal approximation: z = (1 - 1/2) / sqrt(1/4) = 1.
    assert stats.wilcoxon([0.1], [0.9]) == (1, pytest.approx(2 * scipy_stats.norm.sf(1)))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [], "no query"),
        ([1, 2], [1], "one length"),
        ([[1, 2]], [[1, 2]], "one length"),
        ([1, float("nan")], [1, 2], "baseline's values must be finite"),
        ([1, 2], [1, float("inf")], "run's values must be finite"),
        (["x"], [1], "must be numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    test: PairedTestFunction, a: list[float], b: list[float], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        test(a, b)


def test_no_resamples_are_refused() -> None:
    with pytest.raises(DataError, match="resamples must be at least 1"):
        stats.randomization([0.1, 0.3], [0.2, 0.3], resamples=0)
