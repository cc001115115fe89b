"""The texts of documents, one after the other, from whichever format a file is in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evalstore.formats.lines import first_line, refuse
from evalstore.formats.registry import recognised_lines
from evalstore.formats.source import ReadOptions


@dataclass(frozen=True)
class Document:
    """A document to read: `title` and `text` may be empty."""

    docno: str
    title: str
    text: str


def read_documents(path: str, options: ReadOptions | None = None) -> Iterator[Document]:
    """Yield the documents of a file, in its order; only some are in memory at a time.

    JSON lines or tab-separated lines, told apart by content. Whether a document stands twice is
    not looked at: what stores them does that.

    Raises:
        FileError: at the first line that is not a document, and for a file without any.
    """
    (line, text), lines = first_line(path, options or ReadOptions(), "documents")
    start = text.lstrip()[:1]
    if start in ("[", "<"):
        kind = "a JSON array" if start == "[" else "XML"
        refuse(path, line, f"{kind}: one JSON object a line, or docno and text, is expected")
    yield from recognised_lines(text, "documents").read_lines(path, lines)
