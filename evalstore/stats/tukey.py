"""Tukey's honestly significant difference: all pairs of many runs, corrected for all at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalstore.stats.all_pairs import p_matrix, pairs
from evalstore.stats.inputs import F64, SEED, UNITS_PER_ONE, check_count, in_units, matrix
from evalstore.stats.studentized_range import studentized_range_sf

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
