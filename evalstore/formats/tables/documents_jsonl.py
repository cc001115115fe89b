"""Documents as JSON lines: an object a line with the document's id, title and text."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.lines import Lines, checked_id, json_object, named, refuse, tidy
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.tables.texts import Document

DOCNO_NAMES = ("docno", "doc_id", "docid", "_id", "id")
TITLE_NAMES = ("title", "headline")
TEXT_NAMES = ("text", "contents", "body", "abstract")


def read_lines(path: str, lines: Lines) -> Iterator[Document]:
    """Yield the documents of a file.

    Raises:
        FileError: at the first line that is not a document.
    """
    for number, line in lines:
        keys = json_object(path, number, line)
        names = "one of docno, doc_id, docid, id"
        docno = checked_id(path, number, "docno", named(keys, DOCNO_NAMES), names)
        title, text = named(keys, TITLE_NAMES), named(keys, TEXT_NAMES)
        if title is None and text is None:
            refuse(path, number, "no text: one of text, contents, body, abstract, title")
        yield Document(docno, tidy(title or ""), tidy(text or ""))


def _recognise(head: str) -> Recognised | None:
    if not head.lstrip().startswith("{"):
        return None
    return Recognised(False, "a JSON object a line")


DOCUMENTS_JSONL = line_format(
    name="documents-jsonl",
    title="documents, JSON lines",
    content="documents",
    extensions=(".jsonl", ".json"),
    example='{"docno": "d7", "title": "str.split", "text": "Split a string at a separator."}\n',
    recognise=_recognise,
    read_lines=read_lines,
)
