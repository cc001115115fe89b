"""Distributions of tests and intervals: normal, Student's t, binomial and beta.

SciPy has all of them, but takes 113 MB, a quarter of what `pip install evalstore` would install,
and a tenth of a second of each `evalstore compare`. The tests compare every function with SciPy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import F64, I64

NODES = 128  # of a Gauss-Legendre rule
FAR = 10.0  # standard deviations beyond which the density of a scale is below 1e-20
MOST_STEPS = 1_000  # far more than either loop below needs
SMALL_STEP = 1e-9  # relative; the error left is of the order of its square
SAME = 1e-15  # relative difference at which a continued fraction has its value
COUNTED = 50  # throws whose ways are counted: sums of them are exact in a float64
LARGE = 16.0  # from here five terms of Stirling's series are exact to 1e-16

_erfc = np.frompyfunc(math.erfc, 1, 1)
_lgamma = np.frompyfunc(math.lgamma, 1, 1)


def normal_cdf(x: npt.ArrayLike) -> F64:
    """P(Z < x) of a standard normal Z, float64 of the shape of `x`."""
    return np.asarray(_erfc(np.asarray(x, np.float64) * -math.sqrt(0.5)), np.float64) / 2


def normal_quantile(p: float) -> float:
    """The x of P(Z < x) = p; `p` is in (0, 1)."""
    return NormalDist().inv_cdf(p)


def t_above(t: F64, df: int) -> F64:
    """P(T > t) of Student's t with `df` degrees of freedom, 1 or more; of the shape of `t`."""
    x, y = _of_t(t, df)
    tail = beta_cdf(x, y, np.float64(df / 2), np.float64(0.5)) / 2
    return np.where(t < 0, 1 - tail, tail)


@lru_cache(maxsize=256)  # the same for all intervals of a page
def t_critical(df: int, level: float) -> float:
    """The t of P(|T| < t) = level; `level` is in (0, 1).

    By Newton's method from the normal quantile. That is smaller, and the tail is convex, so that no
    step goes too far.
    """
    tail, a, b = (1 - level) / 2, np.float64(df / 2), np.float64(0.5)
    t = normal_quantile((1 + level) / 2)
    for _ in range(MOST_STEPS):
        x, y = _of_t(np.float64(t), df)
        density = float(_beta_power(x, y, a, b)) / t
        step = (float(beta_cdf(x, y, a, b)) / 2 - tail) / density
        t += step
        if abs(step) <= SMALL_STEP * t:
            break
    return t


def _of_t(t: F64 | np.float64, df: int) -> tuple[F64, F64]:
    """The argument df / (df + t^2) of the beta distribution, and 1 less it."""
    with np.errstate(over="ignore", divide="ignore"):  # t of 0 or infinite
        square = np.asarray(t * t / df)
        return 1 / (1 + square), 1 / (1 + 1 / square)


def binomial_cdf(most: I64, throws: I64) -> F64:
    """P(K <= most) of K heads among `throws` throws of a coin; 0 <= most <= throws, elementwise."""
    p = np.ones(np.shape(most))
    for n in np.unique(throws[throws <= COUNTED]).tolist():
        ways = np.cumsum([float(math.comb(n, k)) for k in range(n + 1)])
        p[throws == n] = ways[most[throws == n]] / 2.0**n
    more = (throws > COUNTED) & (most < throws)
    heads, half = most[more].astype(np.float64), np.full(np.count_nonzero(more), 0.5)
    p[more] = beta_cdf(half, half, throws[more] - heads, heads + 1)
    return p


def beta_quantile(p: float, a: F64, b: F64) -> F64:
    """The x of I_x(a, b) = p, elementwise; `p` is in (0, 1), `a` and `b` are 1 or more.

    By Newton's method, and by halving where a step would leave what encloses the solution.
    """
    x = a / (a + b)
    low, high, done = np.zeros(x.shape), np.ones(x.shape), np.zeros(x.shape, bool)
    for _ in range(MOST_STEPS):
        above = beta_cdf(x, 1 - x, a, b) - p
        low, high = np.where(above < 0, x, low), np.where(above < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore"):  # halved, as nothing encloses NaN
            newton = x - above * x * (1 - x) / _beta_power(x, 1 - x, a, b)
        following = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        x, done = np.where(done, x, following), done | (np.abs(following - x) <= SAME * x)
        if done.all():
            break
    return x


def beta_cdf(x: F64, y: F64, a: F64 | np.float64, b: F64 | np.float64) -> F64:
    """The regularized incomplete beta function I_x(a, b), elementwise; `y` is 1 - x.

    `y` is an argument since 1 - x has no digits left where x is near 1. The relative error is about
    1e-13. The continued fraction is the even part of DLMF 8.17.22, with terms that stay exact for
    a and b up to 1e15.

    Source: https://dlmf.nist.gov/8.17; the fraction by Lentz's method (Numerical Recipes, 5.2).
    """
    # Beyond the mean the fraction converges for the other tail alone.
    other = y * (a + 1) < (b + 1) * x
    x, y = np.where(other, y, x), np.where(other, x, y)
    a, b = np.where(other, b, a), np.where(other, a, b)
    small = x < y
    d = -(a + b) * x / (a + 1)
    fraction = c = np.where(small, a + 1 - (a + b) * x, (a + b) * y + 1 - b) / (a + 1)
    inverse = np.zeros(np.shape(x))
    done = np.zeros(np.shape(x), bool)
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        numerator = -d * even
        scale = (a + 2 * m) * (a + 2 * m + 1)
        product = (a + m) * (a + b + m)
        d = -product * x / scale
        of_y = product * y + a * (2 * m + 1 - b) + m * (3 * m + 2 - b)  # 1 + d from 1 - x
        term = even + np.where(small, scale - product * x, of_y) / scale
        inverse = 1 / (term + numerator * inverse)
        c = term + numerator / c
        factor = c * inverse
        # Of each x so many terms as it needs, so that no other x changes its last digit.
        fraction = np.where(done, fraction, fraction * factor)
        done |= np.abs(factor - 1) <= SAME
        if done.all():
            break
    tail = _beta_power(x, y, a, b) / (a * fraction)
    return np.where(other, 1 - tail, tail)


def _beta_power(x: F64, y: F64, a: F64 | np.float64, b: F64 | np.float64) -> F64:
    """x^a y^b / B(a, b), from the distance to the mean, which loses no digits where a is large."""
    distance = np.where(x < y, x * (a + b) - a, b - y * (a + b))
    with np.errstate(divide="ignore"):  # 0 has the logarithm -infinity, and the power 0
        first = _log_of_ratio(distance, a, x * (a + b))
        second = _log_of_ratio(-distance, b, y * (a + b))
    rest = _stirling(a + b) - _stirling(a) - _stirling(b)
    power = np.exp(a * first + b * second + rest) * np.sqrt(a * b / (a + b) / (2 * np.pi))
    return np.asarray(power)


def _log_of_ratio(distance: F64, mean: F64 | np.float64, value: F64) -> F64:
    """log(value / mean), `distance` the value less the mean."""
    near = np.abs(distance) < mean / 2
    return np.where(near, np.log1p(np.where(near, distance, 0.0) / mean), np.log(value / mean))


def _stirling(z: F64 | np.float64) -> F64:
    """The logarithm of Gamma(z) less Stirling's formula."""
    large = np.maximum(z, LARGE)
    square = 1 / large**2
    series = 1 / 1260 - square * (1 / 1680 - square / 1188)
    small = np.minimum(z, LARGE)
    formula = (small - 0.5) * np.log(small) - small + math.log(2 * math.pi) / 2
    exact = np.asarray(_lgamma(small), np.float64) - formula
    return np.where(z >= LARGE, (1 / 12 - square * (1 / 360 - square * series)) / large, exact)


def shifted_t_outside(shift: float, critical: float, df: int) -> float:
    """P(|T| > critical) of a non-central t: (Z + shift) / S, S as in `scales`.

    The mean over S of the two normal tails, whose edges are passed to `scales`.
    """
    edges = [(sign * shift + far) / critical for sign in (-1, 1) for far in (-FAR, FAR)]
    s, weight = scales(df, edges)
    outside = normal_cdf(shift - critical * s) + normal_cdf(-shift - critical * s)
    return min(1.0, float(weight @ outside))


def scales(df: float, edges: Iterable[float] = ()) -> tuple[F64, F64]:
    """Values of an estimated standard deviation over the true one, and their probabilities.

    df s^2 is chi-squared with `df` degrees of freedom. With them the mean of a function of s is a
    sum. It is accurate for a function that is smooth between any two `edges`.
    """
    reach = FAR / math.sqrt(df)
    low, high = max(-1.0, -reach), reach
    ends = sorted({low, high, *(min(max(edge - 1, low), high) for edge in edges)})
    parts = [_gauss_legendre(*part) for part in pairwise(ends)]
    e, weight = np.concatenate(parts, axis=1)
    # s = 1 + e: powers of s alone have no digits left where df is large.
    log_density = df * (np.log1p(e) - e - e**2 / 2) - np.log1p(e)
    weight = weight * np.exp(log_density - log_density.max())
    return 1 + e, weight / weight.sum()


def _gauss_legendre(low: float, high: float) -> tuple[F64, F64]:
    """Points and weights of the integral from `low` to `high`."""
    node, weight = _rule()
    half = (high - low) / 2
    return low + half * (node + 1), half * weight


@cache
def _rule() -> tuple[F64, F64]:
    return np.polynomial.legendre.leggauss(NODES)
