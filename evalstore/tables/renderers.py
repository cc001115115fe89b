"""The formats that leaderboards and comparisons are exported in."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TextIO, get_args

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.reading.source import printable
from evalstore.tables.table import Column, Export, Figure, Table, Value, written_value

if TYPE_CHECKING:
    from _csv import Writer


Format = Literal["csv", "tsv", "json", "markdown", "latex", "trec"]
FORMATS: tuple[Format, ...] = get_args(Format)


def export_text(
    export: Export, format: Format, *, digits: int = 4, guard_formulas: bool = False
) -> str:
    """The export as the text of a file.

    `digits` are the decimals of Markdown and LaTeX; CSV, TSV and JSON have every digit, TREC text
    four decimals. `guard_formulas` puts an apostrophe before texts that a spreadsheet would take
    for a formula, in CSV and TSV. Raises DataError for an unknown format, or digits that are not
    between 0 and 17.
    """
    if not 0 <= digits <= 17:
        raise DataError(f"the decimals must be between 0 and 17; got {digits}")
    write: Mapping[str, Callable[[], str]] = {
        "csv": lambda: delimited(export.table, ",", guard_formulas=guard_formulas),
        "tsv": lambda: delimited(export.table, "\t", guard_formulas=guard_formulas),
        "json": lambda: f"{json.dumps(export.document, ensure_ascii=False, indent=2)}\n",
        "markdown": lambda: markdown(export.table, digits),
        "latex": lambda: latex(export.table, digits),
        "trec": lambda: trec_text(export.figures),
    }
    if format not in write:
        raise DataError(
            f"there is no format {format!r}{did_you_mean(str(format), FORMATS)}; "
            f"there are {', '.join(FORMATS)}"
        )
    return write[format]()


# CSV and TSV: every digit of every number, names byte for byte

CR_LF = "\r\n"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula, by an apostrophe in front."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


class _LineFeeds:
    """A stream for `csv.writer` that ends rows with a line feed.

    The writer quotes a cell with a carriage return only if that is in its line terminator, so it
    gets CR LF there, and this takes the CR away again.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(f"{row.removesuffix(CR_LF)}\n")


def row_writer(stream: TextIO, delimiter: str = ",") -> Writer:
    """A `csv.writer` that ends rows with a line feed and quotes carriage returns."""
    return csv.writer(_LineFeeds(stream), delimiter=delimiter, lineterminator=CR_LF)


def header_and_rows(table: Table) -> tuple[list[str], list[list[Value]]]:
    """The names of the columns, and their values row by row."""
    columns = table.in_files
    header = [table.columns[column].name or "" for column in columns]
    return header, [[row[column] for column in columns] for row in table.rows]


def delimited(table: Table, delimiter: str, *, guard_formulas: bool = False) -> str:
    """The table as CSV or TSV; `guard_formulas` guards texts, never numbers."""
    text: Callable[[str], str] = guarded if guard_formulas else str
    header, rows = header_and_rows(table)
    stream = io.StringIO()
    writer = row_writer(stream, delimiter)
    writer.writerow([text(name) for name in header])
    for row in rows:
        writer.writerow([text(value) if isinstance(value, str) else value for value in row])
    return stream.getvalue()


# Markdown: a table as GitHub and most other programs render it

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
    """Title, notes and caption, a paragraph a sentence, then the table; the best cells bold."""
    columns = table.in_documents
    headings = [markdown_escaped(table.columns[column].heading or "") for column in columns]
    rules = ["---" if table.columns[column].style == "text" else "---:" for column in columns]
    texts = filter(None, (table.title, *table.notes, *table.caption))
    lines = [f"{paragraph(text)}\n\n" for text in texts]
    lines += [_markdown_line(headings), _markdown_line(rules)]
    lines += [
        _markdown_line([_markdown_cell(table, row, column, digits) for column in columns])
        for row in table.rows_in_documents
    ]
    return "".join(lines)


def markdown_escaped(text: str) -> str:
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
    line = markdown_escaped(text.strip())
    start = BLOCK_START.match(line)
    if start is None:
        return line
    sign = start[1]
    return f"{sign}\\{line[len(sign) :]}" if sign.isdecimal() else f"\\{line}"


def _markdown_cell(table: Table, row: int, column: int, digits: int) -> str:
    text = markdown_escaped(
        written_value(table.rows[row][column], table.columns[column].style, digits)
    )
    if (row, column) in table.best:
        text = f"**{text}**"
    mark = table.marks.get((row, column))
    return f"{text}<sup>{mark}</sup>" if mark else text


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


# LaTeX: a table environment with the rules of the booktabs package

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

    The title and what explains the signs are the caption, above the table; the notes stand below
    it. The list of tables has the title alone. The best cells are bold. Characters beyond European
    letters are printed as such by LuaLaTeX and XeLaTeX; pdfLaTeX prints their codes (U+1F989).
    """
    columns = table.in_documents
    headings = [latex_escaped(table.columns[column].heading or "") for column in columns]
    rows = [
        [_latex_cell(table, row, column, digits) for column in columns]
        for row in table.rows_in_documents
    ]
    title = latex_escaped(table.title)
    caption = _latex_sentences((table.title, *table.caption))
    notes = _latex_sentences(table.notes)
    alignment = "".join(_alignment(table.columns[column]) for column in columns)
    body = [
        r"\toprule",
        _latex_line(headings),
        r"\midrule",
        *map(_latex_line, rows),
        r"\bottomrule",
    ]
    text = "\n".join((caption, notes, *body))
    return "\n".join(
        (
            r"% \usepackage{booktabs}",
            *([UNICODE] if r"\unicodename" in text else []),
            r"\begin{table}",
            r"\centering",
            rf"\caption[{title}]{{{caption}}}",
            rf"\label{{tab:{_latex_label(table.label)}}}",
            rf"\begin{{tabular}}{{{alignment}}}",
            *body,
            r"\end{tabular}",
            *([rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {notes}}}"] if notes else []),
            r"\end{table}",
            "",
        )
    )


def latex_escaped(text: str) -> str:
    """A text that LaTeX prints as it is, in one line."""
    unjoined = LIGATURES.sub("\\1\0", printable(text))
    return "".join("{}" if c == "\0" else COMMANDS.get(c) or _character(c) for c in unjoined)


def _character(character: str) -> str:
    code = ord(character)
    if code < 0x7F or (0xA1 <= code < 0x180 and character not in NOT_IN_THE_FIRST_FONTS):
        return character
    return rf"\unicodename{{{character}}}{{U+{code:04X}}}"


def _latex_sentences(texts: Iterable[str]) -> str:
    """Texts with their full stops."""
    ended = (text if text.endswith((".", ":")) else f"{text}." for text in texts if text)
    return " ".join(map(latex_escaped, ended))


def _latex_label(text: str) -> str:
    """A label of plain letters, digits and hyphens, which every package can refer to."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:60].strip("-") or "evalstore"


def _alignment(column: Column) -> str:
    return "l" if column.style == "text" else "r"


def _latex_cell(table: Table, row: int, column: int, digits: int) -> str:
    text = _value(table.rows[row][column], table.columns[column], digits)
    if (row, column) in table.best:
        text = rf"\textbf{{{text}}}"
    mark = table.marks.get((row, column))
    return rf"{text}\textsuperscript{{{latex_escaped(mark)}}}" if mark else text


def _value(value: Value, column: Column, digits: int) -> str:
    text = latex_escaped(written_value(value, column.style, digits))
    if isinstance(value, str) or not text.startswith("-"):
        return text
    return f"$-${text[1:]}"  # a minus sign, not a hyphen


def _latex_line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


# TREC text: the lines that `evalstore evaluate --format trec` prints for several runs


def trec_text(figures: Iterable[Figure]) -> str:
    """A line a figure: run, measure, query (or `all`) and value, separated by tabs.

    Values have four decimals, counts none. Control characters in names are escaped.
    """
    return "".join(
        "\t".join(
            (
                printable(figure.run),
                printable(figure.measure),
                "all" if figure.qid is None else printable(figure.qid),
                f"{figure.value:.{0 if figure.is_count else 4}f}\n",
            )
        )
        for figure in figures
    )
