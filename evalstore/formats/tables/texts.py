"""The texts of documents and queries, and attributes of queries: JSON lines, tabs, topics, BEIR."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evalstore.errors import FileError
from evalstore.formats.queries import QueryLine, by_id, value_text, why_not_a_name
from evalstore.formats.reading.lines import (
    Lines,
    checked_id,
    first_line,
    json_object,
    name_of,
    named,
    tidy,
)
from evalstore.formats.reading.rows import check_width, csv_lines
from evalstore.formats.reading.source import ReadOptions, path_text, printable, quoted, refuse
from evalstore.formats.registry import (
    Format,
    Recognised,
    line_format,
    recognise_if,
    recognised_lines,
)


@dataclass(frozen=True)
class Document:
    """A document to read: `title` and `text` may be empty."""

    docno: str
    title: str
    text: str


def read_documents(path: str, options: ReadOptions | None = None) -> Iterator[Document]:
    """Yield the documents of a file, in its order; only some are in memory at a time."""
    (line, text), lines = first_line(path, options or ReadOptions(), "documents")
    start = text.lstrip()[:1]
    if start in ("[", "<"):
        kind = "a JSON array" if start == "[" else "XML"
        refuse(path, line, f"{kind}: one JSON object a line, or docno and text, is expected")
    yield from recognised_lines(text, "documents").read_lines(path, lines)


# Documents as JSON lines: an object a line with the document's id, title and text

DOCNO_NAMES = ("docno", "doc_id", "docid", "_id", "id")
TITLE_NAMES = ("title", "headline")
DOCUMENT_TEXT_NAMES = ("text", "contents", "body", "abstract")


def read_documents_jsonl(path: str, lines: Lines) -> Iterator[Document]:
    """Yield the documents of lines of JSON."""
    for number, line in lines:
        keys = json_object(path, number, line)
        names = "one of docno, doc_id, docid, id"
        docno = checked_id(path, number, "docno", named(keys, DOCNO_NAMES), names)
        title, text = named(keys, TITLE_NAMES), named(keys, DOCUMENT_TEXT_NAMES)
        if title is None and text is None:
            refuse(path, number, "no text: one of text, contents, body, abstract, title")
        yield Document(docno, tidy(title or ""), tidy(text or ""))


RECOGNISE_JSONL = recognise_if(
    lambda head: head.lstrip().startswith("{"), "a JSON object a line", certain=False
)


def _is_plain(head: str) -> bool:
    return head.lstrip()[:1] not in ("{", "<", "[")


DOCUMENTS_JSONL = line_format(
    name="documents-jsonl",
    title="documents, JSON lines",
    content="documents",
    extensions=(".jsonl", ".json"),
    example='{"docno": "d7", "title": "str.split", "text": "Split a string at a separator."}\n',
    recognise=RECOGNISE_JSONL,
    read_lines=read_documents_jsonl,
)


# Documents, tab-separated: `docno<TAB>text`, or `docno<TAB>title<TAB>text`


def read_documents_tsv(path: str, lines: Lines) -> Iterator[Document]:
    """Yield the documents of tab-separated lines."""
    for number, line in lines:
        docno, *rest = line.strip(" \r\n").split("\t", 2)
        if not rest:
            refuse(path, number, "no tab: a line is docno, text or docno, title, text, with tabs")
        docno = checked_id(path, number, "docno", docno, "it stands before the first tab")
        title, text = rest if len(rest) == 2 else ("", rest[0])
        yield Document(docno, tidy(title), tidy(text))


DOCUMENTS_TSV = line_format(
    name="documents-tsv",
    title="documents, tab-separated",
    content="documents",
    extensions=(".tsv", ".txt"),
    example="d7\tstr.split\tSplit a string at a separator.\n",
    recognise=recognise_if(
        _is_plain, "no JSON and no tags: a docno, a tab and the text", certain=False
    ),
    read_lines=read_documents_tsv,
)


# Queries as JSON lines: an object a line with the query's id, its text and its attributes

QID_NAMES = ("query_id", "qid", "_id", "id")
QUERY_TEXT_NAMES = ("text", "query", "title")


def _queries_jsonl(path: str, lines: Lines) -> Iterator[QueryLine]:
    for number, line in lines:
        keys = json_object(path, number, line)
        qid = checked_id(
            path, number, "query id", named(keys, QID_NAMES), "one of query_id, qid, id"
        )
        text = named(keys, QUERY_TEXT_NAMES)
        if text is None:
            refuse(path, number, f"query {quoted(qid)} has no text: one of text, query, title")
        used = {name_of(keys, QID_NAMES), name_of(keys, QUERY_TEXT_NAMES)}
        others = {key: value for key, value in keys.items() if key not in used}
        yield QueryLine(number, qid, text, others)


QUERIES_JSONL = line_format(
    name="queries-jsonl",
    title="queries, JSON lines",
    content="queries",
    extensions=(".jsonl", ".json"),
    example='{"query_id": "q1", "text": "how do I split a string"}\n',
    recognise=RECOGNISE_JSONL,
    read_lines=lambda path, lines: by_id(path, _queries_jsonl(path, lines)),
)


# Queries, tab-separated: `qid<TAB>text`; `#` begins a comment line. A first line that names the
# columns (`qid<TAB>text<TAB>lang`) makes attributes of the further ones. Without it everything
# after the first tab is text.

QID_HEADERS = {"qid", "queryid", "query_id", "query-id", "_id", "id", "topic", "number"}


def _queries_tsv(path: str, lines: Lines) -> Iterator[QueryLine]:
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
                what = f"expected {len(header)} columns as in the header row, found {len(cells)}"
                refuse(path, number, what)
            others = dict(zip(header[1:], cells[1:], strict=True))
            yield QueryLine(number, _qid(path, number, cells[0]), others.pop("text"), others)
        first = False


def _qid(path: str, number: int, word: str) -> str:
    return checked_id(path, number, "query id", word, "it stands before the first tab")


def _names_columns(cells: list[str]) -> bool:
    """Whether the cells are a header row: the name of an id first, and the name of a text."""
    names = [cell.strip().lower() for cell in cells]
    return names[0] in QID_HEADERS and any(name in QUERY_TEXT_NAMES for name in names[1:])


def _header(path: str, number: int, cells: list[str]) -> list[str]:
    """The names of the columns; the one of the texts becomes `text`."""
    names = [cell.strip() for cell in cells]
    lower = [name.lower() for name in names]
    _check_names(path, number, names, lower)
    text_name = next(name for name in QUERY_TEXT_NAMES if name in lower[1:])
    names[lower.index(text_name, 1)] = "text"
    return names


def _check_names(path: str, line: int, names: list[str], compared: list[str]) -> None:
    """Refuse names of columns that no attribute can have, or that are the same as `compared`."""
    for name, own in zip(names, compared, strict=True):
        why = why_not_a_name(name)
        if why is None and compared.count(own) > 1:
            why = f"two columns are named {quoted(name)}"
        if why is not None:
            refuse(path, line, why)


QUERIES_TSV = line_format(
    name="queries-tsv",
    title="queries, tab-separated",
    content="queries",
    extensions=(".tsv", ".txt"),
    example="q1\thow do I split a string\nq2\tsort a list\n",
    recognise=recognise_if(
        _is_plain, "no JSON and no tags: a query id, a tab and the text", certain=False
    ),
    read_lines=lambda path, lines: by_id(path, _queries_tsv(path, lines)),
)


# Attributes of queries as a table: a first line that names the columns, tabs or commas between

Table = dict[str, dict[str, str]]
TEXT = "text"
"""A column of this name is ignored: the text is no attribute."""


def read_attributes(path: str, options: ReadOptions | None = None) -> Table:
    """Read attributes of queries as CSV: the id in the first column; an empty cell gives none."""
    rows = csv_lines(path, options or ReadOptions())
    first = next(rows, None)
    if first is None:
        refuse(path, None, "no lines: the first names the columns, like qid,lang")
    line, header = first
    if header[0].lower() not in QID_HEADERS or len(header) == 1:
        refuse(path, line, "expected the names of the columns: qid, and those of attributes")
    _check_names(path, line, header, header)
    table: Table = {}
    for line, cells in rows:
        check_width(path, line, cells, header)
        qid = checked_id(path, line, "query id", cells[0], "it stands in the first column")
        if qid in table:
            refuse(path, line, f"query {quoted(qid)} stands twice")
        named = zip(header[1:], map(value_text, cells[1:]), strict=True)
        table[qid] = {name: value for name, value in named if value and name != TEXT}
    return table


def _names_attributes(head: str) -> bool:
    first = head.lstrip().partition("\n")[0].replace("\t", ",").split(",")
    return len(first) > 1 and first[0].strip().lower() in QID_HEADERS


QUERY_ATTRIBUTES: Format[Table] = Format(
    name="query-attributes",
    title="attributes of queries",
    content="attributes",
    extensions=(".csv", ".tsv"),
    example="qid,lang,category\nq1,de,howto\nq2,en,\n",
    recognise=recognise_if(_names_attributes, "a first line that names the columns", certain=False),
    read=read_attributes,
)


# Queries as TREC topics: blocks of tags, which may lack their closing tags. Attributes in the tag
# of a topic, as `<topic number="1" type="faceted">`, are those of the query. This is no XML parser:
# early topics are not XML, and an XML parser would expand entities.

MAX_TOPICS = 64 << 20
START = re.compile(r"<(?:top|topic)\b([^<>]{0,1000})>", re.IGNORECASE)
END = re.compile(r"</(?:top|topic)>", re.IGNORECASE)
TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})\b[^<>]{0,1000}>")
TAG_ATTRIBUTE = re.compile(r"([A-Za-z][\w:.-]{0,40})\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')")
NUMBER_TAGS = ("num", "number", "id", "qid")
TEXT_TAGS = ("title", "query", "desc", "description", "question")
LABEL = re.compile(r"(?:Number|Topic|Title|Description|Query)\s*:\s*", re.IGNORECASE)


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
    """The text after each tag (its first, if there are several), under '' what precedes all."""
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


def _recognise_topics(head: str) -> Recognised | None:
    has_tags = head.lstrip().startswith("<")
    return Recognised(START.search(head) is not None, "tags") if has_tags else None


TREC_TOPICS = line_format(
    name="trec-topics",
    title="TREC topics",
    content="queries",
    extensions=(".topics", ".xml", ".txt"),
    example="<top>\n<num> Number: 301\n<title> splitting a string\n</top>\n",
    recognise=_recognise_topics,
    read_lines=lambda path, lines: by_id(path, _topics(path, lines)),
)


# A folder of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/*.tsv`

MOST_NAMED = 5


@dataclass(frozen=True)
class BeirFolder:
    """The paths of the files of a BEIR folder; None if there is no such file."""

    qrels: str
    queries: str | None
    documents: str | None


def find_beir(folder: str, qrels: str | None = None) -> BeirFolder:
    """The files of a BEIR folder; `qrels` are the judgments, if it has several splits."""
    root = Path(folder)
    if not root.is_dir():
        refuse(folder, None, "no such folder")
    if qrels is None:
        splits = sorted([*root.glob("qrels/*.tsv"), *root.glob("qrels/*.tsv.gz")])
        if not splits:
            refuse(folder, None, "no judgments, qrels/*.tsv: is this a folder of BEIR?")
        if len(splits) > 1:
            names = ", ".join(printable(split.name) for split in splits[:MOST_NAMED])
            raise FileError(
                *(path_text(folder), None, f"judgments of several splits ({names}): choose one"),
                problem="which split",
            )
        qrels = str(splits[0])
    return BeirFolder(qrels, _present(root, "queries.jsonl"), _present(root, "corpus.jsonl"))


def _present(root: Path, name: str) -> str | None:
    """The path of a file, or of the same packed with gzip."""
    files = (root / name, root / f"{name}.gz")
    return next((str(file) for file in files if file.is_file()), None)
