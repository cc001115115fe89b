"""Differences of two runs in a figure over queries that is no mean of values: interval and test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.distributions import t_critical
from evalstore.stats.inputs import (
    F64,
    SEED,
    check_count,
    check_fraction,
    differences,
    finite,
    resampled_counts,
)
from evalstore.stats.intervals import UNBOUNDED, Interval

Figure = Callable[[F64, F64], F64]
"""From values (n) and weights (m x n) to m figures, one for each row of weights.

A weight of 0 leaves a value out; twice the weight is the same as the value given twice.
"""


class AggregateDifference(NamedTuple):
    """The figure of b less that of a, its two-sided p and its interval."""

    difference: float
    p: float
    interval: Interval


CELLS = 1 << 17  # weights in memory at a time
ROUNDING = 1e-9  # figures this near to each other, relatively, are equal


def aggregate_differences(
    figure: Figure,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    weights_a: npt.ArrayLike | None = None,
    weights_b: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = SEED,
    bounds: tuple[float, float] = UNBOUNDED,
) -> AggregateDifference:
    """The difference of two runs in a figure over the queries, such as a median or a root of means.

    `a` and `b` are float64, one value a query, aligned by query; so are the weights, above 0, which
    are 1 unless given. `bounds` are the lowest and the highest value of the difference of figures.

    Test: were the runs alike, each query's value and weight could as well be the other run's. p is
    the share of patterns of exchanges whose difference is at least as far from 0 as the observed
    one: of all patterns if there are at most `resamples` (exact; 14 queries that differ), else
    (count + 1) / (resamples + 1) of patterns drawn at random.

    Interval: difference -+ t s sqrt(n / (n - 1)), s the standard deviation of the difference over
    `resamples` draws of n queries with replacement, and t the quantile of Student's t with n - 1
    degrees of freedom; cut at the bounds. For a mean it is nearly Student's interval. Draws that
    all give one difference, as from one query or from runs that are equal on every query, say
    nothing of the spread: the interval is the bounds.

    On pairs of real runs its coverage at level 95 % is 91 to 97 % with 10 queries (91 % for the
    90th percentile, which so few queries hardly show) and 92 to 97 % with 25 and 50; percentile,
    basic and BCa intervals of the same draws fall to 85, 64 and 79 %.

    The order of the queries changes nothing, and (b, a) gives the mirror image, with one seed.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 12 and 15 (standard
    errors with Student's t; permutation tests of any statistic).

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN; the weights are not, or not
            above 0; `level` is not in (0, 1) or `resamples` below 1.
    """
    check_fraction("level", level)
    check_count("resamples", resamples)
    queries = len(differences(a, b))
    weights = [_weights(given, queries) for given in (weights_a, weights_b)]
    one, other = np.array([a, weights[0]], np.float64), np.array([b, weights[1]], np.float64)
    # The draws depend on the values alone, not on the order of the queries and of the runs.
    pair, exchanged = (
        of_both[:, np.lexsort(of_both)]
        for of_both in (np.concatenate([one, other]), np.concatenate([other, one]))
    )
    mirrored = exchanged.tolist() < pair.tolist()
    pair = exchanged if mirrored else pair
    figures = _figures(figure, pair, np.ones((1, queries)))[:, 0]
    difference = float(figures[1] - figures[0])
    rounding = ROUNDING * float(np.abs(figures).max())
    p = _p_of_exchanges(figure, pair, abs(difference) - rounding, resamples, seed)
    half = _half_width(figure, pair, rounding, level, resamples, seed)
    if mirrored:
        difference = -difference
    ends = np.clip([difference - half, difference + half], *bounds).tolist()
    return AggregateDifference(difference, p, Interval(*ends))


def _weights(given: npt.ArrayLike | None, queries: int) -> F64:
    if given is None:
        return np.ones(queries)
    weights = finite(given, "the weights")
    if weights.shape != (queries,) or not (weights > 0).all():
        raise DataError("the weights must be above 0, one for each query")
    return weights


def _figures(figure: Figure, pair: F64, counts: F64) -> F64:
    """The figures of both runs (2 x m) of queries that count so many times (m x queries)."""
    a, weights_a, b, weights_b = pair
    return np.array([figure(a, counts * weights_a), figure(b, counts * weights_b)])


def _half_width(
    figure: Figure, pair: F64, rounding: float, level: float, resamples: int, seed: int
) -> float:
    queries = pair.shape[1]
    parts = resampled_counts(queries, resamples, seed)
    drawn = np.concatenate([_figures(figure, pair, counts) for counts in parts], axis=1)
    difference = drawn[1] - drawn[0]
    if np.ptp(difference) <= rounding:
        return np.inf
    spread = difference.std() * np.sqrt(queries / (queries - 1))
    return float(t_critical(queries - 1, level) * spread)


def _p_of_exchanges(figure: Figure, pair: F64, least: float, resamples: int, seed: int) -> float:
    """The share of patterns of exchanged queries whose figures differ by `least` or more."""
    differs = (pair[:2] != pair[2:]).any(axis=0)
    changing = int(differs.sum())
    exact = changing == 0 or (
        changing <= resamples.bit_length() and 1 << (changing - 1) <= resamples
    )
    a, weights_a, b, weights_b = pair
    both = np.concatenate([a, b])
    reached = patterns = 0
    for kept in _kept(differs, None if exact else resamples, seed):
        # A value that is exchanged is one of weight 0, and its like in the other run has weight.
        stay, leave = kept * weights_a, (1 - kept) * weights_a
        come, keep = (1 - kept) * weights_b, kept * weights_b
        first = figure(both, np.hstack([stay, come]))
        second = figure(both, np.hstack([leave, keep]))
        reached += int(np.count_nonzero(np.abs(second - first) >= least))
        patterns += len(kept)
    return reached / patterns if exact else (reached + 1) / (patterns + 1)


def _kept(differs: npt.NDArray[np.bool_], resamples: int | None, seed: int) -> Iterator[F64]:
    """Which queries keep their values, patterns x queries: 1 or 0; all patterns without resamples.

    Of all patterns those that mirror others are left out, and queries that are equal stay.
    """
    changing = np.flatnonzero(differs)
    random = np.random.default_rng(seed)
    total = resamples or 1 << max(len(changing) - 1, 0)
    step = max(1, CELLS // len(differs))
    for first in range(0, total, step):
        rows = min(step, total - first)
        kept = np.ones((rows, len(differs)))
        if resamples:
            kept[:, changing] = random.integers(0, 2, (rows, len(changing)))
        else:
            numbers = np.arange(first, first + rows)[:, None]
            kept[:, changing] = 1 - (numbers >> np.arange(len(changing)) & 1)
        yield kept
