"""`evalstore explain`: the table a lecturer draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import Program, write_qrels, write_run

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 d -1\nq1 0 missed 1\n"
RUN = "q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq1 Q0 x 3 7 t\nq1 Q0 c 4 6 t\nq1 Q0 d 5 5 t\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "a.qrels").write_text(QRELS)
    (folder / "a.run").write_text(RUN)


def test_every_figure_of_a_query_is_explained_rank_by_rank(program: Program) -> None:
    table, _, missed = program("explain", "a.qrels", "a.run", "q1").stdout.partition("\n\n")
    head, columns, *ranks, total = table.splitlines()
    assert missed.splitlines()[0] == "missed: 1 relevant document, which adds 0"
    assert total.split() == ["AP", "0.5000"]
    assert (
        head
        == "query q1: 5 documents retrieved; the qrels have 4 judged, 3 relevant; relstring 20-1."
    )
    assert columns.split("  ")[0] == "rank"
    assert columns.split()[-2:] == ["to", "AP"]
    assert [line.split()[:4] for line in ranks] == [
        ["1", "a", "2", "1"],
        ["2", "b", "0", "1"],
        ["3", "x", "-", "1"],
        ["4", "c", "1", "2"],
        ["5", "d", "-1", "2"],
    ]
    # Rank 4: P 2/4, R 2/3, gain 1, discount log2(5), 1/2/3 of AP.
    assert ranks[3].split()[4:8] == ["0.5000", "0.6667", "1", "2.3219"]
    assert ranks[3].split()[-1] == "0.1667"


def test_below_the_first_ranks_come_the_relevant_ones_alone(program: Program) -> None:
    lines = program("explain", "a.qrels", "a.run", "q1", "--ranks", "2").stdout.splitlines()
    *_, second, hit, rest, total = lines[: lines.index("")]
    assert second.split()[:2] == ["2", "b"]
    # Rank 4: P 2/4, R 2/3, DCG 2 + 1/log2(5), the ideal one 2 + 1/log2(3) + 1/2; 1/2/3 of AP.
    assert hit.split()[:6] == ["4", "c", "1", "2", "0.5000", "0.6667"]
    assert hit.split()[8:] == ["2.4307", "3.1309", "0.7763", "0.1667"]
    assert rest.split() == ["...", "2", "more", "(none", "relevant)", "0.0000"]
    assert total.split() == ["AP", "0.5000"]


def test_a_query_outside_the_qrels_is_one_line_and_status_1(program: Program) -> None:
    done = program("explain", "a.qrels", "a.run", "q9", status=1)
    assert done.stderr == "the qrels has no query 'q9'; it has q1\n"


def test_a_stored_run_is_explained_as_its_file_is(program: Program, folder: Path) -> None:
    qrels, run = write_qrels(folder), write_run(folder)
    program("ingest", "--collection", "test", "--qrels", qrels, run)
    for qid in ("q1", "q2", "q3"):
        assert program("explain", "bm25", qid).stdout == program("explain", qrels, run, qid).stdout
    assert "did you mean 'bm25'?" in program("explain", "bm26", "q1", status=1).stderr
    asked = ("explain", "bm25", "q1", "--qrels", "tset")
    assert "did you mean 'test'?" in program(*asked, status=1).stderr


def test_relevant_documents_that_were_missed_are_listed_with_their_grades(
    program: Program, folder: Path
) -> None:
    qrels = write_qrels(folder, {"q1": {"d1": 1, "b": 1, "a": 1, "best": 3, "bad": 0}})
    run = write_run(folder, {"q1": ["d1", "x"]})
    lines = program("explain", qrels, run, "q1", "--ranks", "1").stdout.splitlines()
    assert "missed: 3 relevant documents, which add 0" in lines
    assert [line.split() for line in lines[-3:]] == [["best", "3"], ["a", "1"], ["b", "1"]]
    every = write_run(folder, {"q1": ["d1", "a", "b", "best"]}, "every.run")
    done = program("explain", qrels, every, "q1", "--ranks", "1").stdout
    assert done.splitlines()[-1] == "missed: nothing"


def test_files_and_stored_runs_are_told_apart_by_the_number_of_words(program: Program) -> None:
    program("explain", "one", status=2)
    assert "goes with -m" in program("explain", "a.qrels", "a.run", "AP", "q1", status=2).stderr
    forgotten = program("explain", "a.qrels", "a.run", "-m", "AP", status=2).stderr
    assert "a.qrels is taken for a stored run, a.run for a query: of files give" in forgotten
    stored = program("explain", "a.qrels", "bm25", "q1", status=1).stderr
    assert stored == (
        "bm25: no such file or directory; three words are QRELS RUN QID, the first two files; of a "
        "stored run give RUN QID, with --qrels NAME\n"
    )
    program("explain", "test.qrels", "bm25.run", "q1", "--qrels", "test", status=2)


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "P@5", "RR", "RBP", "ERR", "R@4", "Bpref"])
def test_what_the_ranks_add_is_the_value_that_evaluate_prints(
    program: Program, measure: str
) -> None:
    asked = ("explain", "a.qrels", "a.run", "q1", "-m", measure, "--ranks", "2")
    table, _, _ = program(*asked).stdout.partition("\n\n")
    _, columns, *ranks, rest, last = table.splitlines()
    assert columns.endswith(f"to {measure}")
    assert rest.split()[:3] == ["...", "2", "more"]
    values = [float(line.split()[-1]) for line in (*ranks, rest)]
    total = float(last.split()[-1])
    assert sum(values) == pytest.approx(total, abs=2e-4)
    printed = program("evaluate", "a.qrels", "a.run", "-m", measure, "--format", "json").stdout
    assert f"{total:.4f}" == f"{json.loads(printed)['a']['aggregate'][measure]:.4f}"


@pytest.mark.parametrize("qid", ["q1", "q2", "q3"])
def test_the_value_of_each_query_of_a_run_file_is_that_of_evaluate(
    program: Program, folder: Path, qid: str
) -> None:
    queries = ("q1", "q2", "q3")
    (folder / "b.qrels").write_text(
        "".join(f"{q} 0 {q}d{n} {n % 2}\n" for q in queries for n in range(4))
    )
    (folder / "b.run").write_text(
        "".join(f"{q} Q0 {q}d{(n * 3) % 7} 1 {9 - n} t\n" for q in queries for n in range(6))
    )
    explained = program("explain", "b.qrels", "b.run", qid, "-m", "nDCG@3").stdout
    values = program("evaluate", "b.qrels", "b.run", "-m", "nDCG@3", "-q").stdout
    (value,) = (line.split()[-1] for line in values.splitlines() if f" {qid} " in f" {line} ")
    total = next(line for line in explained.splitlines() if line.split()[:1] == ["nDCG@3"])
    assert total.split() == ["nDCG@3", value]


def test_words_and_titles_of_a_stored_query_are_shown(program: Program, folder: Path) -> None:
    (folder / "q.tsv").write_text("q1\thow to sort\n")
    (folder / "d.tsv").write_text("a\tSorting HOW TO\ttext\nmissed\tThe list\ttext\n")
    files = ("--qrels", "a.qrels", "--queries", "q.tsv", "--documents", "d.tsv", "a.run")
    program("ingest", "--collection", "c", *files)
    text = program("explain", "a", "q1").stdout
    assert text.startswith("query q1 (how to sort): 5 documents retrieved")
    lines = text.splitlines()
    assert lines[1].split()[-3:] == ["to", "AP", "title"]
    assert lines[2].endswith("Sorting HOW TO")
    assert lines[-1].split("  ")[-1].strip() == "The list"
