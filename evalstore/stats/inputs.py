"""Checks of the inputs of statistics, and the rounding that makes equal differences tie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

UNITS_PER_ONE = 1e9
"""Differences are rounded to 1e-9 before they are counted, ranked or compared.

Subtraction of doubles breaks exact ties: 0.3 - 0.1 and 0.4 - 0.2 differ in the last bit.
"""

SEED = 1
"""The seed of random numbers, unless given: the same input gives the same result."""


def differences(a: npt.ArrayLike, b: npt.ArrayLike) -> F64:
    """`b - a` per query; refuse values that are not aligned by query, finite and at least one."""
    first, second = finite(a, "the baseline's values"), finite(b, "the run's values")
    if first.ndim != 1 or first.shape != second.shape:
        raise DataError(
            "the values of both runs must be two lists of one length, a value a query; "
            f"got shapes {first.shape} and {second.shape}"
        )
    if len(first) == 0:
        raise DataError("there is no query to compare on")
    difference: F64 = second - first
    return difference


def matrix(values: npt.ArrayLike) -> F64:
    """`values` as finite numbers of queries x runs, at least one of each."""
    table = finite(values, "the values")
    if table.ndim != 2 or 0 in table.shape:
        raise DataError(
            f"the values must be a table of queries x runs, at least 1 x 1; got {table.shape}"
        )
    return table


def in_units(values: F64) -> F64:
    """Whole numbers of 1e-9, as float64: their sums are exact below 2^53."""
    units: F64 = np.rint(values * UNITS_PER_ONE)
    return units


def probabilities(p: npt.ArrayLike) -> F64:
    """`p` as float64, from 0 to 1."""
    p_values = finite(p, "p values")
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise DataError("p values must lie between 0 and 1")
    return p_values


def check_fraction(name: str, value: float) -> None:
    """Refuse a value that does not lie strictly between 0 and 1."""
    if not 0 < value < 1:
        raise DataError(f"{name} must lie between 0 and 1; got {value}")


def check_count(name: str, value: int) -> None:
    """Refuse a number of resamples and the like below 1."""
    if value < 1:
        raise DataError(f"{name} must be at least 1; got {value}")


def check_positive(name: str, value: float) -> None:
    """Refuse a number that is not above 0, NaN or infinite."""
    if not 0 < value < np.inf:
        raise DataError(f"{name} must be above 0; got {value}")


def finite(values: npt.ArrayLike, name: str) -> F64:
    """`values`, called `name` in messages, as float64 without NaN and infinity."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers") from error
    if not np.isfinite(numbers).all():
        raise DataError(f"{name} must be finite numbers, and none may be missing (NaN)")
    return numbers


# Resampling of queries with replacement

CELLS = 1 << 17  # numbers held in memory at a time: what the processor's cache takes


def resampled_counts(queries: int, resamples: int, seed: int) -> Iterator[F64]:
    """The number of times each query is drawn, in parts of resamples x queries: float64.

    `counts @ values` is then the sum of the values of each resample.
    """
    random = np.random.default_rng(seed)
    step = max(1, CELLS // queries)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        drawn = random.integers(0, queries, (rows, queries))
        drawn += np.arange(rows)[:, None] * queries
        counts = np.bincount(drawn.ravel(), minlength=rows * queries)
        yield counts.reshape(rows, queries).astype(np.float64)
