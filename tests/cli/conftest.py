"""The program as a test runs it: in an empty folder, without a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from forked_program import ForkedProgram, forked_program
from samples import Program, add, write_run

from evalstore.cli import cli
from evalstore.server.setup import set_up
from evalstore.store import Store


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program(folder: Path) -> Program:
    """Call `evalstore` with arguments; what is no exit status of its own fails the test."""

    def call(*arguments: str, status: int = 0, given: str | None = None) -> Result:
        done = CliRunner().invoke(cli, list(arguments), input=given, catch_exceptions=False)
        assert done.exit_code == status, done.output
        assert "Traceback" not in done.output
        return done

    return call


@pytest.fixture
def team(program: Program, folder: Path) -> Program:
    """The program in a folder with a store that has a server and the collection `test`."""
    with Store.open("evalstore.db") as store:
        add(store, folder, write_run(folder))
        set_up(store, "https://eval.example", "ann", "correct horse battery")
    return program


@pytest.fixture(scope="session")
def forked() -> Iterator[ForkedProgram]:
    """The program in processes of its own."""
    with forked_program() as calls:
        yield calls
