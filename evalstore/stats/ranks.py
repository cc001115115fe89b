"""Rank groups of a leaderboard (engines not separated share a letter), rank intervals, luck."""

from __future__ import annotations

import math
import string
from itertools import chain, count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.distributions import normal_cdf
from evalstore.stats.inputs import (
    F64,
    I64,
    check_fraction,
    finite,
    in_units,
    matrix,
    probabilities,
)


def strict_ranks(units: F64) -> I64:
    """The rank of each value: 1 + how many are strictly higher; `units` as `in_units` gives."""
    ranks: I64 = 1 + len(units) - np.searchsorted(np.sort(units), units, side="right")
    return ranks


def rank_groups(means: npt.ArrayLike, p: npt.ArrayLike, alpha: float = 0.05) -> tuple[str, ...]:
    """The letters of every engine, in the order given (compact letter display).

    `means` are the engines' figures, higher the better (give -means of a measure if lower is
    better); `p` is engines x engines, symmetric, already corrected for the family (`holm`, ...;
    `p_matrix` makes a matrix of pairs). Two engines share a letter exactly if their p is not below
    alpha. A letter stands for a set of engines no two of which are separated and which can take no
    other engine; `a` is one that holds the best mean. Sets that only repeat what others say are
    left out. After z come A to Z, then the letters of other alphabets: always one character a
    group. Equal means keep their order.

    Source: Piepho, Journal of Computational and Graphical Statistics 2004 (its maximal sets, of
    which those are kept that are needed).

    Raises:
        DataError: `p` is not a symmetric matrix with a row for every mean, or holds NaN; `alpha` is
            not in (0, 1).
    """
    figures, separated = _separated(means, p, alpha)
    best_first = np.argsort(-figures, kind="stable")
    groups = sorted(_groups(~separated[np.ix_(best_first, best_first)]))
    letters = [""] * len(figures)
    for letter, group in zip(_letters(len(groups)), groups, strict=True):
        for position in group:
            letters[best_first[position]] += letter
    return tuple(letters)


def _separated(
    means: npt.ArrayLike, p: npt.ArrayLike, alpha: float
) -> tuple[F64, npt.NDArray[np.bool_]]:
    """The means, and which two engines, never one and itself, have p below alpha."""
    check_fraction("alpha", alpha)
    figures, p_values = finite(means, "the means"), probabilities(p)
    if figures.ndim != 1:
        raise DataError(f"the means must be one number an engine; got shape {figures.shape}")
    if p_values.shape != (len(figures), len(figures)) or not (p_values == p_values.T).all():
        raise DataError(
            f"p must be a symmetric matrix with a row for each of the {len(figures)} means; "
            f"got shape {p_values.shape}"
        )
    separated = p_values < alpha
    np.fill_diagonal(separated, False)
    return figures, separated


def _groups(alike: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Sets of engines, each two of a set alike, so that every two alike engines share a set.

    No set can take another engine. There may be exponentially many such sets, and not all are
    given: for two engines without a set in common, one is made by taking in every engine that fits:
    first those that share no set with the first of the two either, then the others, the best first.
    """
    # A set of engines is the bits of a whole number, engine 0 the lowest. Each is like itself.
    like = [sum(1 << i for i in np.flatnonzero(row).tolist()) for row in alike]
    together = [0] * len(like)  # the engines with which each shares a set
    groups = []
    for engine in range(len(like)):
        while missing := like[engine] & ~together[engine]:
            group, fitting = 0, -1
            for member in (engine, _lowest(missing)):  # twice the same if it shares no set yet
                group, fitting = group | 1 << member, fitting & like[member]
            while others := fitting & ~group:
                member = _lowest(others & missing or others)
                group, fitting = group | 1 << member, fitting & like[member]
            members = [i for i in range(len(like)) if group >> i & 1]
            for member in members:
                together[member] |= group
            groups.append(members)
    return groups


def _lowest(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def _letters(number: int) -> list[str]:
    others = (chr(code) for code in count(0x3B1) if chr(code).isalpha())  # from Greek alpha on
    every = chain(string.ascii_letters, others)
    return [next(every) for _ in range(number)]


# Intervals of ranks: how far they could move with other queries


class RankIntervals(NamedTuple):
    """The best and the worst rank of every run: int64, 1 is the first."""

    low: I64
    high: I64


def rank_intervals_from_pairs(
    means: npt.ArrayLike, p: npt.ArrayLike, alpha: float = 0.05
) -> RankIntervals:
    """Intervals that hold the ranks of all engines at once, from the tests of all pairs.

    Takes what `rank_groups` takes. Of two engines whose p is below alpha the one with the higher
    mean (by more than 1e-9) is shown to be better. The best rank of an engine is 1 + the number of
    engines shown to be better, the worst the number of engines less those shown to be worse. If p
    is corrected so that a false claim among all pairs has at most the chance alpha (`holm`,
    `max_t`), all intervals together hold the ranks of the true means with 1 - alpha at least.
    Equal means are not put in an order, whatever their p.

    Engines that share a letter of `rank_groups` have a rank in common. Where others lie between two
    that are not separated, shown to be worse than the one and better than the other, the counts may
    leave no common rank; then both intervals are extended up to each other's end.

    Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks, Review of Economic Studies
    2024.

    Raises:
        DataError: as of `rank_groups`.
    """
    figures, separated = _separated(means, p, alpha)
    units = in_units(figures)
    above = separated & (units[:, None] < units)  # the column is shown to be better than the row
    low = 1 + above.sum(axis=1)
    high = len(figures) - above.sum(axis=0)
    # Of each engine, the furthest ends among those that it is not separated from; itself is one.
    furthest_low = np.where(separated, 0, low).max(axis=1, initial=0)
    furthest_high = np.where(separated, len(figures), high).min(axis=1, initial=len(figures))
    return RankIntervals(np.minimum(low, furthest_high), np.maximum(high, furthest_low))


# The luck in a choice: how far the best of equal runs is ahead of their mean

LARGEST = 12.0  # the chance that a standard normal variable is above it is 2e-33
STEP = 0.01


def expected_maximum(k: int) -> float:
    """The expected largest of k independent standard normal variables; 0 for one.

    It is the integral from 0 to infinity of 1 - F(x)^k - F(-x)^k, with F the standard normal
    distribution function. The integrand is an even function, so the trapezoidal rule is accurate
    to about 1e-14 here.

    Source: Tippett, Biometrika 1925; Harter, Biometrika 1961 (tables).

    Raises:
        DataError: k is below 1.
    """
    if k < 1:
        raise DataError(f"k must be at least 1; got {k}")
    x = np.arange(0.0, LARGEST, STEP)
    tail = normal_cdf(-x)
    integrand = -np.expm1(k * np.log1p(-tail)) - tail**k
    return float(STEP * (integrand.sum() - integrand[0] / 2))


def luck_of_best(values: npt.ArrayLike) -> float:
    """The expected lead of the best of equal runs over the mean of all of them.

    `values` is queries x runs, float64; the result is in their unit, and the same whether a high or
    a low mean is best. With n queries, k runs and r the residuals after the means of the runs and
    of the queries: s^2 = sum(r^2) / ((n - 1) (k - 1)), and the result is
    `expected_maximum(k)` s / sqrt(n). What the runs have in common on a query is in the mean of
    the query and does not count. It takes the means of the runs for normal and equally
    correlated. One run, or runs that differ by a constant: 0. One query: infinite.

    Source: two-way analysis of variance without replication (Scheffe, The Analysis of Variance,
    1959, chapter 4), and the expected maximum.

    Raises:
        DataError: `values` is not a table of finite numbers.
    """
    table = matrix(values)
    queries, runs = table.shape
    if runs == 1:
        return 0.0
    if queries == 1:
        return math.inf
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    variance = float((residuals**2).sum()) / ((queries - 1) * (runs - 1))
    return expected_maximum(runs) * math.sqrt(variance / queries)
