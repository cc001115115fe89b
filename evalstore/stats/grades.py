"""The agreement of two judges on the grades of the same documents, corrected for chance.

Everything follows from confusion tables: how many documents have each grade of the first judge
(rows) and of the second one (columns). Functions of tables take many at once, as a bootstrap needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import (
    F64,
    SEED,
    check_count,
    check_fraction,
    finite,
    resampled_counts,
)
from evalstore.stats.intervals import Interval, t_interval
from evalstore.stats.paired import paired_t

KappaWeights = Literal["none", "linear", "quadratic"]
Metric = Literal["nominal", "ordinal", "interval"]


def cohen_kappa(a: npt.ArrayLike, b: npt.ArrayLike, weights: KappaWeights = "none") -> float:
    """Cohen's kappa of two judges: 1 - observed disagreement / that expected by chance.

    `weights` of a disagreement: 1 (`none`), the distance of the two grades (`linear`) or its square
    (`quadratic`). Grades are as far apart as their places among the grades that occur: 0, 1 and 4
    have places 0, 1 and 2. No document, or one and the same grade throughout: NaN.

    Source: Cohen, Educational and Psychological Measurement 1960; Psychological Bulletin 1968. The
    same as `cohen_kappa_score` of scikit-learn and `kappa2` of R's irr.

    Raises:
        DataError: grades that are not aligned or hold NaN.
    """
    table, _ = _table(a, b)
    return float(kappa_of_tables(table[None], weights)[0])


def krippendorff_alpha(a: npt.ArrayLike, b: npt.ArrayLike, metric: Metric = "nominal") -> float:
    """Krippendorff's alpha of two judges who both judged every document.

    1 - observed disagreement / that expected if all grades of both judges were dealt out again.
    The disagreement of two grades: 1 (`nominal`), the squared number of grades given between them,
    half of their own included (`ordinal`), or the squared difference (`interval`). No document, or
    one and the same grade throughout: NaN.

    Source: Krippendorff, Content Analysis, 2004, ch. 11; the same as `krippendorff.alpha`.

    Raises:
        DataError: grades that are not aligned or hold NaN.
    """
    table, grades = _table(a, b)
    return float(alpha_of_tables(table[None], grades, metric)[0])


def _table(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[F64, F64]:
    """The confusion table of two judges, and its grades: those that occur, ascending."""
    first, second = finite(a, "the grades"), finite(b, "the grades")
    if first.ndim != 1 or first.shape != second.shape:
        raise DataError(
            "the grades must be two lists of one length, a grade a document; "
            f"got shapes {first.shape} and {second.shape}"
        )
    grades, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    count, documents = len(grades), len(first)
    cells = places[:documents] * count + places[documents:]
    table = np.bincount(cells, minlength=count * count).reshape(count, count)
    return table.astype(np.float64), grades


def agreement_of_tables(tables: F64) -> F64:
    """The share of documents with the same grade: float64 (m) of m x g x g; NaN without any."""
    return _ratio(np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2)))


def kappa_of_tables(tables: F64, weights: KappaWeights = "none") -> F64:
    """`cohen_kappa` of each confusion table: float64 (m) of m x g x g.

    The places of the grades are those of the tables: leave out grades that never occur.
    """
    places = np.arange(tables.shape[1], dtype=np.float64)
    apart = np.abs(places[:, None] - places)
    cost = {"none": np.sign(apart), "linear": apart, "quadratic": apart**2}[weights]
    documents = tables.sum(axis=(1, 2))
    expected = np.einsum("mi,ij,mj->m", tables.sum(axis=2), cost, tables.sum(axis=1))
    return 1 - _ratio((tables * cost).sum(axis=(1, 2)) * documents, expected)


def alpha_of_tables(tables: F64, grades: F64, metric: Metric = "nominal") -> F64:
    """`krippendorff_alpha` of each confusion table: float64 (m) of m x g x g; `grades` ascend."""
    given = tables.sum(axis=2) + tables.sum(axis=1)  # how often each grade was given, by either
    if metric == "ordinal":
        middle = np.cumsum(given, axis=1) - given / 2
        cost = np.square(middle[:, :, None] - middle[:, None, :])
    elif metric == "interval":
        cost = np.square(grades[:, None] - grades)[None]
    else:
        cost = 1 - np.eye(len(grades))[None]
    pairs = given[:, :, None] * given[:, None, :]
    observed = 2 * (tables * cost).sum(axis=(1, 2)) * (given.sum(axis=1) - 1)
    return 1 - _ratio(observed, (pairs * cost).sum(axis=(1, 2)))


def _ratio(numerator: F64, denominator: F64) -> F64:
    """The quotient; NaN where the denominator is 0."""
    quotient = np.full(len(denominator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


# Intervals: queries are drawn with replacement, with all their documents

Statistic = Callable[[F64], F64]
"""Figures of m summed tables: float64 (f, m) of m x cells."""


def bootstrap_intervals(
    tables: F64,
    statistic: Statistic,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = SEED,
) -> list[Interval]:
    """The percentile intervals of figures of the sum of the tables of queries.

    Queries whose table is empty are never drawn. A resample of which a figure is undefined does not
    count for this figure. Fewer than two queries, or no resample that counts: NaN at both ends.

    Args:
        tables: float64, queries x cells: counts that are summed over queries.
        statistic: the figures of summed tables.
        level: of the intervals.
        resamples: their number.
        seed: of the random numbers.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13.

    Raises:
        DataError: `level` is not in (0, 1) or `resamples` below 1.
    """
    check_fraction("level", level)
    check_count("resamples", resamples)
    some = tables[tables.any(axis=1)]
    if len(some) < 2:
        figures = len(statistic(tables.sum(axis=0, keepdims=True)))
        return [Interval(np.nan, np.nan)] * figures
    parts = [statistic(counts @ some) for counts in resampled_counts(len(some), resamples, seed)]
    return list(_percentiles(np.concatenate(parts, axis=1), level))


def _percentiles(figures: F64, level: float) -> Iterator[Interval]:
    for resampled in figures:
        known = resampled[~np.isnan(resampled)]
        ends = [np.nan, np.nan]
        if len(known):
            ends = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
        yield Interval(*ends)


# Favour: whether a judge grades the documents of some runs higher than another judge would


class Favour(NamedTuple):
    """The mean favour over queries, the ends of its interval, and the p of no favour."""

    favour: float
    low: float
    high: float
    p: float
    queries: int


def group_favour(
    grades: npt.ArrayLike,
    judged: npt.ArrayLike,
    query: npt.ArrayLike,
    run: npt.ArrayLike,
    own: npt.ArrayLike,
    level: float = 0.95,
) -> Favour:
    """Test whether a judge favours the documents of a group of runs: Student's t over queries.

    What counts of a document is the grade of the judge less the mean grade that this judge gives to
    documents of the same reference grade. So a judge who is milder, or noisy, favours nobody, and a
    group that finds more relevant documents has no advantage. For each query, this is averaged over
    the documents of a run, then over the runs of the group and over the others; the favour is the
    mean over queries of the difference. It is positive if the judge favours the group. Queries on
    which only one of the two has a document are left out. Fewer than two queries: NaN, and p = 1.

    It can't tell favour from better judgment: if the reference calls two documents equal, and the
    group ranks the one higher that the judge prefers, the judge may be right.

    Args:
        grades: n, the reference grades of the documents, one entry for each run that has it.
        judged: n, the grades of the judge.
        query: int, n, the query of each, from 0.
        run: int, n, the run of each, an index into `own`.
        own: bool, one a run, whether it is of the group.
        level: of the interval.

    Raises:
        DataError: entries that are not aligned, or hold NaN; `level` is not in (0, 1).
    """
    check_fraction("level", level)
    reference, graded = finite(grades, "the grades"), finite(judged, "the grades")
    queries, runs = np.asarray(query, np.int64), np.asarray(run, np.int64)
    group = np.asarray(own, bool)
    if len({part.shape for part in (reference, graded, queries, runs)}) > 1 or queries.ndim != 1:
        raise DataError("the grades, queries and runs must be lists of one length")
    _, places = np.unique(reference, return_inverse=True)
    expected = np.bincount(places, graded) / np.maximum(np.bincount(places), 1)
    extra = graded - expected[places]
    shape = (int(queries.max(initial=-1)) + 1, len(group))
    cells = queries * len(group) + runs
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(cells, extra, minlength=shape[0] * shape[1]).reshape(shape)
    means = sums / np.maximum(counts, 1)
    sides = [_over(means, counts[:, side] > 0, side) for side in (group, ~group)]
    known = ~np.isnan(sides[0]) & ~np.isnan(sides[1])
    ours, others = (side[known] for side in sides)
    if len(ours) < 2:
        return Favour(np.nan, np.nan, np.nan, 1.0, len(ours))
    low, high = t_interval(others, ours, level)
    favour = float((ours - others).mean())
    return Favour(favour, low, high, paired_t(others, ours).p, len(ours))


def _over(means: F64, there: npt.NDArray[np.bool_], runs: npt.NDArray[np.bool_]) -> F64:
    """The mean over the runs of a side that have documents, a query each; NaN without any."""
    return _ratio((means[:, runs] * there).sum(axis=1), there.sum(axis=1).astype(np.float64))
