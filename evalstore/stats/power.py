"""What a number of queries can detect, and how many are needed, with the paired t test."""

from __future__ import annotations

import math

from evalstore.errors import DataError
from evalstore.stats.inputs import check_fraction

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
    low, high = 0.0, 1.0
    while _power(high, n, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, n, alpha) < power else (low, middle)
    return high * sd / math.sqrt(n)


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
        return _power(effect * math.sqrt(n), n, alpha) >= power

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _power(shift: float, n: int, alpha: float) -> float:
    """The power of the two-sided t test whose statistic is shifted by so much."""
    from scipy.special import nctdtr, stdtrit

    df = n - 1
    critical = float(stdtrit(df, 1 - alpha / 2))
    if shift - critical > 40 * (1 + critical / math.sqrt(2 * df)):
        return 1.0  # far beyond what the distribution can be computed for
    # The lower tail is below Phi(-shift); SciPy gives NaN where it is very small.
    below = float(nctdtr(df, shift, -critical)) if shift < 6 else 0.0
    return float(1 - nctdtr(df, shift, critical)) + below


def _check(sd: float, power: float, alpha: float) -> None:
    if not (math.isfinite(sd) and sd >= 0):
        raise DataError(f"the standard deviation must be finite and at least 0; got {sd}")
    check_fraction("power", power)
    check_fraction("alpha", alpha)
