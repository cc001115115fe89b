"""Distributions: against SciPy's, and against their definitions where SciPy's lose digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from evalstore.stats import distributions

ANY_DF = [1, 2, 3, 5, 10, 29, 49, 199, 1_000, 10**5, 10**9, 2**50]
LEVELS = [0.001, 0.5, 0.8, 0.95, 0.999, 1 - 1e-6, 1 - 1e-9]


@given(st.floats(-37, 37))
def test_the_normal_distribution_is_scipys(x: float) -> None:
    assert distributions.normal_cdf(x) == pytest.approx(special.ndtr(x), rel=1e-13, abs=0)


@given(st.floats(1e-300, 1 - 1e-10))
def test_the_normal_quantile_is_scipys(p: float) -> None:
    expected = special.ndtri(p)
    assert distributions.normal_quantile(p) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("df", ANY_DF)
def test_students_tail_is_scipys(df: int) -> None:
    t = np.concatenate([[0.0, 1e-3], np.linspace(0.01, 6, 200), [8.0, 20.0, 37.0]])
    expected = special.stdtr(df, -t)
    assert distributions.t_above(t, df) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    assert distributions.t_above(-t, df) == pytest.approx(1 - expected, rel=1e-12)


@given(st.floats(0, 1e150))
def test_students_tail_of_few_degrees_of_freedom_is_a_formula(t: float) -> None:
    # The Cauchy distribution, and (1 - t / sqrt(2 + t^2)) / 2.
    one, two = (float(distributions.t_above(np.array([t]), df)[0]) for df in (1, 2))
    assert one == pytest.approx(math.atan2(1, t) / math.pi, rel=1e-13)
    square = 2 + t * t
    assert two == pytest.approx(1 / (square + t * math.sqrt(square)), rel=1e-13, abs=1e-300)


def test_no_number_depends_on_those_beside_it() -> None:
    t, wins = np.linspace(0, 9, 50), np.arange(1.0, 50)
    alone = [float(distributions.t_above(t[k : k + 1], 60)[0]) for k in range(50)]
    assert distributions.t_above(t, 60).tolist() == alone
    ends = [
        float(distributions.beta_quantile(0.1, wins[k : k + 1], np.array([9.0]))[0])
        for k in range(49)
    ]
    assert distributions.beta_quantile(0.1, wins, np.full(49, 9.0)).tolist() == ends


def test_nothing_is_beyond_an_infinite_t() -> None:
    assert distributions.t_above(np.array([math.inf, -math.inf]), 7).tolist() == [0, 1]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("df", ANY_DF)
def test_students_quantile_is_scipys(df: int, level: float) -> None:
    expected = -special.stdtrit(df, (1 - level) / 2)
    # Of SciPy 1.15, the oldest that tests run with, some are wrong by 2e-11.
    assert distributions.t_critical(df, level) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50, 51, 1_000, 3_000])
def test_coins_fall_as_counted(n: int) -> None:
    most = np.arange(n + 1)
    ways = np.cumsum([math.comb(n, int(k)) for k in most], dtype=object)
    expected = [float(count / 2**n) for count in ways]
    p = distributions.binomial_cdf(most, np.full(n + 1, n))
    assert p == pytest.approx(expected, rel=1e-12, abs=1e-300)
    if n <= 50:
        assert p.tolist() == expected


@pytest.mark.parametrize("p", [1e-6, 0.025, 0.5, 0.975, 0.9995])
@pytest.mark.parametrize("n", [1, 2, 5, 50, 1_000, 10**5])
def test_the_beta_quantile_is_scipys(n: int, p: float) -> None:
    a = np.unique(np.linspace(1, n, 60).astype(int)).astype(float)
    expected = special.betaincinv(a, n - a + 1, p)
    assert distributions.beta_quantile(p, a, n - a + 1) == pytest.approx(expected, rel=1e-11)


@given(
    st.floats(1, 1e4), st.floats(1, 1e4), st.floats(0, 1), st.sampled_from([1e-9, 1e-3, 0.5, 1.0])
)
def test_the_beta_distribution_is_scipys(a: float, b: float, share: float, size: float) -> None:
    x = share * size
    p = distributions.beta_cdf(np.array(x), np.array(1 - x), np.float64(a), np.float64(b))
    assert p == pytest.approx(special.betainc(a, b, x), rel=1e-10, abs=1e-200)


@pytest.mark.parametrize("shift", [0.0, 0.5, 2.8, 4.0])
@pytest.mark.parametrize("alpha", [0.001, 0.05])
@pytest.mark.parametrize("df", [1, 2, 9, 49, 499, 10**5])
def test_a_shifted_t_is_scipys(df: int, alpha: float, shift: float) -> None:
    critical = distributions.t_critical(df, 1 - alpha)
    above = 1 - special.nctdtr(df, shift, critical)
    expected = above + special.nctdtr(df, shift, -critical)
    found = distributions.shifted_t_outside(shift, critical, df)
    assert found == pytest.approx(expected, abs=1e-11)
    assert found == pytest.approx(alpha, rel=1e-12) if shift == 0 else found > alpha


def test_a_t_that_is_shifted_far_is_outside() -> None:
    assert distributions.shifted_t_outside(1e6, 2.0, 30) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("df", [1, 2, 10, 1_000])
def test_the_mean_square_of_a_scale_is_one(df: int) -> None:
    s, weight = distributions.scales(df)
    assert weight @ s**2 == pytest.approx(1, rel=1e-13)
