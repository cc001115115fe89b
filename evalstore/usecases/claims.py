"""What a comparison may claim, in sentences.

Only a corrected test grants that one run beats another. A difference that is not shown is never
called equality: with few queries much stays unseen.
"""

from __future__ import annotations

import math

from evalstore.usecases.comparability import judged_shares, number_of_queries
from evalstore.usecases.significance import ROUNDING, Compared, Pair, Settings

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
        return f"partly: {where}{'; '.join(compared.reasons)}; {shares}"
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
    queries = len(compared.qids)
    return tuple(
        sentence(pair, compared.settings, len(compared.pairs), queries) for pair in compared.pairs
    )


def is_shown(pair: Pair, settings: Settings, comparisons: int) -> bool:
    """Whether the difference is shown: the corrected p is below alpha and the mean agrees.

    Several comparisons without a correction show nothing.
    """
    if settings.correction == "none" and comparisons > 1:
        return False
    same_way = pair.test_points_to * pair.difference > 0
    return pair.p_corrected[settings.test] < settings.alpha and same_way


def sentence(pair: Pair, settings: Settings, comparisons: int, judged: int) -> str:
    """What the figures of a pair say.

    Args:
        pair: the figures.
        settings: how they were computed.
        comparisons: how many pairs and measures the correction is over.
        judged: how many queries are judged; the sentence says so where the pair has fewer.
    """
    shared = f" over the {number_of_queries(pair.queries)} that both answer"
    over = "" if pair.queries == judged else shared
    measure = f"the values per query of {pair.measure}" if pair.of_values else pair.measure
    if abs(pair.difference) < ROUNDING:
        return (
            f"{pair.a} and {pair.b} have the same mean {'of ' * pair.of_values}{measure}{over}; "
            f"a difference is not shown ({_p(pair, settings, comparisons)}){_outcomes(pair)}."
        )
    b_ahead = (pair.difference > 0) == (pair.direction >= 0)
    ahead, behind = (pair.b, pair.a) if b_ahead else (pair.a, pair.b)
    low, high = _interval(pair)
    level = f"{100 * (1 - settings.alpha):.10g} %"
    if math.isinf(low) or math.isinf(high):
        interval = f"no {level} interval from one difference"
    else:
        interval = f"{level} interval {low:.3f} to {high:.3f}"
    lower = "; lower is better" if pair.direction < 0 else ""
    by = f"by {abs(pair.difference):.3f}"
    p = _p(pair, settings, comparisons)
    if is_shown(pair, settings, comparisons):
        verb = "beats" if pair.direction else "is higher than"
        return (
            f"{ahead} {verb} {behind} on {measure} {by}{over} ({interval}, {p}{lower})"
            f"{_outcomes(pair, ahead_is_b=b_ahead)}."
        )
    verb = "is ahead of" if pair.direction else "is higher than"
    doubt = f"but a difference is not shown ({p}{lower})"
    return (
        f"{ahead} {verb} {behind} on {measure} {by}{over} ({interval}), {doubt}"
        f"{_contradiction(pair, settings)}{_outcomes(pair, ahead_is_b=b_ahead)}."
    )


def _interval(pair: Pair) -> tuple[float, float]:
    """The interval as that of a positive difference."""
    low, high = pair.interval
    return (low, high) if pair.difference > 0 else (-high, -low)


def _p(pair: Pair, settings: Settings, comparisons: int) -> str:
    p = pair.p_corrected[settings.test]
    number = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    count = f"{comparisons:,} comparison{'s' * (comparisons != 1)}"
    if settings.correction == "none":
        return number if comparisons == 1 else f"{number}, not corrected for {count}"
    return f"{number} after {CORRECTION_NAMES[settings.correction]} over {count}"


def _contradiction(pair: Pair, settings: Settings) -> str:
    """That the test speaks for the other run, where it does and would be significant."""
    other_way = pair.test_points_to * pair.difference < 0
    if other_way and pair.p_corrected[settings.test] < settings.alpha:
        return f", and the {TEST_NAMES[settings.test]} speaks for the other run"
    return ""


def _outcomes(pair: Pair, *, ahead_is_b: bool = True) -> str:
    """On how many queries the run named first wins and loses."""
    if abs(pair.difference) < ROUNDING:
        return f"; {pair.b} wins on {number_of_queries(pair.wins)}, loses on {pair.losses:,}"
    for_b = (pair.wins, pair.losses)
    wins, losses = for_b if ahead_is_b else for_b[::-1]
    if not pair.direction:
        return f"; it is higher on {number_of_queries(wins)}, lower on {losses:,}"
    return f"; it wins on {number_of_queries(wins)}, loses on {losses:,}"
