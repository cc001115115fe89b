"""`evalstore pool`: the documents of runs to judge next, a line each."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import Program, add

from evalstore.store import Store

RUNS = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")
# bm25: q1 d1 d9 d2, q2 d5 d4, q3 d8 d6; tfidf: q1 d3 d1, q2 d5 d9 d4, q3 d6. Unjudged: d8, d9.


@pytest.mark.usefixtures("files")
def test_lines_have_query_and_document_and_the_judged_are_left_out(program: Program) -> None:
    assert program("pool", *RUNS, "--depth", "2").stdout == "q3 d8\nq1 d9\nq2 d9\n"
    assert program("pool", *RUNS, "--depth", "1").stdout == "q3 d8\n"
    assert program("pool", *RUNS, "--depth", "9", "--order", "rrf", "--budget", "2").stdout == (
        "q3 d8\nq1 d9\n"
    )
    settled = program("pool", *RUNS, "--depth", "2", "--order", "settle", "-m", "P@1").stdout
    assert settled == "q3 d8\nq1 d9\nq2 d9\n"


def test_stored_runs_have_the_pool_of_their_files(program: Program, files: Path) -> None:
    with Store.open(str(files / "evalstore.db")) as store:
        add(store, files, str(files / "bm25.run"), str(files / "tfidf.run"))
    for order in ("depth", "rbp", "rrf", "settle"):
        asked = ("--depth", "2", "--order", order)
        stored = program("pool", "bm25", "2", "--collection", "test", *asked).stdout
        assert stored == program("pool", *RUNS, *asked).stdout
        assert stored


@pytest.mark.usefixtures("files")
def test_what_can_not_be_pooled_and_where_nothing_is_left(program: Program) -> None:
    assert "--depth" in program("pool", *RUNS, status=2).stderr
    no_mean = program("pool", *RUNS, "--depth", "2", "--order", "settle", "-m", "GMAP", status=1)
    assert "GMAP is no mean over queries" in no_mean.stderr
    done = program("pool", "tfidf.run", "--qrels", "test.qrels", "--depth", "1")
    assert (done.stdout, done.stderr) == ("", "all documents at ranks 1 to 1 are judged\n")
