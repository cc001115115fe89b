"""Runs of MS MARCO: query id, docno and rank, tab-separated; there is no score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from evalstore.formats.file_rows import read_rows
from evalstore.formats.lines import numbered_lines, refuse
from evalstore.formats.lists import Lists
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions
from evalstore.formats.trec.ranks_as_scores import check_ranks, score_of_rank
from evalstore.formats.trec.run import run_of
from evalstore.formats.writing import write_lines


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; the score of a document is 1 / rank, as Pyserini converts such files.

    Raises:
        FileError: the first line that breaks a rule, a rank or a document twice for a query.
    """
    rows = read_rows(path, _rows(path, options or ReadOptions()), "run")
    run = run_of(rows)
    check_ranks(rows)
    return run


def _rows(path: str, options: ReadOptions) -> Iterator[tuple[int, str, str, float]]:
    for line, text in numbered_lines(path, options):
        cells = text.split("\t")
        if len(cells) != 3:
            what = "query id, docno, rank, separated by tabs"
            refuse(path, line, f"expected 3 columns ({what}), found {len(cells)}")
        qid, docno, word = cells
        yield line, qid, docno, score_of_rank(path, line, word)


def write_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run; scores and tag are lost, the ranks are from 1.

    Raises:
        DataError: the first query id begins with a byte order mark.
    """

    def lines() -> Iterator[str]:
        for qid, docnos, _ in run.lists:
            ranked = enumerate(docnos, 1)
            yield "".join(f"{qid}\t{docno}\t{rank}\n" for rank, docno in ranked)

    write_lines(stream, lines())


def _recognise(head: str) -> Recognised | None:
    """Three columns of which the third counts 1, 2, 3, ... for each query.

    Other numbers may be scores or grades, so that such a file is not recognised.
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
    if last == 0:
        return None
    return Recognised(True, "three columns, tabs between, the third counting from 1")


MSMARCO_RUN: Format[Run] = Format(
    name="msmarco-run",
    title="run of MS MARCO, tab-separated: query id, docno, rank",
    content="run",
    extensions=(".tsv",),
    example="q1\td7\t1\nq1\td9\t2\nq2\td7\t1\n",
    recognise=_recognise,
    read=read_run,
    writers={"": write_run},
    lost="the scores and the run tag",
)
