"""The randomization (Fisher-Pitman) test of two runs: the signs of the differences are flipped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import F64, SEED, check_count, differences, in_units
from evalstore.stats.paired import PairedTest

EXACT_UP_TO = 20
"""Non-zero differences up to which all sign patterns are enumerated: 2^19 sums, 4 MB."""

BITS = 16  # one random 16-bit number holds the signs of so many queries
AT_ONCE = 1 << 18  # resamples held in memory at a time


def randomization(
    a: npt.ArrayLike, b: npt.ArrayLike, resamples: int = 100_000, seed: int = SEED
) -> PairedTest:
    """The two-sided randomization test of the mean difference b - a, which is its statistic.

    Were the runs alike, each difference could as well have the other sign. p is the share of sign
    patterns whose sum is at least as far from 0 as the observed one: of all patterns with up to 20
    differences other than 0 (exact), else (count + 1) / (resamples + 1) of patterns drawn at
    random. Differences are rounded to 1e-9; those of 0 never change a sum. All differences 0, or
    one query: p = 1. The order of the queries and of a and b does not change p, with one seed.

    Memory is bounded: some megabytes, whatever the number of queries and resamples.

    Source: Smucker, Allan and Carterette, CIKM 2007; (count + 1) / (B + 1): Phipson and Smyth,
    Statistical Applications in Genetics and Molecular Biology 2010.

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN; `resamples` is below 1.
    """
    check_count("resamples", resamples)
    difference = differences(a, b)
    units = in_units(difference)
    mean = float(difference.mean()) if units.any() else 0.0
    sizes = np.sort(np.abs(units[units != 0]))
    # Sums of large units may be rounded: what is this near to the observed sum is equal to it.
    observed = abs(units.sum()) - 1e-12 * sizes.sum()
    if len(sizes) <= EXACT_UP_TO:
        sums = _signed_sums(sizes)
        return PairedTest(mean, float(np.count_nonzero(np.abs(sums) >= observed) / len(sums)))
    random = np.random.default_rng(seed)
    count = 0
    for first in range(0, resamples, AT_ONCE):
        sums = _random_sums(sizes, min(AT_ONCE, resamples - first), random)
        count += int(np.count_nonzero(np.abs(sums) >= observed))
    return PairedTest(mean, (count + 1) / (resamples + 1))


def _signed_sums(sizes: F64) -> F64:
    """The sums under all sign patterns, without those that only mirror others."""
    sums = sizes[:1].copy() if len(sizes) else np.zeros(1)
    for size in sizes[1:]:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _random_sums(sizes: F64, resamples: int, random: np.random.Generator) -> F64:
    """The sums under patterns drawn at random.

    The sums of 16 differences under all their 65,536 patterns are put into a table once; a random
    number then picks one. That is a look-up per 16 differences in place of 16 multiplications.
    """
    sums = np.zeros(resamples)
    for first in range(0, len(sizes), BITS):
        table = np.zeros(1)
        for size in sizes[first : first + BITS]:
            table = np.concatenate([table + size, table - size])
        sums += table[random.integers(0, len(table), resamples, dtype=np.uint32)]
    return sums
