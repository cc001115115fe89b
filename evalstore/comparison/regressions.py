"""On which queries a run loses, and how the differences of a pair are distributed."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from evalstore.catalog.names import natural
from evalstore.comparison.significance import Compared, Pair
from evalstore.stats.inputs import UNITS_PER_ONE

BINS = 5
"""On either side of 0, at most."""


@dataclass(frozen=True)
class Regression:
    """A query on which b is worse than a; `difference` is b - a."""

    pair: Pair
    qid: str
    value_a: float
    value_b: float
    difference: float


@dataclass(frozen=True)
class Bin:
    """How many differences lie between two bounds; the one farther from 0 is part of the bin.

    Where both bounds are 0, how many are 0.
    """

    low: float
    high: float
    count: int


def regressions(compared: Compared, most: int, measure: str | None = None) -> list[Regression]:
    """The queries on which b is worse than a, the largest loss first, at most so many.

    Of all pairs, by the first measure unless one is named; of equal losses those of the first
    pair and then query, in natural order, come first. None where the measure does not say what is
    better.
    """
    measure = measure or next(iter(compared.measures), None)
    listed = [
        regression
        for pair in compared.pairs
        if pair.measure == measure
        for regression in _losses(compared, pair)
    ]
    return heapq.nsmallest(most, listed, key=lambda one: -abs(one.difference))


def text_in_line(text: str, longest: int) -> str:
    """The text of a query in one line, cut to so many characters."""
    words = " ".join(text.split())
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def _losses(compared: Compared, pair: Pair) -> list[Regression]:
    names = [run.name for run in compared.runs]
    a, b = names.index(pair.a), names.index(pair.b)
    row = {qid: number for number, qid in enumerate(compared.qids)}
    values = compared.values[pair.measure]
    width = compared.settings.tie_width
    differences = compared.differences(pair).items()
    return [
        Regression(pair, qid, float(values[row[qid], a]), float(values[row[qid], b]), difference)
        for qid, difference in sorted(differences, key=lambda one: natural(one[0]))
        if pair.direction * difference < 0 and _rounded(abs(difference)) > _rounded(width)
    ]


def _rounded(value: float) -> int:
    """In whole numbers of 1e-9: what is this near is equal, as in the counts of wins and losses."""
    return round(value * UNITS_PER_ONE)


def histogram(differences: Sequence[float]) -> list[Bin]:
    """The differences in up to 5 bins of equal, round width on either side of 0, ascending.

    A bin of its own holds those that are 0, after rounding to 1e-9.
    """
    units = [_rounded(difference) for difference in differences]
    largest = max(map(abs, units), default=0)
    if largest == 0:
        return [Bin(0.0, 0.0, len(units))]
    step = _round_step(largest / BINS)
    counts: dict[int, int] = {}
    for unit in units:
        number = math.ceil(abs(unit) / step)  # 0 for 0, 1 for up to one step, ...
        number = number if unit > 0 else -number
        counts[number] = counts.get(number, 0) + 1
    lowest, highest = min(0, *counts), max(0, *counts)
    return [
        Bin(
            (number - (number > 0)) * step / UNITS_PER_ONE,
            (number + (number < 0)) * step / UNITS_PER_ONE,
            counts.get(number, 0),
        )
        for number in range(lowest, highest + 1)
    ]


def _round_step(least: float) -> int:
    """1, 2, 2.5 or 5 times a power of ten, at least so large: whole units of 1e-9."""
    power: int = 10 ** math.floor(math.log10(max(least, 1)))
    steps = (math.ceil(factor * power) for factor in (1, 2, 2.5, 5, 10))
    return next(step for step in steps if step >= least)
