"""What has to be the same before two runs are compared, and what is said where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compared_runs import compared, numbered, run_values

from evalstore.comparison.claims import comparability_line
from evalstore.comparison.comparability import differing_lengths, judged_shares, was_cut
from evalstore.measures import named_measures

VALUES = numbered([0.1 * number for number in range(1, 8)])


def test_runs_of_the_same_queries_judgments_depth_and_rules_are_comparable() -> None:
    result = compared(run_values("A", VALUES), run_values("B", VALUES))
    assert (result.comparable, result.reasons) == ("yes", ())
    assert comparability_line(result) == (
        "comparable: same judgments, 7 of 7 queries, depth 100, compat exact; "
        "judged in the top 10: A 100 %, B 100 %"
    )


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"collection": "d"}, "the runs have different collections: A 'c', B 'd'"),
        ({"qrels_hash": "1", "qrels": "r"}, "the runs have different judgments: A 'q', B 'r'"),
        (
            {"compat": "trec_eval-9"},
            "the runs have different rules of trec_eval: A 'exact', B 'trec_eval-9'",
        ),
        ({"missing": VALUES}, "the runs share no judged query that both answer"),
    ],
)
def test_what_makes_figures_meaningless_leaves_none(facts: dict[str, Any], reason: str) -> None:
    result = compared(run_values("A", VALUES), run_values("B", VALUES, **facts))
    assert (result.comparable, result.reasons, result.pairs) == ("no", (reason,), ())
    assert comparability_line(result) == f"not comparable, because {reason}"


def test_judgments_of_the_same_hash_are_the_same_whatever_their_name() -> None:
    result = compared(run_values("A", VALUES), run_values("B", VALUES, qrels="copy"))
    assert result.comparable == "yes"


def test_queries_that_a_run_does_not_answer_are_named_and_count_as_empty_rankings() -> None:
    result = compared(run_values("A", VALUES), run_values("B", VALUES, missing=["q07", "q02"]))
    assert result.comparable == "partly"
    missing = "5 of 7 queries answered by both; q02, q07 missing from B"
    assert result.reasons == (f"{missing}; they count as empty rankings",)
    assert result.pairs[0].queries == 7
    assert comparability_line(result).startswith(f"partly comparable: {missing}; they count as")


def test_over_common_queries_those_that_a_run_does_not_answer_are_left_out_of_all_pairs() -> None:
    runs = [run_values("A", VALUES), run_values("B", VALUES, missing=["q07", "q02"])]
    result = compared(*runs, run_values("C", VALUES), over="common")
    assert {pair.queries for pair in result.pairs} == {5}
    assert result.reasons == (
        "5 of 7 queries answered by all 3 runs; q02, q07 missing from B; the others are left out",
    )
    nothing = compared(
        run_values("A", VALUES, missing=list(VALUES)[:4]),
        run_values("B", VALUES, missing=list(VALUES)[4:]),
        run_values("C", VALUES),
        over="common",
    )
    assert nothing.reasons == ("the runs share no judged query that all of them answer",)


def test_queries_without_a_value_are_counted_and_leave_the_pairs_of_the_run() -> None:
    """A user for whom no rating was predicted has no MAE: 0 would be the best one."""
    weights = {"MAE": np.array([2.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0])}
    rated = run_values("A", VALUES, measure="MAE", weights={"MAE": np.ones(7)})
    lacking = run_values("B", VALUES, measure="MAE", weights=weights)
    result = compared(rated, lacking, measure="MAE")
    assert result.comparable == "partly"
    assert result.reasons == (
        "no value of MAE: B on 1 of 7 queries, which are left out of their comparisons",
    )
    assert result.pairs[0].queries == 6


def test_of_many_missing_queries_ten_are_named_and_the_rest_counted() -> None:
    values = numbered([0.5] * 20)
    result = compared(run_values("A", values), run_values("B", values, missing=list(values)[:13]))
    assert result.reasons[0].endswith(
        "q09, q10 and 3 more missing from B; they count as empty rankings"
    )


def test_a_query_that_no_run_answers_is_missing_from_all() -> None:
    runs = [run_values(name, VALUES, missing=["q01"]) for name in "AB"]
    assert compared(*runs).reasons == (
        "6 of 7 queries answered by both; q01 missing from A, B; they count as empty rankings",
    )


@pytest.mark.parametrize(
    ("measure", "consequence"),
    [
        ("AP", "AP may see documents that only the deeper rankings have"),
        ("nDCG@100", "nDCG@100 may see documents that only the deeper rankings have"),
        ("P@10", "no measure compared here looks so deep"),
    ],
)
def test_a_difference_in_depth_is_named_with_the_measures_that_see_it(
    measure: str, consequence: str
) -> None:
    deep = run_values("A", VALUES, measure=measure, depth=1000)
    result = compared(deep, run_values("B", VALUES, measure=measure, depth=50), measure=measure)
    assert result.comparable == "partly"
    assert result.reasons == (f"the rankings differ in depth: A 1,000, B 50; {consequence}",)


def test_unequal_shares_of_judged_documents_are_noted() -> None:
    pooled, new = run_values("A", VALUES), run_values("B", VALUES, judged_in_top=0.6)
    result = compared(pooled, new)
    assert result.comparable == "yes"
    assert "judged are 60 % of the top 10 of B and 100 % of the top 10 of A;" in result.notes[0]
    assert comparability_line(result).endswith("judged in the top 10: A 100 %, B 60 %")


def test_shares_of_judged_documents_over_different_queries_say_so() -> None:
    pooled, new = run_values("A", VALUES), run_values("B", VALUES, judged_in_top=0.6)
    same = compared(pooled, new)
    fewer = compared(pooled, run_values("B", VALUES, judged_in_top=0.6, missing=["q01"]))
    assert "each over the queries it answers" not in same.notes[0]
    assert "each over the queries it answers" in fewer.notes[0]


def test_runs_without_any_judged_document_are_noted() -> None:
    nothing = [run_values(name, VALUES, judged_in_top=0.0) for name in "AB"]
    assert (
        "are these the judgments of the collection that was searched?"
        in compared(*nothing).notes[0]
    )


def test_few_queries_are_noted() -> None:
    few = compared(run_values("A", VALUES), run_values("B", VALUES))
    assert few.notes == ("7 queries are few: only large differences can be shown with them",)
    enough = numbered([0.5] * 25)
    assert compared(run_values("A", enough), run_values("B", enough)).notes == ()


def test_a_figure_of_all_queries_that_does_not_follow_from_theirs_is_not_compared() -> None:
    runs = [run_values(name, numbered([0.5] * 30), measure="ItemCoverage") for name in "AB"]
    result = compared(*runs, measure="ItemCoverage")
    assert result.pairs == ()
    assert result.notes[0].startswith("ItemCoverage is not compared: its figure is one of all ")


def test_an_engine_that_returns_all_it_finds_may_be_compared_with_one_of_another_depth() -> None:
    natural = run_values("A", VALUES, depth=1400, is_cut=False)
    other = run_values("B", VALUES, depth=900, is_cut=False)
    assert compared(natural, other).reasons == ()
    cut = run_values("C", VALUES, depth=1000)
    assert compared(other, cut).reasons == ()  # nothing of it was cut off
    (reason,) = compared(natural, cut).reasons
    assert reason.startswith("the rankings differ in depth: A 1,400, C 1,000")


@pytest.mark.parametrize(
    ("lengths", "cut"),
    [([10, 10, 3], True), ([10, 9, 8], False), ([10, 3], True), ([5], True), ([], False)],
)
def test_rankings_were_cut_where_half_of_them_are_as_long_as_the_longest(
    lengths: list[int], cut: bool
) -> None:
    assert was_cut(lengths) == cut


def test_of_many_runs_the_verdict_has_the_least_and_the_most_judged() -> None:
    values = {"q1": 0.5, "q2": 0.5}
    shares = {"a": 0.9, "b": 0.61, "c": 0.98, "d": 0.9, "e": 0.9}
    runs = [run_values(name, values, judged_in_top=share) for name, share in shares.items()]
    assert judged_shares(runs) == "judged in the top 10: from b 61 % to c 98 %"
    assert judged_shares(runs[:4]).count("%") == 4
    same = [run_values(name, values, judged_in_top=0.9) for name in shares]
    assert judged_shares(same) == "judged in the top 10: 90 % of every run"
    unknown = [*runs[1:], run_values("v", values, judged_in_top=float("nan"), values_only=True)]
    assert judged_shares(unknown).endswith("v not known")


def test_lengths_that_differ_are_named_with_the_measures_that_see_them() -> None:
    lengths = {"a": 1000.0, "b": 918.7, "c": 100.0, "d": 100.0}
    measures = named_measures(["AP", "nDCG@10", "R@1000", "IndexSize", "ResponseTime"])
    assert differing_lengths(lengths, measures) == [
        "the rankings differ in length: 919 to 1,000 documents per query for 2 runs, 100 for c, d; "
        "AP, R@1000 may see documents that only the longer rankings have"
    ]
    assert not differing_lengths(lengths, named_measures(["nDCG@10", "R@100"]))
    assert not differing_lengths({"a": 1000.0, "b": 540.8}, named_measures(["AP"]))
    assert not differing_lengths({}, named_measures(["AP"]))
