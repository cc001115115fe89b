"""Judgments of BEIR and runs of MS MARCO, tab-separated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from evalstore.errors import DataError
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.lines import Lines, numbered_lines, write_lines
from evalstore.formats.reading.rows import number, read_rows
from evalstore.formats.reading.source import ReadOptions, quoted, refuse
from evalstore.formats.registry import Format, Recognised, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.qrels import qrels_of
from evalstore.formats.trec.run import check_ranks, run_of, score_of_rank

HEADER = ["query-id", "corpus-id", "score"]


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; the first line names the columns."""
    return qrels_of(read_rows(path, _beir_rows(path, options or ReadOptions()), "qrels"))


def _beir_rows(path: str, options: ReadOptions) -> Iterator[tuple[int, str, str, float]]:
    lines = numbered_lines(path, options)
    for line, text in islice(lines, 1):
        if text.split("\t") != HEADER:
            refuse(path, line, "expected the columns query-id, corpus-id and score, named here")
    for line, qid, docno, word in _three_cells(path, lines, "query-id, corpus-id, score"):
        yield line, qid, docno, number(path, line, word, "qrels")


def _three_cells(path: str, lines: Lines, names: str) -> Iterator[tuple[int, str, str, str]]:
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != 3:
            what = f"{names}, separated by tabs"
            refuse(path, line, f"expected 3 columns ({what}), found {len(cells)}")
        yield line, cells[0], cells[1], cells[2]


def write_qrels(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments; refuse grades and ids that BEIR would not read as they are."""
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


BEIR_QRELS: Format[Qrels] = Format(
    name="beir-qrels",
    title="judgments of BEIR, tab-separated with a header",
    content="qrels",
    extensions=(".tsv",),
    example="query-id\tcorpus-id\tscore\nq1\td7\t1\nq1\td9\t0\nq2\td7\t2\n",
    recognise=recognise_if(
        lambda head: head.lstrip("\n").partition("\n")[0].rstrip("\r").split("\t") == HEADER,
        "a first line query-id, corpus-id, score",
        certain=True,
    ),
    read=read_qrels,
    writers={".tsv": write_qrels},
    lost="decimal grades and ids that begin with a quotation mark: they are refused",
)


# Runs of MS MARCO: query id, docno and rank, tab-separated; there is no score


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; the score of a document is 1 / rank, as Pyserini converts such files."""
    lines = numbered_lines(path, options or ReadOptions())
    cells = _three_cells(path, lines, "query id, docno, rank")
    ranked = (
        (line, qid, docno, score_of_rank(path, line, word)) for line, qid, docno, word in cells
    )
    rows = read_rows(path, ranked, "run")
    run = run_of(rows)
    check_ranks(rows)
    return run


def write_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run; scores and tag are lost, the ranks are from 1."""
    ranked = ((qid, enumerate(docnos, 1)) for qid, docnos, _ in run.lists)
    write_lines(
        stream, ("".join(f"{qid}\t{docno}\t{rank}\n" for rank, docno in own) for qid, own in ranked)
    )


def _recognise_msmarco(head: str) -> Recognised | None:
    """Three columns of which the third counts 1, 2, 3, ... for each query.

    A file with other numbers, which may be scores or grades, is not recognised.
    """
    before, last = "", 0
    for line in filter(str.strip, head.split("\n")):
        cells = line.rstrip("\r").split("\t")
        if len(cells) != 3 or not cells[0]:
            return None
        if cells[0] != before:
            before, last = cells[0], 0
        last += 1
        if cells[2] != str(last):
            return None
    reason = "three columns, tabs between, the third counting from 1"
    return Recognised(True, reason) if last else None


MSMARCO_RUN: Format[Run] = Format(
    name="msmarco-run",
    title="run of MS MARCO, tab-separated: query id, docno, rank",
    content="run",
    extensions=(".tsv",),
    example="q1\td7\t1\nq1\td9\t2\nq2\td7\t1\n",
    recognise=_recognise_msmarco,
    read=read_run,
    writers={"": write_run},
    lost="the scores and the run tag",
)
