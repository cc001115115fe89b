"""docs/exporting.md is run: what it shows is what the commands print on standard output."""

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
PAGE = (ROOT / "docs" / "exporting.md").read_text(encoding="utf-8")


def sessions() -> list[tuple[str, str]]:
    """(command, expected output) of every console block, in the order of the text."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of the example in the current folder."""
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = "ingest --collection helpdesk --qrels qrels.txt bm25.run dense.run"
    assert CliRunner().invoke(cli, arguments.split()).exit_code == 0


@pytest.mark.usefixtures("example")
def test_every_command_of_the_page_prints_what_it_says() -> None:
    checked = sessions()
    assert len(checked) >= 5
    for command, expected in checked:
        program, *arguments = shlex.split(command)
        assert program == "evalstore"
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert (done.stdout, done.exit_code) == (expected, 0), command
