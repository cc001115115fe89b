"""How large a difference between two runs is, whatever the number of queries."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import F64, UNITS_PER_ONE, differences, in_units


class Outcomes(NamedTuple):
    """On how many queries b is higher, equal, lower."""

    wins: int
    ties: int
    losses: int


def cohens_dz(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Cohen's d of paired differences: mean(b - a) / sd(b - a), sd with n - 1.

    All differences 0: 0. All equal but not 0: infinite. One query: NaN.

    Source: Cohen, Statistical Power Analysis, 1988 (d_z).

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    return float(cohens_dz_of_rows(differences(a, b)[None, :])[0])


def cohens_dz_of_rows(rows: F64) -> F64:
    """`cohens_dz` of every row of differences (pairs x queries)."""
    if rows.shape[1] == 1:
        return np.full(len(rows), np.nan)
    units = in_units(rows)
    constant = (units == units[:, :1]).all(axis=1)
    no_spread = np.where(units[:, 0] == 0, 0.0, np.copysign(np.inf, units[:, 0]))
    spread = np.where(constant, 1.0, rows.std(axis=1, ddof=1))
    return np.where(constant, no_spread, rows.mean(axis=1) / spread)


def standardised_mean_difference(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """The mean difference b - a in standard deviations of the values of the runs themselves.

    (mean(b) - mean(a)) / sqrt((var(a) + var(b)) / 2), variances with n - 1. It can be compared with
    differences between unpaired groups, as `cohens_dz` can't, whose divisor shrinks as the runs
    are more alike. No difference: 0. One query: NaN. No spread in either run: infinite.

    Source: Cohen, Statistical Power Analysis, 1988 (d).

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    difference = differences(a, b)
    if len(difference) == 1:
        return math.nan
    both = np.array([a, b], dtype=np.float64)
    units = in_units(both)
    if (units == units[:, :1]).all():
        return _over_no_spread(float(in_units(difference)[0]))
    return float(difference.mean() / np.sqrt(both.var(axis=1, ddof=1).mean()))


def probability_of_superiority(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """The share of queries on which b is higher, ties counting half; differences rounded to 1e-9.

    Source: Grissom and Kim, Effect Sizes for Research, 2012, ch. 5 (dependent groups).

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN.
    """
    wins, ties, losses = wins_ties_losses(a, b)
    return (wins + ties / 2) / (wins + ties + losses)


def wins_ties_losses(a: npt.ArrayLike, b: npt.ArrayLike, tie_width: float = 0.0) -> Outcomes:
    """On how many queries b is higher, equal and lower than a.

    A difference of at most `tie_width` either way is a tie; differences and the width are rounded
    to 1e-9.

    Raises:
        DataError: `a` and `b` are not aligned, empty, or hold NaN; `tie_width` is below 0 or NaN.
    """
    return outcomes_of_rows(differences(a, b)[None, :], tie_width)[0]


def outcomes_of_rows(rows: F64, tie_width: float) -> list[Outcomes]:
    """`wins_ties_losses` of every row of differences (pairs x queries)."""
    if not tie_width >= 0:
        raise DataError(f"the tie width must be at least 0; got {tie_width}")
    units = in_units(rows)
    width = np.rint(tie_width * UNITS_PER_ONE)
    wins, losses = (units > width).sum(axis=1), (units < -width).sum(axis=1)
    ties = rows.shape[1] - wins - losses
    counts = zip(wins.tolist(), ties.tolist(), losses.tolist(), strict=True)
    return [Outcomes(*of_pair) for of_pair in counts]


def _over_no_spread(difference: float) -> float:
    return 0.0 if difference == 0 else math.copysign(math.inf, difference)
