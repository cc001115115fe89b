"""Tab-separated files of MS MARCO and BEIR: what is accepted, what is refused and on which line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.tables.texts import find_beir

HEADER = "query-id\tcorpus-id\tscore\n"


def write(folder: Path, text: str, name: str) -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_ranks_become_scores_of_one_by_rank(tmp_path: Path) -> None:
    text = "7\t007\t1\n7\tNA\t2\n07\t9007199254740993\t1\n"
    run = read_run(write(tmp_path, text, "top.tsv"))
    assert run.to_dict() == {"07": {"9007199254740993": 1}, "7": {"007": 1, "NA": 0.5}}
    assert (run.format, run.tag) == ("msmarco-run", "top")


@pytest.mark.parametrize("text", ["q1\td1\t3\nq1\td2\t2\n", "q1\td1\t1\nq1\td2\t1\n"])
def test_numbers_that_may_be_scores_or_grades_are_not_taken_for_ranks(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(FileError, match="expected 6 columns, found 3"):
        read_run(write(tmp_path, text, "a.tsv"))


def test_ranks_in_any_order_are_read_where_the_format_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "q1\td1\t3\nq2\td1\t1\nq1\td2\t2\n", "a.tsv")
    run = read_run(path, ReadOptions(formats=("msmarco-run",)))
    assert list(run.to_dict()["q1"]) == ["d2", "d1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\td1\t1\nq1\td2\n", "a.tsv:2: expected 3 columns (query id, docno, rank, separated"),
        ("q1\td1\t0\n", "a.tsv:1: rank '0' is not a whole number from 1 on"),
        ("q1\td1\t1.5\n", "a.tsv:1: rank '1.5' is not a whole number from 1 on"),
        ("q1\td1\t" + "9" * 5_000 + "\n", "a.tsv:1: rank '9999"),
        ("q1\td1\t1\nq1\td2\t1\n", "a.tsv:2: rank 1 stands twice for query 'q1' (first on line 1)"),
        ("q1\td1\t1\nq1\td1\t2\n", "a.tsv:2: document 'd1' retrieved twice for query 'q1' (first"),
        ("q1\td 1\t1\n", "a.tsv:1: docno 'd 1' holds blanks or control characters"),
        ("\td1\t1\n", "a.tsv:1: an empty query id"),
    ],
)
def test_a_wrong_line_of_a_run_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text, "a.tsv")
    with pytest.raises(FileError) as error:
        read_run(path, ReadOptions(formats=("msmarco-run",)))
    assert str(error.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_judgments_of_beir_are_read_below_their_header(tmp_path: Path) -> None:
    text = f"{HEADER}q1\td7\t1\nq2\t007\t0\nq1\tNA\t2\n"
    qrels = read_qrels(write(tmp_path, text, "test.tsv"))
    assert qrels.to_dict() == {"q1": {"d7": 1, "NA": 2}, "q2": {"007": 0}}
    assert qrels.format == "beir-qrels"
    windows = read_qrels(write(tmp_path, text.replace("\n", "\r\n"), "windows.tsv"))
    assert windows.to_dict() == qrels.to_dict()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEADER}q1\td7\n", "a.tsv:2: expected 3 columns (query-id, corpus-id, score"),
        (f"{HEADER}q1\td7\thigh\n", "a.tsv:2: grade 'high' is not a finite decimal number"),
        (f"{HEADER}q1\td7\tnan\n", "a.tsv:2: grade 'nan' is not a finite decimal number"),
        (f"{HEADER}q1\td7\t1e99\n", "a.tsv:2: grade 1e+99 is out of range"),
        (f"{HEADER}q1\td7\t1\nq1\td7\t0\n", "a.tsv:3: document 'd7' graded 0 for query 'q1', but"),
        (HEADER, "a.tsv: no rows: a qrels is expected"),
    ],
)
def test_a_wrong_line_of_judgments_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError) as error:
        read_qrels(write(tmp_path, text, "a.tsv"))
    assert str(error.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_the_same_judgment_twice_is_warned_about(tmp_path: Path) -> None:
    qrels = read_qrels(write(tmp_path, f"{HEADER}q1\td7\t1\nq1\td7\t1\n", "a.tsv"))
    assert qrels.warnings == (
        f"{tmp_path}/a.tsv:3: 1 line with a judgment that stands before; it counts once",
    )


def test_a_folder_of_beir_has_judgments_and_maybe_queries_and_documents(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no judgments, qrels"):
        find_beir(str(tmp_path))
    with pytest.raises(FileError, match="none: no such folder"):
        find_beir(str(tmp_path / "none"))
    only = write(tmp_path, HEADER, "qrels/test.tsv")
    assert vars(find_beir(str(tmp_path))) == {"qrels": only, "queries": None, "documents": None}
    queries = write(tmp_path, "{}", "queries.jsonl")
    write(tmp_path, HEADER, "qrels/dev.tsv")
    with pytest.raises(FileError, match=r"several splits \(dev.tsv, test.tsv\)") as error:
        find_beir(str(tmp_path))
    assert error.value.problem == "which split"
    assert find_beir(str(tmp_path), only).qrels == only
    assert find_beir(str(tmp_path), only).queries == queries
