"""docs/reporting.md is run: its commands print what it says and write the files it names."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalstore.cli import cli
from evalstore.cli.commands.figures import KINDS, SUFFIXES

pytestmark = pytest.mark.slow  # every command of the page is run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reporting.md").read_text(encoding="utf-8")


def test_every_command_of_the_page_prints_what_it_says_and_writes_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    written = set()
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "evalstore"
            done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
            assert (done.exit_code, done.stdout) == (0, expected), command
            assert Path(arguments[-1]).stat().st_size > 1_000
            written.add(Path(arguments[-1]).suffix)
    assert written == set(SUFFIXES)


def test_the_page_explains_every_kind_and_suffix() -> None:
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert [name for name in (*KINDS, *SUFFIXES) if f"`{name}`" not in rows] == []
