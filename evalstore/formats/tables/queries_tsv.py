"""Queries, tab-separated: `qid<TAB>text`; `#` begins a comment line.

A first line that names the columns (`qid<TAB>text<TAB>lang`) makes attributes of the further ones.
Without it all that follows the first tab is text.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.attributes import why_not_a_name
from evalstore.formats.lines import Lines, checked_id, refuse
from evalstore.formats.queries import Queries, QueryLine, by_id
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.source import quoted
from evalstore.formats.tables.queries_jsonl import TEXT_NAMES

QID_HEADERS = {"qid", "queryid", "query_id", "query-id", "_id", "id", "topic", "number"}


def read_lines(path: str, lines: Lines) -> Queries:
    """Read queries from the lines of a file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    return by_id(path, _queries(path, lines))


def _queries(path: str, lines: Lines) -> Iterator[QueryLine]:
    header: list[str] | None = None
    first = True
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        cells = line.strip(" \r\n").split("\t")
        if len(cells) == 1:
            refuse(path, number, "no tab: a line is a query id, a tab and the text")
        if first and _names_columns(cells):
            header = _header(path, number, cells)
        elif header is None:
            yield QueryLine(number, _qid(path, number, cells[0]), " ".join(cells[1:]))
        else:
            if len(cells) != len(header):
                refuse(
                    path,
                    number,
                    f"expected {len(header)} columns as in the header row, found {len(cells)}",
                )
            others = dict(zip(header[1:], cells[1:], strict=True))
            yield QueryLine(number, _qid(path, number, cells[0]), others.pop("text"), others)
        first = False


def _qid(path: str, number: int, word: str) -> str:
    return checked_id(path, number, "query id", word, "it stands before the first tab")


def _names_columns(cells: list[str]) -> bool:
    """Whether the cells are a header row: the name of an id first, and the name of a text."""
    names = [cell.strip().lower() for cell in cells]
    return names[0] in QID_HEADERS and any(name in TEXT_NAMES for name in names[1:])


def _header(path: str, number: int, cells: list[str]) -> list[str]:
    """The names of the columns; that of the texts is called `text`, whatever it is in the file."""
    names = [cell.strip() for cell in cells]
    lower = [name.lower() for name in names]
    for name in names:
        why = why_not_a_name(name)
        if why is None and lower.count(name.lower()) > 1:
            why = f"two columns are named {quoted(name)}"
        if why is not None:
            refuse(path, number, why)
    text_name = next(name for name in TEXT_NAMES if name in lower[1:])
    names[lower.index(text_name, 1)] = "text"
    return names


def _recognise(head: str) -> Recognised | None:
    if head.lstrip()[:1] in ("{", "<", "["):
        return None
    return Recognised(False, "no JSON and no tags: a query id, a tab and the text")


QUERIES_TSV = line_format(
    name="queries-tsv",
    title="queries, tab-separated",
    content="queries",
    extensions=(".tsv", ".txt"),
    example="q1\thow do I split a string\nq2\tsort a list\n",
    recognise=_recognise,
    read_lines=read_lines,
)
