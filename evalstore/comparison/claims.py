"""Claims about pairs of runs, their worst queries, and histograms of differences (run - baseline).

A run is called better or worse only if a corrected test shows it and so few queries could show it
at all. Otherwise it is called ahead or behind, which is not shown. Runs are called equivalent only
if a test shows that their difference is within a given margin.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalstore.catalog.names import natural
from evalstore.comparison.comparability import (
    F64,
    JUDGED_GAP,
    RunValues,
    judged_shares,
    number_of_queries,
)
from evalstore.comparison.significance import (
    CORRECTIONS,
    ROUNDING,
    Compared,
    Correction,
    Pair,
    Settings,
    Verdict,
    resamples_for,
)
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
OF_ORDER = ("wilcoxon", "sign")
"""The tests of which run is more often better; the others are of the mean difference."""

TOO_FEW = "no result of so few queries could show this"
MOST_DIGITS = 12
ENOUGH = 10
"""With fewer queries, the detectable difference can exceed any that the measure allows."""


def correction_words(correction: Correction) -> str:
    """The correction in a sentence: "Holm's correction", or "no correction"."""
    name = CORRECTION_NAMES.get(correction)
    return "no correction" if name is None else f"{name}'s correction"


def comparability_line(compared: Compared) -> str:
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


# From tests to claims


def with_claims(
    pairs: Sequence[Pair], settings: Settings, queries: Sequence[int], unit: str = "comparison"
) -> list[Pair]:
    """The pairs with p corrected for all of them, and with their verdicts, reasons and sentences.

    The pairs are the whole family: those with the baseline, else all, on every measure (and slice)
    that claims are made on; `unit` is their name in sentences. `queries` are the numbers of
    queries of which each pair could have a value: the sentence of a pair with fewer says so.

    A verdict needs that the sign-flip test, which assumes least, could attain it: its least p with
    as many differences other than 0 replaces a smaller p, and the correction is then the same.
    """
    correct = CORRECTIONS[settings.correction]
    by_test = {test: correct(np.array([pair.p[test] for pair in pairs])) for test in settings.tests}
    least = correct(np.array([pair.least_p for pair in pairs]))
    tested = np.array([pair.attainable_p(settings.test) for pair in pairs])
    attained = correct(tested) < settings.alpha
    equivalent = correct(np.array([pair.p_equivalent for pair in pairs])) < settings.alpha
    family = family_words(settings.correction, len(pairs), unit)
    claimed = []
    for number, pair in enumerate(pairs):
        attainable = bool(least[number] < settings.alpha)
        one = replace(
            pair,
            p_corrected={test: float(by_test[test][number]) for test in by_test},
            family=family,
        )
        verdict, reason, shown = _verdict(
            one,
            settings,
            len(pairs),
            attained=bool(attained[number]),
            attainable=attainable,
            equivalent=bool(equivalent[number]),
        )
        one = replace(one, verdict=verdict, reason=reason, is_shown=shown)
        sentence = _sentence(one, settings, len(pairs), queries[number], attainable=attainable)
        claimed.append(replace(one, sentence=sentence))
    return claimed


def family_words(correction: Correction, comparisons: int, unit: str = "comparison") -> str:
    """The correction and what it covers: "Holm over 5 pairs"."""
    count = f"{comparisons:,} {unit}{'s' * (comparisons != 1)}"
    if correction == "none":
        return f"no correction for {count}"
    return f"{CORRECTION_NAMES[correction]} over {count}"


def _verdict(
    pair: Pair,
    settings: Settings,
    comparisons: int,
    *,
    attained: bool,
    attainable: bool,
    equivalent: bool,
) -> tuple[Verdict, str, bool]:
    """The verdict on run b, its reason, and whether a difference is shown."""
    if pair.untested:
        return "none", pair.untested, False
    test = settings.test
    p = _p(pair, settings, comparisons)
    same_way = pair.test_points_to * pair.difference > 0
    is_one_or_corrected = settings.correction != "none" or comparisons == 1
    if is_one_or_corrected and attained and same_way:  # attained is attainable
        if not pair.direction:
            return "none", f"neither a high nor a low value of {pair.measure} is better", True
        return ("better" if pair.difference * pair.direction > 0 else "worse"), p, True
    if is_one_or_corrected and equivalent and settings.margin is not None:
        return "equivalent", f"the difference is within {written_size(settings.margin)}", False
    if not is_one_or_corrected:
        p = f"{p}; several comparisons without a correction show nothing"
    elif not attainable and abs(pair.difference) >= ROUNDING:
        p = f"{TOO_FEW}; {p}"
    elif pair.test_points_to and not same_way and pair.p_corrected[test] < settings.alpha:
        p = f"{p}; the {TEST_NAMES[test]} speaks for the other run"
    return "undecided", p, False


def sentences(compared: Compared) -> tuple[str, ...]:
    """One sentence for every pair and measure, in their order."""
    return tuple(pair.sentence for pair in compared.pairs)


def _sentence(
    pair: Pair, settings: Settings, comparisons: int, queries: int, *, attainable: bool
) -> str:
    """The claim about run `b` of a pair, compared with `a`; interval and wins are of b - a."""
    over = ""
    if pair.queries != queries:
        over = f" over the {number_of_queries(pair.queries)} on which both have a value"
    counts = _outcomes(pair)
    lower = "; lower is better" if pair.direction < 0 else ""
    unjudged = _unjudged(pair)
    if abs(pair.difference) < ROUNDING:
        what = "equivalent" if pair.verdict == "equivalent" else "a difference is not shown"
        return (
            f"{pair.b} has the same {pair.measure} as {pair.a}{over} "
            f"({_interval(pair, settings)}); {what} ({pair.reason}){counts}{unjudged}"
        )
    by = f"on {pair.measure} by {written_size(pair.difference)}"
    if pair.is_shown and pair.direction and settings.test in OF_ORDER:
        return (
            f"{pair.b} is more often {pair.verdict} than {pair.a} on {pair.measure}{over} "
            f"({pair.reason}{lower}){counts}; the difference of the means is "
            f"{_with_minus(pair.difference)}{unjudged}"
        )
    if pair.is_shown:
        p = _p(pair, settings, comparisons)
        return (
            f"{pair.b} is {_relation(pair)} {pair.a} {by}{over} "
            f"({_interval(pair, settings)}, {p}{lower}){counts}{unjudged}"
        )
    claim = "equivalent" if pair.verdict == "equivalent" else "not shown"
    detectable = _detectable(pair, settings, comparisons) if attainable else ""
    return (
        f"{pair.b} is {_relation(pair)} {pair.a} {by}{over} "
        f"({_interval(pair, settings)}{_disagreement(pair, settings)}); {claim} "
        f"({pair.reason}{lower}){counts}{unjudged}{detectable}"
    )


def _relation(pair: Pair) -> str:
    """The relation of b to a in words: better or worse only if it is shown."""
    if not pair.direction:
        return "higher than" if pair.difference > 0 else "lower than"
    if pair.is_shown:
        return f"{pair.verdict} than"
    return "ahead of" if pair.difference * pair.direction > 0 else "behind"


def _interval(pair: Pair, settings: Settings) -> str:
    level = f"{100 * (1 - settings.alpha):.10g} %"
    low, high = (0.0 if abs(end) < ROUNDING else end for end in pair.interval)
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"no {level} interval"
    # The sentence gives the size of the difference, and the interval has its sign.
    of = " of the difference" if pair.difference <= -ROUNDING else ""
    return f"{level} interval{of} {_with_minus(low)} to {_with_minus(high)}"


def _with_minus(number: float) -> str:
    return f"{'−' * (number < 0)}{written_size(number)}"


def _disagreement(pair: Pair, settings: Settings) -> str:
    """A remark if the interval leaves out 0 and the test, before any correction, does not agree."""
    low, high = pair.interval
    if low * high > 0 and not pair.untested and pair.p[settings.test] >= settings.alpha:
        return ", which leaves out 0; the test does not agree"
    return ""


def _p(pair: Pair, settings: Settings, comparisons: int) -> str:
    test, alpha = settings.test, settings.alpha
    corrected, alone = pair.p_corrected[test], pair.p[test]
    number = _probability(corrected, alpha)
    written = f"p {number}" if number.startswith("<") else f"p = {number}"
    if settings.correction == "none":
        return written if comparisons == 1 else f"{written}, {pair.family}"
    only_alone = f", {_probability(alone, alpha)} alone" if alone < alpha <= corrected else ""
    return f"{written} after {pair.family}{only_alone}"


def _probability(p: float, alpha: float) -> str:
    """A probability with three decimals, or more if rounding would move it across alpha."""
    if p < min(0.001, alpha):
        return "< 0.001"
    digits = 3
    while digits < MOST_DIGITS and (float(f"{p:.{digits}f}") < alpha) != (p < alpha):
        digits += 1
    return f"{p:.{digits}f}"


def _outcomes(pair: Pair) -> str:
    """The numbers of queries on which b is better, equal and worse, in words."""
    words = ("wins", "ties", "loses") if pair.direction else ("higher on", "same on", "lower on")
    numbers = (pair.wins, pair.ties, pair.losses)
    counts = (f"{word} {number:,}" for word, number in zip(words, numbers, strict=True))
    return f": {', '.join(counts)}"


def _detectable(pair: Pair, settings: Settings, comparisons: int) -> str:
    """A sentence on the difference that this number of queries detects with power 0.8.

    The difference is that of the t test at alpha divided by the number of comparisons, the level
    at which Bonferroni's correction, and the first step of Holm's, would show it.
    """
    known = math.isfinite(pair.cohens_d) and pair.cohens_d != 0
    if settings.test != "t" or not known or pair.queries < ENOUGH or pair.untested:
        return ""
    deviation = pair.difference / pair.cohens_d
    level = settings.alpha / (1 if settings.correction == "none" else comparisons)
    least = detectable_difference(deviation, pair.queries, alpha=level)
    digits = max(0, 1 - math.floor(math.log10(least)))
    return (
        f" {number_of_queries(pair.queries)} find a difference of {least:,.{digits}f} four times "
        "in five."
    )


def _unjudged(pair: Pair) -> str:
    """The end of a sentence: what the judgment of further documents could change."""
    if pair.bounds is None or not pair.unjudged:
        return "."
    low, high = pair.bounds
    between = f"between {_with_minus(low)} and {_with_minus(high)}"
    documents = f"{pair.unjudged:,} unjudged document{'s' * (pair.unjudged != 1)}"
    if low > ROUNDING or high < -ROUNDING:
        return f"; whatever is judged of {documents}, the difference is {between}."
    if max(-low, high) <= ROUNDING:
        return f"; whatever is judged of {documents}, they stay the same."
    return f"; open: {documents} could turn it ({between})."


def turned_by_judgments(runs: Sequence[RunValues], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Sentences on pairs of unlike shares of judged documents whose difference is open."""
    share = {run.name: run.judged_in_top for run in runs}
    open_ = [
        f"{pair.b} and {pair.a} on {pair.measure}"
        for pair in pairs
        if pair.bounds is not None
        and abs(share[pair.a] - share[pair.b]) > JUDGED_GAP
        and pair.bounds.low <= 0 <= pair.bounds.high
    ]
    if not open_:
        return ()
    more = f" and {len(open_) - 1:,} more" if len(open_) > 1 else ""
    return (f"unlike shares are judged, and more judgments could turn {open_[0]}{more}",)


# Notes on the tests

SKEWED = 1.0
"""The absolute skewness of differences above which Wilcoxon and sign tests get a warning."""


def notes_on_tests(
    pairs: Sequence[Pair], settings: Settings, values: Mapping[str, F64], runs: Sequence[str]
) -> tuple[str, ...]:
    """Sentences on what the chosen test can't show; `values` are queries x runs by measure."""
    return (*_too_few_resamples(pairs, settings), *_skewed(pairs, settings, values, runs))


def _too_few_resamples(pairs: Sequence[Pair], settings: Settings) -> Iterator[str]:
    resamples = resamples_for(settings, len(pairs))
    least = 1 / (resamples + 1)
    corrected = CORRECTIONS[settings.correction](np.full(len(pairs), least))
    if settings.test == "randomization" and len(pairs) and corrected[0] >= settings.alpha:
        yield (
            f"{resamples:,} resamples are too few for {len(pairs):,} comparisons: the least p that "
            f"they can give, {least:.2g}, is not significant after the correction"
        )


def _skewed(
    pairs: Sequence[Pair], settings: Settings, values: Mapping[str, F64], runs: Sequence[str]
) -> Iterator[str]:
    if settings.test not in OF_ORDER:
        return
    column = {run: number for number, run in enumerate(runs)}
    skewed = []
    for pair in pairs:
        table = values[pair.measure]
        differences = table[:, column[pair.b]] - table[:, column[pair.a]]
        from_mean = differences[~np.isnan(differences)] - np.nanmean(differences)
        spread = np.mean(from_mean**2) ** 1.5
        if spread > 0 and abs(np.mean(from_mean**3)) > SKEWED * spread:
            skewed.append(f"{pair.b} and {pair.a} on {pair.measure}")
    if skewed:
        more = f" and {len(skewed) - 1:,} more" if len(skewed) > 1 else ""
        yield (
            f"the differences are skewed ({skewed[0]}{more}): the {TEST_NAMES[settings.test]} asks "
            "which run is more often better, and its answer can differ from that of the means"
        )


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
