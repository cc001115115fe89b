"""Ingest in processes forked before the store is open: the same rows, messages and status."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import BM25, TFIDF, dump_without_files, write, write_qrels, write_run

from evalstore.cli import cli
from evalstore.ingest.store_run import set_collection_measures
from evalstore.store import Store
from evalstore.store.queries.collections import measures_of_collection

pytestmark = [
    pytest.mark.slow,  # programs with processes of their own
    pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked there"),
]

RUNS = ("bm25.run", "tfidf.run")
ONLY_FORKED = """
from evalstore.evaluation import parallel
from evalstore.ingest import ingest
parallel.WORTH_IT = 0
def each(*given, jobs, processes=None, **more):
    assert processes is not None, "no process was forked before the store was open"
    return parallel.each(*given, jobs=jobs, processes=processes, **more)
ingest.each = each
"""
PROGRAM = "from evalstore.evaluation import parallel; parallel.WORTH_IT = 0\n"
MAIN = "from evalstore.cli import main; main()"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A qrels and two runs in the current folder."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run", "tfidf")


def ingest(
    *arguments: str, db: str = "new.db", program: str = ONLY_FORKED
) -> subprocess.CompletedProcess[str]:
    """The command; it and all its processes have ended then, as they would keep its output open."""
    asked = ("--collection", "test", "--jobs", "2", *arguments)
    command = (sys.executable, "-c", program + MAIN, "--db", db, "ingest", *asked)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def ingest_in_one(*arguments: str, db: str) -> tuple[int, str, str]:
    """The exit status and what is printed where one process does it all, as a test does here."""
    asked = ("--collection", "test", "--jobs", "1", *arguments)
    done = CliRunner().invoke(cli, ["--db", db, "ingest", *asked], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def stored(db: str) -> dict[str, list[list[object]]]:
    """All rows, without when they were stored."""
    with Store.open(db) as store:
        tables = dump_without_files(store)
    return {
        table: [[None if isinstance(value, datetime) else value for value in row] for row in rows]
        for table, rows in tables.items()
    }


@pytest.mark.parametrize("name", ["new.db", "sqlite:///new.db"])
def test_several_processes_store_and_tell_the_same_as_one(name: str) -> None:
    begun = ingest("--qrels", "test.qrels", *RUNS, db=name)
    assert begun.returncode == 0, begun.stderr
    one_by_one = ingest_in_one("--qrels", "test.qrels", *RUNS, db="other.db")
    assert (0, begun.stdout, begun.stderr) == one_by_one
    assert stored("new.db") == stored("other.db")


def test_processes_are_forked_for_the_files_of_a_folder_too(folder: Path) -> None:
    (folder / "runs").mkdir()
    for name in RUNS:
        (folder / name).rename(folder / "runs" / name)
    done = ingest("--qrels", "test.qrels", "runs")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("2 stored\n")


def test_a_bad_file_fails_alone(folder: Path) -> None:
    write(folder / "bad.run", "q1 Q0 d1 1 9 t\nq1 Q0 d2 2\n")
    done = ingest("--qrels", "test.qrels", "bm25.run", "bad.run")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "stored          bm25"
    assert "bad.run:2: expected 6 columns, found 4" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "db", "said"),
    [
        (("--qrels", "test.qrels"), "missing/new.db", "there is no folder"),
        (("--qrels", "missing.qrels"), "new.db", "missing.qrels: no such file"),
        (("--qrels", "test.qrels", "--measures", "Quality"), "new.db", "Quality"),
        ((), "new.db", "test"),
    ],
)
def test_an_error_is_one_line_and_no_process_stays(
    arguments: tuple[str, ...], db: str, said: str
) -> None:
    begun = ingest(*arguments, *RUNS, db=db)
    assert begun.returncode == 1
    assert len(begun.stderr.splitlines()) == 1
    assert said in begun.stderr
    assert (1, begun.stdout, begun.stderr) == ingest_in_one(*arguments, *RUNS, db=db)


def test_a_store_of_a_newer_version_is_refused_and_no_process_stays() -> None:
    with Store.open("new.db") as store, store.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'from the future'")
    done = ingest("--qrels", "test.qrels", "--recheck", *RUNS)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_the_measures_of_a_collection_count() -> None:
    first = ingest("--qrels", "test.qrels", "bm25.run", program=PROGRAM)
    assert first.returncode == 0, first.stderr
    with Store.open("new.db") as store:
        set_collection_measures(store, "test", "P@5,AP")
        with store.read() as connection:
            assert measures_of_collection(connection, 1) == "P@5,AP"
    again = ingest("--qrels", "test.qrels", "--recheck", *RUNS, program=PROGRAM)
    assert again.returncode == 0, again.stderr
    with Store.open("new.db") as store, store.read() as connection:
        names = connection.exec_driver_sql(
            "SELECT measure FROM leaderboard WHERE run = 'tfidf' ORDER BY measure"
        )
        assert [row[0] for row in names] == ["AP", "P@5"]
