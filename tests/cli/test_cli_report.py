"""`evalstore export report`: a page of one run or of several, stored or in files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from samples import BM25, HOSTILE, Program, add, write_qrels, write_run

from evalstore.store import Store

# Pages are read as the tests of the pages read them.
sys.path.append(str(Path(__file__).parents[1] / "dashboard"))
from page_reader import PageReader

pytestmark = pytest.mark.slow  # many resamples

FILES = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")


def page(folder: Path, name: str = "r.html") -> PageReader:
    return PageReader((folder / name).read_text("utf-8"))


def test_a_report_of_stored_runs_has_the_figures_of_the_same_files(
    program: Program, stored: Path
) -> None:
    done = program("export", "report", "bm25", "tfidf", "--output", "r.html")
    assert done.stdout == "r.html: 0.6 MB\n"
    program("export", "report", *FILES, "--output", "f.html")
    [of_store, of_files] = [page(stored, name) for name in ("r.html", "f.html")]
    assert of_store.tables["statistics"] == of_files.tables["statistics"]
    assert of_store.documents["queries"]["values"] == of_files.documents["queries"]["values"]
    # AP by hand: bm25 5/6, 1, 1/2; tfidf 1/4, 5/6, 1.
    row = of_store.rows("statistics")[0]
    assert (row["Run"], row["Baseline"], row["Measure"]) == ("tfidf", "bm25", "AP ↑")
    assert (row["Mean"], row["Baseline's mean"], row["Difference"]) == (
        *("0.6944", "0.7778"),
        "−0.0833",
    )


def test_a_baseline_is_compared_with_each_run(program: Program, stored: Path) -> None:
    program(
        "export",
        "report",
        "bm25",
        "tfidf",
        "--baseline",
        "partial",
        "-m",
        "P_5",
        "--output",
        "r.html",
    )
    read = page(stored)
    assert [(row["Run"], row["Baseline"]) for row in read.rows("statistics")] == [
        ("bm25", "partial"),
        ("tfidf", "partial"),
    ]
    assert {row["Measure"] for row in read.rows("statistics")} == {"P_5 ↑"}
    assert read.text["verdict"].startswith("◐ Partly")
    assert read.documents["queries"]["pairs"] == [[1, 0], [2, 0]]


def test_a_report_of_one_run_compares_it_with_the_median_of_its_collection(
    program: Program, stored: Path
) -> None:
    program("export", "report", "bm25", "--output", "r.html")
    queries = page(stored).documents["queries"]
    assert queries["runs"] == ["bm25", "median of 3 runs"]
    assert queries["values"]["AP"][1] == pytest.approx([1 / 2, 5 / 6, 1 / 2])
    program("export", "report", "bm25.run", "--qrels", "test.qrels", "--output", "f.html")
    assert "no-median" in page(stored, "f.html").text


def test_a_report_can_be_restricted_to_some_queries(program: Program, stored: Path) -> None:
    for qid in ("q1", "q3"):
        program("queries", "tag", "--collection", "test", "lang=de", qid)
    program("export", "report", "bm25", "--where", "lang=de", "--output", "r.html")
    read = page(stored)
    assert read.documents["queries"]["qids"] == ["q1", "q3"]
    assert read.documents["queries"]["values"]["AP"] == [
        pytest.approx([5 / 6, 1 / 2]),
        pytest.approx([1 / 2, 1 / 2]),
    ]
    assert "Only the 2 of 3 queries with lang=de." in (stored / "r.html").read_text("utf-8")
    program("export", "report", "bm25", "tfidf", "--where", "lang=de", "--output", "r.html")
    assert "the 2 of 3 queries with lang=de" in page(stored).text["verdict"]


def test_runs_that_can_not_be_compared_give_a_page_without_figures_and_status_1(
    program: Program, stored: Path
) -> None:
    with Store.open(str(stored / "evalstore.db")) as store:
        add(store, stored, write_run(stored, BM25, "o.run", "o"), collection="other")
    done = program("export", "report", "bm25", "o", "--output", "r.html", status=1)
    assert done.stderr.startswith("not comparable, because the runs are of different collections")
    read = page(stored)
    assert read.text["verdict"].startswith("⊘ Not comparable, because the runs are of different")
    assert read.documents == {}


def test_the_command_is_in_the_page_but_not_the_address_of_the_store(
    program: Program, stored: Path
) -> None:
    program(
        "export",
        "report",
        "bm25",
        "tfidf",
        "--db",
        "evalstore.db",
        "-m",
        "AP",
        "--output",
        "r.html",
    )
    command = dict(page(stored).tables["how"])["Command"]
    assert command == "evalstore export report bm25 tfidf --output r.html --measure AP"


@pytest.mark.usefixtures("stored")
def test_what_is_for_several_runs_is_refused_for_one(program: Program) -> None:
    done = program("export", "report", "bm25", "--test", "sign", "--output", "r.html", status=2)
    assert "--test is for two runs or more" in done.stderr


def test_a_page_that_can_not_be_written_is_one_line(program: Program, stored: Path) -> None:
    done = program("export", "report", "bm25", "tfidf", "--output", "none/r.html", status=1)
    assert done.stderr == "none/r.html: no such file or directory\n"
    assert not list(stored.glob(".r.html*"))


def test_hostile_names_are_text_in_the_page(program: Program, folder: Path) -> None:
    qids = [name.replace(" ", "_") for name in HOSTILE]
    qrels = write_qrels(folder, {qid: {"d": 1} for qid in qids})
    with Store.open(str(folder / "evalstore.db")) as store:
        for number, name in enumerate(HOSTILE):
            run = write_run(folder, {qid: ["d", f"e{number}"] for qid in qids}, f"{number}.run")
            add(store, folder, run, qrels=qrels, name=name, engine=name)
    program("export", "report", *HOSTILE, "--baseline", HOSTILE[0], "--output", "r.html")
    read = page(folder)
    assert {"a", "img", "b"} & set(read.elements) == set()
    assert "<script>alert(1)</script>" in {row["Run"] for row in read.rows("statistics")}
    assert read.addresses == []


def test_a_stored_engine_has_its_colour_and_mark_whatever_its_place(
    program: Program, stored: Path
) -> None:
    program("export", "report", "tfidf", "bm25", "--output", "r.html")
    text = (stored / "r.html").read_text("utf-8")
    assert 'style="color:var(--series-1)" aria-hidden="true">■</span> <bdi>tfidf' in text
    assert 'style="color:var(--series-0)" aria-hidden="true">●</span> <bdi>bm25' in text
