"""Read the texts of queries: tab-separated, JSON lines, or TREC topics, told apart by content."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from evalstore.formats.lines import (
    checked_id,
    json_object,
    named,
    numbered_lines,
    refuse,
    tidy,
)
from evalstore.formats.source import ReadOptions, quoted
from evalstore.formats.topics import read_topics

QID_NAMES = ("query_id", "qid", "_id", "id")
TEXT_NAMES = ("text", "query", "title")
HEADERS = {"qid", "queryid", "query_id", "query-id", "_id", "id", "topic", "number"}


def read_queries(path: str, options: ReadOptions | None = None) -> dict[str, str]:
    """Read the texts of queries: by query id, in the order of the file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    lines = numbered_lines(path, options or ReadOptions())
    first = next(lines, None)
    if first is None:
        refuse(path, None, "no queries: the file is empty")
    start = first[1].lstrip()[:1]
    if start == "[":
        refuse(path, first[0], "a JSON array: one object a line is expected")
    everything = chain((first,), lines)
    pairs = {"<": read_topics, "{": _from_json}.get(start, _from_tabs)(path, everything)
    found: dict[str, str] = {}
    seen: dict[str, int] = {}
    for line, qid, text in pairs:
        if qid in seen:
            refuse(path, line, f"query {quoted(qid)} stands twice (first on line {seen[qid]})")
        found[qid], seen[qid] = tidy(text), line
    if not found:
        refuse(path, None, "no queries, only comments")
    return found


def _from_json(path: str, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    for number, line in lines:
        found = json_object(path, number, line)
        qid = checked_id(
            path, number, "query id", named(found, QID_NAMES), "one of query_id, qid, id"
        )
        text = named(found, TEXT_NAMES)
        if text is None:
            refuse(path, number, f"query {quoted(qid)} has no text: one of text, query, title")
        yield number, qid, text


def _from_tabs(path: str, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
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
