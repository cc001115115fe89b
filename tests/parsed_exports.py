"""Exported tables read back: rows of texts by heading, as a reader of the file gets them.

Bold and superscripts are taken off. A text that is not escaped fails to parse or changes the rows.
"""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

Rows = list[dict[str, str]]


def parsed_csv(text: str, delimiter: str = ",") -> Rows:
    stream = io.StringIO(text, newline="")
    return _rows(list(csv.reader(stream, delimiter=delimiter, strict=True)))


def parsed_tsv(text: str) -> Rows:
    return parsed_csv(text, "\t")


def parsed_markdown(text: str) -> Rows:
    """The table of the HTML that a Markdown program renders."""
    return parsed_html(MarkdownIt("commonmark").enable("table").render(text))


def parsed_html(text: str) -> Rows:
    """The one table of a page."""
    parser = _Tables()
    parser.feed(text)
    parser.close()
    return _rows(parser.rows)


def html_tags(text: str) -> set[str]:
    parser = _Tables()
    parser.feed(text)
    return parser.tags


class _Tables(HTMLParser):
    """The cells of every row, without superscripts, and the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open) and "sup" not in self.open:
            self.rows[-1][-1] += data


LATEX_SIGNS = {
    "textbackslash": "\\",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textdagger": "†",
    "textdaggerdbl": "‡",
}
LATEX_TOKEN = re.compile(
    r"""\\unicodename\{(?P<unicode>[^{}])\}\{U\+[0-9A-F]{4,6}\}
    | \\symbol\{(?P<symbol>\d+)\}
    | \\(?P<sign>[a-z]+)\{\}
    | \\(?P<escaped>[{}$&%#_])
    | \{(?P<braced>[\[\]*])\}
    | (?P<nothing>\{\})
    | (?P<minus>\$-\$)
    | (?P<cell>[ ]?&[ ]?)
    | (?P<plain>[^\\{}$&%#_^~<>|"\[\]*])
    """,
    re.VERBOSE,
)


def parsed_latex(text: str) -> Rows:
    """The tabular of a LaTeX file."""
    _, _, body = text.partition("\\toprule\n")
    body, _, _ = body.partition("\\bottomrule\n")
    header, _, rows = body.partition("\\midrule\n")
    assert "rule\n" not in rows
    return _rows([_latex_cells(line) for line in (header + rows).splitlines()])


def latex_text(text: str) -> str:
    """What LaTeX prints for a caption or a cell."""
    [cell] = _latex_cells(f"{text} \\\\")
    return cell


def _latex_cells(line: str) -> list[str]:
    assert line.endswith(r" \\"), line
    rest = re.sub(r"\\textsuperscript\{((?:[a-z]|\\[a-z]+\{\})+)\}", "", line[: -len(r" \\")])
    rest = re.sub(r"\\textbf\{([^{}]*)\}", r"\1", rest)
    cells, at = [""], 0
    while at < len(rest):
        token = LATEX_TOKEN.match(rest, at)
        assert token is not None, f"not escaped: {rest[at : at + 20]!r}"
        at = token.end()
        kind, part = token.lastgroup, token[token.lastgroup or 0]
        if kind == "cell":
            cells.append("")
        elif kind != "nothing":
            cells[-1] += {
                "symbol": lambda p: chr(int(p)),
                "sign": lambda p: LATEX_SIGNS[p],
                "minus": lambda _: "-",
            }.get(str(kind), str)(part)
    return cells


def parsed_trec(text: str) -> dict[tuple[str, str, str], str]:
    """The value of every run, measure and query (or `all`)."""
    assert not text or text.endswith("\n")
    lines = [line.split("\t") for line in text.split("\n")[:-1]]
    return {(run, measure, qid): value for run, measure, qid, value in lines}


def parsed_terminal(text: str, first: str) -> Rows:
    """The table that a command prints, from the line that begins with `first` to an empty one."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(first))
    end = lines.index("", start)
    return _rows([re.split(r" {2,}", line.strip()) for line in lines[start:end]])


def _rows(lines: list[list[str]]) -> Rows:
    """A dictionary a row; every row has as many cells as the header."""
    header, *rows = lines
    assert len(set(header)) == len(header)
    return [dict(zip(header, row, strict=True)) for row in rows]
