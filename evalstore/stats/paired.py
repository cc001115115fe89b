"""Paired tests of two runs over the same queries: t, Wilcoxon signed-rank, sign. All two-sided.

One implementation serves one pair and many: the functions on rows take an array of pairs x queries.
SciPy is imported inside functions, and of it only `scipy.special`: `scipy.stats` alone takes longer
to import than a comparison on the command line may last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.stats.inputs import F64, differences, in_units


class PairedTest(NamedTuple):
    """What a paired test gives for one pair: its statistic and the two-sided p."""

    statistic: float
    p: float


class PairedTests(NamedTuple):
    """The same for many pairs: float64, one entry a pair."""

    statistic: F64
    p: F64


def paired_t(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Student's t test of the mean of the differences b - a.

    t = mean / (sd / sqrt(n)), sd with n - 1, p from Student's t with n - 1 degrees of freedom.
    All differences 0: t = 0, p = 1. All equal but not 0: t is infinite, p = 0. One query: t is NaN
    and p = 1, since one difference says nothing of the spread.

    Source: Student, Biometrika 1908; the same as `scipy.stats.ttest_rel(b, a)`.

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
    from scipy.special import stdtr

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
    return PairedTests(statistic, 2 * stdtr(queries - 1, -np.abs(statistic)))


def wilcoxon_of_rows(rows: F64) -> PairedTests:
    """`wilcoxon` of every row of differences (pairs x queries)."""
    from scipy.special import ndtr

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
    return PairedTests(w_plus, np.minimum(2 * ndtr(-z), 1.0))


def sign_of_rows(rows: F64) -> PairedTests:
    """`sign` of every row of differences (pairs x queries)."""
    from scipy.special import bdtr

    units = in_units(rows)
    wins, losses = (units > 0).sum(axis=1), (units < 0).sum(axis=1)
    # P(at most the smaller count) twice; above 1 where both counts are equal.
    p = 2 * bdtr(np.minimum(wins, losses).astype(np.float64), wins + losses, 0.5)
    return PairedTests(wins.astype(np.float64), np.minimum(p, 1.0))
