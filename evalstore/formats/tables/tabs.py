"""Judgments of BEIR: `query-id`, `corpus-id` and `score`, tab-separated, below a line of names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from evalstore.errors import DataError
from evalstore.formats.file_rows import number, read_rows
from evalstore.formats.lines import numbered_lines, refuse
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, quoted
from evalstore.formats.trec.qrels import qrels_of

HEADER = ["query-id", "corpus-id", "score"]


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; the first line names the columns.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades for a query.
    """
    return qrels_of(read_rows(path, _rows(path, options or ReadOptions()), "qrels"))


def _rows(path: str, options: ReadOptions) -> Iterator[tuple[int, str, str, float]]:
    lines = numbered_lines(path, options)
    for line, text in lines:
        if text.split("\t") != HEADER:
            refuse(path, line, "expected the columns query-id, corpus-id and score, named here")
        break
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != len(HEADER):
            what = "query-id, corpus-id, score, separated by tabs"
            refuse(path, line, f"expected 3 columns ({what}), found {len(cells)}")
        yield line, cells[0], cells[1], number(path, line, cells[2], "qrels")


def write_qrels(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments.

    Raises:
        DataError: a grade that is no whole number, or an id that begins with a quotation mark:
            BEIR would not read them as they are.
    """
    stream.write(("\t".join(HEADER) + "\n").encode())
    for qid, docnos, grades in qrels.lists:
        quotes = next((word for word in (qid, *docnos) if word.startswith('"')), None)
        if quotes is not None:
            what = "begins with a quotation mark, which BEIR leaves out"
            raise DataError(f"the id {quoted(quotes)} {what}")
        for docno, grade in zip(docnos, grades, strict=True):
            if not grade.is_integer():
                raise DataError(
                    f"document {quoted(docno)} has grade {grade!r} for query {quoted(qid)}: BEIR "
                    "has whole numbers only"
                )
            stream.write(f"{qid}\t{docno}\t{int(grade)}\n".encode())


def _recognise(head: str) -> Recognised | None:
    if head.lstrip("\n").partition("\n")[0].rstrip("\r").split("\t") == HEADER:
        return Recognised(True, "a first line query-id, corpus-id, score")
    return None


BEIR_QRELS: Format[Qrels] = Format(
    name="beir-qrels",
    title="judgments of BEIR, tab-separated with a header",
    content="qrels",
    extensions=(".tsv",),
    example="query-id\tcorpus-id\tscore\nq1\td7\t1\nq1\td9\t0\nq2\td7\t2\n",
    recognise=_recognise,
    read=read_qrels,
    writers={".tsv": write_qrels},
    lost="decimal grades and ids that begin with a quotation mark: they are refused",
)
