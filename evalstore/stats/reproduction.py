"""The distance of the values of a reproduced run from those of the original one.

The figures of Breuer et al., SIGIR 2020, as repro_eval computes them; those of rankings,
`tau_union` and `rbo_to_depth`, are in `agreement`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.distributions import t_above
from evalstore.stats.inputs import F64, differences, finite, in_units


def rmse(original: npt.ArrayLike, reproduction: npt.ArrayLike) -> float:
    """The root of the mean squared difference of two runs' values; 0 if all are equal.

    One query: the size of its difference. No query is refused.

    Source: Breuer et al., SIGIR 2020.

    Raises:
        DataError: the values are not aligned, empty, or hold NaN.
    """
    return float(np.sqrt(np.mean(differences(original, reproduction) ** 2)))


def nrmse(original: npt.ArrayLike, reproduction: npt.ArrayLike) -> float:
    """`rmse` as a share of the largest that values from 0 to 1 could give: from 0 to 1.

    The largest error of a query with the value x is the greater of x and 1 - x.

    Source: `nRMSE` of repro_eval.

    Raises:
        DataError: the values are not aligned, empty, hold NaN, or are not from 0 to 1.
    """
    error = rmse(original, reproduction)
    values = np.array([original, reproduction], dtype=np.float64)
    if (np.abs(in_units(values - 0.5)) > in_units(np.array(0.5))).any():
        raise DataError("the values must lie between 0 and 1")
    largest = np.sqrt(np.mean(np.maximum(values[0], 1 - values[0]) ** 2))
    return error / float(largest)


def effect_ratio(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    reproduced_a: npt.ArrayLike,
    reproduced_b: npt.ArrayLike,
) -> float:
    """The reproduced mean of b - a over the original one: 1 if the effect is the same.

    Below 1 it is smaller, below 0 turned round. The original mean difference is 0, to 1e-9: NaN.

    Source: Breuer et al., SIGIR 2020.

    Raises:
        DataError: two values of one experiment are not aligned, empty, or hold NaN.
    """
    effect, reproduced = differences(a, b).mean(), differences(reproduced_a, reproduced_b).mean()
    return float(reproduced / effect) if in_units(effect) else math.nan


def delta_relative_improvement(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    reproduced_a: npt.ArrayLike,
    reproduced_b: npt.ArrayLike,
) -> float:
    """The original relative improvement of b over a, less the reproduced one: 0 if they are equal.

    A relative improvement is (mean of b - mean of a) / mean of a. A mean of a that is 0: NaN.

    Source: Breuer et al., SIGIR 2020.

    Raises:
        DataError: two values of one experiment are not aligned, empty, or hold NaN.
    """
    pairs = ((a, b), (reproduced_a, reproduced_b))
    means = [float(np.mean(finite(of_a, "the values"))) for of_a, _ in pairs]
    effects = [float(differences(of_a, of_b).mean()) for of_a, of_b in pairs]
    if 0 in means:
        return math.nan
    return effects[0] / means[0] - effects[1] / means[1]


class UnpairedTest(NamedTuple):
    """The statistic of a test of two samples and its two-sided p."""

    statistic: float
    p: float


def unpaired_t(a: npt.ArrayLike, b: npt.ArrayLike) -> UnpairedTest:
    """Student's t test of the difference of two means, of values that are of any queries.

    t = (mean of b - mean of a) / standard error, of one variance in both, with n + m - 2 degrees of
    freedom. No spread in either, to 1e-9: t = 0 and p = 1 for equal means, else t is infinite and
    p = 0. Fewer than 3 values in all: t is NaN and p = 1.

    Source: Student, Biometrika 1908; the same as `scipy.stats.ttest_ind(b, a)`.

    Raises:
        DataError: `a` or `b` is no list of numbers, empty, or holds NaN.
    """
    first, second = _list(a), _list(b)
    freedom = len(first) + len(second) - 2
    if freedom < 1:
        return UnpairedTest(math.nan, 1.0)
    difference = float(second.mean() - first.mean())
    if all(np.ptp(in_units(values)) == 0 for values in (first, second)):
        if in_units(np.array([difference])) == 0:
            return UnpairedTest(0.0, 1.0)
        return UnpairedTest(math.copysign(math.inf, difference), 0.0)
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in (first, second))
    error = math.sqrt(squares / freedom * (1 / len(first) + 1 / len(second)))
    statistic = difference / error
    return UnpairedTest(statistic, float(2 * t_above(np.array(abs(statistic)), freedom)))


def _list(values: npt.ArrayLike) -> F64:
    numbers = finite(values, "the values")
    if numbers.ndim != 1 or len(numbers) == 0:
        raise DataError(f"the values must be a list, one a query; got shape {numbers.shape}")
    return numbers
