"""Power of the paired t test, and the discriminative power of a measure."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.corrections import tukey_randomized
from evalstore.stats.distributions import shifted_t_outside, t_critical
from evalstore.stats.inputs import (
    F64,
    SEED,
    check_count,
    check_fraction,
    in_units,
    matrix,
    resampled_counts,
)
from evalstore.stats.paired import pairs

MOST_QUERIES = 2**50  # a difference that needs more counts as none


def detectable_difference(sd: float, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest mean difference that a paired t test over n queries finds with this power.

    `sd` is the standard deviation of the differences between two runs (with n - 1); the result is
    in the same unit. The power of the two-sided test is from the non-central t distribution, both
    tails counted. sd 0: 0. One query: infinite.

    Source: Cohen, Statistical Power Analysis, 1988; Sakai, Information Retrieval Journal 2016.

    Raises:
        DataError: `sd` is below 0 or not finite, n below 1, or power or alpha not in (0, 1).
    """
    _check(sd, power, alpha)
    if n < 1:
        raise DataError(f"n must be at least 1 query; got {n}")
    if sd == 0:
        return 0.0
    if n == 1:
        return math.inf
    return _shift(n, power, alpha) * sd / math.sqrt(n)


def queries_needed(
    difference: float, sd: float, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """The smallest number of queries whose paired t test finds this difference with this power.

    At least 2. The power is that of `detectable_difference`; the normal approximation would be 2
    to 3 queries short. The sign of the difference does not matter. Difference 0 (or one that needs
    more than 10^15 queries): None.

    Source: Sakai, Information Retrieval Journal 2016 (topic set size design, paired t test).

    Raises:
        DataError: a number is not finite, `sd` below 0, or power or alpha not in (0, 1).
    """
    _check(sd, power, alpha)
    if not math.isfinite(difference):
        raise DataError(f"the difference must be finite; got {difference}")
    if difference == 0:
        return None
    if sd == 0:
        return 2
    effect = abs(difference) / sd

    def enough(n: int) -> bool:
        critical = t_critical(n - 1, 1 - alpha)
        return shifted_t_outside(effect * math.sqrt(n), critical, n - 1) >= power

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)  # the same for all pairs of a family, and slow to find
def _shift(n: int, power: float, alpha: float) -> float:
    """The least shift of the t statistic that the test finds with this power."""
    critical = t_critical(n - 1, 1 - alpha)
    low, high = 0.0, 1.0
    while shifted_t_outside(high, critical, n - 1) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        found = shifted_t_outside(middle, critical, n - 1) >= power
        low, high = (low, middle) if found else (middle, high)
    return high


def _check(sd: float, power: float, alpha: float) -> None:
    if not (math.isfinite(sd) and sd >= 0):
        raise DataError(f"the standard deviation must be finite and at least 0; got {sd}")
    check_fraction("power", power)
    check_fraction("alpha", alpha)


# The discriminative power of a measure: the share of all pairs of runs that it separates

CELLS = 1 << 19  # numbers in memory at a time
ROUNDING = 1e-9  # statistics this near to each other, relatively, are equal


class DiscriminativePower(NamedTuple):
    """The achieved significance levels of all pairs and the share below alpha.

    levels: float64, one a pair, ascending; share: from 0 to 1, NaN without a pair.
    """

    levels: F64
    share: float


def discriminative_power(
    values: npt.ArrayLike,
    alpha: float = 0.05,
    test: Literal["bootstrap", "tukey"] = "bootstrap",
    resamples: int | None = None,
    seed: int = SEED,
) -> DiscriminativePower:
    """The achieved significance levels of all pairs of runs, sorted, and the share below alpha.

    `values` is queries x runs, float64. The levels are those of `bootstrap_levels` (1,000 resamples
    unless given) or of `tukey_randomized` (5,000), which corrects for the number of pairs.

    Source: Sakai, SIGIR 2006 (bootstrap); Sakai, Metrics, Statistics, Tests, 2014 (Tukey).

    Raises:
        DataError: `values` is not a table of finite numbers; alpha not in (0, 1); another test.
    """
    check_fraction("alpha", alpha)
    table = matrix(values)
    if test == "bootstrap":
        levels = bootstrap_levels(table, resamples or 1_000, seed)
    elif test == "tukey":
        a, b = pairs(table.shape[1])
        levels = tukey_randomized(table, resamples or 5_000, seed)[a, b]
    else:
        raise DataError(f"the test must be 'bootstrap' or 'tukey'; got {test!r}")
    share = float(np.mean(levels < alpha)) if len(levels) else float("nan")
    return DiscriminativePower(np.sort(levels), share)


def bootstrap_levels(values: npt.ArrayLike, resamples: int = 1_000, seed: int = SEED) -> F64:
    """The achieved significance level of every pair by Sakai's paired bootstrap test.

    `values` is queries x runs, float64; the result is one level a pair, in the order of `pairs`.
    With z the differences of a pair and w = z - mean(z): t = |mean(z)| / (sd(z) / sqrt(n)), and t*
    the same of queries of w drawn with replacement; the level is the share of t* >= t. A resample
    without spread counts as t* infinite (unless its mean is 0 too). All differences 0, or one
    query: level 1. All equal but not 0: 0. Each resample serves all pairs. The order of the queries
    changes nothing, with one seed. Differences are rounded to 1e-9.

    Source: Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.

    Raises:
        DataError: `values` is not a table of finite numbers, or `resamples` below 1.
    """
    check_count("resamples", resamples)
    table = matrix(values)
    table = table[np.lexsort(table.T)]
    a, b = pairs(table.shape[1])
    step = max(1, CELLS // max(len(table), resamples))
    levels = [
        _levels(in_units(table[:, b[i : i + step]] - table[:, a[i : i + step]]), resamples, seed)
        for i in range(0, len(a), step)
    ]
    return np.concatenate([np.zeros(0), *levels])


def _levels(units: F64, resamples: int, seed: int) -> F64:
    """The level of every column of differences (queries x pairs), in whole numbers of 1e-9."""
    queries, number = units.shape
    constant = (units == units[0]).all(axis=0)
    total = units.sum(axis=0)
    from_mean = queries * units - total  # n times w, and so exact: a mean of 0 is 0
    squares = from_mean**2
    t = _studentized(total, squares.mean(axis=0), total**2)
    count = np.zeros(number)
    for counts in resampled_counts(queries, resamples, seed):
        mean, square = counts @ from_mean / queries, counts @ squares / queries
        count += (_studentized(mean, square - mean**2, square) >= t * (1 - ROUNDING)).sum(axis=0)
    fixed = np.where((units[0] == 0) | (queries == 1), 1.0, 0.0)
    return np.where(constant, fixed, count / resamples)


def _studentized(mean: F64, variance: F64, square: F64) -> F64:
    """|mean| / sd; without spread infinite, or 0 if the mean is 0 too.

    The factor sqrt(n - 1) between this and t is the same on both sides of the comparison. A
    variance far below the mean square is a rounding error.
    """
    spread = variance > 1e-12 * square
    result = np.where(square > 0, np.inf, 0.0)
    np.divide(np.abs(mean), np.sqrt(np.maximum(variance, 0)), out=result, where=spread)
    return result
