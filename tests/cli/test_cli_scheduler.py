"""`--scheduler`: the commands print and store the same as without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dask_cluster import Cluster, running_cluster
from samples import BM25, TFIDF, Program, write_qrels, write_run

pytestmark = pytest.mark.slow  # processes of their own


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


@pytest.fixture
def files(folder: Path) -> tuple[str, str, str]:
    """The names of judgments and of two runs in the current folder."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run", "bm25")
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    return "test.qrels", "bm25.run", "tfidf.run"


@pytest.mark.parametrize("shape", ["table", "trec", "csv", "json"])
def test_evaluate_prints_the_same(
    program: Program, files: tuple[str, ...], cluster: Cluster, shape: str
) -> None:
    here = program("evaluate", *files, "-q", "--format", shape)
    there = program("evaluate", *files, "-q", "--format", shape, "--scheduler", cluster.address)
    assert there.stdout == here.stdout


def test_evaluate_of_a_missing_file_names_the_workers_and_fails(
    program: Program, files: tuple[str, ...], cluster: Cluster
) -> None:
    call = ("evaluate", *files, "nowhere.run", "--scheduler", cluster.address)
    done = program(*call, status=1)
    assert "nowhere.run: no such file or directory: on workers tcp://127.0.0.1:" in done.stderr
    assert "bm25" in done.stdout


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_compare_prints_the_same(
    program: Program, files: tuple[str, ...], cluster: Cluster, test: str
) -> None:
    qrels, *runs = files
    call = ("compare", *runs, "--qrels", qrels, "--test", test, "--format", "json")
    here = program(*call)
    assert program(*call, "--scheduler", cluster.address).stdout == here.stdout


def test_ingest_measure_and_reevaluate_print_the_same(
    program: Program, folder: Path, files: tuple[str, ...], cluster: Cluster
) -> None:
    qrels, *runs = files
    write_qrels(folder, {"q1": {"d2": 2}, "q3": {"d6": 3}}, "new.qrels")
    calls = (
        ("ingest", "--collection", "test", "--qrels", qrels, *runs),
        ("reevaluate", "-m", "P@7"),
        ("reevaluate", "--collection", "test", "--qrels", "new.qrels"),
        ("leaderboard", "test"),
    )
    printed = {}
    for db, scheduler in (("here.db", ()), ("there.db", ("--scheduler", cluster.address))):
        printed[db] = [
            program(*call, *(scheduler if call[0] != "leaderboard" else ()), "--db", db).stdout
            for call in calls
        ]
    assert printed["there.db"] == printed["here.db"]


@pytest.mark.parametrize("command", ["evaluate", "ingest"])
def test_a_file_of_a_list_that_fails_is_named_with_its_line(
    program: Program, folder: Path, files: tuple[str, ...], cluster: Cluster, command: str
) -> None:
    (folder / "runs.txt").write_text("bm25.run\ntfidf.run\nbad.run\n")
    (folder / "bad.run").write_text("not a run\n")
    calls = {
        "evaluate": ("evaluate", files[0]),
        "ingest": ("ingest", "--db", "x.db", "--collection", "test", "--qrels", files[0]),
    }
    call = (*calls[command], "--files-from", "runs.txt", "--scheduler", cluster.address)
    assert program(*call, status=1).stderr.rstrip().endswith("(runs.txt:3)")


@pytest.mark.parametrize(
    "address", ["nowhere", "", "tcp://host", "host:1 2", "tcp://a@b:80", "\x1b"]
)
def test_what_is_no_address_is_a_usage_error(
    program: Program, files: tuple[str, ...], address: str
) -> None:
    done = program("evaluate", *files, "--scheduler", address, status=2)
    assert "an address is like tcp://host:8786" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_scheduler_that_is_not_there_is_one_line(
    program: Program, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalstore.evaluation.dask_tasks.FIRST_PATIENCE", 1.0)
    done = program("evaluate", *files, "--scheduler", "127.0.0.1:9", status=1)
    (line,) = done.stderr.splitlines()
    assert line.startswith("the scheduler 127.0.0.1:9 is not reached: ")
