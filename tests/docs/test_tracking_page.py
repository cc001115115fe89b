"""docs/tracking.md is run, code and commands; it shows what they print on standard output."""

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


def blocks() -> list[tuple[str, str]]:
    """The language and the text of every block that is run, in the order of the text."""
    return re.findall(r"```(console|python)\n(.*?)```", PAGE, re.DOTALL)


def sessions(block: str) -> list[tuple[str, str]]:
    """(command, expected output) of a console block."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
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
def test_every_command_of_the_page_prints_what_it_says_and_the_code_runs() -> None:
    names: dict[str, object] = {}
    checked = 0
    for language, block in blocks():
        if language == "python":
            exec(compile(block, "tracking.md", "exec"), names)  # noqa: S102  (the page's own code)
            continue
        for command, expected in sessions(block):
            program, *arguments = shlex.split(command)
            assert program == "evalstore"
            done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
            assert (plain(done.stdout), done.exit_code) == (plain(expected), 0), command
            checked += 1
    assert checked >= 5
    assert len(names) > 1
