"""Folders of runs on the command line: what is recognised is said, and what belongs to one run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mlflow_stores import Logged, write_files
from samples import BM25, ESCAPE, TFIDF, Program, raw_output_dangers, write, write_qrels, write_run

from evalstore.formats.registry import folder_formats

INGEST = ("ingest", "--collection", "test", "--qrels", "test.qrels")


@pytest.fixture
def runs(folder: Path) -> Path:
    """A folder of two runs, and the judgments."""
    write_qrels(folder)
    (folder / "runs").mkdir()
    write_run(folder / "runs", BM25, "bm25.run")
    write_run(folder / "runs", TFIDF, "tfidf.run.gz", "tfidf")
    return folder / "runs"


def test_ingest_says_which_kind_of_folder_it_is_and_how_many_runs_it_has(
    program: Program, runs: Path
) -> None:
    write(runs / "notes.txt", "hello\n")
    done = program(*INGEST, "runs")
    assert done.stdout.splitlines() == [
        "runs: 2 runs read as run-folder",
        "stored          bm25",
        "stored          tfidf",
        "2 stored",
    ]
    assert "warning: runs: no runs, left out: notes.txt\n" in done.stderr
    assert "[2/2, 100%] runs/tfidf.run.gz\n" in done.stderr


def test_a_file_of_several_runs_is_said_to_be_one(program: Program, runs: Path) -> None:
    scores = {"q1": {"d1": 2}}
    write(runs / "T.json", json.dumps({"de": {"test": scores, "dev": {"q1": {"d2": 1}}}}))
    done = program(*INGEST, "runs/T.json")
    assert done.stdout.splitlines()[:2] == [
        "runs/T.json: 2 runs",
        "stored          T_de_test  (read as mteb-predictions)",
    ]


def test_a_run_that_fails_fails_alone_and_the_status_is_1(program: Program, runs: Path) -> None:
    write(runs / "p.csv", "run,k1\nbm25,0.9\nbm52,1\n")
    write(runs / "x.json", '{"q1": {"d1": 2}}')
    done = program(*INGEST, "runs", status=1)
    assert done.stdout.splitlines()[-1] == "2 stored, 2 failed"
    assert "failed          runs/p.csv:3: no run 'bm52' in this folder\n" in done.stderr
    unclear = "runs/x.json: this may be a run or judgments: say which with --input-format NAME\n"
    assert f"failed          {unclear}" in done.stderr


def test_two_runs_of_one_name_are_told_with_the_way_out(program: Program, runs: Path) -> None:
    write_run(runs, TFIDF, "bm25.txt")
    done = program(*INGEST, "runs", status=1)
    assert (
        "runs/bm25.txt: runs/bm25.run is a run named 'bm25' too: rename one of the two, or ingest "
        "it by itself with --name" in done.stderr
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--name", "x"), "--name belongs to one run, and there are 2"),
        (("--index-bytes", "5"), "--index-bytes belongs to one run, and there are 2"),
        (("--name", "x", "--times", "t"), "--name and --times belong to one run"),
    ],
)
def test_what_belongs_to_one_run_is_a_usage_error_for_a_folder_of_several(
    program: Program, runs: Path, options: tuple[str, ...], message: str
) -> None:
    assert message in program(*INGEST, *options, "runs", status=2).stderr
    assert not Path("evalstore.db").exists()


def test_a_folder_of_one_run_takes_a_name(program: Program, runs: Path) -> None:
    (runs / "bm25.run").unlink()
    assert program(*INGEST, "--name", "x", "runs").stdout.endswith("stored          x\n")


def test_format_names_the_kind_of_folder(program: Program, runs: Path) -> None:
    write(runs / "p.csv", "run,k1\nbm25,0.9\ntfidf,1\n")
    assert "read as parameter-folder" in program(*INGEST, "runs").stdout
    assert "read as run-folder" in program(*INGEST, "--input-format", "run-folder", "runs").stdout
    refused = program(*INGEST, "--input-format", "pyterrier-folder", "runs", status=1)
    assert "no runs in this folder (pyterrier-folder)" in refused.stderr


@pytest.mark.parametrize(
    "command", [("evaluate", "test.qrels"), ("compare", "--qrels", "test.qrels")]
)
def test_other_commands_name_the_way_for_folders_and_files_of_several_runs(
    program: Program, runs: Path, command: tuple[str, ...]
) -> None:
    write(runs / "T.json", json.dumps({"de": {key: {"q1": {"d1": 2}} for key in ("a", "b")}}))
    for path in ("runs", "runs/T.json"):
        done = program(*command, path, "runs/bm25.run", status=1)
        assert "`evalstore ingest` takes files and folders of several runs" in done.stderr


def test_runs_of_mlflow_are_stored_with_what_it_logged(program: Program, folder: Path) -> None:
    write_qrels(folder)
    write_files(folder, Logged())
    assert program(*INGEST, "mlruns").stdout.splitlines() == [
        "mlruns: 1 run read as mlflow",
        "stored          bm25 k1=0.9",
    ]
    facts = json.loads(program("runs", "show", "bm25 k1=0.9", "--format", "json").stdout)
    assert (facts["experiment"], facts["parameters"]["stem"]) == ("stemming", True)


def test_hostile_names_of_folders_and_files_are_escaped(program: Program, runs: Path) -> None:
    hostile = runs.rename(runs.parent / f"a{ESCAPE}\nb")
    write(hostile / "\u202etxt", "hello\n")
    write(hostile / f"{ESCAPE}.json", '{"q1": {"d1": 2}}')
    done = program(*INGEST, hostile.name, status=1)
    assert list(raw_output_dangers(done.output)) == []


def test_formats_lists_the_folders_with_an_example(program: Program) -> None:
    lines = program("ingest", "--formats").stdout.splitlines()
    folders = [line.split()[0] for line in lines if "  folder of runs  " in line]
    assert folders == [form.name for form in folder_formats()]
