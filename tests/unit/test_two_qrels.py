"""Two qrels compared: judgments counted by hand, and the leaderboards of runs under both."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalstore.comparison.loading import evaluate_given_runs
from evalstore.comparison.qrels.agreement import AgreementSettings, judgment_agreement
from evalstore.comparison.qrels.compared import ComparedQrels, compare_given_qrels
from evalstore.comparison.qrels.documents import NOT_JUDGED, judged_documents
from evalstore.comparison.qrels.leaderboards import compare_leaderboards
from evalstore.comparison.qrels.repeats import judgment_repeats, repeats_of_given_qrels
from evalstore.errors import DataError, MeasureError
from evalstore.formats import Qrels, Run
from evalstore.measures import parse

A = Qrels.from_dict({"q1": {"d1": 2, "d2": 0, "d3": -1, "d4": 1}, "q2": {"d1": 1, "d5": 0}})
B = Qrels.from_dict({"q1": {"d1": 1, "d2": 0, "d3": 2, "d9": 3}, "q3": {"d1": 1, "d4": -2}})
# Judged in both: q1 d1 (2, 1) and q1 d2 (0, 0). In A alone: q1 d4, q2 d1, q2 d5. In B alone: q1 d3,
# q1 d9, q3 d1.


def test_a_negative_grade_is_not_judged_and_counts_are_of_query_and_document() -> None:
    of = judgment_agreement(A, B)
    assert (of.both, of.only_a, of.only_b) == (2, 3, 3)
    assert of.grade_numbers == [0, 1, 2, 3]
    assert of.table.tolist() == [
        [1, 0, 0, 0, 1],
        [0, 0, 0, 0, 2],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 1, 1, 1, 0],
    ]
    assert (of.stricter, of.milder) == (1, 0)


def test_the_documents_behind_a_cell_are_by_query_with_both_grades() -> None:
    of = judged_documents(A, B)
    assert [row[:2] for row in of.rows()] == [
        *(("q1", "d1"), ("q1", "d2"), ("q1", "d3"), ("q1", "d4"), ("q1", "d9")),
        *(("q2", "d1"), ("q2", "d5"), ("q3", "d1")),
    ]
    assert of.with_grades(1, NOT_JUDGED).rows() == [("q1", "d4", 1, None), ("q2", "d1", 1, None)]
    assert of.with_grades(2, 1).rows() == [("q1", "d1", 2, 1)]
    assert of.with_grades(NOT_JUDGED, 1).first(1).rows() == [("q3", "d1", None, 1)]
    assert of.with_grades(3, 3).rows() == []


def test_figures_by_hand() -> None:
    """By chance the grades 0, 2 of A and 0, 1 of B agree on 1/4. Relevant in both: d1 of 6."""
    of = judgment_agreement(A, B)
    assert of.figures["agreement"] == 0.5
    assert of.figures["kappa"] == pytest.approx((0.5 - 0.25) / 0.75)
    assert of.figures["kappa_binary"] == 1
    assert of.figures["bias"] == -0.5
    assert of.figures["relevant_overlap"] == pytest.approx(1 / 6)
    assert of.figures["relevant_overlap_both"] == 1  # the other five are judged in one alone
    strict = judgment_agreement(A, B, AgreementSettings(level=2)).figures
    assert strict["relevant_overlap"] == strict["relevant_overlap_both"] == 0
    assert strict["kappa_binary"] == 0


def test_figures_of_grades_and_queries() -> None:
    of = judgment_agreement(A, B)
    first, second, third = of.queries()
    assert list(first.values()) == ["q1", 2, 1, 2, 0.5, pytest.approx(1 / 3), 1, -0.5, 0.25]
    assert list(second.values()) == ["q2", 0, 2, 0, None, None, None, None, 0]
    assert list(third.values()) == ["q3", 0, 0, 1, None, None, None, None, 0]
    rows = [list(row.values()) for row in of.by_grade()]
    assert rows == [
        [0, 1, 1, 1, 1, 0, 1, 0],
        [1, 0, 1, 0, 0, None, 2, 1],
        [2, 1, 0, 0, 0, -1, 0, 1],
        [3, 0, 0, 0, None, None, 0, 1],
    ]


def test_one_query_judged_in_both_gives_no_interval_and_a_seed_repeats_one() -> None:
    assert math.isnan(judgment_agreement(A, B).intervals["kappa"].low)
    more = Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d5": 0}})
    first, again = (judgment_agreement(A, more).intervals for _ in range(2))
    assert first == again
    assert first["agreement"] == (0.5, 0.5)


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ({"q1": {"d7": 1}}, "a and b share 1 query and no judged document"),
        ({"q1": {"d1": -1}, "q2": {"d8": 1}}, "a and b share 2 queries and no judged document"),
        ({"q7": {"d1": 1}}, "a and b share no query and no judged document"),
        ({"q1": {f"d{n}": n / 7 for n in range(1, 150)}}, "different grades, of 100 at most"),
    ],
)
def test_what_can_not_be_compared(grades: dict[str, dict[str, float]], message: str) -> None:
    a = Qrels.from_dict(A.to_dict(), name="a")
    with pytest.raises(DataError, match=message):
        judgment_agreement(a, Qrels.from_dict(grades, name="b"))
    for level in (0, math.inf):
        with pytest.raises(DataError, match="level must be above 0"):
            AgreementSettings(level=level)


# Leaderboards: of 20 queries, each with the documents g (relevant under both), x and y

QIDS = [f"q{n}" for n in range(20)]


def qrels(x: int, y: int) -> Qrels:
    return Qrels.from_dict({qid: {"g": 1, "x": x, "y": y} for qid in QIDS})


def run(*first: str) -> Run:
    """A run with the n-th of the given documents first, query by query."""
    return Run.from_dict({qid: {first[n % len(first)]: 1.0} for n, qid in enumerate(QIDS)})


def compared(x: int, y: int, **runs: Run) -> ComparedQrels:
    return compare_given_qrels(qrels(1, 0), qrels(x, y), runs, "P@1", parse("P@1"))


RUNS = {
    "good": run("g"),
    "of_x": run("x", "x", "x", "x", "z"),
    "of_y": run("y", "y", "y", "y", "z"),
}
# P@1 under A (x relevant): good 1, of_x 0.8, of_y 0. Shown: of_x and of_y against each other, and
# good against of_y; good and of_x differ on 4 queries only.


def test_the_largest_drop_may_be_of_several_runs() -> None:
    # P@1 under a 1, 1, 1/2; under b 0, 0, 1/2.
    falling = {"one": run("x"), "two": run("x"), "three": run("x"), "half": run("g", "z")}
    words = {}
    for names in (("one", "half"), ("one", "two", "half"), tuple(falling)):
        of = compared(0, 0, **{name: falling[name] for name in names}).leaderboards
        assert of is not None
        words[len(names)] = [run.run for run in of.largest_drops], of.drop_words
    assert words == {
        2: (["one"], "from rank 1 to 2"),
        3: (["one", "two"], "from rank 1 to 2 (1 more loses as many)"),
        4: (["one", "three", "two"], "from rank 1 to 2 (2 more lose as many)"),
    }


def test_claims_that_turn_stay_and_come_anew() -> None:
    of = compared(0, 1, **RUNS).leaderboards
    assert of is not None
    assert [(c.under_a.a, c.under_a.b, c.change) for c in of.claims or ()] == [
        ("good", "of_x", "new"),
        ("good", "of_y", "lost"),
        ("of_x", "of_y", "turned"),
    ]
    assert of.counts == {"kept": 0, "lost": 1, "new": 1, "turned": 1}
    assert of.largest_drop is not None
    assert (of.largest_drop.run, of.largest_drop.rank_after) == ("of_x", 3)
    assert of.changes.kendall_tau_b == pytest.approx(1 / 3)
    assert of.rbo == pytest.approx(0.1 * (1 + 0.9 / 2) + 0.9**2)  # depths 1 and 2, then agreement


def test_the_queries_that_change_the_runs_unequally_are_named_with_their_part() -> None:
    # P@1: q1 stays, q2 turns, q3 is lost by both alike, q4 is lost by x alone: 1 of 2 + 1.
    runs = {
        name: Run.from_dict({f"q{q}": {docno: 1.0} for q, docno in enumerate(docnos, 1)})
        for name, docnos in {"x": "gxgx", "y": "gyyy"}.items()
    }
    a = {"q1": {"g": 1}, "q2": {"x": 1, "y": 0}, "q3": {"g": 1, "y": 1}, "q4": {"x": 1, "y": 0}}
    b = {"q1": {"g": 1}, "q2": {"x": 0, "y": 1}, "q3": {"g": 0, "y": 0, "z": 1}}
    b["q4"] = {"x": 0, "y": 0, "z": 1}
    found = compare_given_qrels(Qrels.from_dict(a), Qrels.from_dict(b), runs, "P@1", parse("P@1"))
    of = found.leaderboards
    assert of is not None
    assert [(one.query, one.share, one.a, one.b) for one in of.queries] == [
        ("q2", pytest.approx(2 / 3), 0.5, 0.5),
        ("q4", pytest.approx(1 / 3), 0.5, 0.0),
    ]
    assert [one.query for one in of.most_of_it] == ["q2"]
    assert compared(1, 0, **RUNS).leaderboards.queries == ()  # type: ignore[union-attr]


def test_an_order_of_equal_runs_is_said_to_be_none() -> None:
    of = compared(0, 0, of_x=run("x"), of_y=run("y")).leaderboards
    assert of is not None
    assert np.isnan(of.changes.kendall_tau_b)
    assert "all runs are equal under b: tau-AP and RBO follow from their names" in of.notes
    assert not any("under a" in note for note in of.notes)


def test_runs_without_a_figure_are_left_out_also_if_these_are_all() -> None:
    """MAE is over ratings, of which a run may have none."""
    runs = {"none": run("u"), "v": run("v"), "g": run("g")}
    for left, names in ((runs, ["g"]), ({name: runs[name] for name in ("none", "v")}, [])):
        of = compare_given_qrels(qrels(1, 0), qrels(1, 0), left, "MAE", parse("MAE"))
        assert of.leaderboards is not None
        figures = of.leaderboards.to_dict()
        assert [row["run"] for row in figures["runs"]] == names  # type: ignore[attr-defined]
        assert figures["largest_drop"] is None
        repeats = repeats_of_given_qrels([qrels(1, 0)] * 2, left, "MAE", parse("MAE"))
        assert [one.run for one in repeats.runs] == names


def test_the_sentence_says_what_may_be_concluded() -> None:
    turned = compared(0, 1, **RUNS).sentence
    assert turned.startswith(
        "Conclusions depend on the judgments: 3 differences on P@1 are shown, 1 by a alone, 1 by "
        "b alone, 1 by both in opposite directions. 33 % of the 60 documents that both judged have "
        "the same grade"
    )
    assert compared(1, 0, **RUNS).sentence == (
        "Both lead to the same conclusions on P@1: each shows the same 2 differences. All 60 "
        "documents that both judged have the same grade."
    )
    same = compared(0, 1, one=run("g"), two=run("g")).sentence
    assert same.startswith("Neither a nor b shows a difference between these runs on P@1. ")
    added = compared(0, 0, good=run("g"), half=run("g", "x")).sentence
    assert added.startswith(
        "Conclusions depend on the judgments: the one difference on P@1 is shown by b alone. "
    )
    assert compared(1, 0).leaderboards is None


def test_the_sentence_rounds_no_disagreement_away_and_no_kappa_of_one_grade() -> None:
    one = {"q1": {f"d{number}": 1 for number in range(500)}}
    other = {"q1": {**one["q1"], "d0": 0, "more": 1}}
    assert compare_given_qrels(
        Qrels.from_dict(one), Qrels.from_dict(other), {}, "AP", parse("AP")
    ).sentence == (
        "99.8 % of the 500 documents that both judged have the same grade, and neither is "
        "stricter on average; b judges 1 more."
    )


def test_a_qrels_of_few_judgments_is_said_to_be_one_first() -> None:
    few = Qrels.from_dict({qid: {"g": 1} for qid in QIDS})
    for pair, less, more in (((qrels(1, 0), few), "b", "a"), ((few, qrels(1, 0)), "a", "b")):
        said = compare_given_qrels(*pair, RUNS, "P@1", parse("P@1")).sentence
        start = f"{less} judges 33 % of what {more} does; conclusions depend on the judgments: "
        assert said.startswith(start)
        assert "; none turns the other way. " in said


def test_with_a_baseline_only_its_pairs_count() -> None:
    both = qrels(1, 0), qrels(0, 1)
    of = compare_given_qrels(*both, RUNS, "P@1", parse("P@1"), baseline="of_y").leaderboards
    assert of is not None
    assert (of.baseline, [c.change for c in of.claims or ()]) == ("of_y", ["lost", "turned"])
    with pytest.raises(DataError, match="no run is called 'of_z'; did you mean 'of_"):
        compare_given_qrels(*both, RUNS, "P@1", parse("P@1"), baseline="of_z")


def test_runs_that_have_no_leaderboard() -> None:
    with pytest.raises(DataError, match="two runs or more"):
        compared(0, 1, one=run("g"))
    of_run = parse("ItemCoverage")
    loaded = evaluate_given_runs(qrels(1, 0), RUNS, {})
    with pytest.raises(MeasureError, match="on which no difference is tested"):
        compare_leaderboards(loaded, loaded, "ItemCoverage", of_run)


def test_a_favoured_family_is_named_and_runs_without_one_are_among_the_others() -> None:
    """Eight queries; b gives the documents of ours one grade more than a does."""
    qids = [f"q{number}" for number in range(8)]
    runs = {
        name: Run.from_dict({qid: {docno: 2 - rank for rank, docno in enumerate(docnos)}
                             for qid in qids})
        for name, docnos in {"ours": "xz", "other": "yz", "third": "yz"}.items()
    }  # fmt: skip
    a = Qrels.from_dict({qid: {"x": 1, "y": 1, "z": 0} for qid in qids})
    b = Qrels.from_dict({qid: {"x": 2, "y": 1, "z": n % 2} for n, qid in enumerate(qids)})
    stated = {"ours": "gpt", "other": "llama"}
    of = compare_given_qrels(a, b, runs, "P@1", parse("P@1"), families=stated)
    gpt, llama = of.family_rows()
    # Of grade 1, b gives 2 to a third of the entries: 4/3. z is the same for all: 1/2 of 2/3, -1/3.
    assert gpt["favour"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (gpt["family"], gpt["runs"], gpt["documents"], gpt["bias"]) == ("gpt", 1, 16, 0.75)
    assert gpt["favoured"] == "yes"
    assert llama["favoured"] == "no"
    assert "b favours the runs of the family gpt, by 0.50 grades" in of.sentence
    back = compare_given_qrels(b, a, runs, "P@1", parse("P@1"), families={"ours": "gpt"})
    # Of grade 1, z of four queries has 0 and y of eight has 1: -3/7 on the mean. Ours: -1/7, the
    # others 1/14.
    assert "b gives the runs of the family gpt less, by 0.21 grades" in back.sentence
    assert back.family_rows()[0]["favoured"] == "no"
    for none in ({}, dict.fromkeys(runs, "gpt")):
        assert not compare_given_qrels(a, b, runs, "P@1", parse("P@1"), families=none).family_rows()


def test_repeats_by_hand() -> None:
    """q1 d1 has 2, 1, 1 (variance 1/3), d2 0, 0, 1 (1/3), q2 d1 1, 1, 1 (0); two are not in all."""
    grades = [(2, 0, 1, 0), (1, 0, 1, None), (1, 1, 1, -1)]
    qrels = [
        Qrels.from_dict(
            {
                "q1": {"d1": one, "d2": two},
                "q2": {"d1": three, **({} if last is None else {"d2": last})},
            },
            name=f"r{number}",
        )
        for number, (one, two, three, last) in enumerate(grades, 1)
    ]
    of = judgment_repeats(qrels)
    assert (of.documents, of.partly, of.turned) == (3, 1, 1)
    assert of.same == pytest.approx(1 / 3)
    assert of.agreement == pytest.approx((2 / 3 + 1 / 3 + 2 / 3) / 3)
    assert of.variance == pytest.approx(2 / 9)
    assert judgment_repeats(qrels, level=2).turned == 1
    with pytest.raises(DataError, match="level must be above 0; got nan"):
        judgment_repeats(qrels, level=math.nan)
    for few, message in (
        (qrels[:1], "two qrels or more"),
        ([A, Qrels.from_dict({"q9": {"d1": 1}})], "judged in all of qrels, qrels"),
    ):
        with pytest.raises(DataError, match=message):
            judgment_repeats(few)


def test_repeats_count_how_often_a_difference_is_shown_and_the_spread_of_figures() -> None:
    qids = [f"q{number}" for number in range(9)]
    runs = {
        name: Run.from_dict({qid: {docno: 1.0} for qid in qids}) for name, docno in ("ax", "by")
    }
    first = Qrels.from_dict({qid: {"x": 1, "y": 0} for qid in qids}, name="r1")
    second = Qrels.from_dict(
        {qid: {"x": int(n % 2), "y": int(n == 2)} for n, qid in enumerate(qids)}, name="r2"
    )
    of = repeats_of_given_qrels([first, second], runs, "P@1", parse("P@1"))
    a, b = of.runs
    assert (a.run, a.low, a.high, a.mean) == ("a", 4 / 9, 1, pytest.approx(13 / 18))
    assert a.sd == pytest.approx((5 / 9) / 2**0.5)
    assert (b.best_rank, b.worst_rank) == (2, 2)
    [claim] = of.claims or ()
    assert (claim.baseline, claim.run) == ("a", "b")
    assert (claim.higher, claim.lower, claim.undecided) == (0, 1, 1)
    assert "of 1 differences on P@1 that any shows, 0 are shown by all" in of.sentence
    assert of.notes == ()
    few = Qrels.from_dict({qid: {"x": 1} for qid in qids[:7]}, name="r3")
    of = repeats_of_given_qrels([first, few], runs, "P@1", parse("P@1"))
    assert of.notes == ("the figures are over different queries: 2 are not judged in all",)
    with pytest.raises(DataError, match="no run is called 'c'"):
        repeats_of_given_qrels([first, second], runs, "P@1", parse("P@1"), baseline="c")
