"""LaTeX: a table environment with the rules of the booktabs package."""

from __future__ import annotations

import re

from evalstore.formats.source import printable
from evalstore.tables.table import Column, Table, Value, written_value

COMMANDS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # as such it is a command of some languages of babel
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    # After the end of a row and after a rule LaTeX looks for an option or a star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{sign: f"\\{sign}" for sign in "{}$&%#_"},
}
LIGATURES = re.compile(r"([-'`,?!])(?=[-'`,])")
"""Signs that a font joins: -- becomes a dash, '' a quote, ?` another sign."""

NOT_IN_THE_FIRST_FONTS = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"
"""Letters up to U+017F which LaTeX can't print unless the document loads other fonts."""

UNICODE = r"\providecommand{\unicodename}[2]{\ifdefined\Umathcode#1\else\texttt{#2}\fi}"
"""Prints a character with LuaLaTeX and XeLaTeX, and its code with pdfLaTeX, which would stop."""


def latex(table: Table, digits: int) -> str:
    r"""A `table` environment; the document needs `\usepackage{booktabs}`.

    The caption stands above the table, the best cells are bold. Characters beyond European letters
    are printed as such by LuaLaTeX and XeLaTeX; pdfLaTeX prints their codes (U+1F989).
    """
    columns = table.in_documents
    headings = [escaped(table.columns[column].heading or "") for column in columns]
    rows = [
        [_cell(table, row, column, digits) for column in columns] for row in table.rows_in_documents
    ]
    caption = " ".join(escaped(_sentence(text)) for text in table.caption)
    alignment = "".join(_alignment(table.columns[column]) for column in columns)
    body = [r"\toprule", _line(headings), r"\midrule", *map(_line, rows), r"\bottomrule"]
    text = "\n".join((caption, *body))
    return "\n".join(
        (
            r"% \usepackage{booktabs}",
            *([UNICODE] if r"\unicodename" in text else []),
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{alignment}}}",
            *body,
            r"\end{tabular}",
            r"\end{table}",
            "",
        )
    )


def escaped(text: str) -> str:
    """A text that LaTeX prints as it is, in one line."""
    unjoined = LIGATURES.sub("\\1\0", printable(text))
    return "".join("{}" if c == "\0" else COMMANDS.get(c) or _character(c) for c in unjoined)


def _character(character: str) -> str:
    code = ord(character)
    if code < 0x7F or (0xA1 <= code < 0x180 and character not in NOT_IN_THE_FIRST_FONTS):
        return character
    return rf"\unicodename{{{character}}}{{U+{code:04X}}}"


def _sentence(text: str) -> str:
    """A sentence of the caption with its full stop."""
    return text if text.endswith((".", ":")) else f"{text}."


def _alignment(column: Column) -> str:
    return "l" if column.style == "text" else "r"


def _cell(table: Table, row: int, column: int, digits: int) -> str:
    text = _value(table.rows[row][column], table.columns[column], digits)
    if (row, column) in table.best:
        text = rf"\textbf{{{text}}}"
    mark = table.marks.get((row, column))
    return rf"{text}\textsuperscript{{{escaped(mark)}}}" if mark else text


def _value(value: Value, column: Column, digits: int) -> str:
    text = escaped(written_value(value, column.style, digits))
    if isinstance(value, str) or not text.startswith("-"):
        return text
    return f"$-${text[1:]}"  # a minus sign, not a hyphen


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"
