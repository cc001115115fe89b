"""Retrieved documents whose id is the query's can be left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from samples import write

import evalstore as ev
from evalstore.errors import DataError
from evalstore.evaluation.prepare import without_identical_ids
from evalstore.formats import Run, read_run
from evalstore.formats.lists import run_hash

SCORES = {
    "q1": {"q1": 9.0, "d1": 8.0, "Q1": 7.0},
    "q2": {"d1": 3.0, "q1": 2.0, "q2": 1.0},
    "q3": {"q3": 1.0},
    "long" * 40: {"d1": 2.0, "long" * 40: 1.0},
}
REST = {"q1": {"d1": 8.0, "Q1": 7.0}, "q2": {"d1": 3.0, "q1": 2.0}, "long" * 40: {"d1": 2.0}}
QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}}


def test_only_documents_with_exactly_the_id_of_their_query_are_left_out() -> None:
    run = without_identical_ids(Run.from_dict(SCORES, name="r"))
    assert run.to_dict() == Run.from_dict(REST).to_dict()
    assert run.warnings == ("r: 4 retrieved documents whose id is the query's are left out",)
    assert run_hash(run) == run_hash(Run.from_dict(REST))


def test_a_run_whose_queries_take_turns_is_left_the_same_documents(tmp_path: Path) -> None:
    rows = [(qid, docno, s) for qid, of in SCORES.items() for docno, s in of.items()]
    lines = [
        f"{qid} Q0 {docno} 1 {score} t\n" for qid, docno, score in sorted(rows, key=lambda r: r[1])
    ]
    run = without_identical_ids(read_run(write(tmp_path / "r.run", "".join(lines))))
    assert run.to_dict() == Run.from_dict(REST).to_dict()
    assert run.keys.tolist() == replace(run, read_keys=None).keys.tolist()


def test_a_run_without_such_documents_is_the_same_run() -> None:
    run = Run.from_dict(REST)
    assert without_identical_ids(run) is run


def test_a_run_of_nothing_else_is_an_error() -> None:
    with pytest.raises(DataError, match="r: every document has the id of its query"):
        without_identical_ids(Run.from_dict({"q1": {"q1": 1.0}}, name="r"))


def test_evaluate_and_evaluator_leave_them_out_and_ranks_close_up() -> None:
    measures = ["RR", "NumRet"]
    plain = ev.evaluate(QRELS, SCORES, measures)
    less = ev.evaluate(QRELS, SCORES, measures, ignore_identical_ids=True)
    assert plain.per_query["RR"].tolist() == [0.5, 1.0, 0.0]
    assert less.per_query["RR"].tolist() == [1.0, 1.0, 0.0]
    assert less.per_query["NumRet"].tolist() == [2, 2, 0]
    assert "run: 4 retrieved documents whose id is the query's are left out" in less.warnings
    again = ev.evaluator(QRELS, measures, ignore_identical_ids=True)(SCORES)
    assert again.to_dict() == less.to_dict()


def test_compare_leaves_them_out_and_a_note_says_of_how_many() -> None:
    runs = {"with": SCORES, "without": REST}
    result = ev.compare(QRELS, runs, ["RR"], ignore_identical_ids=True)
    assert result.comparable == "partly"  # q3 is answered by neither
    assert result.pairs["difference"].tolist() == [0.0]
    assert result.notes[0] == "with is compared without 4 documents whose id is the query's"
