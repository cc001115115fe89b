"""Markdown: a table as GitHub and most other programs render it."""

from __future__ import annotations

import re

from evalstore.formats.source import printable
from evalstore.tables.table import Table, written_value

# What CommonMark, its tables, GitHub's autolinks, emoji or formulas give a meaning inside a line. A
# backslash before ASCII punctuation makes it that sign and no more.
MARKUP = re.compile(
    r"""[\\`*_{}\[\]<>#|~&$^]
    | :(?=\S)  # https://..., :smile:
    | @(?!\d+(?![\w.-]))  # an address or a mention, but not nDCG@10
    | (?<=www)\.
    """,
    re.IGNORECASE | re.VERBOSE,
)
BLOCK_START = re.compile(r"^([-+=]|\d+(?=[.)]))")


def markdown(table: Table, digits: int) -> str:
    """The caption, a paragraph a sentence, then the table; the best cells bold."""
    columns = table.in_documents
    headings = [escaped(table.columns[column].heading or "") for column in columns]
    rules = ["---" if table.columns[column].style == "text" else "---:" for column in columns]
    lines = [f"{paragraph(sentence)}\n\n" for sentence in table.caption]
    lines += [_line(headings), _line(rules)]
    lines += [
        _line([_cell(table, row, column, digits) for column in columns])
        for row in table.rows_in_documents
    ]
    return "".join(lines)


def escaped(text: str) -> str:
    """A text that renders as it is, in one line, and never as markup."""
    return MARKUP.sub(r"\\\g<0>", printable(text))


def code(name: str) -> str:
    """A name as a code span, in which nothing is markup; also within a table."""
    plain = printable(name).replace("|", r"\|")
    longest = max((len(ticks) for ticks in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain[:1] in ("`", " ", "") or plain[-1:] in ("`", " ") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def paragraph(text: str) -> str:
    """An escaped text that does not begin a list, a heading or a rule either."""
    line = escaped(text.strip())
    start = BLOCK_START.match(line)
    if start is None:
        return line
    sign = start[1]
    return f"{sign}\\{line[len(sign) :]}" if sign.isdecimal() else f"\\{line}"


def _cell(table: Table, row: int, column: int, digits: int) -> str:
    text = escaped(written_value(table.rows[row][column], table.columns[column].style, digits))
    if (row, column) in table.best:
        text = f"**{text}**"
    mark = table.marks.get((row, column))
    return f"{text}<sup>{mark}</sup>" if mark else text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
