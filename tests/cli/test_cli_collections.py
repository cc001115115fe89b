"""`evalstore qrels` and `collection`, and what `ingest` and `measure` store beside runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import HOSTILE, QRELS, TFIDF, Fill, Program, add, write, write_qrels, write_run

from evalstore.store import Store

ASKED = ("ingest", "--collection", "test", "--qrels", "test.qrels")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    write_qrels(folder)
    write_run(folder)


@pytest.fixture
def two(copied: Callable[[Fill], Path]) -> Path:
    """A collection with two qrels and a run."""
    return copied(fill_two)


def fill_two(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder))
    more = write_qrels(folder, {**QRELS, "q4": {"d1": 1}}, "more.qrels")
    add(store, folder, write_run(folder), qrels=more)


def test_a_later_qrels_changes_no_figure_until_it_is_made_the_default(
    program: Program, two: Path
) -> None:
    before = program("runs", "--format", "csv").stdout
    assert ",3," in before
    assert "more is now the default" in program("qrels", "default", "more").stdout
    assert "more is the default already" in program("qrels", "default", "more").stdout
    assert ",4," in program("runs", "--format", "csv").stdout
    program("qrels", "default", "test")
    assert program("runs", "--format", "csv").stdout == before


def test_default_qrels_is_an_option_of_ingest(program: Program, two: Path) -> None:
    program(
        "ingest", "--collection", "test", "--qrels", "more.qrels", "--default-qrels", "bm25.run"
    )
    listed = json.loads(program("qrels", "--format", "json").stdout)
    assert {row["qrels"]: row["default"] for row in listed} == {"more": True, "test": False}


def test_a_qrels_of_another_collection_is_refused_with_the_option_that_allows_it(
    program: Program, two: Path
) -> None:
    write_qrels(two, {"x1": {"d1": 1}}, "other.qrels")
    words = ("ingest", "--collection", "test", "--qrels", "other.qrels", "bm25.run")
    (line,) = program(*words, status=1).stderr.splitlines()
    assert line.startswith("other.qrels: none of its 1 queries is among the 4")
    assert "--allow-disjoint" in line
    write(two / "x.run", "x1 Q0 d1 1 1 t\n")
    program(*words[:-1], "--allow-disjoint", "x.run")
    assert "other" in program("qrels").stdout


def test_qrels_are_renamed_removed_restored_and_purged(program: Program, two: Path) -> None:
    assert "more -> 2026" in program("qrels", "rename", "more", "2026").stdout
    done = program("qrels", "rm", "test").stdout.splitlines()
    assert done == ["removed         test  test", "now the default test  2026"]
    assert "test" in program("qrels", "--removed").stdout
    program("qrels", "restore", "test")
    program("qrels", "rm", "test")
    assert "purged          test  test" in program("qrels", "purge").stdout
    assert "nothing to purge" in program("qrels", "purge").stdout
    assert "there is no qrels 'test'" in program("qrels", "restore", "test", status=1).stderr


def test_collections_are_renamed_removed_restored_and_purged(program: Program, two: Path) -> None:
    program("collections", "rename", "test", "adi")
    (row,) = json.loads(program("collections", "--format", "json").stdout)
    assert (row["collection"], row["qrels"], row["default qrels"], row["runs"]) == (
        *("adi", 2, "test", 1),
    )
    assert row["access"] == "store"
    program("collections", "rm", "adi")
    assert "no runs yet" in program("runs").stdout
    assert "adi" in program("collections", "--removed").stdout
    program("collections", "restore", "adi")
    assert "bm25" in program("runs").stdout
    program("collections", "rm", "adi")
    assert "purged          adi" in program("collections", "purge").stdout
    assert "no collections yet" in program("collections").stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_stored_and_printed_as_it_is_or_escaped(
    program: Program, two: Path, name: str
) -> None:
    program("collections", "rename", "test", "--", name)
    program("qrels", "rename", "more", "--", name)
    for words in (("collections",), ("qrels",)):
        output = program(*words).stdout
        assert "\x1b" not in output
        assert "\u202e" not in output
    (row,) = json.loads(program("collections", "--format", "json").stdout)
    assert row["collection"] == name


def test_facts_are_stored_by_ingest_and_measured_from_the_store(
    program: Program, folder: Path
) -> None:
    write(folder / "subtopics", "q1 a d1 1\nq1 b d2 1\n")
    write(folder / "known", "q1 d1\n")
    write(folder / "times", "q1 10\nq2 20\nq3 30\n")
    facts = ("--subtopics", "subtopics", "--known", "known", "--collection-size", "100")
    program(*ASKED, *facts, "--times", "times", "--index-bytes", "4K", "bm25.run")
    names = ("alpha_nDCG@10", "NoveltyRatio", "Accuracy", "ResponseTime", "IndexSize")
    program("reevaluate", *(word for name in names for word in ("-m", name)))
    (row,) = json.loads(
        program("runs", "--format", "json", *(w for n in names for w in ("-m", n))).stdout
    )
    assert row["ResponseTime"] == 20
    assert row["IndexSize"] == 4096
    assert "all is well" in program("db", "check").stdout


def test_costs_are_stored_by_measure_and_taken_with_files(program: Program) -> None:
    program(*ASKED, "bm25.run")
    in_euros = "CostPerQuery(currency='EUR')"
    measures = ("-m", "PeakMemory", "-m", in_euros, "-m", "EnergyPerQuery")
    assert "--money AMOUNT CURRENCY" in program("reevaluate", "-m", in_euros, status=1).stderr
    costs = ("--memory-bytes", "4K", "--money", "0.6", "EUR", "--energy-joules", "30")
    program("reevaluate", *measures, *costs, "bm25")
    (row,) = json.loads(program("runs", "--format", "json", *measures).stdout)
    queries = row["answered"]
    expected = [4096, 0.6 / queries, 30 / queries]
    assert [row[name] for name in measures[1::2]] == pytest.approx(expected)
    of_files = program("evaluate", "test.qrels", "bm25.run", *measures, *costs)
    assert [line.split() for line in of_files.stdout.splitlines()[1:]] == [
        ["PeakMemory", "4096"],
        [in_euros, "0.2000"],
        ["EnergyPerQuery", "10.0000"],
    ]


def test_nothing_is_stored_of_a_run_with_times_of_queries_that_it_does_not_answer(
    program: Program, folder: Path
) -> None:
    write(folder / "times", "q1 10\nx1 1\nx2 2\nx3 3\nx4 4\n")
    done = program(*ASKED, "--times", "times", "bm25.run", status=1)
    message = "times for 4 queries that run 'bm25' does not answer: 'x1', 'x2', 'x3', ..."
    assert f"failed          bm25.run: {message}" in done.stderr
    assert json.loads(program("runs", "--format", "json").stdout) == []


def test_facts_can_be_given_to_measure_later(program: Program, folder: Path) -> None:
    program(*ASKED, "bm25.run")
    assert "--times FILE" in program("reevaluate", "-m", "ResponseTime", status=1).stderr
    write(folder / "times", "q1 10\nq2 20\nq3 30\n")
    done = program("reevaluate", "-m", "ResponseTime", "--times", "times", "bm25")
    assert "ResponseTime" in done.stdout
    program("reevaluate", "-m", "ResponseTime", "--times", "times", status=2)
    program("reevaluate", "-m", "Accuracy", "--collection-size", "9", status=2)


def test_measure_of_all_runs_goes_on_after_a_run_without_the_facts_and_names_it(
    program: Program, folder: Path
) -> None:
    program(*ASKED, write_run(folder, TFIDF, "tfidf.run"), "bm25.run")
    program("reevaluate", "-m", "P@3", "--index-bytes", "4K", "bm25")
    done = program("reevaluate", "-m", "IndexSize", "-m", "P@4")
    lines = {line.split()[1]: line for line in done.stdout.splitlines()}
    assert lines["bm25"].endswith("(test): IndexSize, P@4")
    assert lines["tfidf"].endswith("(test): P@4; IndexSize needs the size of the index")
    again = program("reevaluate", "-m", "IndexSize")
    assert "tfidf  (test): nothing new; IndexSize needs" in again.stdout
    named = program("reevaluate", "-m", "IndexSize", "bm25", "tfidf", status=1)
    assert "IndexSize needs the size of the index" in named.stderr


def test_a_measure_that_no_run_has_the_facts_for_is_an_error(program: Program) -> None:
    program(*ASKED, "bm25.run")
    done = program("reevaluate", "-m", "IndexSize", status=1)
    assert "IndexSize needs the size of the index: give --index-bytes N" in done.stderr


def test_the_texts_of_judged_and_retrieved_documents_are_stored(
    program: Program, folder: Path
) -> None:
    lines = [json.dumps({"docno": f"d{i}", "title": f"t{i}", "text": "x"}) for i in range(50)]
    write(folder / "docs.jsonl", "\n".join(lines))
    done = program(*ASKED, "--documents", "docs.jsonl", "bm25.run")
    assert "texts of 8 of 50 documents stored" in done.stdout
    answer = program("sql", "SELECT docno, title FROM document ORDER BY docno", "--format", "csv")
    assert answer.stdout.splitlines()[1] == "d1,t1"
    (row,) = json.loads(program("collections", "--format", "json").stdout)
    assert row["documents"] == 50


def test_the_texts_of_all_documents_are_stored_and_a_cut_is_said(
    program: Program, folder: Path
) -> None:
    lines = [json.dumps({"_id": f"dé{i}", "text": "x" * i}) for i in range(50)]
    write(folder / "docs.jsonl.gz", "\n".join(lines))
    asked = ("--documents", "docs.jsonl.gz", "--all-documents", "--max-document-bytes", "40")
    done = program(*ASKED, *asked, "bm25.run")
    assert "texts of 50 of 50 documents stored" in done.stdout
    assert "docs.jsonl.gz: documents are cut at 40 bytes: 9 of them, the first is 'dé41'" in (
        done.stderr
    )
    program(*ASKED, "--all-documents", "bm25.run", status=2)
    twice = write(folder / "twice.tsv", "d1\ta\nd1\tb\n")
    failed = program(*ASKED, "--documents", twice, "bm25.run", status=1)
    assert "'d1' stands twice" in failed.stderr


def test_a_mapping_is_saved_with_the_collection_and_read_by_its_name(
    program: Program, folder: Path
) -> None:
    program("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run")
    paths = "qid=query,docno=hits[].id,score=hits[].score"
    assert program("collections", "map", "test", "rag", paths).stdout == f"rag  {paths}\n"
    line = '{"query": "q1", "hits": [{"id": "d1", "score": 2}, {"id": "d3", "score": 1}]}\n'
    write(folder / "answers.jsonl", line)
    done = program("ingest", "--collection", "test", "--map", "rag", "answers.jsonl")
    assert done.stdout.startswith("stored          answers")
    assert "q1 Q0 d1 1 2" in program("export", "run", "answers").stdout
    failed = program("ingest", "--collection", "test", "--map", "rga", "a.jsonl", status=1)
    assert "collection 'test' has no mapping 'rga'; did you mean 'rag'?" in failed.stderr
    program("db", "copy", "--from", "evalstore.db", "--to", "copy.db")
    assert program("collections", "map", "test", "--db", "copy.db").stdout == f"rag  {paths}\n"
    assert program("collections", "map", "test", "rag", "--withdraw").stdout == (
        "no mapping is saved\n"
    )
    program("collections", "map", "test", "rag", "--withdraw", status=1)
    program("collections", "map", "test", "rag", status=2)
    program("collections", "map", "test", "rag", "qid=a", status=1)
