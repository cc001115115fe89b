"""Rows in PostgreSQL's binary COPY: as its documentation describes them, made without pandas."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

from evalstore.formats import ids
from evalstore.store import models
from evalstore.store.columns import Column
from evalstore.store.dialects import postgres_copy


def fields(rows: bytes, count: int) -> list[list[bytes]]:
    """The fields of each row: their number as int16, then of each its length as int32 and it."""
    at, result = 0, []
    for _ in range(count):
        (width,) = struct.unpack_from(">h", rows, at)
        at, row = at + 2, []
        for _ in range(width):
            (length,) = struct.unpack_from(">i", rows, at)
            row.append(rows[at + 4 : at + 4 + length])
            at += 4 + length
        result.append(row)
    assert at == len(rows)
    return result


def encoded(model: type[models.Base], columns: dict[str, Column], same: dict[str, int]) -> bytes:
    return b"".join(postgres_copy.encoded_rows(models.table(model), columns, same))


def hits(docnos: pa.Array) -> bytes:
    count = len(docnos)
    columns: dict[str, Column] = {
        "query_id": np.arange(count),
        "rank": np.arange(1, count + 1),
        "docno": docnos,
        "grade": np.ones(count),
        "score": np.full(count, 2.5),
    }
    return encoded(models.Hit, columns, {"evaluation_id": 7})


def test_numbers_are_big_endian_and_texts_are_as_they_are() -> None:
    docnos = [b"d7", b"", "grün".encode(), b"FT934-80775"]
    rows = fields(hits(ids.column(docnos)), len(docnos))
    assert [row[3] for row in rows] == docnos
    assert [struct.unpack(">i", row[0])[0] for row in rows] == [7] * 4
    assert [struct.unpack(">d", row[5])[0] for row in rows] == [2.5] * 4


def test_a_part_of_a_column_has_its_own_texts() -> None:
    """Its offsets begin in the midst of the bytes."""
    docnos = ids.column([b"d1", b"d22", b"d333", b"d4444"])
    assert [row[3] for row in fields(hits(docnos[2:]), 2)] == [b"d333", b"d4444"]


def test_bytes_of_any_length_are_a_column() -> None:
    packed = [b"", b"\0" * 9, b"abc"]
    columns: dict[str, Column] = {
        "query_id": np.arange(3),
        "retrieved": np.arange(3),
        "packed": packed,
    }
    rows = fields(encoded(models.Ranking, columns, {"run_id": 1}), 3)
    assert [row[3] for row in rows] == packed


def test_making_rows_imports_no_pandas() -> None:
    """It would take longer than ten runs."""
    program = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]; "
        "import test_postgres_copy as tests; "
        "tests.test_numbers_are_big_endian_and_texts_are_as_they_are(); "
        "tests.test_bytes_of_any_length_are_a_column(); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
