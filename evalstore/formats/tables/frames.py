"""Data frames in files, CSV or Parquet: the columns of PyTerrier, ir_measures, ranx and our own.

The columns are found as in frames in memory (`memory`).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import repeat
from typing import BinaryIO

import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.lists import List, Lists
from evalstore.formats.memory import (
    DOCNO_COLUMNS,
    QID_COLUMNS,
    VALUE_COLUMNS,
    choose_column,
    read_frame,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.lines import csv_bytes, number_text, tag_of_file
from evalstore.formats.reading.paths import is_url
from evalstore.formats.reading.remote import chunks
from evalstore.formats.reading.rows import (
    VALUE_NAMES,
    Content,
    Rows,
    check_width,
    csv_rows,
    first_cells,
    number,
    read_rows,
)
from evalstore.formats.reading.source import ReadOptions, path_text, printable, refuse
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.trec.qrels import qrels_of
from evalstore.formats.trec.run import run_of

MAGIC = "PAR1"
ROW_GROUP = 1 << 17
"""Rows of a row group of a Parquet file that is written, or a few more."""
MAX_PARQUET = 4 << 30
"""The most bytes of the columns of a Parquet file, which are in memory at once."""


def read_frame_file(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read a file of a row for each document retrieved or judged; further columns are ignored."""
    if path != "-" and _is_parquet(path):
        return _read_parquet(path, options, content)
    return read_rows(path, _csv_rows(path, options, content), content)


def recognise(head: str, content: Content) -> Recognised | None:
    """Parquet by its magic number; CSV by a first line that names the columns needed."""
    if head.startswith(MAGIC):
        return Recognised(False, "a Parquet file")
    names = first_cells(head)
    needed = (QID_COLUMNS, DOCNO_COLUMNS, VALUE_COLUMNS[content])
    if all(any(name in names for name in some) for some in needed):
        return Recognised(False, "a first line that names the columns of a frame")
    return None


def _columns(path: str, names: list[str], content: Content) -> list[str]:
    where = path_text(path)
    columns = [
        choose_column(names, QID_COLUMNS, "query id", where),
        choose_column(names, DOCNO_COLUMNS, "docno", where),
        choose_column(names, VALUE_COLUMNS[content], VALUE_NAMES[content], where),
    ]
    if content == "qrels" and columns[2] == "score" and "rank" in names:
        raise DataError(f"{where}: columns rank and score: this looks like a run, not judgments")
    return columns


def _csv_rows(
    path: str, options: ReadOptions, content: Content
) -> Iterator[tuple[int, str, str, float]]:
    rows = csv_rows(path, options)
    _, names = next(rows)
    qid, docno, value = map(names.index, _columns(path, names, content))
    for line, cells in rows:
        check_width(path, line, cells, names)
        yield line, cells[qid], cells[docno], number(path, line, cells[value], content)


def write_csv(stream: BinaryIO, columns: Sequence[str], lists: Iterable[List]) -> None:
    """Write a line for each document; the columns are the query id, the docno, ..., the number."""
    stream.write(csv_bytes([columns]))
    for qid, docnos, values in lists:
        numbers = list(map(number_text, values))
        ranks = [range(1, len(docnos) + 1)] if "rank" in columns else []
        stream.write(csv_bytes(zip(repeat(qid), docnos, *ranks, numbers, strict=False)))


def _is_parquet(path: str) -> bool:
    if is_url(path):
        with closing(chunks(path)) as content:
            return next(content, b"").startswith(MAGIC.encode())
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC.encode()
    except (OSError, ValueError):
        return False  # the CSV reader reports why


def _seekable(path: str, limit: int) -> str | io.BytesIO:
    """The path, or the content of a URL, since Parquet is read from its end."""
    if not is_url(path):
        return path
    content = io.BytesIO()
    for chunk in chunks(path):
        if content.tell() + len(chunk) > limit:
            refuse(path, None, f"more than {limit:,} bytes of Parquet")
        content.write(chunk)
    content.seek(0)
    return content


def _read_parquet(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read the three columns that count, in batches, up to a limit of their size in memory."""
    from pyarrow import parquet  # noqa: PLC0415  (needed by few)

    where, limit = path_text(path), min(options.max_bytes, MAX_PARQUET)
    try:
        with parquet.ParquetFile(_seekable(path, limit)) as file:
            columns = _columns(path, file.schema_arrow.names, content)
            batches, total = [], 0
            for batch in file.iter_batches(columns=columns):
                total += batch.nbytes
                if total > limit:
                    refuse(path, None, f"more than {limit:,} bytes in the columns {columns}")
                batches.append(batch)
    except (pa.ArrowException, OSError) as error:
        refuse(path, None, f"not a Parquet file that can be read ({printable(str(error))[:200]})")
    if not batches:
        refuse(path, None, "the file has no rows")
    frame = pa.Table.from_batches(batches).to_pandas()
    return read_frame(frame, content, name=where, tag=tag_of_file(path))


def write_parquet(
    stream: BinaryIO, columns: Sequence[str], lists: Iterable[List], *, whole: bool = False
) -> None:
    """Write a row for each document, a row group at a time; `whole` writes the numbers as int64."""
    from pyarrow import parquet  # noqa: PLC0415  (needed by few)

    kinds = {"rank": pa.int64(), columns[-1]: pa.int64() if whole else pa.float64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    with parquet.ParquetWriter(stream, schema) as writer:
        for group in _groups(lists):
            arrays = {
                "qid": [qid for qid, docnos, _ in group for _ in docnos],
                "docno": [docno for _, docnos, _ in group for docno in docnos],
                "rank": [rank for _, docnos, _ in group for rank in range(1, len(docnos) + 1)],
                columns[-1]: [
                    int(value) if whole else value for _, _, values in group for value in values
                ],
            }
            rows = pa.table([arrays[name] for name in columns], schema=schema)
            writer.write_table(rows)


def _groups(lists: Iterable[List]) -> Iterator[list[List]]:
    """Lists of queries with about as many documents as a row group should have."""
    group: list[List] = []
    size = 0
    for one in lists:
        group.append(one)
        size += len(one[1])
        if size >= ROW_GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


# Runs as data frames in files: CSV or Parquet, a row for each document retrieved


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name."""
    return run_of(read_frame_file(path, options or ReadOptions(), "run"))


RUN_COLUMNS = ("qid", "docno", "rank", "score")
QRELS_COLUMNS = ("qid", "docno", "label")


RUN_FRAME: Format[Run] = Format(
    name="run-frame",
    title="run as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="run",
    extensions=(".csv", ".parquet"),
    example="qid,docno,rank,score\nq1,d7,1,2.5\nq1,d9,2,1.5\nq2,d7,1,3.25\n",
    recognise=partial(recognise, content="run"),
    read=read_run,
    writers={
        ".csv": lambda run, stream: write_csv(stream, RUN_COLUMNS, run.lists),
        ".parquet": lambda run, stream: write_parquet(stream, RUN_COLUMNS, run.lists),
    },
    lost="the run tag",
)


# Judgments as data frames in files: CSV or Parquet, a row for each document judged


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments."""
    return qrels_of(read_frame_file(path, options or ReadOptions(), "qrels"))


def write_qrels_parquet(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments as Parquet: qid and docno text, label int64, or float64 for decimal ones."""
    lists = list(qrels.lists)
    whole = all(grade.is_integer() for _, _, grades in lists for grade in grades)
    write_parquet(stream, QRELS_COLUMNS, lists, whole=whole)


QRELS_FRAME: Format[Qrels] = Format(
    name="qrels-frame",
    title="judgments as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="qrels",
    extensions=(".csv", ".parquet"),
    example="qid,docno,label\nq1,d7,1\nq1,d9,0\nq2,d7,2\n",
    recognise=partial(recognise, content="qrels"),
    read=read_qrels,
    writers={
        ".csv": lambda qrels, stream: write_csv(stream, QRELS_COLUMNS, qrels.lists),
        ".parquet": write_qrels_parquet,
    },
)
