"""Power of the paired t test: published values and the definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_queries_needed_are_those_of_g_power(effect: float, queries: int) -> None:
    # G*Power 3.1, means: difference between two dependent means, two tails, 0.05, power 0.80.
    assert stats.queries_needed(effect, 1.0) == queries
    assert stats.queries_needed(-effect / 10, 0.1) == queries


def power(shift: float, n: int, alpha: float) -> float:
    critical = scipy_stats.t.ppf(1 - alpha / 2, n - 1)
    above = scipy_stats.nct.sf(critical, n - 1, shift)
    # The lower tail is less than the chance of a normal value below -shift; far out SciPy's is NaN.
    below = float(scipy_stats.nct.cdf(-critical, n - 1, shift))
    assert shift > 5 or not math.isnan(below)
    return float(above) + (0 if math.isnan(below) else below)


@given(
    st.integers(2, 500),
    st.floats(0.001, 10),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from([0.01, 0.05, 0.1]),
)
def test_the_detectable_difference_has_exactly_the_power_asked_for(
    n: int, sd: float, wanted: float, alpha: float
) -> None:
    difference = stats.detectable_difference(sd, n, wanted, alpha)
    assert power(difference / sd * math.sqrt(n), n, alpha) == pytest.approx(wanted, abs=1e-6)


@given(st.floats(0.01, 5), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.05]))
def test_one_query_less_than_needed_is_too_few(effect: float, wanted: float, alpha: float) -> None:
    n = stats.queries_needed(effect, 1.0, wanted, alpha)
    assert n is not None
    assert power(effect * math.sqrt(n), n, alpha) >= wanted - 1e-9
    if n > 2:
        assert power(effect * math.sqrt(n - 1), n - 1, alpha) < wanted + 1e-9


def test_a_large_number_of_queries_is_near_the_normal_approximation() -> None:
    # Its formula leaves the lower tail out, whose chance is below 1e-6.
    z = scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8)
    assert stats.queries_needed(0.0001, 1.0) == pytest.approx((z / 0.0001) ** 2, rel=1e-5)


@pytest.mark.parametrize("effect", [1.0, 100.0, 1e6, 1e12])
def test_a_huge_effect_needs_few_queries(effect: float) -> None:
    n = stats.queries_needed(effect, 1.0)
    assert n is not None
    assert 2 <= n <= 10


def test_what_no_number_of_queries_decides() -> None:
    assert stats.queries_needed(0.0, 0.1) is None
    assert stats.queries_needed(1e-12, 1.0) is None
    assert stats.queries_needed(0.1, 0.0) == 2
    assert stats.detectable_difference(0.1, 1) == math.inf
    assert stats.detectable_difference(0.0, 10) == 0


def test_odd_numbers_are_refused() -> None:
    nan = float("nan")
    for sd in (-0.1, nan, math.inf):
        with pytest.raises(DataError, match="standard deviation"):
            stats.detectable_difference(sd, 10)
    with pytest.raises(DataError, match="at least 1 query"):
        stats.detectable_difference(0.1, 0)
    with pytest.raises(DataError, match="difference must be finite"):
        stats.queries_needed(nan, 0.1)
    with pytest.raises(DataError, match="power must lie between 0 and 1"):
        stats.queries_needed(0.1, 0.1, power=80)
    with pytest.raises(DataError, match="alpha must lie between 0 and 1"):
        stats.detectable_difference(0.1, 10, alpha=0)
