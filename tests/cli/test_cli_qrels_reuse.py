"""`evalstore qrels reuse`: what judgments are worth to an engine that was not in the pool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import TFIDF, Program, add, write_qrels, write_run

import evalstore as ev
from evalstore.store import Store

# Relevant: q1 d1 and d2, q2 d4 and d5, q3 d6. bm25 alone has d2.
FILES = ("qrels", "reuse", "test.qrels", "--runs", "bm25.run", "tfidf.run", "-m", "P@3")


@pytest.fixture
def judged(folder: Path) -> Path:
    """Files of judgments and of two runs."""
    write_qrels(folder)
    write_run(folder)
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    return folder


@pytest.mark.usefixtures("judged")
def test_files_as_text_and_for_programs(program: Program) -> None:
    text = program(*FILES).stdout
    assert text.startswith(
        "1 of 5 relevant documents were found by one group alone in its first 100 ranks; without "
    )
    assert "documents were judged per relevant one" in text
    found = json.loads(program(*FILES, "--format", "json").stdout)
    assert (found["groups"], found["unique"], found["largest_drop"]) == (2, 1, None)
    header, first, _ = program(*FILES, "--format", "csv").stdout.splitlines()
    assert header == "run,group,unique,before,after,difference,rank_before,rank_after"
    assert first.startswith("bm25,bm25,1,")


def test_stored_runs_are_grouped_by_engine_run_or_fact(program: Program, judged: Path) -> None:
    with Store.open(str(judged / "evalstore.db")) as store:
        add(store, judged, *(str(judged / name) for name in ("bm25.run", "tfidf.run")))
    of_files = json.loads(program(*FILES, "--format", "json").stdout)
    asked = ("qrels", "reuse", "--collection", "test", "-m", "P@3", "--format", "json")
    assert json.loads(program(*asked).stdout) == of_files
    program("runs", "edit", "tfidf", "--param", "team=b")
    by_team = json.loads(program(*asked, "--by", "team").stdout)
    assert [(of["run"], of["group"]) for of in by_team["runs"]] == [
        *(("bm25", "bm25 alone"), ("tfidf", "b")),
    ]
    program("runs", "edit", "bm25", "--param", "team=0")
    by_team = json.loads(program(*asked, "--by", "team").stdout)
    assert [of["group"] for of in by_team["runs"]] == ["0", "b"]
    with ev.open(judged / "evalstore.db") as store_in_python:
        assert store_in_python.leave_one_out("test", "P@3").to_dict() == of_files


@pytest.mark.usefixtures("judged")
def test_what_can_not_be_told(program: Program) -> None:
    assert "QRELS" in program("qrels", "reuse", "--runs", "bm25.run", status=2).stderr
    one = program("qrels", "reuse", "test.qrels", "--runs", "bm25.run", status=1).stderr
    assert "runs of two groups or more" in one
    other = program(*FILES, "--by", "team", status=1).stderr
    assert "files have no fact 'team'" in other
