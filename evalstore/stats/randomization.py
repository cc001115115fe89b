"""The randomization (Fisher-Pitman) test of two runs: the signs of the differences are flipped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import F64, I64, SEED, check_count, differences, in_units
from evalstore.stats.paired import PairedTest, PairedTests, of_one

EXACT_UP_TO = 20
"""Non-zero differences up to which all sign patterns are enumerated: 2^19 sums, 4 MB."""

BITS = 16  # one random 16-bit number holds the signs of so many queries
AT_ONCE = 1 << 18  # resamples held in memory at a time
PATTERNS = 1 << 11  # sign patterns and ...
PAIRS = 1 << 8  # ... pairs in one matrix product, so that the sums stay in the cache
MOST_IN_A_PRODUCT = 1_024  # queries: with more the random numbers of all would fill the memory


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
    return of_one(randomization_of_rows(differences(a, b)[None, :], resamples, seed))


def randomization_of_rows(rows: F64, resamples: int, seed: int) -> PairedTests:
    """`randomization` of every row of differences (pairs x queries).

    Rows with as many differences other than 0 are tested with the same sign patterns, so that one
    matrix product gives the sums of many: whole numbers, exact in any order of addition.
    """
    check_count("resamples", resamples)
    units = in_units(rows)
    sizes = np.sort(np.abs(units), axis=1)
    # Sums of large units may be rounded: what is this near to the observed sum is equal to it.
    observed = np.abs(units.sum(axis=1)) - 1e-12 * sizes.sum(axis=1)
    kept = np.count_nonzero(units, axis=1)
    p = np.ones(len(rows))
    for count in np.unique(kept[kept > 0]).tolist():
        group = np.flatnonzero(kept == count)
        group_sizes = sizes[group, sizes.shape[1] - count :]
        if count <= EXACT_UP_TO:
            reached = _exactly(group_sizes, observed[group])
            p[group] = reached / (1 << (count - 1))
        else:
            reached = _at_random(group_sizes, observed[group], resamples, seed)
            p[group] = (reached + 1) / (resamples + 1)
    return PairedTests(np.where(kept > 0, rows.mean(axis=1), 0.0), p)


def _exactly(sizes: F64, observed: F64) -> I64:
    """How many patterns reach the observed sum, of all but those that only mirror others."""
    if len(sizes) == 1:
        return np.array([np.count_nonzero(np.abs(_signed_sums(sizes[0])) >= observed)])
    reached = np.zeros(len(sizes), np.int64)
    patterns = 1 << (sizes.shape[1] - 1)
    for first in range(0, patterns, PATTERNS):
        numbers = np.arange(first, min(first + PATTERNS, patterns)).astype(np.uint32)
        reached += _reached(_signs(numbers, sizes.shape[1]), sizes, observed)
    return reached


def _at_random(sizes: F64, observed: F64, resamples: int, seed: int) -> I64:
    """How many of the patterns drawn at random reach the observed sum."""
    if len(sizes) == 1 or sizes.shape[1] > MOST_IN_A_PRODUCT:
        counts = (
            _reached_one_by_one(row, sum_, resamples, seed)
            for row, sum_ in zip(sizes, observed.tolist(), strict=True)
        )
        return np.fromiter(counts, np.int64, len(sizes))
    random = np.random.default_rng(seed)
    reached = np.zeros(len(sizes), np.int64)
    for first in range(0, resamples, AT_ONCE):
        drawn = [
            (bits, random.integers(0, 1 << bits, min(AT_ONCE, resamples - first), dtype=np.uint32))
            for bits in _bits_of(sizes.shape[1])
        ]
        for start in range(0, len(drawn[0][1]), PATTERNS):
            signs = [_signs(n[start : start + PATTERNS], bits) for bits, n in drawn]
            reached += _reached(np.concatenate(signs), sizes, observed)
    return reached


def _bits_of(queries: int) -> list[int]:
    """How many signs each of the random numbers holds."""
    return [min(BITS, queries - first) for first in range(0, queries, BITS)]


def _signs(numbers: npt.NDArray[np.uint32], bits: int) -> F64:
    """The sign patterns (bits x numbers) of numbers: -1 where a bit is set, the lowest first."""
    places = np.arange(bits, dtype=np.uint32)
    return (1 - 2 * ((numbers >> places[:, None]) & 1).astype(np.int8)).astype(np.float64)


def _reached(signs: F64, sizes: F64, observed: F64) -> I64:
    """For every row of sizes, how many sign patterns (queries x patterns) reach `observed`."""
    parts = []
    for first in range(0, len(sizes), PAIRS):
        sums = sizes[first : first + PAIRS] @ signs
        np.abs(sums, out=sums)
        reached = sums >= observed[first : first + PAIRS, None]
        parts.append(np.count_nonzero(reached, axis=1))
    return np.concatenate(parts).astype(np.int64)


def _reached_one_by_one(sizes: F64, observed: float, resamples: int, seed: int) -> int:
    """The same for one row with sums from tables, in memory that does not grow with the queries."""
    random = np.random.default_rng(seed)
    count = 0
    for first in range(0, resamples, AT_ONCE):
        sums = _random_sums(sizes, min(AT_ONCE, resamples - first), random)
        count += int(np.count_nonzero(np.abs(sums) >= observed))
    return count


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
