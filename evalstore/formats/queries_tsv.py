"""Queries, tab-separated: `qid<TAB>text`; `#` begins a comment line."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.lines import Lines, checked_id, refuse
from evalstore.formats.queries import Queries, by_id
from evalstore.formats.queries_jsonl import TEXT_NAMES
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.source import quoted

HEADERS = {"qid", "queryid", "query_id", "query-id", "_id", "id", "topic", "number"}


def read_lines(path: str, lines: Lines) -> Queries:
    """Read queries from the lines of a file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    return by_id(path, _queries(path, lines))


def _queries(path: str, lines: Lines) -> Iterator[tuple[int, str, str]]:
    first = True
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        word, tab, text = line.strip(" \r\n").partition("\t")
        if not tab:
            refuse(path, number, "no tab: a line is a query id, a tab and the text")
        if first and word.lower() in HEADERS and text.lower().split("\t")[0] in TEXT_NAMES:
            refuse(path, number, f"query id {quoted(word)}; a header row? remove it")
        first = False
        qid = checked_id(path, number, "query id", word, "it stands before the first tab")
        yield number, qid, text.replace("\t", " ")


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
