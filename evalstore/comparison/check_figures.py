"""The figures that the rules of a check are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evalstore.comparison.significance import Compared, Pair

NAN = float("nan")


@dataclass(frozen=True)
class Figures:
    """The comparison of a new run (b) with a baseline (a), for looking figures up.

    Attributes:
        compared: the baseline, then the new run.
    """

    compared: Compared

    @cached_property
    def pairs(self) -> Mapping[str, Pair]:
        """The figures by measure; none where no query is shared."""
        return {pair.measure: pair for pair in self.compared.pairs}

    @property
    def missing(self) -> int:
        """How many judged queries the baseline answers and the new run does not."""
        old, new = self.compared.runs
        return len(old.answered_qids - new.answered_qids)


@dataclass(frozen=True)
class Figure:
    """A figure that a rule may name.

    Attributes:
        meaning: what it is, for the documentation.
        value: of a pair, or of the whole comparison.
        of_measure: whether it is a measure's.
        needs_direction: whether the measure has to say what is better.
        percent_of: the number that is 100 %; None where the figure is not given in %.
        rounded: whether it is compared in units of 1e-9, as values and their means are: a drop of
            0.30 - 0.29 is not above 0.01.
    """

    meaning: str
    value: Callable[[Figures, Pair], float]
    of_measure: bool = True
    needs_direction: bool = False
    percent_of: Callable[[Pair], float] | None = None
    rounded: bool = True


def figure_value(figures: Figures, measure: str, figure: str, percent: bool) -> float:
    """The value of a figure; NaN where it has none, as a share of nothing.

    Args:
        figures: the comparison.
        measure: its name in the comparison; empty for a figure of no measure.
        figure: one of `FIGURES`.
        percent: in % of what `percent_of` gives.
    """
    wanted = FIGURES[figure]
    name = measure or next(iter(figures.pairs), "")
    if name not in figures.pairs:
        return NAN
    pair = figures.pairs[name]
    value = wanted.value(figures, pair)
    if not percent or wanted.percent_of is None:
        return value
    whole = wanted.percent_of(pair)
    return 100 * value / whole if whole else NAN


def _worse_by(pair: Pair) -> float:
    return -pair.difference if pair.direction > 0 else pair.difference


def _p(figures: Figures, pair: Pair) -> float:
    return pair.p_corrected[figures.compared.settings.test]


def _end(end: float) -> float:
    """The end of an interval; from one query there is none."""
    return end if np.isfinite(end) else NAN


def _worst_drop(figures: Figures, pair: Pair) -> float:
    differences = np.array(list(figures.compared.differences(pair).values()))
    return max(float((-pair.direction * differences).max()), 0.0)


def _baseline_mean(pair: Pair) -> float:
    return abs(pair.mean_a)


def _queries(pair: Pair) -> float:
    return pair.queries


FIGURES: Mapping[str, Figure] = {
    "drop": Figure(
        "by how much the mean of the new run is worse than the baseline's, in % of the baseline's",
        lambda _, pair: _worse_by(pair),
        needs_direction=True,
        percent_of=_baseline_mean,
    ),
    "rise": Figure(
        "by how much it is better, likewise",
        lambda _, pair: -_worse_by(pair),
        needs_direction=True,
        percent_of=_baseline_mean,
    ),
    "difference": Figure(
        "the mean of the new run less the baseline's, whatever is better, likewise",
        lambda _, pair: pair.difference,
        percent_of=_baseline_mean,
    ),
    "value": Figure("the mean of the new run", lambda _, pair: pair.mean_b),
    "low": Figure(
        "the lower end of the interval of the difference", lambda _, p: _end(p.interval.low)
    ),
    "high": Figure("the upper end of it", lambda _, pair: _end(pair.interval.high)),
    "p": Figure(
        "of the test, corrected for all the measures that the rules name", _p, rounded=False
    ),
    "d": Figure("Cohen's d of the paired differences", lambda _, pair: pair.cohens_d),
    "wins": Figure(
        "on how many queries the new run is better, in % of the queries of both",
        lambda _, pair: pair.wins,
        needs_direction=True,
        percent_of=_queries,
    ),
    "ties": Figure("equal, likewise", lambda _, pair: pair.ties, percent_of=_queries),
    "losses": Figure(
        "worse, likewise",
        lambda _, pair: pair.losses,
        needs_direction=True,
        percent_of=_queries,
    ),
    "worst_drop": Figure(
        "by how much the new run is worse on the query where it loses most; 0 where it never does",
        _worst_drop,
        needs_direction=True,
    ),
    "queries": Figure(
        "how many judged queries both runs answer", lambda _, p: p.queries, of_measure=False
    ),
    "missing": Figure(
        "how many judged queries the baseline answers and the new run does not",
        lambda figures, _: figures.missing,
        of_measure=False,
    ),
}
"""By the names that rules use."""
