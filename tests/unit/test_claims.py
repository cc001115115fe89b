"""What is claimed of a difference: a corrected test alone grants `better` and `worse`."""

from __future__ import annotations

from dataclasses import replace
from statistics import stdev

import numpy as np
import pytest
from compared_runs import compared, numbered, run_values

from evalstore.comparison.claims import sentences, with_claims
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Settings
from evalstore.measures import named_measures
from evalstore.stats import Interval, detectable_difference

LOW = numbered([0.2, 0.3, 0.1, 0.4, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3])
HIGH = {
    qid: value + (0.2 if number % 5 else -0.05) for number, (qid, value) in enumerate(LOW.items())
}


def test_a_difference_that_the_test_shows_makes_the_run_better() -> None:
    [text] = sentences(compared(run_values("bm25", LOW), run_values("rm3", HIGH)))
    assert text == (
        "rm3 is better than bm25 on AP by 0.1500 (95 % interval 0.0746 to 0.2254, p = 0.001 after "
        "Holm over 1 pair): wins 8, ties 0, loses 2."
    )


def test_the_sentence_is_of_the_run_less_the_baseline_whichever_is_better() -> None:
    [text] = sentences(compared(run_values("rm3", HIGH), run_values("bm25", LOW)))
    assert text == (
        "bm25 is worse than rm3 on AP by 0.1500 (95 % interval of the difference −0.2254 to "
        "−0.0746, p = 0.001 after Holm over 1 pair): wins 2, ties 0, loses 8."
    )


def test_a_difference_that_is_not_shown_is_never_called_equality() -> None:
    values = dict(LOW, q01=0.9)
    [text] = sentences(compared(run_values("A", LOW), run_values("B", values)))
    assert text.startswith(
        "B is ahead of A on AP by 0.0700 (95 % interval −0.0884 to 0.2284); not shown (no result "
        "of so few queries could show this; p = 0.343 after Holm over 1 pair): wins 1, ties 9, "
    )
    [behind] = sentences(compared(run_values("B", values), run_values("A", LOW)))
    assert behind.startswith(
        "A is behind B on AP by 0.0700 (95 % interval of the difference −0.2284 to 0.0884); not"
    )
    assert "four times in five" not in text  # which the test could not show
    [same] = sentences(compared(run_values("A", LOW), run_values("B", LOW)))
    assert same.startswith(
        "B has the same AP as A (95 % interval −0.3085 to 0.3085); a difference "
    )
    assert "is not shown (p = 1.000 after Holm over 1 pair)" in same
    assert "equal" not in text + same


def test_what_is_not_shown_comes_with_the_difference_that_so_many_queries_find() -> None:
    """The level is that of the correction: else the sentence would contradict itself."""
    differences = [0.3, 0.3, -0.1, -0.1, -0.1] * 2
    values = {qid: value + d for (qid, value), d in zip(LOW.items(), differences, strict=True)}
    runs = [run_values("A", LOW), run_values("B", values)]
    [text] = sentences(compared(*runs))
    least = detectable_difference(stdev(differences), 10)
    assert text.endswith(f" 10 queries find a difference of {least:.2f} four times in five.")
    first, *_ = sentences(compared(*runs, run_values("C", LOW)))
    least = detectable_difference(stdev(differences), 10, alpha=0.05 / 3)
    assert first.endswith(f" 10 queries find a difference of {least:.2f} four times in five.")


def test_a_p_that_only_the_correction_makes_large_is_given_alone_too() -> None:
    runs = [run_values("A", LOW), run_values("B", HIGH)]
    others = [run_values(f"C{number:02}", LOW) for number in range(10)]
    [first, *_] = sentences(compared(*runs, *others, correction="bonferroni"))
    assert "p = 0.098 after Bonferroni over 66 pairs, 0.001 alone): " in first


def test_several_comparisons_without_a_correction_show_nothing() -> None:
    runs = [run_values("A", LOW), run_values("B", HIGH)]
    [one] = sentences(compared(*runs, correction="none"))
    assert "B is better than A" in one
    many = sentences(compared(*runs, run_values("C", LOW), correction="none"))
    assert "p = 0.001, no correction for 3 pairs; several comparisons without a " in many[0]
    assert not any("better" in each or "worse" in each for each in many)


def test_pairs_on_several_measures_are_comparisons() -> None:
    runs = [
        replace(run_values(name, values), values={"AP": numbers, "RR": numbers})
        for name, values in (("A", LOW), ("B", HIGH))
        for numbers in [np.array(list(values.values()))]
    ]
    both = sentences(compare_loaded(LoadedRuns(tuple(runs)), named_measures(["AP", "RR"])))
    assert ["over 2 comparisons" in each for each in both] == [True, True]


def test_where_lower_is_better_the_lower_run_wins() -> None:
    low = run_values("fast", LOW, measure="ResponseTime")
    high = run_values("slow", HIGH, measure="ResponseTime")
    [text] = sentences(compared(low, high, measure="ResponseTime"))
    assert text == (
        "slow is worse than fast on ResponseTime by 0.1500 (95 % interval 0.0746 to 0.2254, "
        "p = 0.001 after Holm over 1 pair; lower is better): wins 2, ties 0, loses 8."
    )


def test_where_neither_is_better_nobody_wins() -> None:
    low, high = run_values("A", LOW, measure="NumRet"), run_values("B", HIGH, measure="NumRet")
    [text] = sentences(compared(low, high, measure="NumRet"))
    assert text.startswith("B is higher than A on NumRet by 1.5000 (")  # the figure is a sum
    assert text.endswith(": higher on 8, same on 0, lower on 2.")
    [other] = sentences(compared(high, low, measure="NumRet"))
    assert other.startswith("A is lower than B on NumRet by 1.5000 (")
    assert compared(low, high, measure="NumRet").pairs[0].verdict == "none"


def test_a_test_that_contradicts_the_mean_grants_nothing() -> None:
    """B is lower on 9 of 10 queries and far higher on one: the sign test speaks for A."""
    values = {qid: value - 0.01 for qid, value in LOW.items()} | {"q01": 0.9}
    [text] = sentences(compared(run_values("A", LOW), run_values("B", values), test="sign"))
    assert "B is ahead of A" in text
    assert "; not shown (p = 0.021 after Holm over 1 pair; the sign test speaks for the " in text


def test_a_test_of_signs_or_ranks_claims_no_mean_and_warns_of_skewed_differences() -> None:
    result = compared(run_values("A", LOW), run_values("B", HIGH), test="wilcoxon")
    [text] = sentences(result)
    assert text.startswith("B is more often better than A on AP (p = ")
    assert result.notes[-1].startswith("the differences are skewed (B and A on AP): the Wilcoxon ")
    assert not compared(run_values("A", LOW), run_values("B", HIGH)).notes[1:]


def test_a_sentence_over_fewer_queries_than_are_compared_says_so() -> None:
    weights = {"ResponseTime": np.array([0.0] + [1.0] * 9)}
    partial = run_values("B", HIGH, measure="ResponseTime", weights=weights)
    runs = [run_values("A", LOW, measure="ResponseTime"), partial]
    [text] = sentences(compared(*runs, measure="ResponseTime"))
    assert "by 0.1722 over the 9 queries on which both have a value (" in text


def test_one_query_has_no_interval_and_no_test() -> None:
    result = compared(run_values("A", {"q": 0.1}), run_values("B", {"q": 0.3}))
    [text] = sentences(result)
    assert "(no 95 % interval); not shown (one query allows no test)" in text
    assert text.endswith(": wins 1, ties 0, loses 0.")
    assert result.pairs[0].verdict == "none"


@pytest.mark.parametrize("queries", [2, 3, 5])
def test_a_few_equal_differences_have_no_spread_and_are_not_tested(queries: int) -> None:
    low, high = numbered([0.1] * queries), numbered([0.3] * queries)
    [pair] = compared(run_values("A", low), run_values("B", high)).pairs
    assert pair.verdict == "none"
    assert pair.reason.endswith(f"the {queries} differences are equal and so have no spread")
    assert pair.interval.low < pair.difference < pair.interval.high


def test_as_many_equal_differences_as_signs_alone_would_show_are_shown() -> None:
    [pair] = compared(
        run_values("A", numbered([0.1] * 9)), run_values("B", numbered([0.3] * 9))
    ).pairs
    assert pair.verdict == "better"
    assert pair.p["t"] == 2**-8


def test_a_run_is_better_only_if_as_many_signs_could_show_it() -> None:
    """5 differences other than 0: of 32 sign patterns 2 are as extreme, p = 0.0625 at best."""
    better = {qid: value + 0.1 + 0.001 * n for n, (qid, value) in enumerate(LOW.items()) if n < 5}
    [pair] = compared(run_values("A", LOW), run_values("B", {**LOW, **better})).pairs
    assert pair.p_corrected["t"] < 0.05
    assert pair.verdict == "undecided"
    assert pair.reason.startswith("no result of so few queries could show this; p = 0.0")
    six = {qid: value + 0.1 + 0.001 * n for n, (qid, value) in enumerate(LOW.items()) if n < 6}
    runs = [run_values("A", LOW), run_values("B", {**LOW, **six})]
    assert compared(*runs).pairs[0].verdict == "better"
    [first, *_] = compared(*runs, run_values("C", LOW)).pairs  # 3 pairs: 3 x 0.03125
    assert first.verdict == "undecided"


def test_runs_are_equivalent_if_a_test_shows_that_their_difference_is_within_the_margin() -> None:
    values = {qid: value + 0.004 * (-1) ** n for n, (qid, value) in enumerate(LOW.items())}
    runs = [run_values("A", LOW), run_values("B", values)]
    [pair] = compared(*runs, margin=0.01).pairs
    assert (pair.verdict, pair.reason) == ("equivalent", "the difference is within 0.0100")
    assert compared(*runs, margin=0.001).pairs[0].verdict == "undecided"
    assert compared(*runs).pairs[0].verdict == "undecided"


def test_a_geometric_mean_is_compared_as_such() -> None:
    values = {f"q{number}": number / 10 for number in range(1, 9)}
    better = {qid: value + 0.1 for qid, value in values.items()}
    runs = [run_values("a", values, measure="GMAP"), run_values("b", better, measure="GMAP")]
    [pair] = compared(*runs, measure="GMAP").pairs
    means = [float(np.exp(np.mean(np.log(list(of.values()))))) for of in (values, better)]
    assert [pair.mean_a, pair.mean_b] == pytest.approx(means)
    assert pair.difference == pytest.approx(means[1] - means[0])
    assert pair.sentence.startswith("b is better than a on GMAP by ")


def test_a_percentile_is_compared_as_such_and_never_the_mean() -> None:
    """B answers most queries faster and a few far slower: its median is better, its mean worse."""
    name = "ResponseTime(percentile=50)"
    a = numbered([100.0 + n for n in range(30)])
    b = numbered([80.0 + n for n in range(25)] + [5000.0] * 5)
    [pair] = compared(
        run_values("A", a, measure=name), run_values("B", b, measure=name), measure=name
    ).pairs
    assert (pair.mean_a, pair.mean_b) == (np.median(list(a.values())), np.median(list(b.values())))
    assert pair.difference < 0
    assert pair.verdict in ("better", "undecided")


def test_a_difference_that_four_decimals_would_make_0_has_more() -> None:
    """0.0001 on two queries of ten: 0.00002."""
    values = {q: value + 0.0001 * (q in ("q01", "q02")) for q, value in LOW.items()}
    [text] = sentences(compared(run_values("A", LOW), run_values("B", values)))
    assert "by 0.00002 (" in text
    assert "−0.0000 " not in text


def test_a_sentence_ends_with_what_more_judgments_could_change() -> None:
    pair = compared(run_values("A", LOW), run_values("B", HIGH)).pairs[0]

    def end(low: float, high: float, unjudged: int) -> str:
        judged = replace(pair, bounds=Interval(low, high), unjudged=unjudged)
        return with_claims([judged], Settings(), [10])[0].sentence.partition("loses 2")[2]

    assert end(-0.05, 0.3, 98) == (
        "; open: 98 unjudged documents could turn it (between −0.0500 and 0.3000)."
    )
    assert end(0.0, 0.0, 98) == (
        "; whatever is judged of 98 unjudged documents, they stay the same."
    )
    assert end(0.05, 0.3, 1) == (
        "; whatever is judged of 1 unjudged document, the difference is between 0.0500 and 0.3000."
    )
    assert end(0.15, 0.15, 0) == "."


def test_a_p_just_below_alpha_is_written_below_it() -> None:
    """0.0496 would be 0.050: as many decimals as show on which side of alpha it is."""
    pair = compared(run_values("A", LOW), run_values("B", HIGH)).pairs[0]
    settings = Settings(tests=("t",))
    [below] = with_claims([replace(pair, p={"t": 0.0496})], settings, [10])
    assert "p = 0.0496 after" in below.sentence
    [above] = with_claims([replace(pair, p={"t": 0.05003})], settings, [10])
    assert "p = 0.050 after" in above.sentence
