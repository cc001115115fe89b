"""Matching a run with a qrels: order, options, and what only some measures need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from measure_samples import overall, qrels_of, run_of, values

from evalstore.errors import Disjoint, MeasureError
from evalstore.formats import read_subtopic_qrels
from evalstore.measures.join import Extras, check_shared_queries, match

QRELS = qrels_of(
    {
        "1": {"a": 1, "b": 0, "c": 2, "x": -1},
        "10": {"a": 1},
        "9": {"a": 0, "b": -2},
        "none": {"a": -1},
    }
)
RUN = run_of(
    {
        "1": {"b": 5.0, "z": 4.0, "x": 3.0, "a": 2.0, "c": 1.0},
        "10": {"b": 1.0, "a": 0.5},
        "other": {"a": 1.0},
    }
)


def test_every_query_of_the_qrels_counts_in_the_order_of_bytes() -> None:
    judged = match(RUN, QRELS)
    assert judged.qids == ("1", "10", "9", "none")
    assert judged.retrieved.tolist() == [5, 2, 0, 0]
    assert judged.answered.tolist() == [True, True, False, False]
    assert values(judged, "RR") == [0.25, 0.5, 0.0, 0.0]
    assert values(judged, "nDCG@5")[2:] == [0.0, 0.0]  # nothing relevant; negative grades alone


def test_what_a_run_and_a_qrels_do_not_share_is_said() -> None:
    (warning,) = check_shared_queries(RUN, QRELS)
    assert warning.endswith("1 of 3 queries have no judgments and count nowhere: 'other'")
    (warning,) = check_shared_queries(run_of({"1": {"b": 1.0}}), QRELS)
    assert warning.endswith(
        "only 1 of the 4 judged queries are answered; the others count as empty rankings"
    )
    assert check_shared_queries(run_of({"1": {"b": 1.0}, "9": {"b": 1.0}}), QRELS) == ()


def test_a_run_that_shares_no_query_with_the_qrels_is_refused_unless_allowed() -> None:
    other = run_of({"other": {"a": 1.0}})
    with pytest.raises(Disjoint, match=r"none of its queries \(1\) is in the qrels"):
        check_shared_queries(other, QRELS)
    (warning,) = check_shared_queries(other, QRELS, allow_disjoint=True)
    assert warning.endswith("every ranking counts as empty")


def test_common_queries_alone() -> None:
    judged = match(RUN, QRELS, common=True)
    assert judged.qids == ("1", "10")
    assert overall(judged, "RR") == 0.375


def test_depth_cuts_before_unjudged_documents_go() -> None:
    assert values(match(RUN, QRELS, depth=4), "NumRet")[:2] == [4, 2]
    assert values(match(RUN, QRELS, depth=4), "NumRelRet")[:2] == [1, 1]
    # b z x a c: without z and x (in the pool, not judged), a stands at rank 2 and c at 3.
    condensed = match(RUN, QRELS, judged_only=True)
    assert values(condensed, "NumRet") == [3, 1, 0, 0]
    assert values(condensed, "AP")[0] == pytest.approx((1 / 2 + 2 / 3) / 2)
    both = match(RUN, QRELS, depth=4, judged_only=True)
    assert values(both, "AP")[0] == pytest.approx(1 / 2 / 2)
    assert values(match(RUN, QRELS), "AP(judged_only=True)") == values(condensed, "AP")


def test_equal_scores_are_ordered_by_docno_descending() -> None:
    run = run_of({"1": {"a": 1.0, "c": 1.0, "\u00e9": 1.0, "Z": 1.0, "9": 1.0}})
    judged = match(run, QRELS)
    assert judged.rank[judged.query == 0].tolist() == [2, 3]  # é c a Z 9


def test_scores_of_trec_eval_9_tie_after_seven_digits() -> None:
    run = run_of({"10": {"a": 1.00000001, "b": 1.0}})
    assert values(match(run, QRELS), "RR")[1] == 1.0
    assert values(match(run, QRELS, compat="trec_eval-10"), "RR")[1] == 1.0
    assert values(match(run, QRELS, compat="trec_eval-9"), "RR")[1] == 0.5


def test_known_documents() -> None:
    known = {"1": ["c", "never heard of"], "10": {"b"}}
    judged = match(RUN, QRELS, extras=Extras(known=known))
    assert values(judged, "CoverageRatio") == [1.0, 0.0, 0.0, 0.0]
    assert values(judged, "NoveltyRatio") == [0.5, 1.0, 0.0, 0.0]
    # The other users knew nothing that is judged: their queries are left out.
    assert overall(judged, "CoverageRatio") == 1.0
    assert overall(judged, "NoveltyRatio") == 0.5
    assert values(match(RUN, QRELS, depth=4, extras=Extras(known=known)), "CoverageRatio")[0] == 0


def test_the_collection() -> None:
    # a b c x z over queries 1 and 10; what the run has for `other` is not evaluated.
    judged = match(RUN, QRELS, extras=Extras(collection_size=10))
    assert overall(judged, "ItemCoverage") == 0.5
    cut = match(RUN, QRELS, depth=1, extras=Extras(collection_size=10))
    assert overall(cut, "ItemCoverage") == 0.1
    assert values(judged, "Accuracy")[0] == 0.7
    with pytest.raises(MeasureError, match="retrieves 5"):
        match(RUN, QRELS, extras=Extras(collection_size=4))


def test_times_and_sizes() -> None:
    extras = Extras(times={"1": 10.0, "9": 30.0, "other": 1e9}, index_bytes=7)
    judged = match(RUN, QRELS, extras=extras)
    assert values(judged, "ResponseTime") == [10.0, 0.0, 30.0, 0.0]
    assert overall(judged, "ResponseTime") == 20.0
    assert overall(judged, "IndexSize") == 7.0
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(MeasureError, match="time"):
            match(RUN, QRELS, extras=Extras(times={"1": wrong}))
    with pytest.raises(MeasureError, match="bytes"):
        match(RUN, QRELS, extras=Extras(index_bytes=-1))


def test_costs_are_shared_by_all_queries_of_the_run_judged_or_not() -> None:
    extras = Extras(memory_bytes=7, money=float(len(RUN.qids)), currency="EUR", energy_joules=0.0)
    judged = match(RUN, QRELS, extras=extras)
    assert set(RUN.qids) - set(QRELS.qids)
    assert overall(judged, "PeakMemory") == 7.0
    assert overall(judged, "CostPerQuery(currency='EUR')") == 1.0
    assert overall(judged, "EnergyPerQuery") == 0.0


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        (Extras(memory_bytes=-1), "an engine can't use -1 bytes of memory"),
        (Extras(money=-1.0, currency="EUR"), "the money of a run can't be -1.0"),
        (Extras(money=1.0), "an amount with its currency"),
        (Extras(energy_joules=float("inf")), "the energy of a run can't be inf"),
    ],
)
def test_costs_that_can_not_be_are_refused(extras: Extras, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        match(RUN, QRELS, extras=extras)


def test_a_depth_keeps_documents_that_only_subtopics_judge(tmp_path: Path) -> None:
    """z at rank 2 is relevant to the one subtopic and is not in the qrels."""
    (tmp_path / "subtopics").write_text("1 x z 1\n")
    given = read_subtopic_qrels(str(tmp_path / "subtopics"))
    for depth, expected in [(2, 1 / 2), (1, 0.0)]:
        judged = match(RUN, QRELS, depth=depth, extras=Extras(subtopics=given))
        assert values(judged, "AP_IA")[0] == expected


def test_subtopics(tmp_path: Path) -> None:
    lines = [
        "1 x a 1",
        "1 y c 1",
        "1 x c 1",
        "1 y b 0",
        "1 y missed 1",
        "10 x a 1",
        "nowhere x a 1",
    ]
    (tmp_path / "subtopics").write_text("\n".join(lines))
    given = read_subtopic_qrels(str(tmp_path / "subtopics"))
    judged = match(RUN, QRELS, extras=Extras(subtopics=given))
    # Ranks: a 4, c 5 in query 1; a 2 in query 10.
    assert values(judged, "P_IA@5") == pytest.approx([3 / 10, 1 / 5, 0, 0])
    assert values(judged, "StRecall@4") == [0.5, 1.0, 0.0, 0.0]
    assert values(judged, "AP_IA") == pytest.approx(
        [((1 / 4 + 2 / 5) / 2 + (1 / 5) / 2) / 2, 1 / 2, 0, 0]
    )
    cut = match(RUN, QRELS, depth=4, extras=Extras(subtopics=given))
    assert values(cut, "P_IA@5") == pytest.approx([1 / 10, 1 / 5, 0, 0])
    condensed = match(RUN, QRELS, judged_only=True, extras=Extras(subtopics=given))
    assert values(condensed, "StRecall@2") == [0.5, 1.0, 0.0, 0.0]


def test_two_documents_with_one_key_are_told_apart_by_their_ids() -> None:
    qrels = replace(QRELS, read_keys=RUN.keys[:1].repeat(len(QRELS.keys)))
    assert match(RUN, qrels).rank.tolist() in ([], [1])


def test_an_empty_qrels_judges_nothing() -> None:
    empty = qrels_of({})
    judged = match(RUN, empty)
    assert len(judged) == 0
    assert overall(judged, "AP") == 0.0
