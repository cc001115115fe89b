"""--db with the URL of a server: which commands take it, and what the others say."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import CALLS, fill
from samples import Program

NOBODY = "http://127.0.0.1:1"
THROUGH_A_SERVER = {"ingest", "runs", "compare", "check", "history", "sql", "export", "plot"}


@pytest.mark.parametrize("call", [c for c in CALLS if c[0] not in THROUGH_A_SERVER], ids=" ".join)
def test_a_command_that_does_not_work_through_a_server_says_where_to_run_it(
    program: Program, folder: Path, call: tuple[str, ...]
) -> None:
    if call[0] == "report":  # it reads files without a store
        pytest.skip("told once the runs are loaded")
    done = program(*call, "--db", NOBODY, status=2)
    name = " ".join(call[:2]) if f"`evalstore {call[0]} {call[1:2]}" in done.stderr else call[0]
    assert f"`evalstore {name}" in done.stderr
    assert (
        "does not work through a server: run it where the server's store is, with --db DATABASE"
        in done.stderr
    )
    assert done.stdout == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("call", [c for c in CALLS if c[0] in THROUGH_A_SERVER], ids=" ".join)
def test_a_server_that_is_not_there_is_told_of_in_one_line(
    program: Program, folder: Path, call: tuple[str, ...]
) -> None:
    fill(folder)
    status = 2 if call[0] == "check" else 1
    before = program(*call, "--db", NOBODY, status=status)
    assert "http://127.0.0.1:1 can't be reached: connection refused" in before.stderr
    assert before.stdout == ""
    after = program("--db", NOBODY, *call, status=status)
    assert after.stderr == before.stderr


def test_the_server_may_be_named_by_the_variable_of_the_store(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", NOBODY)
    assert "can't be reached" in program("runs", status=1).stderr
    assert "does not work through a server" in program("rm", "bm25", status=2).stderr
