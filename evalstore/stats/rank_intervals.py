"""How far the rank of an engine could move with other queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.stats.bootstrap import resampled_counts
from evalstore.stats.inputs import I64, SEED, check_count, check_fraction, in_units, matrix


class RankIntervals(NamedTuple):
    """The best and the worst rank of every run: int64, 1 is the first."""

    low: I64
    high: I64


def rank_intervals(
    values: npt.ArrayLike, level: float = 0.95, resamples: int = 10_000, seed: int = SEED
) -> RankIntervals:
    """The bootstrap percentile interval of the rank of every run by its mean.

    `values` is queries x runs, float64, higher the better. Queries are drawn with replacement and
    the runs ranked by their mean in each resample. Runs of equal mean share ranks: the low end is
    from the best of them (1 + runs strictly above), the high end from the worst, so that equal runs
    get equal intervals. Ends are whole ranks: at most (1 - level) / 2 of the resamples lie outside
    each end. Values are rounded to 1e-9. One query says nothing of others:
    from 1 to the number of runs. The order of the
    queries changes nothing, with one seed.

    Source: Hall and Miller, Using the bootstrap to quantify the authority of an empirical ranking,
    Annals of Statistics 2009.

    Raises:
        DataError: `values` is not a table of finite numbers; `level` is not in (0, 1) or
            `resamples` below 1.
    """
    check_fraction("level", level)
    check_count("resamples", resamples)
    units = in_units(matrix(values))
    units = units[np.lexsort(units.T)]  # the draws depend on the values, not on the queries' order
    queries, runs = units.shape
    if queries == 1:
        return RankIntervals(np.ones(runs, np.int64), np.full(runs, runs, np.int64))
    best = np.zeros(runs * (runs + 1), np.int64)  # by run and rank: how often it had this rank
    worst = best.copy()
    places = np.arange(runs)
    for counts in resampled_counts(queries, resamples, seed):
        sums = counts @ units
        order = np.argsort(sums, axis=1)
        ascending = np.take_along_axis(sums, order, axis=1)
        differs = ascending[:, 1:] != ascending[:, :-1]
        edge = np.ones((len(sums), 1), np.bool_)
        # The places that equal runs share, from the first to the last of them.
        first = np.where(np.hstack([edge, differs]), places, 0)
        np.maximum.accumulate(first, axis=1, out=first)
        last = np.where(np.hstack([differs, edge]), places, runs)[:, ::-1]
        last = np.minimum.accumulate(last, axis=1)[:, ::-1]
        np.add.at(best, (order * (runs + 1) + runs - last).ravel(), 1)
        np.add.at(worst, (order * (runs + 1) + runs - first).ravel(), 1)
    best, worst = best.reshape(runs, -1), worst.reshape(runs, -1)
    outside = (1 - level) / 2 * resamples
    # The first rank from above, and from below, that leaves at most this many resamples outside.
    low = (np.cumsum(best, axis=1) > outside).argmax(axis=1)
    high = runs - (np.cumsum(worst[:, ::-1], axis=1) > outside).argmax(axis=1)
    return RankIntervals(low, high)
