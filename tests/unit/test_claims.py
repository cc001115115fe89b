"""What is claimed of a difference: `beats` is granted by a corrected test alone."""

from __future__ import annotations

from compared_runs import compared, numbered, run_values

from evalstore.usecases.claims import sentences

LOW = numbered([0.2, 0.3, 0.1, 0.4, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3])
HIGH = {
    qid: value + (0.2 if number % 5 else -0.05) for number, (qid, value) in enumerate(LOW.items())
}


def test_a_difference_that_the_test_shows_is_a_win_with_its_interval_and_p() -> None:
    [sentence] = sentences(compared(run_values("bm25", LOW), run_values("rm3", HIGH)))
    assert sentence == (
        "rm3 beats bm25 on AP by 0.150 (95 % interval 0.075 to 0.225, p = 0.001 after Holm over "
        "1 comparison); it wins on 8 queries, loses on 2."
    )


def test_the_better_run_is_named_first_whichever_is_the_baseline() -> None:
    [sentence] = sentences(compared(run_values("rm3", HIGH), run_values("bm25", LOW)))
    assert sentence.startswith("rm3 beats bm25 on AP by 0.150 (95 % interval 0.075 to 0.225, ")
    assert sentence.endswith("it wins on 8 queries, loses on 2.")


def test_a_difference_that_is_not_shown_is_never_called_equality() -> None:
    values = dict(LOW, q01=0.9)
    [sentence] = sentences(compared(run_values("A", LOW), run_values("B", values)))
    assert sentence.startswith("B is ahead of A on AP by 0.070 (95 % interval -0.088 to 0.228), ")
    assert "but a difference is not shown (p = 0.343 after Holm over 1 comparison)" in sentence
    [same] = sentences(compared(run_values("A", LOW), run_values("B", LOW)))
    assert same.startswith("A and B have the same mean AP; a difference is not shown (p = 1.000 ")
    assert "equal" not in sentence + same


def test_the_corrected_p_decides() -> None:
    """One comparison of p = 0.001 is a win; among many that are corrected it need not be."""
    runs = [run_values("A", LOW), run_values("B", HIGH)]
    others = [run_values(f"C{number:02}", LOW) for number in range(10)]
    [first, *_] = sentences(compared(*runs, *others, correction="bonferroni"))
    assert "B is ahead of A on AP" in first
    assert "after Bonferroni over 66 comparisons" in first


def test_several_comparisons_without_a_correction_show_nothing() -> None:
    runs = [run_values("A", LOW), run_values("B", HIGH)]
    [one] = sentences(compared(*runs, correction="none"))
    assert "B beats A" in one
    many = sentences(compared(*runs, run_values("C", LOW), correction="none"))
    assert "p = 0.001, not corrected for 3 comparisons" in many[0]
    assert not any("beats" in sentence for sentence in many)


def test_where_lower_is_better_the_lower_run_wins() -> None:
    low = run_values("fast", LOW, measure="ResponseTime")
    high = run_values("slow", HIGH, measure="ResponseTime")
    [sentence] = sentences(compared(low, high, measure="ResponseTime"))
    assert sentence == (
        "fast beats slow on ResponseTime by 0.150 (95 % interval 0.075 to 0.225, p = 0.001 after "
        "Holm over 1 comparison; lower is better); it wins on 8 queries, loses on 2."
    )


def test_where_neither_is_better_nobody_wins() -> None:
    low, high = run_values("A", LOW, measure="NumRet"), run_values("B", HIGH, measure="NumRet")
    [sentence] = sentences(compared(low, high, measure="NumRet"))
    assert sentence.startswith("B is higher than A on NumRet by 0.150 (")
    assert sentence.endswith("it is higher on 8 queries, lower on 2.")


def test_a_test_that_contradicts_the_mean_grants_nothing() -> None:
    """B is lower on 9 of 10 queries and far higher on one: the sign test speaks for A."""
    values = {qid: value - 0.01 for qid, value in LOW.items()} | {"q01": 0.9}
    [sentence] = sentences(compared(run_values("A", LOW), run_values("B", values), test="sign"))
    assert "B is ahead of A" in sentence
    assert "a difference is not shown (p = 0.021 after Holm over 1 comparison)" in sentence
    assert "the sign test speaks for the other run" in sentence


def test_a_sentence_over_fewer_queries_than_are_judged_says_so() -> None:
    partial = run_values("B", HIGH, missing=["q01"])
    [sentence] = sentences(compared(run_values("A", LOW), partial))
    assert "on AP by 0.172 over the 9 queries that both answer (" in sentence


def test_one_query_has_no_interval() -> None:
    [sentence] = sentences(compared(run_values("A", {"q": 0.1}), run_values("B", {"q": 0.3})))
    assert "(no 95 % interval from one difference), but a difference is not shown" in sentence


def test_a_geometric_mean_is_called_what_is_compared() -> None:
    values = {f"q{number}": number / 10 for number in range(1, 9)}
    better = {qid: value + 0.1 for qid, value in values.items()}
    runs = [run_values("a", values, measure="GMAP"), run_values("b", better, measure="GMAP")]
    [text] = sentences(compared(*runs, measure="GMAP"))
    assert text.startswith("b beats a on the values per query of GMAP by 0.100 ")


def test_one_query_is_no_queries() -> None:
    [text] = sentences(compared(run_values("a", {"q1": 0.5}), run_values("b", {"q1": 0.6})))
    assert text.endswith("; it wins on 1 query, loses on 0.")
