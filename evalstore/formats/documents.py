"""Read the texts of documents, one after the other: JSON lines or tab-separated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from evalstore.formats.lines import checked_id, json_object, named, numbered_lines, refuse, tidy
from evalstore.formats.source import ReadOptions

DOCNO_NAMES = ("docno", "doc_id", "docid", "_id", "id")
TITLE_NAMES = ("title", "headline")
TEXT_NAMES = ("text", "contents", "body", "abstract")


@dataclass(frozen=True)
class Document:
    """A document to read: `title` and `text` may be empty."""

    docno: str
    title: str
    text: str


def read_documents(path: str, options: ReadOptions | None = None) -> Iterator[Document]:
    """Yield the documents of a file, in its order; only some are in memory at a time.

    Whether a document stands twice is not looked at: what stores them sees it.

    Raises:
        FileError: at the first line that is not a document, and for a file without any.
    """
    lines = numbered_lines(path, options or ReadOptions())
    first = next(lines, None)
    if first is None:
        refuse(path, None, "no documents: the file is empty")
    start = first[1].lstrip()[:1]
    if start in ("[", "<"):
        kind = "a JSON array" if start == "[" else "XML"
        refuse(path, first[0], f"{kind}: one JSON object a line, or docno and text, is expected")
    everything = chain((first,), lines)
    yield from _from_json(path, everything) if start == "{" else _from_tabs(path, everything)


def _from_json(path: str, lines: Iterator[tuple[int, str]]) -> Iterator[Document]:
    for number, line in lines:
        found = json_object(path, number, line)
        names = "one of docno, doc_id, docid, id"
        docno = checked_id(path, number, "docno", named(found, DOCNO_NAMES), names)
        title, text = named(found, TITLE_NAMES), named(found, TEXT_NAMES)
        if title is None and text is None:
            refuse(path, number, "no text: one of text, contents, body, abstract, title")
        yield Document(docno, tidy(title or ""), tidy(text or ""))


def _from_tabs(path: str, lines: Iterator[tuple[int, str]]) -> Iterator[Document]:
    for number, line in lines:
        docno, *rest = line.strip(" \r\n").split("\t", 2)
        if not rest:
            refuse(path, number, "no tab: a line is docno, text or docno, title, text, with tabs")
        docno = checked_id(path, number, "docno", docno, "it stands before the first tab")
        title, text = rest if len(rest) == 2 else ("", rest[0])
        yield Document(docno, tidy(title), tidy(text))
