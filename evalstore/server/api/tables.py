"""Large answers as Arrow or Parquet: written to a temporary file first, then sent.

So memory stays small, and no connection to the database waits for a slow client.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
from flask import Response

from evalstore.server.api.operation import ARROW

BLOCK = 64 * 1024
ROWS_TOGETHER = 100_000
"""Rows of a batch of Arrow, and of a row group of Parquet."""


def table_response(media_type: str, schema: pa.Schema, parts: Iterable[pa.Table]) -> Response:
    """An answer of the rows of all parts.

    Args:
        media_type: of Arrow or of Parquet.
        schema: of every part.
        parts: some rows each; none is fine.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115  (it is closed when the answer is)
    try:
        with _writer(media_type, file, schema) as writer:
            for part in _grouped(parts):
                writer.write_table(part)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    answer = Response(_blocks(file), mimetype=media_type)
    answer.content_length = size
    answer.call_on_close(file.close)
    return answer


def _writer(media_type: str, file: IO[bytes], schema: pa.Schema) -> pa.RecordBatchFileWriter:
    if media_type == ARROW:
        return pa.ipc.new_stream(file, schema)
    return pq.ParquetWriter(file, schema)


def _grouped(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in fewer, larger tables."""
    waiting: list[pa.Table] = []
    for part in parts:
        waiting.append(part)
        if sum(table.num_rows for table in waiting) >= ROWS_TOGETHER:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block
