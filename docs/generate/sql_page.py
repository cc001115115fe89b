"""Puts the questions of evalstore/sql/cookbook.md into docs/sql.md; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from evalstore.sql.cookbook import text

PAGE = Path(__file__).parents[1] / "sql.md"
BEGIN = "<!-- The questions: evalstore/sql/cookbook.md, put here by `make docs`. -->"
END = "<!-- The end of the questions. -->"


def markdown() -> str:
    """Return the whole page, with the questions of the package."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{text()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
