"""What a comparison may claim, in sentences.

A difference is that of a run less the baseline, both named. Only a corrected test grants that a
run is better or worse; else it is ahead or behind, which is not shown. That is never called
equality: with few queries much stays unseen.
"""

from __future__ import annotations

import math

from evalstore.comparison.comparability import judged_shares, number_of_queries
from evalstore.comparison.significance import ROUNDING, Compared, Pair, Settings
from evalstore.stats import detectable_difference
from evalstore.tables.table import written_size

CORRECTION_NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg"}
TEST_NAMES = {
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "randomization": "randomization test",
}


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
    """A sentence for every pair and measure, in their order."""
    comparisons, queries = len(compared.pairs), len(compared.qids)
    unit = "pair" if len(compared.measures) == 1 else "comparison"
    return tuple(
        sentence(pair, compared.settings, comparisons, queries, unit=unit)
        for pair in compared.pairs
    )


def is_shown(pair: Pair, settings: Settings, comparisons: int) -> bool:
    """Whether the difference is shown: the corrected p is below alpha and the mean agrees.

    Several comparisons without a correction show nothing.
    """
    if settings.correction == "none" and comparisons > 1:
        return False
    same_way = pair.test_points_to * pair.difference > 0
    return pair.p_corrected[settings.test] < settings.alpha and same_way


def sentence(
    pair: Pair, settings: Settings, comparisons: int, judged: int, *, unit: str = "comparison"
) -> str:
    """What the figures of a pair say of its run `b`, beside the baseline `a`.

    The sign of the interval, and who wins, are those of b - a: as in tables and figures.

    Args:
        pair: the figures.
        settings: how they were computed.
        comparisons: how many pairs, measures and slices the correction is over.
        judged: how many queries are judged; the sentence says so where the pair has fewer.
        unit: what one of the comparisons is: a pair, where there is one measure.
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
    """What b is to a; only what is shown is better or worse."""
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
    """That the interval leaves out 0, which the test does not follow once it is corrected."""
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
    """Three decimals; more where these would be on the other side of alpha."""
    if p < min(0.001, alpha):
        return "< 0.001"
    digits = 3
    while digits < MOST_DIGITS and (float(f"{p:.{digits}f}") < alpha) != (p < alpha):
        digits += 1
    return f"{p:.{digits}f}"


MOST_DIGITS = 12

LEAST_TESTED = 2
"""Queries. One difference has no deviation, and its sign alone no p below 1."""


def _contradiction(pair: Pair, settings: Settings) -> str:
    """That the test speaks for the other run, where it does and would be significant."""
    other_way = pair.test_points_to * pair.difference < 0
    if other_way and pair.p_corrected[settings.test] < settings.alpha:
        return f"; the {TEST_NAMES[settings.test]} speaks for the other run"
    return ""


def _outcomes(pair: Pair) -> str:
    """On how many queries b is better, the same and worse."""
    words = ("wins", "ties", "loses") if pair.direction else ("higher on", "same on", "lower on")
    numbers = (pair.wins, pair.ties, pair.losses)
    counts = (f"{word} {number:,}" for word, number in zip(words, numbers, strict=True))
    return f": {', '.join(counts)}"


def _detectable(pair: Pair, settings: Settings) -> str:
    """How large a difference so many queries find by the t test, 80 times in 100.

    At alpha, before correction: the figures of the pair alone, whatever else is compared.
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
"""Of fewer queries the difference that they find can be larger than any that a measure allows."""
