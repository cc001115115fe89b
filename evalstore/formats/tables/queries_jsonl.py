"""Queries as JSON lines: an object a line with the query's id, its text and its attributes."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.lines import Lines, checked_id, json_object, name_of, named, refuse
from evalstore.formats.queries import Queries, QueryLine, by_id
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.source import quoted

QID_NAMES = ("query_id", "qid", "_id", "id")
TEXT_NAMES = ("text", "query", "title")


def read_lines(path: str, lines: Lines) -> Queries:
    """Read queries from the lines of a file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    return by_id(path, _queries(path, lines))


def _queries(path: str, lines: Lines) -> Iterator[QueryLine]:
    for number, line in lines:
        keys = json_object(path, number, line)
        qid = checked_id(
            path, number, "query id", named(keys, QID_NAMES), "one of query_id, qid, id"
        )
        text = named(keys, TEXT_NAMES)
        if text is None:
            refuse(path, number, f"query {quoted(qid)} has no text: one of text, query, title")
        used = {name_of(keys, QID_NAMES), name_of(keys, TEXT_NAMES)}
        others = {key: value for key, value in keys.items() if key not in used}
        yield QueryLine(number, qid, text, others)


def _recognise(head: str) -> Recognised | None:
    if not head.lstrip().startswith("{"):
        return None
    return Recognised(False, "a JSON object a line")


QUERIES_JSONL = line_format(
    name="queries-jsonl",
    title="queries, JSON lines",
    content="queries",
    extensions=(".jsonl", ".json"),
    example='{"query_id": "q1", "text": "how do I split a string"}\n',
    recognise=_recognise,
    read_lines=read_lines,
)
