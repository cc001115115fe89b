"""Runs whose group is left out of the pool: unique relevant documents and values by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.qrels.reuse import LeftOut, leave_one_out, leave_one_out_given
from evalstore.errors import DataError, MeasureError
from evalstore.formats import Qrels, Run
from evalstore.measures import parse

QRELS = Qrels.from_dict({"q1": {"d1": 1, "d2": 2, "d3": 1, "d4": 0}, "q2": {"d5": 1, "d6": -1}})
RANKINGS = {
    "a1": {"q1": ["d1", "d2", "d4"]},
    "a2": {"q1": ["d2", "d1"], "q2": ["d5"]},
    "b": {"q1": ["d1", "d3"], "q2": ["d5", "d2"]},
}
RUNS = {
    name: Run.from_dict(
        {qid: {d: -float(n) for n, d in enumerate(of)} for qid, of in run.items()}, tag=name[0]
    )
    for name, run in RANKINGS.items()
}
P2 = parse("P@2")
GROUPS = ("a", "a", "b")


def loaded() -> LoadedRuns:
    return evaluate_given_runs(QRELS, RUNS, {"P@2": P2})


def test_a_group_loses_what_it_alone_found() -> None:
    """Only a has d2 of q1, only b has d3; d2 is not judged for q2.

    P@2 before: a1 (1, 0), a2 and b (1, 1/2). Without d2: a1 (1/2, 0), a2 (1/2, 1/2), b as before.
    Without d3: b (1/2, 1/2), the others as before.
    """
    found = leave_one_out(loaded(), "P@2", P2, GROUPS, depth=2)
    assert found.runs == (
        LeftOut("a2", "a", 1, 0.75, 0.5, 1, 2),
        LeftOut("b", "b", 1, 0.75, 0.5, 1, 2),
        LeftOut("a1", "a", 1, 0.5, 0.25, 3, 3),
    )
    assert found.largest_drop == found.runs[0]
    assert (found.groups, found.judgments, found.relevant, found.unique) == (2, 5, 4, 2)
    assert found.judgments_per_relevant == 1.25
    assert found.kendall_tau_b == 1
    assert found.sentence == (
        "2 of 4 relevant documents were found by one group alone in its first 2 ranks; without "
        "them the largest drop is that of a2, from rank 1 to 2, and P@2 changes by -0.2500 at "
        "most (a2)"
    )


def test_what_is_below_the_pool_or_the_level_is_not_unique() -> None:
    """In the first place of a run are d1, d2 (a) and d5 alone; of grade 2 is d2 alone."""
    top = leave_one_out(loaded(), "P@2", P2, GROUPS, depth=1)
    assert [(of.run, of.unique, of.rank_after) for of in top.runs] == [
        *(("a2", 1, 2), ("b", 0, 1), ("a1", 1, 3)),
    ]
    strict = leave_one_out(loaded(), "P@2", P2, GROUPS, level=2)
    assert (strict.relevant, strict.unique, strict.judgments_per_relevant) == (1, 1, 5)
    none = leave_one_out(loaded(), "P@2", P2, GROUPS, level=3)
    assert none.largest_drop is None
    assert none.to_dict()["judgments_per_relevant"] is None
    assert [of.difference for of in none.runs] == [0, 0, 0]


def test_the_values_are_those_under_judgments_without_the_documents() -> None:
    """The ideal ranking of nDCG loses them too."""
    ndcg = parse("nDCG")
    of = evaluate_given_runs(QRELS, RUNS, {"nDCG": ndcg})
    after = {run.run: run.after for run in leave_one_out(of, "nDCG", ndcg, GROUPS).runs}
    grades = QRELS.to_dict()
    for group, docno in (("a", "d2"), ("b", "d3")):
        rest = {d: g for d, g in grades["q1"].items() if d != docno}
        again = evaluate_given_runs(Qrels.from_dict({**grades, "q1": rest}), RUNS, {"nDCG": ndcg})
        for run in again.runs:
            if run.name[0] == group:
                assert after[run.name] == pytest.approx(run.values["nDCG"].mean(), abs=1e-15)


def test_files_are_grouped_by_tag_or_each_run_is_a_group() -> None:
    """Of three groups none but b has a document of its own."""
    by_tag = leave_one_out_given(QRELS, RUNS, "P@2", P2)
    assert by_tag == leave_one_out(loaded(), "P@2", P2, GROUPS)
    by_run = leave_one_out_given(QRELS, RUNS, "P@2", P2, by="run")
    assert [(of.group, of.unique) for of in by_run.runs] == [("a2", 0), ("b", 1), ("a1", 0)]
    with pytest.raises(DataError, match="files have no fact 'team'"):
        leave_one_out_given(QRELS, RUNS, "P@2", P2, by="team")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"groups": ("a", "a", "a")}, DataError, "two groups or more"),
        ({"depth": 0}, DataError, "depth must be at least 1"),
        ({"name": "GMAP", "measure": parse("GMAP")}, MeasureError, "GMAP is no mean"),
    ],
)
def test_what_can_not_be_left_out(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    given: dict[str, Any] = {"name": "P@2", "measure": P2, "groups": GROUPS, **arguments}
    with pytest.raises(error, match=message):
        leave_one_out(loaded(), given.pop("name"), given.pop("measure"), **given)
