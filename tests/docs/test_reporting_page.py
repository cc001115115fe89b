"""docs/reporting.md explains every figure and file; `test_pages.py` runs its commands."""

from __future__ import annotations

import re
from pathlib import Path

from evalstore.cli.commands.figures import KINDS, SUFFIXES

PAGE = (Path(__file__).parents[2] / "docs" / "reporting.md").read_text(encoding="utf-8")


def test_the_page_explains_every_kind_and_suffix() -> None:
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert [name for name in (*KINDS, *SUFFIXES) if f"`{name}`" not in rows] == []


def test_the_page_has_a_command_for_every_suffix() -> None:
    assert set(re.findall(r"^\$ .*(\.\w+)$", PAGE, re.MULTILINE)) == set(SUFFIXES)
