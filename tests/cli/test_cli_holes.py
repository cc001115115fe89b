"""`evalstore holes`: the documents to judge next, for people, programs and judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import Program, add, write, write_qrels

from evalstore.formats import read_qrels
from evalstore.store import Store

FILES = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")
# bm25: q1 d1 d9 d2, q2 d5 d4, q3 d8 d6; tfidf: q1 d3 d1, q2 d5 d9 d4, q3 d6. Unjudged: d8, d9.
TABLE = """\
P@2: b - a is -0.1667, a = bm25, b = tfidf; 3 unjudged documents could make it -0.5000 to +0.0000

query  docno  rank in a  rank in b  b - a changes by
q1     d9             2                      -0.1667
q2     d9                        2           +0.1667
q3     d8             1                      -0.1667

an empty rank is not among the first 2
changes are those of one judgment of grade 3
"""


@pytest.fixture
def stored(files: Path) -> None:
    with Store.open(str(files / "evalstore.db")) as store:
        add(store, files, str(files / "bm25.run"), str(files / "tfidf.run"))


@pytest.mark.usefixtures("files")
def test_the_table_has_the_difference_its_bounds_and_the_documents(program: Program) -> None:
    assert program("holes", *FILES, "-m", "P@2").stdout == TABLE


@pytest.mark.usefixtures("stored")
def test_stored_runs_have_the_holes_of_their_files(program: Program) -> None:
    assert program("holes", "bm25", "tfidf", "-m", "P@2").stdout == TABLE
    assert program("holes", "1", "2", "-m", "P@2", "--qrels", "test").stdout == TABLE


@pytest.mark.usefixtures("files")
def test_the_table_says_how_many_documents_it_leaves_out(program: Program) -> None:
    done = program("holes", *FILES, "-m", "P@2", "--most", "1").stdout
    assert done.splitlines()[3:] == [
        "q1     d9             2                      -0.1667",
        "",
        "2 more: --most 3 lists all that change it alone",
        "an empty rank is not among the first 2",
        "changes are those of one judgment of grade 3",
    ]


@pytest.mark.usefixtures("files")
def test_json_and_csv_have_all_digits(program: Program) -> None:
    document = json.loads(program("holes", *FILES, "-m", "P@2", "--format", "json").stdout)
    assert list(document) == [
        *("a", "b", "measure", "queries", "difference", "grade", "depth", "unjudged", "bounds"),
        "holes",
    ]
    assert (document["queries"], document["unjudged"]) == (3, 3)
    assert document["bounds"] == pytest.approx([-0.5, 0.0])
    first = {"qid": "q1", "docno": "d9", "rank_a": 2, "rank_b": None}
    assert document["holes"][0] == {**first, "change": pytest.approx(-1 / 6)}
    header, *rows = program("holes", *FILES, "-m", "P@2", "--format", "csv").stdout.splitlines()
    assert header == "qid,docno,rank_a,rank_b,change"
    assert rows[0].startswith("q1,d9,2,,-0.16666666")


@pytest.mark.usefixtures("stored")
def test_the_qrels_to_fill_in_is_read_as_pooled_and_not_judged(
    program: Program, files: Path
) -> None:
    done = program("holes", "bm25", "tfidf", "-m", "P@2", "--format", "qrels")
    assert done.stdout == "q1 0 d9 -1\nq2 0 d9 -1\nq3 0 d8 -1\n"
    assert done.stderr == TABLE.splitlines(keepends=True)[0]
    to_judge = write(files / "to_judge.qrels", done.stdout)
    assert read_qrels(to_judge).grades.tolist() == [-1, -1, -1]
    # Filled in and added to the judgments, it closes the holes.
    both = Path(write_qrels(files)).read_text("utf-8") + done.stdout.replace("-1", "1")
    judged = write(files / "judged.qrels", both)
    after = program("holes", "bm25.run", "tfidf.run", "--qrels", judged, "-m", "P@2").stdout
    assert after.splitlines() == [
        "P@2: b - a is -0.3333, a = bm25, b = tfidf; all documents are judged",
        "no unjudged document changes it alone",
    ]


@pytest.mark.usefixtures("files")
def test_a_measure_without_bounds_has_holes_too(program: Program) -> None:
    first = program("holes", *FILES, "-m", "AP").stdout.splitlines()[0]
    assert first.endswith("; 3 unjudged documents, and no bounds for this measure")


@pytest.mark.usefixtures("files")
def test_conditions_on_queries_are_noted(program: Program, files: Path) -> None:
    queries = '{"qid": "q1", "text": "a", "lang": "de"}\n{"qid": "q2", "text": "b"}\n'
    write(files / "queries.jsonl", queries)
    where = ("--queries", "queries.jsonl", "--where", "lang=de", "-m", "P@2")
    assert program("holes", *FILES, *where).stdout.splitlines()[1:4] == [
        "note: only the 1 of 3 queries with lang=de",
        "",
        "query  docno  rank in a  rank in b  b - a changes by",
    ]
    done = program("holes", *FILES, *where, "--format", "qrels")
    assert done.stdout == "q1 0 d9 -1\n"
    assert "warning: only the 1 of 3 queries with lang=de" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("-m", "GMAP"), "GMAP is no mean over queries that a judgment could move"),
        (("-m", "alpha_nDCG@5"), "alpha_nDCG@5 needs judgments by subtopic"),
        (("-m", "official"), "where one is wanted"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_has_no_holes_is_refused(
    program: Program, arguments: tuple[str, ...], error: str
) -> None:
    done = program("holes", *FILES, *arguments, status=1)
    assert error in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("stored")
def test_a_run_that_came_as_values_has_no_holes(program: Program, files: Path) -> None:
    printed = "P_2\tq1\t0.5000\nP_2\tq2\t0.5000\nP_2\tq3\t0.0000\nrunid\tall\told\n"
    program("ingest", "--collection", "test", "--no-checkout", write(files / "old.txt", printed))
    done = program("holes", "bm25", "old", "-m", "P@2", status=1)
    assert done.stderr == "old came as values, without rankings\n"
