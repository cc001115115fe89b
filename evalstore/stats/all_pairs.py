"""The paired tests for all pairs of many runs at once.

The pairs of k runs are (0, 1), (0, 2), ..., (0, k - 1), (1, 2), ...: k (k - 1) / 2 of them, the
first the baseline. Every figure of a pair is what the function for two runs gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import F64, I64, SEED, check_count, matrix, probabilities
from evalstore.stats.paired import PairedTests, sign_of_rows, t_of_rows, wilcoxon_of_rows
from evalstore.stats.randomization import randomization_of_rows

CELLS = 1 << 19  # differences in memory at a time


class Pairs(NamedTuple):
    """The runs of every pair, as numbers of columns: int64, one entry a pair."""

    a: I64
    b: I64


def pairs(runs: int) -> Pairs:
    """All pairs of so many runs."""
    a, b = np.triu_indices(runs, 1)
    return Pairs(a.astype(np.int64), b.astype(np.int64))


def paired_t_all(values: npt.ArrayLike) -> PairedTests:
    """`paired_t` for all pairs of the columns of `values` (queries x runs).

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    return _over_pairs(values, t_of_rows)


def wilcoxon_all(values: npt.ArrayLike) -> PairedTests:
    """`wilcoxon` for all pairs of the columns of `values` (queries x runs).

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    return _over_pairs(values, wilcoxon_of_rows)


def sign_all(values: npt.ArrayLike) -> PairedTests:
    """`sign` for all pairs of the columns of `values` (queries x runs).

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    return _over_pairs(values, sign_of_rows)


def randomization_all(
    values: npt.ArrayLike, resamples: int = 100_000, seed: int = SEED
) -> PairedTests:
    """`randomization` for all pairs of the columns of `values` (queries x runs), with one seed.

    Raises:
        DataError: `values` is not a table of finite numbers; `resamples` is below 1.
    """
    check_count("resamples", resamples)
    return _over_pairs(values, lambda rows: randomization_of_rows(rows, resamples, seed))


def p_matrix(p: npt.ArrayLike, runs: int) -> F64:
    """One p a pair as a symmetric matrix of runs x runs with 1 on the diagonal.

    Raises:
        DataError: not one p for each of the pairs of so many runs.
    """
    p_values, (a, b) = probabilities(p), pairs(runs)
    if p_values.shape != a.shape:
        raise DataError(f"{runs} runs have {len(a)} pairs; got p of shape {p_values.shape}")
    result = np.ones((runs, runs))
    result[a, b] = result[b, a] = p_values
    return result


def _over_pairs(values: npt.ArrayLike, test: Callable[[F64], PairedTests]) -> PairedTests:
    by_run = np.ascontiguousarray(matrix(values).T)
    runs, queries = by_run.shape
    a, b = pairs(runs)
    step = max(1, CELLS // queries)
    parts = [
        test(by_run[b[first : first + step]] - by_run[a[first : first + step]])
        for first in range(0, len(a), step)
    ]
    nothing = np.zeros(0)
    return PairedTests(
        np.concatenate([nothing, *(part.statistic for part in parts)]),
        np.concatenate([nothing, *(part.p for part in parts)]),
    )
