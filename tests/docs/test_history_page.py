"""docs/history.md is run: what it shows is what the commands print on standard output."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalstore.cli import cli

pytestmark = pytest.mark.slow  # many commands, figures or resamples

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "history.md").read_text(encoding="utf-8")
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the example in the current folder."""
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("example")
def test_every_command_of_the_page_prints_what_it_says() -> None:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(parts) >= 5
    for part in parts:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "evalstore"
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        printed = DATE.sub("DATE", done.stdout)
        assert (printed, done.exit_code) == (DATE.sub("DATE", expected), 0), command
