"""The program as a test runs it: in an empty folder, without a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import fill
from forked_program import ForkedProgram, forked_program
from samples import (
    BM25,
    NOTHING_FOR_Q3,
    TFIDF,
    Fill,
    Program,
    add,
    folders_filled_once,
    write_qrels,
    write_run,
)

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


@pytest.fixture(scope="session")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for tests to copy, in which every call of commands.py works."""
    folder = tmp_path_factory.mktemp("filled")
    fill(folder)
    return folder


@pytest.fixture(scope="session")
def folder_with(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fill], Path]:
    """Gives a folder for tests to copy: the store `evalstore.db` as filled, and the files."""
    return folders_filled_once(tmp_path_factory, "evalstore.db")


@pytest.fixture
def copied(folder: Path, folder_with: Callable[[Fill], Path]) -> Callable[[Fill], Path]:
    """Gives the current folder with a store as a function fills it, and its files.

    They are copies: the function is called once for all tests, which takes longer than copying.
    """

    def give(fill: Fill) -> Path:
        shutil.copytree(folder_with(fill), folder, dirs_exist_ok=True)
        return folder

    return give


@pytest.fixture
def team(program: Program, copied: Callable[[Fill], Path]) -> Program:
    """The program in a folder with a store that has a server and the collection `test`."""
    copied(fill_team)
    return program


def fill_team(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder))
    set_up(store, "https://eval.example", "ann", "correct horse battery")


@pytest.fixture
def files(folder: Path) -> Path:
    """Judgments and three runs in the current folder, which has no store."""
    write_three(folder)
    return folder


@pytest.fixture
def stored(copied: Callable[[Fill], Path]) -> Path:
    """The current folder with the same files, and a store of them."""
    return copied(fill_three)


def fill_three(store: Store, folder: Path) -> None:
    add(store, folder, *write_three(folder))


def write_three(folder: Path) -> list[str]:
    """The paths of the runs; the last one does not answer q3."""
    write_qrels(folder)
    runs = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}
    return [write_run(folder, rankings, f"{name}.run", name) for name, rankings in runs.items()]


@pytest.fixture(scope="session")
def forked() -> Iterator[ForkedProgram]:
    """The program in processes of its own."""
    with forked_program() as calls:
        yield calls
