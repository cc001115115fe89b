"""`evalstore export parquet` and `evalstore db import`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from samples import HOSTILE, TFIDF, Fill, Program, add, raw_output_dangers, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # every table is written into files and read


@pytest.fixture
def stored(copied: Callable[[Fill], Path]) -> Path:
    """A folder with a store of two runs."""
    return copied(fill)


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))
    add(store, folder, write_run(folder), collection="other")


@pytest.mark.usefixtures("stored")
def test_an_export_says_what_was_written_and_what_is_not_carried(program: Program) -> None:
    first, second = program("export", "parquet", "out").stdout.splitlines()
    assert first.startswith("out: ")
    assert " files written, 0 unchanged, 0 removed; " in first
    assert second.startswith("not exported: documents (titles and texts); ")
    again = program("export", "parquet", "out").stdout
    assert again.startswith("out: 0 files written, ")


@pytest.mark.usefixtures("stored")
def test_an_import_makes_a_store_with_the_same_leaderboard(program: Program) -> None:
    program("export", "parquet", "out")
    done = program("db", "import", "out", "--db", "new.db")
    assert done.stdout.splitlines()[-1] == "runs and qrels: 5 copied"
    again = program("db", "import", "out", "--db", "new.db")
    assert again.stdout == "runs and qrels: 5 there already\n"
    asked = ("sql", "SELECT * FROM leaderboard ORDER BY 1, 2, 5, 6", "--format", "csv")
    assert program(*asked, "--db", "new.db").stdout == program(*asked).stdout


def test_a_collection_can_be_chosen_more_than_once(program: Program, stored: Path) -> None:
    program("export", "parquet", "out", "--collection", "other", "--collection", "test")
    assert pq.read_table(stored / "out" / "runs").num_rows == 3
    program("export", "parquet", "one", "--collection", "other")
    assert pq.read_table(stored / "one" / "runs").num_rows == 1
    done = program("db", "import", "out", "--collection", "other", "--db", "new.db")
    assert done.stdout.splitlines()[-1] == "runs and qrels: 2 copied"


@pytest.mark.usefixtures("stored")
def test_an_unknown_collection_fails_in_one_line(program: Program) -> None:
    failed = program("export", "parquet", "out", "--collection", "tset", status=1)
    assert failed.stderr.count("\n") == 1
    assert "there is no collection 'tset'" in failed.stderr
    assert not Path("out").exists()


def test_a_damaged_folder_fails_in_one_line_and_makes_no_store(
    program: Program, stored: Path
) -> None:
    program("export", "parquet", "out")
    next((stored / "out" / "values").glob("**/part.parquet")).write_bytes(b"PAR1")
    failed = program("db", "import", "out", "--db", "new.db", status=1)
    assert failed.stderr.count("\n") == 1
    assert "is damaged" in failed.stderr
    assert not (stored / "new.db").exists()


def test_a_folder_that_is_not_an_export_fails_in_one_line(program: Program, stored: Path) -> None:
    (stored / "other").mkdir()
    for name, message in (("other", "has no manifest.json"), ("none", "no such folder")):
        failed = program("db", "import", name, "--db", "new.db", status=1)
        assert failed.stderr.count("\n") == 1
        assert message in failed.stderr
    assert not (stored / "new.db").exists()
    (stored / "other" / "mine.txt").write_text("x")
    failed = program("export", "parquet", "other", status=1)
    assert "is not empty and was not written by an export of Parquet" in failed.stderr


def test_wrong_usage_has_status_2(program: Program, stored: Path) -> None:
    (stored / "file").write_text("")
    program("export", "parquet", status=2)
    program("export", "parquet", "file", status=2)
    program("db", "import", status=2)


def test_hostile_names_go_there_and_back(program: Program, folder: Path) -> None:
    with Store.open("evalstore.db") as store:
        for number, name in enumerate(HOSTILE):
            run = write_run(folder, TFIDF, f"{number}.run")
            add(store, folder, run, collection=name, name=name, engine=name, experiment=name)
    for call in (("export", "parquet", "out"), ("db", "import", "out", "--db", "new.db")):
        done = program(*call)
        assert not set(raw_output_dangers(done.output))
    asked = ("sql", "SELECT * FROM leaderboard ORDER BY 1, 2, 5, 6", "--format", "csv")
    assert HOSTILE[0] in program(*asked).stdout
    assert program(*asked, "--db", "new.db").stdout == program(*asked).stdout
