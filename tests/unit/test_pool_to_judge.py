"""The documents to judge next: orders computed by hand, and how soon a difference is settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from compared_runs import difference_bounds

from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.unjudged.pool import ORDERS, Order, draw_pool, make_pool
from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.measures import parse

P2 = ("P@2", parse("P@2"))
Rankings = Mapping[str, Sequence[str]]


def run(rankings: Rankings) -> Run:
    scores = {
        qid: {docno: float(-rank) for rank, docno in enumerate(docnos)}
        for qid, docnos in rankings.items()
    }
    return Run.from_dict(scores)


def loaded(grades: Mapping[str, Mapping[str, float]], *runs: Rankings) -> LoadedRuns:
    named = {f"run{number}": run(of) for number, of in enumerate(runs)}
    return evaluate_given_runs(Qrels.from_dict(grades), named, {"P@2": P2[1]}, allow_disjoint=True)


FIRST = {"q2": ["d1", "d2", "d3"], "q10": ["d8", "d7"]}
SECOND = {"q2": ["d4", "d3", "d9"], "q10": ["d7", "d6"], "q1": ["d5"]}
THIRD = {"q2": ["d3", "d4"]}
GRADES = {"q2": {"d1": 1, "d4": -1}, "q10": {"d7": 0}}


def test_depth_is_the_union_by_best_rank_and_each_query_in_turn() -> None:
    """q2: d3 and d4 (rank 1), d2 (2); q10: d8 (1), d6 (2); q1, which nobody judged: d5."""
    pool = make_pool(loaded(GRADES, FIRST, SECOND, THIRD), 2)
    assert pool == [
        *(("q1", "d5"), ("q2", "d3"), ("q10", "d8")),
        *(("q2", "d4"), ("q10", "d6")),
        ("q2", "d2"),
    ]


@pytest.mark.parametrize("order", ["rbp", "rrf"])
def test_sums_of_weights_are_over_all_queries_and_any_order_of_the_runs(order: Order) -> None:
    """d3 and d4 have ranks 1 and 2, d5 and d8 rank 1, d2 and d6 rank 2."""
    expected = [
        *(("q2", "d3"), ("q2", "d4"), ("q1", "d5"), ("q10", "d8")),
        *(("q2", "d2"), ("q10", "d6")),
    ]
    assert make_pool(loaded(GRADES, FIRST, SECOND, THIRD), 2, order) == expected
    assert make_pool(loaded(GRADES, THIRD, SECOND, FIRST), 2, order) == expected


@pytest.mark.parametrize("order", ["depth", "rbp", "rrf"])
def test_a_budget_is_spread_over_the_queries_in_the_order(order: Order) -> None:
    of = loaded(GRADES, FIRST, SECOND, THIRD)
    every = make_pool(of, 2, order)
    three, five = (make_pool(of, 2, order, budget=number) for number in (3, 5))
    assert sorted(qid for qid, _ in three) == ["q1", "q10", "q2"]
    assert sorted(qid for qid, _ in five) == ["q1", "q10", "q10", "q2", "q2"]
    assert three == [document for document in every if document in three]
    assert five == [document for document in every if document in five]
    drawn = draw_pool(of, 2, order, budget=5)
    assert [(one.qid, one.docno) for one in drawn] == five


def test_a_pool_anew_has_the_judged_documents_too() -> None:
    pool = make_pool(loaded(GRADES, FIRST, SECOND, THIRD), 1, anew=True)
    assert sorted(pool) == [
        ("q1", "d5"),
        ("q10", "d7"),
        ("q10", "d8"),
        *(("q2", f"d{n}") for n in (1, 3, 4)),
    ]


def test_the_weights_of_rbp_depend_on_its_persistence() -> None:
    """a: rank 1 once; b: rank 2 in all three runs: 1 against 3 p."""
    runs = ({"q": ["a", "b"]}, {"q": ["x", "b"]}, {"q": ["y", "b"]})
    of = loaded({"q": {"x": 0, "y": 0}}, *runs)
    assert make_pool(of, 2, "rbp", p=0.3) == [("q", "a"), ("q", "b")]
    assert make_pool(of, 2, "rbp", p=0.4) == [("q", "b"), ("q", "a")]


def test_what_changes_no_difference_comes_last() -> None:
    """Both runs have d1 in their first two; d2 and d3 speak for one of them each."""
    of = loaded({"q": {"x": 1}}, {"q": ["d1", "d2", "d4"]}, {"q": ["d1", "d3"]})
    assert [docno for _, docno in make_pool(of, 3, "settle", measure=P2)] == [
        "d2",
        "d3",
        "d1",
        "d4",
    ]


def test_documents_of_settled_pairs_come_after_those_of_open_ones() -> None:
    """P@2: run0 has 1; run1 0 with one open document, run2 0 with two."""
    grades = {"q": {"a": 1, "b": 1, "x": 0}}
    of = loaded(grades, {"q": ["a", "b"]}, {"q": ["x", "e"]}, {"q": ["y", "z"]})
    assert [docno for _, docno in make_pool(of, 2, "settle", measure=P2)] == ["y", "z", "e"]


def test_documents_come_first_that_are_expected_to_be_as_the_expected_difference_needs() -> None:
    """a is ahead by w. Most of q1 is relevant, little of q2: so with d and f, b should lead.

    g speaks for b too, but is hardly relevant.
    """
    grades = {
        "q1": {**{f"r{n}": 1 for n in range(9)}, "n0": 0, "n1": 0},
        "q2": {"w": 1, **{f"n{n}": 0 for n in range(9)}},
    }
    a = {"q1": ["n0", "n1", "r0", "r1", "r2"], "q2": ["w", "n0", "n1", "n2", "n3"]}
    b = {"q1": ["d", "f", "r3", "r4", "r5"], "q2": ["g", "n4", "n5", "n6", "n7"]}
    pool = make_pool(loaded(grades, a, b), 5, "settle", measure=P2)
    assert [docno for _, docno in pool[2:]] == ["g"]


def judgments_until_settled(order: Order, depth: int, name: str) -> int:
    """The judgments that settle two runs of 60 queries, 30 % of whose judgments are masked."""
    draw, measure = np.random.default_rng(3), parse(name)
    grades: dict[str, dict[str, float]] = {}
    runs: list[dict[str, list[str]]] = [{}, {}]
    for qid in map(str, range(60)):
        relevant = int(draw.integers(5, 80))
        grade = np.append(draw.choice([1, 2], relevant, p=[0.75, 0.25]), np.zeros(300 - relevant))
        for own, skill in zip(runs, (1.0, 1.45), strict=True):
            ranked = np.argsort(-(grade * skill + draw.normal(size=300)))[:50]
            own[qid] = [f"d{number}" for number in ranked.tolist()]
        pooled = {docno for own in runs for docno in own[qid]}
        grades[qid] = {docno: float(grade[int(docno[1:])]) for docno in sorted(pooled)}
    masked = {
        qid: {docno: grade for docno, grade in of.items() if draw.random() > 0.3}
        for qid, of in grades.items()
    }
    of_runs = {name: run(of) for name, of in zip("ab", runs, strict=True)}
    of = evaluate_given_runs(Qrels.from_dict(masked), of_runs, {name: measure})
    pool = make_pool(of, depth, order, measure=(name, measure))

    def is_settled(judged: int) -> bool:
        known = {qid: dict(of) for qid, of in masked.items()}
        for qid, docno in pool[:judged]:
            known[qid][docno] = grades[qid][docno]
        two = (of_runs["a"], of_runs["b"])
        bounds = difference_bounds(measure, *two, Qrels.from_dict(known), sorted(known))
        return bounds is not None and (bounds.low > 0 or bounds.high < 0)

    low, high = 0, len(pool)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_settled(middle) else (middle + 1, high)
    assert is_settled(low)
    return low


@pytest.mark.parametrize("name", ["nDCG", "P@10"])
def test_settle_takes_half_of_the_judgments_of_depth(name: str) -> None:
    settle, depth = (judgments_until_settled(order, 50, name) for order in ("settle", "depth"))
    assert settle <= depth / 2


LONG = {qid: [f"{qid}-{n}" for n in range(1, 31)] for qid in ("q1", "q2")}
LONG_GRADES = {"q1": {"q1-1": 1, "q1-12": 0}, "q2": {"q2-2": 1}}


def test_a_sample_draws_the_share_of_each_stratum_of_a_query_and_knows_the_chances() -> None:
    """Unjudged at 1 to 10, 11 to 20 and 21 to 25: 9, 9 and 5 in q1; 9, 10 and 5 in q2."""
    of = loaded(LONG_GRADES, LONG)
    drawn = draw_pool(of, 30, strata=[(10, 1.0), (20, 0.3), (25, 0.01)], seed=4)
    chances = {(one.qid, one.stratum): one.probability for one in drawn}
    assert chances == {
        **{("q1", "1-10"): 1, ("q1", "11-20"): 3 / 9, ("q1", "21-25"): 1 / 5},
        **{("q2", "1-10"): 1, ("q2", "11-20"): 3 / 10, ("q2", "21-25"): 1 / 5},
    }
    assert all(int(one.docno[3:]) <= 25 for one in drawn)
    # Horvitz and Thompson's estimate of the number of documents is exact in each stratum.
    assert sum(1 / one.probability for one in drawn if one.probability) == pytest.approx(47)


def test_what_is_not_drawn_can_be_listed_with_a_probability_of_0() -> None:
    of, strata = loaded(LONG_GRADES, LONG), [(10, 1.0), (20, 0.3), (25, 0.01)]
    every = draw_pool(of, 30, strata=strata, undrawn=True)
    assert [one for one in every if one.probability] == draw_pool(of, 30, strata=strata)
    assert [one[:2] for one in every] == make_pool(of, 25)
    rest = Counter((one.qid, one.stratum) for one in every if one.probability == 0)
    assert rest == {
        **{("q1", "11-20"): 6, ("q1", "21-25"): 4},
        **{("q2", "11-20"): 7, ("q2", "21-25"): 4},
    }


def test_every_document_of_a_stratum_is_drawn_with_its_probability() -> None:
    of, draws = loaded(LONG_GRADES, LONG), 400
    drawn = [draw_pool(of, 20, strata=[(10, 0.3)], seed=seed) for seed in range(draws)]
    counts = Counter(one.docno for seed in drawn for one in seed if one.qid == "q1")
    # 9 documents, 3 of them drawn; 4 standard deviations.
    assert len(counts) == 9
    assert all(abs(count - draws / 3) < 4 * (draws * 2 / 9) ** 0.5 for count in counts.values())


def test_a_sample_does_not_depend_on_the_order_and_a_seed_shuffles() -> None:
    of, strata = loaded(LONG_GRADES, LONG), [(30, 0.5)]
    by_depth, by_sum = (draw_pool(of, 30, order, strata=strata) for order in ("depth", "rrf"))
    assert sorted(by_depth) == sorted(by_sum)
    assert [pair[:2] for pair in by_depth] == [
        pair for pair in make_pool(of, 30) if pair in {one[:2] for one in by_depth}
    ]
    shuffled = [pair[:2] for pair in draw_pool(of, 30, budget=20, seed=1)]
    assert shuffled != make_pool(of, 30)[:20]
    assert sorted(shuffled) == sorted(make_pool(of, 30)[:20])
    assert draw_pool(of, 30, seed=2) == draw_pool(of, 30, seed=2) != draw_pool(of, 30, seed=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strata": [(10, 0.5), (10, 1)]}, "got 10 after 10"),
        ({"strata": [(0, 0.5)]}, "ascend from 1"),
        ({"strata": [(5, 1.5)]}, "above 0 and at most 1; got 1.5"),
        ({"strata": [(5, 0.5)], "budget": 3}, "cut the sample"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"seed": -1}, "seed must not be negative"),
        ({"order": "rpb"}, "there is no order 'rpb'; did you mean 'rbp'?"),
    ],
)
def test_what_is_no_sample(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        draw_pool(loaded(LONG_GRADES, LONG), 30, **arguments)


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_is_left_where_all_is_judged(order: Order) -> None:
    of = loaded({"q": {"d1": 1, "d2": 0}}, {"q": ["d1"]}, {"q": ["d2"]})
    assert make_pool(of, 5, order, measure=P2) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": 0}, "depth must be at least 1"),
        ({"p": 1.0}, "p must lie between 0 and 1"),
        ({"order": "settle"}, "name the measure"),
        ({"order": "settle", "measure": P2}, "two runs or more"),
    ],
)
def test_what_makes_no_pool(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make_pool(loaded(GRADES, FIRST), **{"depth": 3, **arguments})
