"""--db with the URL of a server: which commands take it, and what the others say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import CALLS
from samples import Program

pytestmark = pytest.mark.slow  # many commands

NOBODY = "http://127.0.0.1:1"
THROUGH_A_SERVER = {
    *(
        "ingest",
        "leaderboard",
        "compare",
        "values",
        "holes",
        "reproduce",
        "pool",
        "check",
        "history",
        "sql",
        "export figure",
        "export report",
    ),
    *("agreement", "power", "explain", "runs", "runs show", "runs diff", "runs edit", "runs tag"),
    "runs comment",
    *(
        "runs baseline",
        "runs rm",
        "runs restore",
        "collections",
        "qrels",
        "qrels default",
        "qrels diff",
        "qrels repeats",
    ),
    *("qrels reuse", "queries", "experiments", "experiments show", "db events"),
    *("qrels show", "qrels edit", "qrels draft"),
    *("export run", "export qrels", "export comparison", "export leaderboard"),
}
GROUPS = {"runs", "collections", "qrels", "queries", "experiments", "db", "export", "server"}


def name_of(call: tuple[str, ...]) -> str:
    is_long = call[0] in GROUPS and len(call) > 1 and not call[1].startswith("-")
    return " ".join(call[: 1 + is_long])


def goes_through(call: tuple[str, ...]) -> bool:
    return name_of(call) in THROUGH_A_SERVER


@pytest.mark.parametrize("call", [c for c in CALLS if not goes_through(c)], ids=" ".join)
def test_a_command_that_does_not_work_through_a_server_says_where_to_run_it(
    program: Program, folder: Path, call: tuple[str, ...]
) -> None:
    done = program(*call, "--db", NOBODY, status=2)
    assert f"`evalstore {name_of(call)}" in done.stderr
    assert (
        "does not work through a server: run it where the server's store is, with --db DATABASE"
        in done.stderr
    )
    assert done.stdout == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("call", [c for c in CALLS if goes_through(c)], ids=" ".join)
def test_a_server_that_is_not_there_is_told_of_in_one_line(
    program: Program, folder: Path, filled_folder: Path, call: tuple[str, ...]
) -> None:
    shutil.copytree(filled_folder, folder, dirs_exist_ok=True)
    status = 2 if call[0] == "check" else 1
    before = program(*call, "--db", NOBODY, status=status)
    assert "http://127.0.0.1:1 can't be reached: connection refused" in before.stderr
    assert before.stdout == ""
    after = program("--db", NOBODY, *call, status=status)
    assert after.stderr == before.stderr


@pytest.mark.parametrize(
    "call",
    [
        ("leaderboard", "test", "--save"),
        ("collections", "--removed"),
        ("qrels", "--removed"),
    ],
    ids=" ".join,
)
def test_an_option_that_does_not_work_through_a_server_is_refused(
    program: Program, call: tuple[str, ...]
) -> None:
    done = program(*call, "--db", NOBODY, status=2)
    command = " ".join(word for word in call if word not in {"test", call[-1]})
    assert f"`evalstore {command} {call[-1]}` does not work through a server" in done.stderr
    assert done.stdout == ""


def test_the_server_may_be_named_by_the_variable_of_the_store(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", NOBODY)
    assert "can't be reached" in program("runs", status=1).stderr
    assert "does not work through a server" in program("runs", "purge", status=2).stderr
