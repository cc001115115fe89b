"""Patterns and lists of run files on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import BM25, TFIDF, Program, write, write_qrels, write_run

ASKED = ("ingest", "--collection", "test", "--qrels", "qrels.txt")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    write_qrels(folder, name="qrels.txt")
    (folder / "runs/old").mkdir(parents=True)
    write_run(folder / "runs", BM25, "r10.run", "bm25")
    write_run(folder / "runs/old", TFIDF, "r2.run", "tfidf")


def names(program: Program) -> list[str]:
    return program("sql", "SELECT name FROM run ORDER BY id", "--format", "csv").stdout.split()[1:]


def test_ingest_takes_a_pattern_as_one_argument(program: Program) -> None:
    done = program(*ASKED, "runs/**/*.run")
    assert done.stdout.splitlines() == ["stored          r2", "stored          r10", "2 stored"]
    assert names(program) == ["r2", "r10"]


def test_a_pattern_that_matches_nothing_fails_alone(program: Program) -> None:
    done = program(*ASKED, "runs/*.gz", "runs/*.run", status=1)
    assert (
        "failed          runs/*.gz: no such file or directory, and none matches it as a pattern"
        in (done.stderr.splitlines())
    )
    assert names(program) == ["r10"]


def test_evaluate_takes_patterns(program: Program) -> None:
    asked = ("evaluate", "qrels.txt", "-m", "AP", "--format", "csv")
    by_pattern = program(*asked, "runs/**/r*.run").stdout
    assert by_pattern == program(*asked, "runs/old/r2.run", "runs/r10.run").stdout
    done = program("evaluate", "qrels.txt", "none*", status=1)
    assert done.stderr == "none*: no such file or directory, and none matches it as a pattern\n"


def test_compare_takes_patterns_where_files_are_compared(program: Program) -> None:
    by_name = program("compare", "--qrels", "qrels.txt", "runs/old/r2.run", "runs/r10.run").stdout
    assert program("compare", "--qrels", "qrels.txt", "runs/**/*.run").stdout == by_name


def test_check_takes_a_pattern_of_one_file(program: Program) -> None:
    asked = ("check", "--qrels", "qrels.txt", "--fail-if", "AP drop > 0.99", "--baseline")
    program(*asked, "runs/old/*.run", "runs/*.run")
    done = program(*asked, "runs/old/*.run", "runs/**/*.run", status=2)
    assert "runs/**/*.run matches 2 files, and one run is expected" in done.stderr


@pytest.mark.parametrize("between", ["\n", "\0"])
def test_files_from_takes_a_list_from_standard_input(program: Program, between: str) -> None:
    listed = between.join(("runs/r10.run", "", "runs/old/r2.run", ""))
    done = program(*ASKED, "--files-from", "-", given=listed)
    assert done.stdout.splitlines() == ["stored          r10", "stored          r2", "2 stored"]


def test_a_file_of_a_list_that_fails_is_named_with_the_list_and_its_line(
    program: Program, folder: Path
) -> None:
    write(folder / "list.txt", "runs/r10.run\n\nruns/none.run\n")
    done = program(*ASKED, "--files-from", "list.txt", status=1)
    message = "runs/none.run: no such file or directory (list.txt:3)"
    assert f"failed          {message}" in done.stderr.splitlines()
    assert names(program) == ["r10"]
    done = program("evaluate", "qrels.txt", "--files-from", "list.txt", status=1)
    assert done.stderr == f"{message}\n"
    done = program("compare", "--qrels", "qrels.txt", "--files-from", "list.txt", status=1)
    assert done.stderr == "list.txt:3: no such file: runs/none.run\n"


def test_a_list_can_name_stored_runs_to_compare(program: Program) -> None:
    program(*ASKED, "runs/**/*.run")
    done = program("compare", "--files-from", "-", given="r2\nr10\n")
    assert done.stdout == program("compare", "r2", "r10").stdout


def test_arguments_come_before_the_list(program: Program, folder: Path) -> None:
    write(folder / "list.txt", "runs/r10.run\n")
    done = program(*ASKED, "--files-from", "list.txt", "runs/old/r2.run")
    assert done.stdout.splitlines()[:2] == ["stored          r2", "stored          r10"]


@pytest.mark.parametrize("command", [ASKED, ("evaluate", "qrels.txt"), ("compare",)])
def test_neither_files_nor_a_list_is_a_fault_of_usage(
    program: Program, command: tuple[str, ...]
) -> None:
    assert "--files-from" in program(*command, status=2).stderr


def test_standard_input_is_read_once(program: Program) -> None:
    assert "give - once" in program(*ASKED, "--files-from", "-", "-", status=2).stderr
    assert "give - once" in program("evaluate", "-", "--files-from", "-", status=2).stderr


def test_hostile_names_in_lists_and_patterns_are_escaped(program: Program, folder: Path) -> None:
    write(folder / "l\x1b[31m", "no\x1b[2Jne.run\n")
    done = program("evaluate", "qrels.txt", "--files-from", "l\x1b[31m", "x\x1b*", status=1)
    assert "\x1b" not in done.output
    assert "no\\x1b[2Jne.run" in done.stderr


def test_files_that_are_stored_are_recognised_and_recheck_reads_them(program: Program) -> None:
    program(*ASKED, "runs/**/*.run")
    lines = ["already stored  r2", "already stored  r10", "2 already stored"]
    recognised = "2 files unchanged since they were stored"
    assert program(*ASKED, "runs/**/*.run").stdout.splitlines() == [*lines, recognised]
    assert program(*ASKED, "runs/**/*.run", "--recheck").stdout.splitlines() == lines


def test_of_one_changed_file_the_others_are_recognised(program: Program, folder: Path) -> None:
    program(*ASKED, "runs/**/*.run")
    write_run(folder / "runs", TFIDF, "r10.run", "bm25")
    done = program(*ASKED, "runs/**/*.run", "--replace")
    assert done.stdout.splitlines() == [
        "already stored  r2",
        "replaced        r10",
        "1 already stored, 1 replaced",
        "1 file unchanged since it was stored",
    ]
