"""Queries as TREC topics: blocks of tags, which may lack their closing tags.

Attributes in the tag of a topic, as `<topic number="1" type="faceted">`, are those of the query.

This is no XML parser: early topics are not XML, and an XML parser would expand entities.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator

from evalstore.formats.lines import Lines, checked_id, refuse
from evalstore.formats.queries import Queries, QueryLine, by_id
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.source import quoted

MAX_TOPICS = 64 << 20
START = re.compile(r"<(?:top|topic)\b([^<>]{0,1000})>", re.IGNORECASE)
END = re.compile(r"</(?:top|topic)>", re.IGNORECASE)
TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})\b[^<>]{0,1000}>")
TAG_ATTRIBUTE = re.compile(r"([A-Za-z][\w:.-]{0,40})\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')")
NUMBER_TAGS = ("num", "number", "id", "qid")
TEXT_TAGS = ("title", "query", "desc", "description", "question")
LABEL = re.compile(r"(?:Number|Topic|Title|Description|Query)\s*:\s*", re.IGNORECASE)


def read_lines(path: str, lines: Lines) -> Queries:
    """Read queries from the lines of a file.

    Raises:
        FileError: the first topic that is not a query, or a query that stands twice.
    """
    return by_id(path, _topics(path, lines))


def _topics(path: str, lines: Lines) -> Iterator[QueryLine]:
    """Yield every topic; its text is the title, else the query, else the description."""
    begins: list[int] = []
    numbers: list[int] = []
    pieces: list[str] = []
    size = 0
    for number, line in lines:
        begins.append(size)
        numbers.append(number)
        pieces.append(line)
        size += len(line) + 1
        if size > MAX_TOPICS:
            refuse(path, number, "more than 64 MiB of topics; is this a topics file?")
    text = "\n".join(pieces)
    starts = list(START.finditer(text))
    if not starts:
        refuse(path, numbers[0], "tags, but no <top> or <topic> among them")
    ends = [start.start() for start in starts[1:]] + [len(text)]
    for start, end in zip(starts, ends, strict=True):
        line_number = numbers[bisect_right(begins, start.start()) - 1]
        body = text[start.end() : end]
        closed = END.search(body)
        parts = _parts(body[: closed.start()] if closed else body)
        others = {
            name: html.unescape(double or single)
            for name, double, single in TAG_ATTRIBUTE.findall(start[1])
        }
        id_name = next((name for name in others if name.lower() in NUMBER_TAGS), None)
        label = others.pop(id_name) if id_name is not None else _first(parts, NUMBER_TAGS)
        qid = checked_id(path, line_number, "query id", label, "a <num> or a number= is expected")
        title = _first(parts, TEXT_TAGS) or parts.get("", "")
        if not title:
            refuse(path, line_number, f"topic {quoted(qid)} has no <title> and no <query>")
        yield QueryLine(line_number, qid, title, others)


def _parts(body: str) -> dict[str, str]:
    """What follows each tag (its first, where there are several), under '' what precedes all."""
    parts: dict[str, str] = {}
    name, at = "", 0
    for tag in TAG.finditer(body):
        parts.setdefault(name, _plain(body[at : tag.start()]))
        # Text after a closing tag is ignored.
        name, at = ("/" if tag[1] else tag[2].lower()), tag.end()
    parts.setdefault(name, _plain(body[at:]))
    return parts


def _plain(text: str) -> str:
    words = " ".join(html.unescape(text).split())
    label = LABEL.match(words)
    return words[label.end() :] if label else words


def _first(parts: dict[str, str], names: tuple[str, ...]) -> str:
    return next((parts[name] for name in names if parts.get(name)), "")


def _recognise(head: str) -> Recognised | None:
    if not head.lstrip().startswith("<"):
        return None
    return Recognised(START.search(head) is not None, "tags")


TREC_TOPICS = line_format(
    name="trec-topics",
    title="TREC topics",
    content="queries",
    extensions=(".topics", ".xml", ".txt"),
    example="<top>\n<num> Number: 301\n<title> splitting a string\n</top>\n",
    recognise=_recognise,
    read_lines=read_lines,
)
