"""docs/dask.md is followed: its scheduler, its workers, and the commands that it shows."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from free_ports import free_port

from evalstore.cli import cli

pytestmark = [pytest.mark.slow, pytest.mark.nightly]  # processes of their own

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dask.md").read_text(encoding="utf-8")
PORT = "8786"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page with a free port, in a folder with the files of the example, its cluster running."""
    text = PAGE.replace(PORT, str(free_port()))
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^dask .*$", text, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["scheduler", "worker"]
    program = Path(sys.executable).with_name("dask")
    with (tmp_path / "log").open("wb") as log:
        started = [
            subprocess.Popen(
                [program, *shlex.split(command)[1:], "--dashboard-address", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
            for command in commands
        ]  # fmt: skip
    try:
        yield text
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=300)


def test_the_commands_print_what_the_page_says(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its workers are starting.
    monkeypatch.setattr("evalstore.evaluation.dask_tasks.FIRST_PATIENCE", 300.0)
    (block,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = CliRunner().invoke(cli, shlex.split(command)[1:], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert done.stdout == expected


def test_the_numbers_of_the_page_are_those_of_the_program() -> None:
    from evalstore.evaluation import dask_tasks

    assert dask_tasks.TRIES == 3
    assert "it is tried on two others" in PAGE
    assert f"refused after {dask_tasks.FIRST_PATIENCE:g} seconds" in PAGE
    assert f"during the work, after {dask_tasks.PATIENCE:g}" in PAGE
    assert f"connects again for {dask_tasks.PATIENCE:g} seconds" in PAGE
