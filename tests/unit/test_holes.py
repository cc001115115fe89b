"""Which unjudged documents move a difference most, against evaluations with one judgment more."""

from __future__ import annotations

import pytest
from compared_runs import difference_bounds
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import one_in

from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.unjudged.holes import DEPTH, Hole, Holes, find_holes
from evalstore.errors import DataError, MeasureError
from evalstore.formats import Qrels, Run
from evalstore.measures import evaluate, parse
from evalstore.measures.join import match

MEASURES = (
    *("P@2", "nDCG@2", "nDCG", "RR", "R@3", "RBP", "AP", "AP@2", "Rprec", "Bpref", "infAP"),
    *("ERR@3", "F@2", "SDCG@3", "nDCG(judged_only=True)@2", "APseen@1", "RBPResidual"),
)
Table = dict[str, dict[str, float]]

QRELS: Table = {"q1": {"d1": 2, "d2": 0, "p1": -1}, "q2": {"d3": 1}}
A: Table = {"q1": {"d1": 3, "u1": 2, "d2": 1}, "q2": {"u1": 2, "d3": 1}}
B: Table = {"q1": {"u2": 4, "d1": 3, "p1": 2, "u1": 1}}


def loaded(a: Table, b: Table, qrels: Table, measure: str) -> LoadedRuns:
    runs = {"a": Run.from_dict(a), "b": Run.from_dict(b)}
    measures = {measure: parse(measure)}
    return evaluate_given_runs(Qrels.from_dict(qrels), runs, measures, allow_disjoint=True)


def holes(measure: str, a: Table = A, b: Table = B, qrels: Table = QRELS) -> Holes:
    return find_holes(loaded(a, b, qrels, measure), measure, parse(measure))


def difference(measure: str, a: Table, b: Table, qrels: Table) -> float:
    """The mean of b - a, evaluated anew."""
    parsed = parse(measure)
    judged = [match(Run.from_dict(run), Qrels.from_dict(qrels)) for run in (a, b)]
    of_a, of_b = (evaluate(one, [parsed])[parsed] for one in judged)
    return float((of_b - of_a).mean())


runs = st.fixed_dictionaries(
    {
        qid: st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([1.0, 2.0, 3.0, 4.0]))
        for qid in ("q1", "q2")
    }
)
judgments = st.fixed_dictionaries(
    {
        qid: st.dictionaries(
            st.sampled_from("abcdxyz"), st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=1
        )
        for qid in ("q1", "q2")
    }
)


@pytest.mark.parametrize("measure", one_in(2, MEASURES))
@given(a=runs, b=runs, qrels=judgments)
@settings(max_examples=8, deadline=None)
def test_a_change_is_that_of_an_evaluation_with_the_document_judged(
    measure: str, a: Table, b: Table, qrels: Table
) -> None:
    a["q0"] = b["q0"] = {"a": 1.0}  # both answer a query that is judged
    qrels["q0"] = {"a": 1.0}
    found = holes(measure, a, b, qrels)
    now = difference(measure, a, b, qrels)
    assert found.difference == pytest.approx(now, abs=1e-12)
    highest = max(grade for of in qrels.values() for grade in of.values())
    for hole in found.holes:
        more = {**qrels, hole.qid: {**qrels[hole.qid], hole.docno: highest}}
        assert hole.change == pytest.approx(difference(measure, a, b, more) - now, abs=1e-12)
    cutoff = parse(measure).cutoff
    if isinstance(cutoff, int) and "judged_only" not in measure and measure != "APseen@1":
        return
    listed = {(hole.qid, hole.docno) for hole in found.holes}
    for qid in qrels:
        for docno in {*a[qid], *b[qid]} - {d for d, g in qrels[qid].items() if g >= 0}:
            more = {**qrels, qid: {**qrels[qid], docno: highest}}
            moves = abs(difference(measure, a, b, more) - now) > 1e-9
            assert moves == ((qid, docno) in listed)


def test_holes_have_their_ranks_and_the_largest_change_comes_first() -> None:
    found = holes("P@2")
    assert found.holes == (
        Hole("q1", "u2", None, 1, 0.25),
        Hole("q1", "u1", 2, None, -0.25),
        Hole("q2", "u1", 1, None, -0.25),
    )
    assert (found.a, found.b, found.measure, found.queries, found.grade) == ("a", "b", "P@2", 2, 2)
    assert (found.difference, found.depth, found.unjudged) == (-0.25, 2, 3)


def test_a_document_that_is_only_in_the_pool_is_a_hole() -> None:
    assert Hole("q1", "p1", None, 3, pytest.approx(1 / 6)) in holes("P@3").holes


def test_a_document_that_changes_nothing_is_no_hole() -> None:
    same = {"q1": {"u1": 2.0, "d1": 1.0}}
    assert holes("P@2", same, same).holes == ()
    assert [hole.docno for hole in holes("P@2", {"q1": {"d1": 1.0}}, B).holes] == ["u2"]


def test_the_bounds_are_those_of_the_difference() -> None:
    found = holes("nDCG@2")
    runs = [Run.from_dict(run) for run in (A, B)]
    expected = difference_bounds(parse("nDCG@2"), *runs, Qrels.from_dict(QRELS), ("q1", "q2"))
    assert found.bounds is not None
    assert expected is not None
    assert (found.bounds.low, found.bounds.high) == (expected.low, expected.high)
    assert holes("AP").bounds is None


def test_without_a_cutoff_documents_are_judged_to_a_depth_of_one_run() -> None:
    long = {f"x{rank:03}": float(-rank) for rank in range(1, DEPTH + 3)}
    found = holes("RBP(p=0.99)", {"q1": {"d1": 2.0, "x102": 1.0}}, {"q1": long})
    ranks = {hole.docno: (hole.rank_a, hole.rank_b) for hole in found.holes}
    assert (ranks["x102"], ranks["x100"]) == ((2, 102), (None, 100))
    assert "x101" not in ranks
    assert (found.depth, found.unjudged) == (DEPTH, DEPTH + 2)


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        ("GMAP", "GMAP is no mean over queries"),
        ("NumRel", "NumRel is no mean over queries"),
        ("alpha_nDCG@5", "needs judgments by subtopic"),
    ],
)
def test_a_measure_that_a_judgment_can_not_move_alone_is_refused(measure: str, what: str) -> None:
    with pytest.raises(MeasureError, match=what):
        find_holes(loaded(A, B, QRELS, "AP"), measure, parse(measure))


def test_runs_that_can_not_be_compared_have_no_holes() -> None:
    with pytest.raises(DataError, match="share no judged query"):
        holes("AP", {"q2": {"d3": 1.0}}, {"q1": {"d1": 1.0}})
    with pytest.raises(DataError, match="there is an obstacle"):
        find_holes(LoadedRuns((), obstacle="there is an obstacle"), "AP", parse("AP"))
