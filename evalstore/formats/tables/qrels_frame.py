"""Judgments as data frames in files: CSV or Parquet, a row for each document judged."""

from __future__ import annotations

from typing import BinaryIO

from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions
from evalstore.formats.tables.frames import read_frame_file, recognise, write_csv, write_parquet
from evalstore.formats.trec.qrels import qrels_of


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments.

    Raises:
        FileError: the first line of CSV that breaks a rule.
        DataError: the first row of Parquet that does; or a document with two grades for a query.
    """
    return qrels_of(read_frame_file(path, options or ReadOptions(), "qrels"))


def write_qrels_csv(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments as CSV, with the columns of PyTerrier."""
    write_csv(stream, ("qid", "docno", "label"), qrels.lists)


def write_qrels_parquet(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments as Parquet: qid and docno text, label int64, or float64 for decimal ones.

    All judgments are in memory at once.
    """
    lists = list(qrels.lists)
    whole = all(grade.is_integer() for _, _, grades in lists for grade in grades)
    write_parquet(stream, ("qid", "docno", "label"), lists, whole=whole)


def _recognise(head: str) -> Recognised | None:
    return recognise(head, "qrels")


QRELS_FRAME: Format[Qrels] = Format(
    name="qrels-frame",
    title="judgments as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="qrels",
    extensions=(".csv", ".parquet"),
    example="qid,docno,label\nq1,d7,1\nq1,d9,0\nq2,d7,2\n",
    recognise=_recognise,
    read=read_qrels,
    writers={".csv": write_qrels_csv, ".parquet": write_qrels_parquet},
)
