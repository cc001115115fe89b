"""Ingest in several processes: the same rows, messages and status."""

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

pytestmark = pytest.mark.slow  # programs with processes of their own

RUNS = ("bm25.run", "tfidf.run")
PROGRAM = "from evalstore.evaluation import parallel; parallel.WORTH_IT = 0\n"
MAIN = "from evalstore.cli import main; main()"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A qrels and two runs in the current folder."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run", "tfidf")


def ingest(*arguments: str, db: str = "new.db") -> subprocess.CompletedProcess[str]:
    """The command; it and all its processes have ended then, as they would keep its output open."""
    asked = ("--collection", "test", "--jobs", "2", *arguments)
    command = (sys.executable, "-c", PROGRAM + MAIN, "--db", db, "ingest", *asked)
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


@pytest.mark.parametrize(
    "name", ["new.db", pytest.param("sqlite:///new.db", marks=pytest.mark.nightly)]
)
def test_several_processes_store_and_tell_the_same_as_one(name: str) -> None:
    begun = ingest("--qrels", "test.qrels", *RUNS, db=name)
    assert begun.returncode == 0, begun.stderr
    one_by_one = ingest_in_one("--qrels", "test.qrels", *RUNS, db="other.db")
    assert (0, begun.stdout, begun.stderr) == one_by_one
    assert stored("new.db") == stored("other.db")


def test_a_bad_file_fails_alone(folder: Path) -> None:
    write(folder / "bad.run", "q1 Q0 d1 1 9 t\nq1 Q0 d2 2\n")
    done = ingest("--qrels", "test.qrels", "bm25.run", "bad.run")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "stored          bm25"
    assert "bad.run:2: expected 6 columns, found 4" in done.stdout + done.stderr


def test_the_measures_of_a_collection_count() -> None:
    first = ingest("--qrels", "test.qrels", "bm25.run")
    assert first.returncode == 0, first.stderr
    with Store.open("new.db") as store:
        set_collection_measures(store, "test", "P@5,AP")
        with store.read() as connection:
            assert measures_of_collection(connection, 1) == "P@5,AP"
    again = ingest("--qrels", "test.qrels", "--recheck", *RUNS)
    assert again.returncode == 0, again.stderr
    with Store.open("new.db") as store, store.read() as connection:
        names = connection.exec_driver_sql(
            "SELECT measure FROM leaderboard WHERE run = 'tfidf' ORDER BY measure"
        )
        assert [row[0] for row in names] == ["AP", "P@5"]
