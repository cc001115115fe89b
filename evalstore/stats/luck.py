"""The luck in a choice: how far the best of equal runs is ahead of their mean."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import matrix

LARGEST = 12.0  # the chance that a standard normal variable is above it is 2e-33
STEP = 0.01


def expected_maximum(k: int) -> float:
    """The expected largest of k independent standard normal variables; 0 for one.

    It is the integral from 0 to infinity of 1 - F(x)^k - F(-x)^k, with F the standard normal
    distribution function. The integrand is an even function, so the trapezoidal rule is accurate
    to about 1e-14 here.

    Source: Tippett, Biometrika 1925; Harter, Biometrika 1961 (tables).

    Raises:
        DataError: k is below 1.
    """
    from scipy.special import log_ndtr

    if k < 1:
        raise DataError(f"k must be at least 1; got {k}")
    x = np.arange(0.0, LARGEST, STEP)
    integrand = -np.expm1(k * log_ndtr(x)) - np.exp(k * log_ndtr(-x))
    return float(STEP * (integrand.sum() - integrand[0] / 2))


def luck_of_best(values: npt.ArrayLike) -> float:
    """The expected lead of the best of equal runs over the mean of all of them.

    `values` is queries x runs, float64; the result is in their unit, and the same whether a high or
    a low mean is best. With n queries, k runs and r the residuals after the means of the runs and
    of the queries: s^2 = sum(r^2) / ((n - 1) (k - 1)), and the result is
    `expected_maximum(k)` s / sqrt(n). What the runs have in common on a query is in the mean of
    the query and does not count. It takes the means of the runs for normal and equally
    correlated. One run, or runs that differ by a constant: 0. One query: infinite.

    Source: two-way analysis of variance without replication (Scheffe, The Analysis of Variance,
    1959, chapter 4), and the expected maximum.

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    table = matrix(values)
    queries, runs = table.shape
    if runs == 1:
        return 0.0
    if queries == 1:
        return math.inf
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    variance = float((residuals**2).sum()) / ((queries - 1) * (runs - 1))
    return expected_maximum(runs) * math.sqrt(variance / queries)
