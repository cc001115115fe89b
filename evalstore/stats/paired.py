"""Paired tests of two runs over the same queries: t, Wilcoxon signed-rank, sign, randomization.

One implementation serves one pair and many: the functions on rows take an array of pairs x queries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.distributions import binomial_cdf, normal_cdf, t_above
from evalstore.stats.inputs import (
    F64,
    I64,
    SEED,
    check_count,
    differences,
    in_units,
    matrix,
    probabilities,
)


class PairedTest(NamedTuple):
    """The statistic of a paired test and its two-sided p."""

    statistic: float
    p: float


class PairedTests(NamedTuple):
    """The same for many pairs: float64, one entry a pair."""

    statistic: F64
    p: F64


def paired_t(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Student's t test of the mean of the differences b - a.

    t = mean / (sd / sqrt(n)), sd with n - 1, p from Student's t with n - 1 degrees of freedom.
    All differences 0: t = 0, p = 1. All equal but not 0: t is infinite, and p = 2^(1 - n) that of
    the exact sign-flip test (`randomization`), since without a spread Student's p would be 0 for
    two queries already. One query: t is NaN and p = 1: one difference says nothing of the spread.

    Source: Student, Biometrika 1908; the same as `scipy.stats.ttest_rel(b, a)` where the
    differences have a spread.

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    return of_one(t_of_rows(differences(a, b)[None, :]))


def wilcoxon(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test of the differences b - a; the statistic is W+.

    W+ is the sum of the ranks of the positive differences, ranked by size. Differences are rounded
    to 1e-9 first. Those of 0 are left out, equal sizes share their mean rank, and p is from the
    normal approximation with the variance corrected for ties and without continuity correction,
    whatever the number of queries. Below about 10 differences other than 0 the approximation is
    poor: `randomization` is exact there. All differences 0: W+ = 0, p = 1.

    Source: Wilcoxon, Biometrics Bulletin 1945; the same as `scipy.stats.wilcoxon(d,
    zero_method="wilcox", correction=False, method="asymptotic")` for rounded differences d.

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    return of_one(wilcoxon_of_rows(differences(a, b)[None, :]))


def sign(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """The sign test; the statistic is the number of queries on which b is higher.

    Differences below 1e-9 / 2 are ties and left out; p is the exact two-sided binomial one with
    probability 1/2. Nothing but ties: p = 1.

    Source: Conover, Practical Nonparametric Statistics, 1999, 3.4; the same as
    `scipy.stats.binomtest(wins, wins + losses)`.

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    return of_one(sign_of_rows(differences(a, b)[None, :]))


def of_one(tests: PairedTests) -> PairedTest:
    """The only one of the tests."""
    return PairedTest(float(tests.statistic[0]), float(tests.p[0]))


def t_of_rows(rows: F64) -> PairedTests:
    """`paired_t` of every row of differences (pairs x queries)."""
    pairs, queries = rows.shape
    if queries == 1:
        return PairedTests(np.full(pairs, np.nan), np.ones(pairs))
    units = in_units(rows)
    # A spread of rounding errors alone is no spread.
    constant = (units == units[:, :1]).all(axis=1)
    mean = np.where(constant & (units[:, 0] == 0), 0.0, rows.mean(axis=1))
    spread = np.where(constant, 0.0, rows.std(axis=1, ddof=1) / np.sqrt(queries))
    statistic = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    np.divide(mean, spread, out=statistic, where=spread > 0)
    p = 2 * t_above(np.abs(statistic), queries - 1)
    return PairedTests(statistic, np.where(np.isinf(statistic), 2.0 ** (1 - queries), p))


def least_p(rows: F64) -> F64:
    """The least two-sided p that a sign-flip test could give with so many differences other than 0.

    `rows` are differences (pairs x queries); the result is one p a row: 2^(1 - m), m the number of
    differences of the row that are not 0, rounded to 1e-9; 1 for none or one. Only if all of them
    had one sign would the test give it, so that no claim can be made where it is above alpha.
    """
    kept = np.count_nonzero(in_units(rows), axis=1)
    return np.asarray(2.0 ** (1.0 - np.maximum(kept, 1)))


def wilcoxon_of_rows(rows: F64) -> PairedTests:
    """`wilcoxon` of every row of differences (pairs x queries)."""
    pairs, queries = rows.shape
    units = in_units(rows)
    order = np.argsort(np.abs(units), axis=1)
    ordered = np.take_along_axis(units, order, axis=1)
    size = np.abs(ordered)
    # Groups of equal sizes, numbered through all rows; each row begins one.
    begins = np.ones(size.shape, bool)
    begins[:, 1:] = size[:, 1:] != size[:, :-1]
    start = np.flatnonzero(begins)
    count = np.diff(start, append=size.size)
    zeros = (units == 0).sum(axis=1)
    row = start // queries
    # The ranks of a group run from p + 1 to p + count, p differences other than 0 being smaller.
    mean_rank = start % queries - zeros[row] + (count + 1) / 2
    rank = np.repeat(mean_rank, count).reshape(size.shape)
    w_plus = np.where(ordered > 0, rank, 0.0).sum(axis=1)

    kept = (queries - zeros).astype(np.float64)
    ties = np.where(size.ravel()[start] > 0, count.astype(np.float64) ** 3 - count, 0.0)
    tied = np.bincount(row, ties, minlength=pairs)
    variance = kept * (kept + 1) * (2 * kept + 1) / 24 - tied / 48
    distance = np.abs(w_plus - kept * (kept + 1) / 4)
    z = np.divide(distance, np.sqrt(variance), out=np.zeros(pairs), where=variance > 0)
    return PairedTests(w_plus, np.minimum(2 * normal_cdf(-z), 1.0))


def sign_of_rows(rows: F64) -> PairedTests:
    """`sign` of every row of differences (pairs x queries)."""
    units = in_units(rows)
    wins, losses = (units > 0).sum(axis=1), (units < 0).sum(axis=1)
    # P(at most the smaller count) twice; above 1 if both counts are equal.
    p = 2 * binomial_cdf(np.minimum(wins, losses), wins + losses)
    return PairedTests(wins.astype(np.float64), np.minimum(p, 1.0))


def equivalence_of_rows(rows: F64, margin: float) -> F64:
    """The p of the two one-sided t tests that the mean is between -margin and margin, of each row.

    `rows` are differences (pairs x queries), `margin` is above 0; the larger of the two p. All
    differences of a row equal: 2^(1-n) inside the margin, since n signs say no more. One query, or
    a mean outside the margin: at least 1/2.

    Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987; Lakens, Social
    Psychological and Personality Science 2017.
    """
    pairs, queries = rows.shape
    if queries == 1:
        return np.ones(pairs)
    units = in_units(rows)
    constant = (units == units[:, :1]).all(axis=1)
    room = margin - np.abs(rows.mean(axis=1))
    spread = rows.std(axis=1, ddof=1) / np.sqrt(queries)
    of_constant = np.where(in_units(room) > 0, 2.0 ** (1 - queries), 1.0)
    statistic = np.divide(room, spread, out=np.zeros(pairs), where=~constant)
    return np.where(constant, of_constant, t_above(statistic, queries - 1))


# The randomization (Fisher-Pitman) test of two runs: the signs of the differences are flipped

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
    """The number of patterns, without those that mirror others, that reach the observed sum."""
    if len(sizes) == 1:
        return np.array([np.count_nonzero(np.abs(_signed_sums(sizes[0])) >= observed)])
    reached = np.zeros(len(sizes), np.int64)
    patterns = 1 << (sizes.shape[1] - 1)
    for first in range(0, patterns, PATTERNS):
        numbers = np.arange(first, min(first + PATTERNS, patterns)).astype(np.uint32)
        reached += _reached(_signs(numbers, sizes.shape[1]), sizes, observed)
    return reached


def _at_random(sizes: F64, observed: F64, resamples: int, seed: int) -> I64:
    """The number of patterns drawn at random that reach the observed sum."""
    if len(sizes) == 1 or sizes.shape[1] > MOST_IN_A_PRODUCT:
        counts = (
            _reached_one_by_one(row, sum_, resamples, seed)
            for row, sum_ in zip(sizes, observed.tolist(), strict=True)
        )
        return np.fromiter(counts, np.int64, len(sizes))
    random = np.random.default_rng(seed)
    reached = np.zeros(len(sizes), np.int64)
    queries = sizes.shape[1]
    for first in range(0, resamples, AT_ONCE):
        drawn = [
            (bits, random.integers(0, 1 << bits, min(AT_ONCE, resamples - first), dtype=np.uint32))
            for bits in (min(BITS, queries - first) for first in range(0, queries, BITS))
        ]
        for start in range(0, len(drawn[0][1]), PATTERNS):
            signs = [_signs(n[start : start + PATTERNS], bits) for bits, n in drawn]
            reached += _reached(np.concatenate(signs), sizes, observed)
    return reached


def _signs(numbers: npt.NDArray[np.uint32], bits: int) -> F64:
    """The sign patterns (bits x numbers) of numbers: -1 for a bit that is set, the lowest first."""
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
    number then picks one: a look-up per 16 differences in place of 16 multiplications.
    """
    sums = np.zeros(resamples)
    for first in range(0, len(sizes), BITS):
        table = np.zeros(1)
        for size in sizes[first : first + BITS]:
            table = np.concatenate([table + size, table - size])
        sums += table[random.integers(0, len(table), resamples, dtype=np.uint32)]
    return sums


# The paired tests for all pairs of many runs at once. The pairs of k runs are (0, 1), (0, 2), ...,
# (0, k - 1), (1, 2), ...: k (k - 1) / 2 of them, the first the baseline. Every figure of a pair is
# that of the function for two runs.

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
    """`paired_t` for all pairs of the columns of `values` (queries x runs, finite)."""
    return pairs_tested(values, t_of_rows)


def wilcoxon_all(values: npt.ArrayLike) -> PairedTests:
    """`wilcoxon` for all pairs of the columns of `values` (queries x runs, finite)."""
    return pairs_tested(values, wilcoxon_of_rows)


def sign_all(values: npt.ArrayLike) -> PairedTests:
    """`sign` for all pairs of the columns of `values` (queries x runs, finite)."""
    return pairs_tested(values, sign_of_rows)


def randomization_all(
    values: npt.ArrayLike, resamples: int = 100_000, seed: int = SEED
) -> PairedTests:
    """`randomization` for all pairs of the columns of `values`, a finite table; with one seed."""
    check_count("resamples", resamples)
    return pairs_tested(values, lambda rows: randomization_of_rows(rows, resamples, seed))


def p_matrix(p: npt.ArrayLike, runs: int) -> F64:
    """One p for each pair of runs as a symmetric matrix of runs x runs with 1 on the diagonal."""
    p_values, (a, b) = probabilities(p), pairs(runs)
    if p_values.shape != a.shape:
        raise DataError(f"{runs} runs have {len(a)} pairs; got p of shape {p_values.shape}")
    result = np.ones((runs, runs))
    result[a, b] = result[b, a] = p_values
    return result


def pairs_tested(values: npt.ArrayLike, test: Callable[[F64], PairedTests]) -> PairedTests:
    """A test of the differences of all pairs of the columns of `values` (queries x runs).

    `test` gets rows of differences (float64: pairs x queries).
    """
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
