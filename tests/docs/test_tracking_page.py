"""docs/tracking.md is run: what it shows is what the commands print on standard output."""

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
PAGE = (ROOT / "docs" / "tracking.md").read_text(encoding="utf-8")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?")
COLUMN_WHO = re.compile(r"(?<=  )(\S+@\S+|who) +")


def plain(output: str) -> str:
    """The output without what differs from day to day and from machine to machine."""
    return COLUMN_WHO.sub("WHO ", TIME.sub("TIME", output))


def sessions() -> list[tuple[str, str]]:
    """(command, expected output) of every console block, in the order of the text."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the example and the page's files in the current folder."""
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    files = re.findall(r"`(\w+\.yaml)`:\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(files) == PAGE.count("```yaml")
    for name, yaml in files:
        (tmp_path / name).write_text(yaml, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("example")
def test_every_command_of_the_page_prints_what_it_says() -> None:
    checked = sessions()
    assert len(checked) >= 7
    for command, expected in checked:
        program, *arguments = shlex.split(command)
        assert program == "evalstore"
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert (plain(done.stdout), done.exit_code) == (plain(expected), 0), command
