"""The code of docs/python.md and docs/tracking.md passes mypy, which checks both at once."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # mypy reads all that the pages import

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """The code of a page in a language, in the order of the text."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_code_of_the_pages_passes_mypy_strict(tmp_path: Path) -> None:
    session = doctest.script_from_examples("\n".join(blocks("python.md", "pycon")))
    code = {"python": session, "tracking": "".join(blocks("tracking.md", "python"))}
    files = [tmp_path / f"{page}_page.py" for page in code]
    for file, text in zip(files, code.values(), strict=True):
        assert text.count("\n") > 10
        file.write_text(text, encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
