"""Data frames in files, CSV or Parquet: the columns of PyTerrier, ir_measures, ranx and our own.

Which columns hold what is decided as for frames in memory (`frames`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.csv_rows import csv_rows, first_cells
from evalstore.formats.file_names import tag_of_file
from evalstore.formats.file_rows import number, read_rows
from evalstore.formats.frames import (
    DOCNO_COLUMNS,
    QID_COLUMNS,
    VALUE_COLUMNS,
    choose_column,
    read_frame,
)
from evalstore.formats.lines import refuse
from evalstore.formats.registry import Recognised
from evalstore.formats.rows import VALUE_NAMES, Content, Rows
from evalstore.formats.source import ReadOptions, path_text, printable

MAGIC = "PAR1"
MAX_PARQUET = 4 << 30
"""The most bytes of the columns of a Parquet file, which are in memory at once."""


def read_frame_file(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read a file of a row for each document retrieved or judged; further columns are ignored.

    Raises:
        FileError: the first line of CSV that breaks a rule.
        DataError: the first row of Parquet that does, from 0; or columns that are missing.
    """
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
    """The names of the columns of the query id, the docno and the number.

    Raises:
        DataError: one is missing or there are several for it; or judgments have ranks.
    """
    where = path_text(path)
    columns = [
        choose_column(names, QID_COLUMNS, "query id", where),
        choose_column(names, DOCNO_COLUMNS, "docno", where),
        choose_column(names, VALUE_COLUMNS[content], VALUE_NAMES[content], where),
    ]
    if content == "qrels" and columns[2] == "score" and "rank" in names:
        raise DataError(f"{where}: columns rank and score: this looks like a run, not judgments")
    return columns


# --- CSV -----------------------------------------------------------------------------------------


def _csv_rows(
    path: str, options: ReadOptions, content: Content
) -> Iterator[tuple[int, str, str, float]]:
    """Yield line, query id, docno and number of every row."""
    rows = csv_rows(path, options)
    _, names = next(rows)
    qid, docno, value = map(names.index, _columns(path, names, content))
    for line, cells in rows:
        if len(cells) != len(names):
            what = f"expected {len(names)} columns as in the first line, found {len(cells)}"
            refuse(path, line, what)
        yield line, cells[qid], cells[docno], number(path, line, cells[value], content)


# --- Parquet -------------------------------------------------------------------------------------


def _is_parquet(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC.encode()
    except (OSError, ValueError):
        return False  # what reads it as CSV tells why


def _read_parquet(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read the three columns that count, in batches, up to a limit of their size in memory."""
    from pyarrow import parquet  # noqa: PLC0415  (needed by few)

    where, limit = path_text(path), min(options.max_bytes, MAX_PARQUET)
    try:
        with parquet.ParquetFile(path) as file:
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
