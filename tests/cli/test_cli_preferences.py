"""`--preferences` and `--judgment-groups`: in `evaluate`, `compare`, `ingest` and `measure`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import BM25, HOSTILE, TFIDF, Program, raw_output_dangers, write, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands, figures or resamples

QIDS = [name.replace(" ", "_") for name in HOSTILE]


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Two runs: bm25 has d1, d9, d2 for q1; tfidf has d3, d1."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    # bm25 fulfils both; tfidf one of them, as d2 is missed.
    write(folder / "prefs", "q1 ann s d1 3\nq1 ann s d2 2\nq1 ann t d1 1\nq1 ann t d3 0.5\n")
    write(folder / "judges", "q1 ann d1 1\nq1 bob d2 1\nq1 bob d3 0\n")


def test_evaluate_takes_preferences(program: Program) -> None:
    names = ("-m", "prefs_simp", "-m", "NumPrefs", "--format", "trec")
    done = program("evaluate", "test.qrels", "bm25.run", *names, "--preferences", "prefs", "-q")
    assert done.stdout.splitlines() == [
        *("prefs_simp\tq1\t1.0000", "NumPrefs\tq1\t2"),
        *("prefs_simp\tq2\t0.0000", "NumPrefs\tq2\t0"),
        *("prefs_simp\tq3\t0.0000", "NumPrefs\tq3\t0"),
        *("prefs_simp\tall\t0.3333", "NumPrefs\tall\t2"),
    ]
    assert done.stderr == ""


def test_without_preferences_evaluate_compares_the_grades(program: Program) -> None:
    """q1: d1 (2) over d2 (1) over d3 (0), all fulfilled; the others have one grade each."""
    done = program("evaluate", "test.qrels", "bm25.run", "-m", "all_prefs", "--format", "trec")
    lines = done.stdout.splitlines()
    assert len(lines) == 14
    assert lines[0] == "prefs_num_prefs_poss\tall\t3"
    assert "prefs_simp\tall\t0.3333" in lines


def test_evaluate_takes_judgment_groups(program: Program) -> None:
    given = ("--judgment-groups", "judges", "--format", "trec")
    done = program("evaluate", "test.qrels", "bm25.run", "-m", "map_avgjg", *given)
    assert done.stdout == f"map_avgjg\tall\t{(1 + 1 / 3) / 2 / 3:.4f}\n"
    done = program("evaluate", "test.qrels", "bm25.run", "-m", "qrels_jg", *given)
    assert len(done.stdout.splitlines()) == 1 + 9 + 10
    without = program("evaluate", "test.qrels", "bm25.run", "-m", "GroupAP", status=1)
    assert without.stderr == (
        "GroupAP needs judgments by judgment group: give --judgment-groups FILE\n"
    )


def test_compare_takes_preferences_with_files_only(program: Program) -> None:
    given = ("compare", "bm25.run", "tfidf.run", "-m", "PrefSimple", "--preferences", "prefs")
    (pair,) = json.loads(program(*given, "--qrels", "test.qrels", "--format", "json").stdout)[
        "pairs"
    ]
    assert pair["difference"] == pytest.approx((1 / 2 - 1) / 3)
    assert "--preferences" in program(*given, status=2).stderr


def test_ingest_and_measure_store_both_with_the_collection(program: Program) -> None:
    asked = ("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run")
    program(*asked, "--preferences", "prefs")
    program("reevaluate", "-m", "PrefSimple", "-m", "NumPrefs")
    names = ("runs", "--format", "json", "-m", "PrefSimple", "-m", "NumPrefs", "-m", "GroupAP")
    assert "judgments by judgment group" in program(*names, status=1).stderr
    program("reevaluate", "-m", "GroupAP", "--collection", "test", "--judgment-groups", "judges")
    (row,) = json.loads(program(*names).stdout)
    assert row["PrefSimple"] == pytest.approx(1 / 3)
    assert row["NumPrefs"] == 2
    assert row["GroupAP"] == pytest.approx((1 + 1 / 3) / 2 / 3)
    assert "all is well" in program("db", "check").stdout
    program("reevaluate", "-m", "GroupAP", "--judgment-groups", "judges", status=2)


def test_a_bad_file_is_named_with_its_line_and_nothing_is_stored(
    program: Program, folder: Path
) -> None:
    write(folder / "cycle", "q1 g s a 2\nq1 g s b 1\nq1 g t b 2\nq1 g t a 1\n")
    asked = ("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run")
    done = program(*asked, "--preferences", "cycle", status=1)
    assert done.stderr.startswith("cycle:4: judgment group 'g' of query 'q1' prefers ")
    assert not (folder / "evalstore.db").exists()
    done = program("evaluate", "test.qrels", "bm25.run", "--preferences", "judges", status=1)
    assert done.stderr.startswith("judges:1: expected 5 columns")


def test_a_repeated_line_is_warned_about_once(program: Program, folder: Path) -> None:
    write(folder / "prefs", "q1 g s d1 2\nq1 g s d2 1\nq1 g s d1 2\n")
    done = program("evaluate", "test.qrels", "bm25.run", "--preferences", "prefs")
    assert done.stderr == (
        "warning: prefs:3: 1 line with a level that stands before; it counts once\n"
    )


def test_hostile_names_are_ids_like_any_other(program: Program, folder: Path) -> None:
    write(
        folder / "odd",
        "".join(f"{n} {n} {n} {n} 2\n{n} {n} {n} other 1\n{n} {n} x {n} 2\n" for n in QIDS),
    )
    write(folder / "judges", "".join(f"{n} {n} {n} 1\n" for n in QIDS))
    write_qrels(folder, {n: {n: 1} for n in QIDS}, "odd.qrels")
    write_run(folder, {n: [n, "other"] for n in QIDS}, "odd.run")
    facts = ("--preferences", "odd", "--judgment-groups", "judges")
    program("ingest", "--collection", "odd", "--qrels", "odd.qrels", *facts, "odd.run")
    program("reevaluate", "-m", "PrefSimple", "-m", "GroupAP")
    names = ("-m", "PrefSimple", "-m", "GroupAP", "--format", "json")
    (row,) = json.loads(program("runs", *names).stdout)
    assert (row["PrefSimple"], row["GroupAP"]) == (1.0, 1.0)
    table = program("sql", "SELECT DISTINCT judgment_group FROM preference_judgment")
    assert "gnp.exe" in table.stdout
    assert list(raw_output_dangers(table.stdout)) == []


@pytest.mark.parametrize("name", [n for n in QIDS if len(n) < 100])
def test_a_hostile_name_in_an_error_is_one_printable_line(
    program: Program, folder: Path, name: str
) -> None:
    write(folder / "prefs", f"{name} {name} s {name} 2\n{name} {name} s {name} 1\n")
    done = program("evaluate", "test.qrels", "bm25.run", "--preferences", "prefs", status=1)
    assert done.stderr.startswith("prefs:2: document ")
    assert len(done.stderr.splitlines()) == 1
    assert list(raw_output_dangers(done.stderr)) == []
