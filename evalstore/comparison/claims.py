"""Sentences about a comparison, its worst queries, and histograms of differences (run - baseline).

A run is called better or worse only if a corrected test shows it. Otherwise it is called ahead or
behind, which is not shown. Runs are never called equal: with few queries, many differences remain
undetected.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalstore.catalog.names import natural
from evalstore.comparison.comparability import judged_shares, number_of_queries
from evalstore.comparison.significance import ROUNDING, Compared, Correction, Pair, Settings
from evalstore.stats import detectable_difference
from evalstore.stats.inputs import UNITS_PER_ONE
from evalstore.tables.table import written_size

CORRECTION_NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg"}
TEST_NAMES: Mapping[str, str] = {
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "randomization": "randomization test",
}


def correction_words(correction: Correction) -> str:
    """The correction in a sentence: "Holm's correction", or "no correction"."""
    name = CORRECTION_NAMES.get(correction)
    return "no correction" if name is None else f"{name}'s correction"


def verdict(compared: Compared) -> str:
    """Whether the runs may be compared, in one line."""
    restriction = compared.restriction
    if compared.comparable == "no":
        where = "" if restriction is None else f" over {restriction}"
        return f"not comparable{where}, because {'; '.join(compared.reasons)}"
    shares = judged_shares(compared.runs) + ("" if restriction is None else " (of all queries)")
    if compared.comparable == "partly":
        where = "" if restriction is None else f"only {restriction}; "
        return f"partly comparable: {where}{'; '.join(compared.reasons)}; {shares}"
    first, queries = compared.runs[0], len(compared.qids)
    every = f"{queries:,} of {number_of_queries(queries)}"
    compared_queries = every if restriction is None else f"only {restriction}"
    known = [run.depth for run in compared.runs if run.depth or not run.values_only]
    depth = f"{known[0]:,}" if known else "not known"
    return (
        f"comparable: same judgments, {compared_queries}, depth {depth}, "
        f"compat {first.compat}; {shares}"
    )


def sentences(compared: Compared) -> tuple[str, ...]:
    """One sentence for every pair and measure, in their order."""
    comparisons, queries = len(compared.pairs), len(compared.qids)
    unit = "pair" if len(compared.measures) == 1 else "comparison"
    return tuple(
        sentence(pair, compared.settings, comparisons, queries, unit=unit)
        for pair in compared.pairs
    )


def is_shown(pair: Pair, settings: Settings, comparisons: int) -> bool:
    """Whether the corrected p is below alpha and the test agrees with the mean.

    Several comparisons without a correction show nothing.
    """
    if settings.correction == "none" and comparisons > 1:
        return False
    same_way = pair.test_points_to * pair.difference > 0
    return pair.p_corrected[settings.test] < settings.alpha and same_way


def sentence(
    pair: Pair, settings: Settings, comparisons: int, judged: int, *, unit: str = "comparison"
) -> str:
    """The claim about run `b` of a pair, compared with `a`; interval and wins are of b - a.

    `comparisons` is the number of comparisons (pairs x measures x slices) that the correction
    covers. If the pair has fewer than the `judged` queries, the sentence says so.
    """
    measure = f"the values per query of {pair.measure}" if pair.of_values else pair.measure
    shared = f" over the {number_of_queries(pair.queries)} that both answer"
    over = "" if pair.queries == judged else shared
    p = _p(pair, settings, comparisons, unit)
    if abs(pair.difference) < ROUNDING:
        return (
            f"{pair.b} has the same mean {'of ' * pair.of_values}{measure} as {pair.a}{over}; "
            f"a difference is not shown ({p}){_outcomes(pair)}."
        )
    shown = is_shown(pair, settings, comparisons)
    by = f"{_relation(pair, shown=shown)} {pair.a} on {measure} by {written_size(pair.difference)}"
    lower = "; lower is better" if pair.direction < 0 else ""
    if shown:
        return f"{pair.b} is {by}{over} ({_interval(pair, settings)}, {p}{lower}){_outcomes(pair)}."
    return (
        f"{pair.b} is {by}{over} ({_interval(pair, settings)}{_disagreement(pair, settings)}); "
        f"not shown ({p}{lower}{_contradiction(pair, settings)}){_outcomes(pair)}."
        f"{_detectable(pair, settings)}"
    )


def _relation(pair: Pair, *, shown: bool) -> str:
    """The relation of b to a in words: better or worse only if it is shown."""
    if not pair.direction:
        return "higher than" if pair.difference > 0 else "lower than"
    ahead = pair.difference * pair.direction > 0
    if shown:
        return "better than" if ahead else "worse than"
    return "ahead of" if ahead else "behind"


def _interval(pair: Pair, settings: Settings) -> str:
    level = f"{100 * (1 - settings.alpha):.10g} %"
    low, high = (0.0 if abs(end) < ROUNDING else end for end in pair.interval)
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"no {level} interval from one difference"
    return f"{level} interval {_with_minus(low)} to {_with_minus(high)}"


def _with_minus(number: float) -> str:
    return f"{'−' * (number < 0)}{written_size(number)}"


def _disagreement(pair: Pair, settings: Settings) -> str:
    """A remark if the interval excludes 0 although the corrected test shows nothing."""
    low, high = pair.interval
    if low * high > 0 and pair.p_corrected[settings.test] >= settings.alpha:
        return ", which leaves out 0; the test does not agree"
    return ""


def _p(pair: Pair, settings: Settings, comparisons: int, unit: str) -> str:
    if pair.queries < LEAST_TESTED:
        return "one query allows no test"
    test, alpha = settings.test, settings.alpha
    corrected, alone = pair.p_corrected[test], pair.p[test]
    number = _probability(corrected, alpha)
    written = f"p {number}" if number.startswith("<") else f"p = {number}"
    count = f"{comparisons:,} {unit}{'s' * (comparisons != 1)}"
    if settings.correction == "none":
        return written if comparisons == 1 else f"{written}, not corrected for {count}"
    only_alone = f", {_probability(alone, alpha)} alone" if alone < alpha <= corrected else ""
    return f"{written} after {CORRECTION_NAMES[settings.correction]} over {count}{only_alone}"


def _probability(p: float, alpha: float) -> str:
    """A probability with three decimals, or more if rounding would move it across alpha."""
    if p < min(0.001, alpha):
        return "< 0.001"
    digits = 3
    while digits < MOST_DIGITS and (float(f"{p:.{digits}f}") < alpha) != (p < alpha):
        digits += 1
    return f"{p:.{digits}f}"


MOST_DIGITS = 12

LEAST_TESTED = 2
"""The fewest queries for a test: one difference has no deviation, and its sign test p is 1."""


def _contradiction(pair: Pair, settings: Settings) -> str:
    """A remark if the test is significant in favour of the other run."""
    other_way = pair.test_points_to * pair.difference < 0
    if other_way and pair.p_corrected[settings.test] < settings.alpha:
        return f"; the {TEST_NAMES[settings.test]} speaks for the other run"
    return ""


def _outcomes(pair: Pair) -> str:
    """The numbers of queries on which b is better, equal and worse, in words."""
    words = ("wins", "ties", "loses") if pair.direction else ("higher on", "same on", "lower on")
    numbers = (pair.wins, pair.ties, pair.losses)
    counts = (f"{word} {number:,}" for word, number in zip(words, numbers, strict=True))
    return f": {', '.join(counts)}"


def _detectable(pair: Pair, settings: Settings) -> str:
    """A sentence on the difference that this number of queries detects with power 0.8.

    The difference is that of the t test. It is at alpha before correction, so it does not depend on
    what else is compared.
    """
    known = math.isfinite(pair.cohens_d) and pair.cohens_d != 0
    if settings.test != "t" or not known or pair.queries < ENOUGH:
        return ""
    deviation = pair.difference / pair.cohens_d
    least = detectable_difference(deviation, pair.queries, alpha=settings.alpha)
    digits = max(0, 1 - math.floor(math.log10(least)))
    return (
        f" {number_of_queries(pair.queries)} find a difference of {least:,.{digits}f} four times "
        "in five."
    )


ENOUGH = 10
"""With fewer queries, the detectable difference can exceed any that the measure allows."""


# The queries on which a run loses, and the distribution of a pair's differences

BINS = 5
"""The most bins on each side of 0."""


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
    """A bin of differences, which includes the bound farther from 0; both bounds are 0 for ties."""

    low: float
    high: float
    count: int


def regressions(compared: Compared, most: int, measure: str | None = None) -> list[Regression]:
    """The queries on which b is worse than a, at most `most`, the largest loss first.

    They are by the first measure unless one is named. Equal losses are ordered by pair, then by
    query in natural order. The list is empty if the measure does not define what is better.
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
    """The text of a query on one line, cut to `longest` characters."""
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
    """A value in whole units of 1e-9, as wins and losses are counted."""
    return round(value * UNITS_PER_ONE)


def histogram(differences: Sequence[float]) -> list[Bin]:
    """The differences in up to 5 bins of equal, round width on each side of 0, and one for 0."""
    units = [_rounded(difference) for difference in differences]
    largest = max(map(abs, units), default=0)
    if largest == 0:
        return [Bin(0.0, 0.0, len(units))]
    step = _round_step(largest / BINS)
    counts: dict[int, int] = {}
    for unit in units:
        number = math.ceil(abs(unit) / step)  # 0 for 0, 1 for up to one step, and so on
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
    """The smallest 1, 2, 2.5 or 5 times a power of ten not below `least`, in units of 1e-9."""
    power: int = 10 ** math.floor(math.log10(max(least, 1)))
    steps = (math.ceil(factor * power) for factor in (1, 2, 2.5, 5, 10))
    return next(step for step in steps if step >= least)
