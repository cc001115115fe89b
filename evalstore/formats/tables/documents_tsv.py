"""Documents, tab-separated: `docno<TAB>text`, or `docno<TAB>title<TAB>text`."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.lines import Lines, checked_id, refuse, tidy
from evalstore.formats.registry import Recognised, line_format
from evalstore.formats.tables.texts import Document


def read_lines(path: str, lines: Lines) -> Iterator[Document]:
    """Yield the documents of a file.

    Raises:
        FileError: at the first line that is not a document.
    """
    for number, line in lines:
        docno, *rest = line.strip(" \r\n").split("\t", 2)
        if not rest:
            refuse(path, number, "no tab: a line is docno, text or docno, title, text, with tabs")
        docno = checked_id(path, number, "docno", docno, "it stands before the first tab")
        title, text = rest if len(rest) == 2 else ("", rest[0])
        yield Document(docno, tidy(title), tidy(text))


def _recognise(head: str) -> Recognised | None:
    if head.lstrip()[:1] in ("{", "<", "["):
        return None
    return Recognised(False, "no JSON and no tags: a docno, a tab and the text")


DOCUMENTS_TSV = line_format(
    name="documents-tsv",
    title="documents, tab-separated",
    content="documents",
    extensions=(".tsv", ".txt"),
    example="d7\tstr.split\tSplit a string at a separator.\n",
    recognise=_recognise,
    read_lines=read_lines,
)
