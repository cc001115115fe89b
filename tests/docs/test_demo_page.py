"""docs/demo.md and comparing.md are run: they show what the commands print on the demo."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalstore.cli import cli

pytestmark = pytest.mark.slow  # the demo is built

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "demo.md").read_text(encoding="utf-8")
COMPARING = (DOCS / "comparing.md").read_text(encoding="utf-8")
SHOWN_WITH = (3, 11, 7)
"""The Python whose documents gave the figures of the page."""


def commands(kind: str, page: str = PAGE) -> list[tuple[str, str]]:
    """(command, expected output) of every block of a kind, in the order of the text."""
    blocks = re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)
    begin = r"^\$ " if kind == "console" else r"^(?=evalstore)"
    parts = [part for block in blocks for part in re.split(begin, block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def test_every_command_of_the_page_works_on_the_demo(
    built_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(built_demo / "evalstore.db", tmp_path)
    with_output, named = commands("console"), commands("sh")
    assert len(with_output) >= 2
    assert len(named) >= 5
    for command, expected in [*with_output, *named]:
        program, *arguments = shlex.split(command)
        assert program == "evalstore"
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert done.exit_code == 0, command
        if expected and sys.version_info[:3] == SHOWN_WITH:
            assert done.stdout == expected, command
    for file in (DOCS / "example").iterdir():  # for the one command on files
        shutil.copy(file, tmp_path)
    assert "```text" not in COMPARING, "output that no test compares"
    for command, expected in commands("console", COMPARING):
        done = CliRunner().invoke(cli, shlex.split(command)[1:], catch_exceptions=False)
        assert done.exit_code == 0, command
        if sys.version_info[:3] == SHOWN_WITH:  # the page may leave out lines before and after
            assert expected in done.stdout, command
