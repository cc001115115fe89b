"""Generates docs/messages.md from the advice of the command line; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from evalstore.cli.errors import ADVICE

PAGE = Path(__file__).parents[1] / "messages.md"

INTRODUCTION = """\
# Messages and their remedies

Generated from the program by `make docs`. A message is one line on standard error that says where
and what: `runs/bm25.txt:17: expected 6 columns, found 5`. Nothing is stored of what failed. The
exit status is 1 for data and 2 for usage ([more](checking.md) of `check`), 130 after Ctrl-C.

The remedy follows. Its kind of problem is in Python (`EvalstoreError.problem`) and
[HTTP](api.md#errors):
"""


def page() -> str:
    """The page as Markdown."""
    needs = [f"`{advice.split()[1]}`" for kind, advice in ADVICE.items() if kind[:6] == "needs "]
    lines = [f"- `{kind}`: {advice}" for kind, advice in ADVICE.items() if kind[:6] != "needs "]
    last = f"If a measure needs more than a run and judgments: {', '.join(dict.fromkeys(needs))}."
    return "\n".join([INTRODUCTION, *lines, "", last]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
