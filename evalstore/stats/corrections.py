"""Corrections of p for the number of tests: the whole family goes in, one entry a test.

Arrays of any shape go in and come out in that shape; every entry counts as one test, so of a
symmetric matrix give each pair once (`evalstore.stats.pairs`). A pair of equal runs has p = 1 and
stays in the family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.distributions import normal_cdf, scales
from evalstore.stats.inputs import (
    F64,
    SEED,
    UNITS_PER_ONE,
    check_count,
    check_fraction,
    in_units,
    matrix,
    probabilities,
)
from evalstore.stats.paired import p_matrix, pairs


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
    result = np.empty(len(order))
    result[order] = np.minimum(adjusted, 1.0)
    return result.reshape(shape)


# Single-step max-T: one null distribution of the largest |t| of all tests, by flips of signs

PATTERNS = 1 << 9  # sign patterns and ...
ROWS = 1 << 9  # ... rows in one matrix product, so that the sums stay in the cache
ROUNDING = 1e-9  # statistics this near to each other, relatively, are equal


def max_t(rows: npt.ArrayLike, resamples: int = 10_000, seed: int = SEED) -> F64:
    """The p of every row of differences, corrected for all rows by the largest |t| of any.

    `rows` is tests x queries, float64: the differences b - a of all pairs of a family over the same
    queries, those of several measures one below the other. Were there no difference, all those of a
    query could as well have the other sign; so one sign a query is drawn for all rows, which keeps
    what the rows have in common, and p is the share of sign patterns in which the largest |t| of
    any row reaches the row's own. It goes through all patterns if there are at most `resamples`
    (14 queries by default; exact for one row), else p = (count + 1) / (resamples + 1). For three
    runs or more it is approximate where values are skewed: of 20 equal runs by AP 5.5 % of
    experiments had a p below 0.05. Unlike Holm's
    correction it needs no more resamples for more tests, and does not lose where rows are alike.

    Differences are rounded to 1e-9. A row of zeros has p = 1. Differences all equal but not 0 have
    t infinite; so they have in the pattern observed, in its mirror image, and in no other. A query
    that a row has to leave out may stand there as 0: the test is as safe. The order of the rows,
    of the queries and of a and b changes nothing, with one seed. Memory is that of some copies of
    the rows; 4,950 rows of 50 queries take about a second.

    Source: Westfall and Young, Resampling-Based Multiple Testing, 1993; Romano and Wolf,
    Econometrica 2005; (count + 1) / (B + 1): Phipson and Smyth, Statistical Applications in
    Genetics and Molecular Biology 2010.

    Raises:
        DataError: `rows` is not a table of finite numbers, or `resamples` below 1.
    """
    check_count("resamples", resamples)
    units = in_units(matrix(rows))
    units = units[:, units.any(axis=0)]  # a query without a difference changes no sum
    length = np.sqrt((units**2).sum(axis=1))
    p = np.ones(len(units))
    kept = length > 0
    if not kept.any():
        return p
    units = units[kept][:, _order_of_queries(units[kept])]
    # Flips do not change the sum of squares, so that |t| grows with |sum| / sqrt(sum of squares).
    scaled = units / length[kept, None]
    queries = scaled.shape[1]
    exact = queries <= resamples.bit_length() and 1 << (queries - 1) <= resamples
    parts = _all_signs(queries) if exact else _random_signs(queries, resamples, seed)
    largest = np.sort(np.concatenate([_largest(scaled, signs) for signs in parts]))
    observed = np.abs(scaled.sum(axis=1)) * (1 - ROUNDING)
    count = len(largest) - np.searchsorted(largest, observed)
    p[kept] = count / len(largest) if exact else (count + 1) / (resamples + 1)
    return p


def _largest(scaled: F64, signs: F64) -> F64:
    """The largest |sum| of any row under each of the sign patterns (queries x patterns)."""
    largest = np.zeros(signs.shape[1])
    for first in range(0, len(scaled), ROWS):
        sums = scaled[first : first + ROWS] @ signs
        np.maximum(largest, np.abs(sums, out=sums).max(axis=0), out=largest)
    return largest


def _all_signs(queries: int) -> Iterator[F64]:
    """All sign patterns without those that mirror others, in parts of queries x patterns."""
    patterns = 1 << (queries - 1)
    for first in range(0, patterns, PATTERNS):
        numbers = np.arange(first, min(first + PATTERNS, patterns))
        yield (1 - 2 * ((numbers >> np.arange(queries)[:, None]) & 1)).astype(np.float64)


def _random_signs(queries: int, resamples: int, seed: int) -> Iterator[F64]:
    random = np.random.default_rng(seed)
    for first in range(0, resamples, PATTERNS):
        shape = (min(PATTERNS, resamples - first), queries)
        yield (1 - 2 * random.integers(0, 2, shape, np.int8).T).astype(np.float64)


def _order_of_queries(units: F64) -> npt.NDArray[np.intp]:
    """An order of the queries that depends neither on theirs in the input nor on that of the rows.

    A query is known by the differences of all rows on it, and a row by its differences on all
    queries: marks of both are refined by turns. Sums of marks are exact in any order (modulo 2^64).
    Queries that still have one mark are as a rule alike in all that matters.
    """
    total = units.sum(axis=1, keepdims=True)
    # A row and its mirror image have one mark.
    toward = np.where(total == 0, np.abs(units), units * np.sign(total))
    cells = _mixed(toward.astype(np.int64).view(np.uint64))
    of_row = np.zeros((len(units), 1), np.uint64)
    of_query = np.zeros(units.shape[1], np.uint64)
    for _ in range(3):
        of_query = _mixed(cells + of_row).sum(axis=0, dtype=np.uint64)
        of_row = _mixed(cells + of_query).sum(axis=1, keepdims=True, dtype=np.uint64)
    return np.argsort(of_query, kind="stable")


def _mixed(marks: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A number without pattern for each (the finaliser of Stafford's variant 13, splitmix64)."""
    marks = (marks ^ (marks >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    marks = (marks ^ (marks >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return marks ^ (marks >> np.uint64(31))


# Tukey's honestly significant difference: all pairs of many runs, corrected for all at once

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


# The distribution of the studentized range, for Tukey's test of many pairs at once: SciPy's
# integrates each value anew, some milliseconds each, and 100 runs have 4,950 pairs.

STEP = 1e-3  # of the table of the range; linear interpolation errs by less than 1e-7
FARTHEST = 9.0  # a normal value beyond it has probability 1e-19
EVERY = 100  # steps between two values of the highest


def studentized_range_sf(q: F64, runs: int, df: float) -> F64:
    """P(Q > q) for the studentized range of `runs` normal means and `df` degrees of freedom.

    The mean of P(range > q s) over the distribution of s, the estimated standard deviation over
    the true one. The absolute error is below 1e-7 for df of 2 or more.

    Source: Copenhaver and Holland, Journal of Statistical Computation and Simulation 1988.
    """
    # A range of 2 x FARTHEST is as good as certain not to be exceeded.
    width = np.arange(0, 2 * FARTHEST + STEP, STEP)
    table = _range_sf(len(width), runs)
    total = np.zeros(q.shape)
    for scale, share in zip(*scales(df), strict=True):
        total += share * np.interp(q * scale, width, table, right=0.0)
    return np.where(q > 0, np.clip(total, 0.0, 1.0), 1.0)


def _range_sf(widths: int, runs: int) -> F64:
    """P(range of so many standard normal values > width), of widths 0, STEP, 2 STEP and so on.

    The integral over the highest value z by the trapezoidal rule, since the integrand and its
    derivatives vanish at both ends. All others lie between z - width and z.
    """
    values = np.arange(-FARTHEST / STEP - widths, FARTHEST / STEP + 1) * STEP
    below = normal_cdf(values)
    inside = np.zeros(widths)
    for at in range(widths, len(values), EVERY):
        density = math.exp(-(values[at] ** 2) / 2) / math.sqrt(2 * math.pi)
        others = (below[at] - below[at : at - widths : -1]) ** (runs - 1)
        inside += EVERY * STEP * runs * density * others
    return 1 - inside


# Levels of tests that come one after another, for marks that are never taken back

HALF_SPENT = 10
"""The number of tests without a discovery after which half of alpha is spent.

With fewer, the first tests of a history would be more powerful and those after 50 versions less.
"""


def online_level(tests: int, alpha: float = 0.05) -> float:
    """The level of a test, if `tests` others were made since the last discovery.

    A test is a discovery if its p is below its level; the count then begins again at 0. The level
    is alpha c / ((c + tests) (c + tests + 1)), c = 10. So it depends on the past alone, and k tests
    in a row have levels that add up to alpha k / (k + c), never to alpha.

    If nothing ever differs, the probability of a discovery is below alpha, whatever the dependence
    of the tests and however many they are. The expected share of false ones among the discoveries
    is at most alpha if each p of a true null hypothesis is uniform given the discoveries before it.
    Differences to a run that was itself a discovery are not quite that; in simulations on values
    of real engines the share was below 0.02 for alpha 0.05.

    Source: the procedure LORD ("levels based on recent discovery") of Javanmard and Montanari,
    arXiv 1502.06197, 2015; its sequence may be any with the sum alpha.

    Raises:
        DataError: `tests` is below 0, or alpha outside 0 to 1.
    """
    check_fraction("alpha", alpha)
    if tests < 0:
        raise DataError(f"the number of tests can't be below 0; got {tests}")
    return alpha * HALF_SPENT / ((HALF_SPENT + tests) * (HALF_SPENT + tests + 1))
