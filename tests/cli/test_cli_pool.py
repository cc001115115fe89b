"""`evalstore pool`: the documents of runs to judge next, a line each."""

from __future__ import annotations

import json
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
def test_a_budget_of_minutes_is_one_of_documents(program: Program) -> None:
    """2 judgments of 45 seconds in 2 minutes; of 30 seconds unless said, 3 and more in 1h."""
    asked = ("pool", *RUNS, "--depth", "2", "--budget")
    slow = program(*asked, "2min", "--seconds-each", "45").stdout
    assert slow == program(*asked, "2").stdout == "q3 d8\nq1 d9\n"
    assert program(*asked, "1min").stdout == slow
    assert program(*asked, "1h").stdout == "q3 d8\nq1 d9\nq2 d9\n"
    for number in ("nan", "inf"):
        refused = program(*asked, "1min", "--seconds-each", number, status=2).stderr
        assert f"{number} is not a finite number" in refused
    short = program(*asked, "1min", "--seconds-each", "90", status=2).stderr
    assert "no document can be judged in this budget" in short
    assert "expected a number of documents, or" in program(*asked, "2 days", status=2).stderr


@pytest.mark.usefixtures("files")
def test_a_sample_has_its_probabilities(program: Program) -> None:
    asked = ("pool", *RUNS, "--depth", "2", "--sample", "1:1,2:0.5", "--format")
    assert program(*asked, "csv").stdout.splitlines() == [
        "qid,docno,stratum,probability",
        "q3,d8,1-1,1.0",
        "q1,d9,2-2,1.0",
        "q2,d9,2-2,1.0",
    ]
    first = json.loads(program(*asked, "json").stdout)[0]
    assert first == {"qid": "q3", "docno": "d8", "stratum": "1-1", "probability": 1.0}
    assert program(*asked, "lines").stdout == "q3 d8\nq1 d9\nq2 d9\n"
    assert "LAST_RANK:SHARE" in program(*asked, "csv", "--sample", "x", status=2).stderr
    assert "above 0 and at most 1" in program(*asked, "csv", "--sample", "1:2", status=2).stderr
    assert "--budget would cut" in program(*asked, "csv", "--budget", "1", status=2).stderr
    assert "--undrawn belongs to" in program(*asked, "lines", "--undrawn", status=2).stderr


@pytest.mark.usefixtures("files")
def test_a_draft_of_a_sample_becomes_judgments_with_strata(program: Program, files: Path) -> None:
    asked = ("--depth", "3", "--sample", "2:1,3:0.1", "--undrawn", "--format", "csv")
    (files / "long.run").write_text("".join(f"q1 Q0 x{i} {i} {-i} t\n" for i in range(1, 4)))
    (files / "more.run").write_text("".join(f"q1 Q0 y{i} {i} {-i} t\n" for i in range(1, 4)))
    pool = program("pool", "long.run", "more.run", "--qrels", "test.qrels", *asked).stdout
    (files / "pool.csv").write_text(pool)
    *drawn, rest = sorted(pool.splitlines()[1:], key=lambda line: line.endswith(",0.0"))
    assert (len(drawn), rest[-4:]) == (5, ",0.0")
    (files / "judged.qrels").write_text(
        "".join(f"q1 0 {line.split(',')[1]} {number % 2}\n" for number, line in enumerate(drawn))
    )
    program("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run")
    made = program("qrels", "draft", "new", "d", "--documents", "pool.csv", "--empty")
    assert made.stdout == "test  d: 5 documents to judge\n"
    program("qrels", "draft", "add", "d", "judged.qrels", "--assessor", "ann")
    program("qrels", "draft", "publish", "d", "sample", "--reason", "why")
    program("export", "qrels", "test", "--qrels", "sample", "--output", "out.qrels")
    assert f"q1 0 {rest.split(',')[1]} 3-3 -1\n" in (files / "out.qrels").read_text()
    values = program("evaluate", "out.qrels", "more.run", "-m", "xinfAP", "-m", "infNDCG").stdout
    assert values == "measure    more\nxinfAP   1.0000\ninfNDCG  1.0000\n"
    plain = program("evaluate", "test.qrels", "bm25.run", "-m", "xinfAP", status=1).stderr
    assert plain == (
        "xinfAP needs the strata of the judged sample: judgments have them in lines of qid 0 docno "
        "stratum grade\n"
    )


@pytest.mark.usefixtures("files")
def test_what_can_not_be_pooled_and_where_nothing_is_left(program: Program) -> None:
    assert "--depth" in program("pool", *RUNS, status=2).stderr
    no_mean = program("pool", *RUNS, "--depth", "2", "--order", "settle", "-m", "GMAP", status=1)
    assert "GMAP is no mean over queries" in no_mean.stderr
    done = program("pool", "tfidf.run", "--qrels", "test.qrels", "--depth", "1")
    assert (done.stdout, done.stderr) == ("", "all documents at ranks 1 to 1 are judged\n")
