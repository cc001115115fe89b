"""Corrections of p for the number of tests: the whole family goes in, one entry a test.

Arrays of any shape go in and come out in that shape; every entry counts as one test, so of a
symmetric matrix give each pair once (`evalstore.stats.pairs`). A pair of equal runs has p = 1 and
stays in the family.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import F64, probabilities


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
    """Adjusted p in the order and the shape of those given."""
    result = np.empty(len(order))
    result[order] = np.minimum(adjusted, 1.0)
    return result.reshape(shape)
