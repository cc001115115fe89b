"""Bounds of a difference over the grades of unjudged documents, against all ways to grade them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from compared_runs import difference_bounds
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import one_in

from evalstore.comparison.unjudged.bounds import DifferenceBounds
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, evaluate, parse
from evalstore.measures.join import match

BOUNDED = (
    *("P@1", "P@3", "P(rel=2)@3", "P(rel=3)@3"),
    *("Success@1", "Success@3", "Success(rel=2)@2", "RR", "RR@2", "RR(rel=2)", "RR(rel=3)"),
    *("R@1", "R@3", "R(rel=2)@3", "RelP@2", "RelP(rel=2)@3"),
    *("RBP", "RBP@2", "RBP(p=0.5)@3", "RBP(rel=2)", "RBP(max_rel=1)", "RBP(max_rel=4)@3"),
    *("CG", "CG@2", "CG(rel=2)@3", "CG(gains={0:0.5,1:3})"),
    *("DCG", "DCG@2", "DCG(dcg='exp-log2')@3", "DCG(dcg='jk')", "DCG(gains={1:5,2:1})@3"),
    *("nDCG", "nDCG@1", "nDCG@2", "nDCG@3", "nDCG(dcg='exp-log2')@3", "nDCG(dcg='jk')@2"),
    *("nDCG(rel=2)", "nDCG(rel=3)@2", "nDCG(gains={1:5,2:1})@3", "nDCG(gains={0:0.5,1:3})@2"),
)
UNBOUNDED = (
    *("AP", "Rprec", "Bpref", "F@5", "ERR@10", "P(judged_only=True)@5", "nDCG(gains={-1:1})@5"),
    *("nDCG(judged_only=True)@10", "NumRet", "SDCG@5"),
)

Ranking = list[str]
Grades = dict[str, float]
DOCUMENTS = "abcde"


def run(rankings: dict[str, Ranking]) -> Run:
    return Run.from_dict(
        {qid: {doc: -rank for rank, doc in enumerate(docs)} for qid, docs in rankings.items()}
    )


def assignments(a: Ranking, b: Ranking, grades: Grades, highest: float) -> Iterator[Grades]:
    """The judgments with every way to grade the unjudged documents of two rankings, or not to."""
    unjudged = [doc for doc in dict.fromkeys(a + b) if grades.get(doc, -1) < 0]
    possible = [None, *map(float, range(max(int(highest), 1) + 1))]
    for chosen in itertools.product(possible, repeat=len(unjudged)):
        given = zip(unjudged, chosen, strict=True)
        yield grades | {doc: grade for doc, grade in given if grade is not None}


def extremes(measure: Measure, a: Ranking, b: Ranking, grades: Grades) -> tuple[float, float]:
    """The least and the greatest difference over all `assignments`, each evaluated as a query."""
    highest = max(grades.values())
    within = slice(measure.cutoff if isinstance(measure.cutoff, int) else None)
    ways = dict(enumerate(assignments(a[within], b[within], grades, highest)))
    qrels = Qrels.from_dict({f"{way:06}": judged for way, judged in ways.items()})
    values = [
        evaluate(match(run({f"{way:06}": ranking for way in ways}), qrels), [measure])[measure]
        for ranking in (a, b)
    ]
    differences = values[1] - values[0]
    return differences.min(), differences.max()


def bounds(measure: str, a: Run, b: Run, qrels: Qrels) -> DifferenceBounds:
    found = difference_bounds(parse(measure), a, b, qrels, qrels.qids)
    assert found is not None
    return found


rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1, max_size=3)
pools = st.dictionaries(
    st.sampled_from(DOCUMENTS + "xyz"), st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=3
)


@pytest.mark.parametrize("measure", one_in(2, BOUNDED))
@given(a=rankings, b=rankings, grades=pools)
@settings(max_examples=25, deadline=None)
def test_the_bounds_are_the_extremes_over_all_ways_to_grade(
    measure: str, a: Ranking, b: Ranking, grades: Grades
) -> None:
    qrels = Qrels.from_dict({"q": grades})
    found = bounds(measure, run({"q": a}), run({"q": b}), qrels)
    expected = extremes(parse(measure), a, b, grades)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", UNBOUNDED)
def test_other_measures_have_no_bounds(measure: str) -> None:
    qrels = Qrels.from_dict({"q": {"a": 1}})
    found = difference_bounds(parse(measure), run({"q": ["a"]}), run({"q": ["b"]}), qrels, ("q",))
    assert found is None


JUDGED = Qrels.from_dict({"q1": {"a": 1, "b": 0, "u": -1}, "q2": {"c": 2}})
NEW = run({"q1": ["n", "a", "u"], "q2": ["n", "c"]})
OLD = run({"q1": ["b", "n"]})
"""`n` and `u` are unjudged; OLD does not answer q2."""


def test_the_bounds_of_the_mean_are_the_means_of_the_bounds_of_the_queries() -> None:
    found = bounds("P@2", OLD, NEW, JUDGED)
    assert found.low_of_query.tolist() == [0.5, 0.5]
    assert found.high_of_query.tolist() == [0.5, 1.0]  # q1: both have n in their first two
    assert (found.low, found.high) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("measure", "count"),
    [
        pytest.param("P@1", 2, id="n, once for each query"),
        pytest.param("P@2", 2, id="in both runs, counted once"),
        pytest.param("P@3", 3, id="in the pool, but not judged"),
        pytest.param("RR", 3, id="the whole rankings"),
    ],
)
def test_unjudged_documents_are_counted_within_the_cutoff(measure: str, count: int) -> None:
    assert bounds(measure, OLD, NEW, JUDGED).unjudged == count


@pytest.mark.parametrize("measure", ["P@5", "RR", "R@2", "nDCG@10", "RBP"])
def test_the_bounds_are_the_difference_where_all_is_judged(measure: str) -> None:
    judged = Qrels.from_dict({"q1": {"a": 1, "b": 0, "u": 2, "n": 0}, "q2": {"c": 2, "n": 1}})
    parsed = parse(measure)
    old, new = (evaluate(match(one, judged), [parsed])[parsed] for one in (OLD, NEW))
    found = bounds(measure, OLD, NEW, judged)
    assert found.unjudged == 0
    assert found.low_of_query == pytest.approx(new - old, abs=1e-15)
    assert found.high_of_query == pytest.approx(new - old, abs=1e-15)


def test_only_the_queries_asked_for_are_bounded() -> None:
    found = difference_bounds(parse("P@2"), OLD, NEW, JUDGED, ("q2", "not judged"))
    assert found is not None
    assert found.high_of_query.tolist() == [1.0, 0.0]
    nothing = difference_bounds(parse("nDCG@2"), OLD, NEW, JUDGED, ())
    assert nothing is not None
    assert (nothing.low, nothing.high, nothing.unjudged) == (0.0, 0.0, 0)


def test_equal_scores_are_in_the_order_of_the_measures() -> None:
    tied = Run.from_dict({"q2": {"c": 1.0, "n": 1.0}})  # n first: docnos descend
    found = difference_bounds(parse("P@1"), OLD, tied, JUDGED, ("q2",))
    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


def test_whole_grades_above_1000_are_possible_only_if_given() -> None:
    clicks = Qrels.from_dict({"q1": {"a": 5000.0}})
    found = bounds("CG@1", run({"q1": ["b"]}), run({"q1": ["n"]}), clicks)
    assert (found.low, found.high) == (-5000.0, 5000.0)
