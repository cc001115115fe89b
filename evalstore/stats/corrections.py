"""Corrections of p for the number of tests: the whole family goes in, one entry a test.

Arrays of any shape go in and come out in that shape; every entry counts as one test, so of a
symmetric matrix give each pair once (`evalstore.stats.pairs`). A pair of equal runs has p = 1 and
stays in the family.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import (
    F64,
    SEED,
    UNITS_PER_ONE,
    check_count,
    in_units,
    matrix,
    probabilities,
)
from evalstore.stats.paired import p_matrix, pairs


def bonferroni(p: npt.ArrayLike) -> F64:
    """min(1, m p) for m tests: the chance of one false finding or more is at most alpha.

    Source: Dunn, Journal of the American Statistical Association 1961.

    Raises:
        DataError: a p outside 0 to 1, or NaN.
    """
    p_values = probabilities(p)
    return np.asarray(np.minimum(p_values * p_values.size, 1.0))


def holm(p: npt.ArrayLike) -> F64:
    """Holm's step-down correction: as safe as Bonferroni's and never larger.

    The i-th smallest p times m - i + 1, made ascending, at most 1.

    Source: Holm, Scandinavian Journal of Statistics 1979.

    Raises:
        DataError: a p outside 0 to 1, or NaN.
    """
    p_values = probabilities(p)
    order = np.argsort(p_values, axis=None)
    steps = np.arange(p_values.size, 0, -1)
    return _back(np.maximum.accumulate(p_values.ravel()[order] * steps), order, p_values.shape)


def benjamini_hochberg(p: npt.ArrayLike) -> F64:
    """Benjamini and Hochberg's correction: the expected share of false findings is at most alpha.

    The i-th smallest p times m / i, each at most the next, at most 1.

    Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995.

    Raises:
        DataError: a p outside 0 to 1, or NaN.
    """
    p_values = probabilities(p)
    order = np.argsort(p_values, axis=None)[::-1]
    steps = p_values.size / np.arange(p_values.size, 0, -1)
    return _back(np.minimum.accumulate(p_values.ravel()[order] * steps), order, p_values.shape)


def _back(adjusted: F64, order: npt.NDArray[np.intp], shape: tuple[int, ...]) -> F64:
    result = np.empty(len(order))
    result[order] = np.minimum(adjusted, 1.0)
    return result.reshape(shape)


# Tukey's honestly significant difference: all pairs of many runs, corrected for all at once

CELLS = 1 << 20  # values in memory at a time


def tukey_anova(values: npt.ArrayLike) -> F64:
    """Tukey's test after a two-way analysis of variance, run + query, without replication.

    `values` is queries x runs, float64; the result is runs x runs, symmetric, 1 on the diagonal.
    q = |difference of means| / sqrt(MSE / n) against the studentized range with (n - 1)(k - 1)
    degrees of freedom: n queries, k runs, MSE the mean square left when run and query are taken
    out. Runs that nothing but a constant separates: p = 1 without a difference, else 0. One query:
    p = 1, since nothing is known of the error.

    Unlike `scipy.stats.tukey_hsd`, which knows no queries and so misses what separates runs.

    Source: Tukey 1953; Carterette, ACM Transactions on Information Systems 2012.

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    table = matrix(values)
    queries, runs = table.shape
    if queries == 1 or runs == 1:
        return np.ones((runs, runs))
    mean = table.mean(axis=0)
    a, b = pairs(runs)
    difference = np.abs(mean[a] - mean[b])
    difference[in_units(difference) == 0] = 0.0
    left = table - mean - table.mean(axis=1, keepdims=True) + table.mean()
    df = (queries - 1) * (runs - 1)
    error = np.sqrt((left**2).sum() / df / queries)
    if error * UNITS_PER_ONE < 1:
        return p_matrix(np.where(difference == 0, 1.0, 0.0), runs)
    return p_matrix(studentized_range_sf(difference / error, runs, df), runs)


def tukey_randomized(values: npt.ArrayLike, resamples: int = 5_000, seed: int = SEED) -> F64:
    """Tukey's test by randomization: the values of each query are permuted over the runs.

    `values` is queries x runs, float64; the result is runs x runs, symmetric, 1 on the diagonal.
    p = (count + 1) / (resamples + 1), count the permutations whose range of means (largest less
    smallest) is at least the observed difference. It is not the test of `tukey_anova`: one run far
    from all others widens the range for every pair. Values are rounded to 1e-9; equal runs and one
    run: p = 1. The order of the queries and of the runs changes nothing, with one seed.

    Source: Carterette, ACM Transactions on Information Systems 2012.

    Raises:
        DataError: `values` is not a table of finite numbers, or `resamples` below 1.
    """
    check_count("resamples", resamples)
    units = in_units(matrix(values))
    runs = units.shape[1]
    total = units.sum(axis=0)
    a, b = pairs(runs)
    ranges = np.sort(_null_ranges(units, resamples, seed))
    as_large = resamples - np.searchsorted(ranges, np.abs(total[a] - total[b]))
    return p_matrix((as_large + 1) / (resamples + 1), runs)


def _null_ranges(units: F64, resamples: int, seed: int) -> F64:
    """The range of the sums of the runs under each permutation."""
    random = np.random.default_rng(seed)
    # In one order whatever the input's, so that the draws depend on the values alone.
    units = np.sort(units, axis=1)
    units = units[np.lexsort(units.T)]
    step = max(1, CELLS // units.size)
    ranges = []
    for first in range(0, resamples, step):
        shape = (min(step, resamples - first), *units.shape)
        sums = random.permuted(np.broadcast_to(units, shape), axis=2).sum(axis=1)
        ranges.append(np.ptp(sums, axis=1))
    return np.concatenate(ranges)


# The distribution of the studentized range, for Tukey's test of many pairs at once: SciPy's
# integrates each value anew, some milliseconds each, and 100 runs have 4,950 pairs.

STEP = 1e-3  # of the table of the range; linear interpolation errs by less than 1e-7
NODES = 128  # of each Gauss-Legendre rule
FARTHEST = 9.0  # a normal value beyond it has probability 1e-19
NEGLIGIBLE = 1e-17


def studentized_range_sf(q: F64, runs: int, df: float) -> F64:
    """P(Q > q) for the studentized range of `runs` normal means and `df` degrees of freedom.

    The mean of P(range > q s) over the distribution of s, the estimated standard deviation over
    the true one: df s^2 is chi-squared with df degrees of freedom. The absolute error is below
    1e-7 for df of 2 or more.

    Source: Copenhaver and Holland, Journal of Statistical Computation and Simulation 1988.
    """
    from scipy.special import gammainccinv, gammaincinv

    low = np.sqrt(gammaincinv(df / 2, NEGLIGIBLE) * 2 / df)
    high = np.sqrt(gammainccinv(df / 2, NEGLIGIBLE) * 2 / df)
    s, weight = _gauss_legendre(low, high)
    log_density = (df - 1) * np.log(s) - df * s**2 / 2
    weight = weight * np.exp(log_density - log_density.max())
    weight /= weight.sum()
    # A range of 2 x FARTHEST is as good as certain not to be exceeded.
    width = np.arange(0, 2 * FARTHEST + STEP, STEP)
    table = _range_sf(width, runs)
    total = np.zeros(q.shape)
    for scale, share in zip(s, weight, strict=True):
        total += share * np.interp(q * scale, width, table, right=0.0)
    return np.where(q > 0, np.clip(total, 0.0, 1.0), 1.0)


def _range_sf(width: F64, runs: int) -> F64:
    """P(range of so many standard normal values > width)."""
    from scipy.special import ndtr

    highest, weight = _gauss_legendre(-FARTHEST, FARTHEST)
    # The highest value is z, and all others lie between z - width and z.
    weight = weight * runs * np.exp(-(highest**2) / 2) / np.sqrt(2 * np.pi)
    inside = np.zeros(len(width))
    for z, share in zip(highest, weight, strict=True):
        inside += share * (ndtr(z) - ndtr(z - width)) ** (runs - 1)
    return 1 - inside


def _gauss_legendre(low: float, high: float) -> tuple[F64, F64]:
    node, weight = np.polynomial.legendre.leggauss(NODES)
    half = (high - low) / 2
    return low + half * (node + 1), half * weight
