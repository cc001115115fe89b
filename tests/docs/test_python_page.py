"""docs/python.md is run: what it shows is what Python shows."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # the page is run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


@pytest.fixture
def session() -> str:
    """All sessions of the page, one after the other."""
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 8
    return "\n".join(blocks)


def test_the_page_shows_what_python_shows(
    session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE  # pandas ends some lines with blanks
    examples = doctest.DocTestParser().get_doctest(session, {}, "python.md", str(PAGE), 0)
    printed: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=flags).run(examples, out=printed.append)
    assert failed == 0, "".join(printed)
    assert tried > 30
