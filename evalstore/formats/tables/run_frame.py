"""Runs as data frames in files: CSV or Parquet, a row for each document retrieved."""

from __future__ import annotations

from typing import BinaryIO

from evalstore.formats.lists import Lists
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions
from evalstore.formats.tables.frames import read_frame_file, recognise, write_csv, write_parquet
from evalstore.formats.trec.run import run_of


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name.

    Raises:
        FileError: the first line of CSV that breaks a rule.
        DataError: the first row of Parquet that does; or a document retrieved twice for a query.
    """
    return run_of(read_frame_file(path, options or ReadOptions(), "run"))


def write_run_csv(run: Lists, stream: BinaryIO) -> None:
    """Write a run as CSV, with ranks from 1; its tag is lost."""
    write_csv(stream, ("qid", "docno", "rank", "score"), run.lists)


def write_run_parquet(run: Lists, stream: BinaryIO) -> None:
    """Write a run as Parquet: qid and docno text, rank int64 from 1, score float64."""
    write_parquet(stream, ("qid", "docno", "rank", "score"), run.lists)


def _recognise(head: str) -> Recognised | None:
    return recognise(head, "run")


RUN_FRAME: Format[Run] = Format(
    name="run-frame",
    title="run as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="run",
    extensions=(".csv", ".parquet"),
    example="qid,docno,rank,score\nq1,d7,1,2.5\nq1,d9,2,1.5\nq2,d7,1,3.25\n",
    recognise=_recognise,
    read=read_run,
    writers={".csv": write_run_csv, ".parquet": write_run_parquet},
    lost="the run tag",
)
