"""--db: a path or a URL, before the command and after it; reading makes no store."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import CALLS, MAKES_A_STORE, status_of_error
from samples import Program, add, write_run

from evalstore.store import Store


@pytest.fixture
def two(folder: Path) -> None:
    """Two stores: a run in one, none in the other."""
    with Store.open("one.db") as store:
        add(store, folder, write_run(folder))
    Store.open("none.db").close()


def test_db_goes_before_the_command_and_after_it_and_the_later_one_wins(
    program: Program, two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", "none.db")
    assert "no runs yet" in program("runs").stdout
    assert "bm25" in program("--db", "one.db", "runs").stdout
    assert "bm25" in program("runs", "--db", "one.db").stdout
    assert "bm25" in program("--db", "none.db", "runs", "--db", "./one.db").stdout
    assert "current" in program("db", "current", "--db", "sqlite:///one.db").stdout


@pytest.mark.parametrize("call", [c for c in CALLS if c[0] not in MAKES_A_STORE], ids=" ".join)
def test_what_only_reads_makes_no_store(
    program: Program, folder: Path, call: tuple[str, ...]
) -> None:
    before = set(folder.iterdir())
    done = program(*call, "--db", "missing.db", status=status_of_error(call))
    assert "there is no store at sqlite:///missing.db" in done.stderr
    assert set(folder.iterdir()) == before


def test_a_mistyped_store_is_told_the_name_of_the_one_that_is_there(
    program: Program, two: None
) -> None:
    done = program("runs", "--db", "onee.db", status=1)
    assert "did you mean 'one.db'?" in done.stderr


@pytest.mark.parametrize("before", [True, False])
def test_a_password_on_the_command_line_is_warned_of(program: Program, before: bool) -> None:
    url = ("--db", "postgresql+psycopg://ann:secret@127.0.0.1:1/none")
    done = program(*url, "runs", status=1) if before else program("runs", *url, status=1)
    assert "can read a password on a command line" in done.stderr
    assert "secret" not in done.output
