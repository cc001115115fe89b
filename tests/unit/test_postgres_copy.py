"""Lists in PostgreSQL's binary COPY: as its documentation describes them, made without pandas."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evalstore.formats.reading import ids
from evalstore.store import models
from evalstore.store.columns import Column
from evalstore.store.dialects import postgres


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


def elements(array: bytes) -> tuple[tuple[int, ...], list[bytes]]:
    """What stands before the elements of an array, and of each its bytes, by their length as int32.

    As PostgreSQL's array_send writes it: dimensions, nulls, type, length, first index.
    """
    before = struct.unpack_from(">iiIii", array)
    at, result = 20, []
    while at < len(array):
        (length,) = struct.unpack_from(">i", array, at)
        result.append(array[at + 4 : at + 4 + length])
        at += 4 + length
    return before, result


def lists(docnos: pa.Array, queries: list[int]) -> bytes:
    columns: dict[str, Column] = {
        "query_id": np.array(queries),
        "rank": np.arange(1, len(docnos) + 1),
        "docno": docnos,
        "score": np.arange(len(docnos)) / 2,
    }
    table = models.table(models.Retrieved)
    return b"".join(postgres.encoded_lists(table, "query_id", columns, {"content_id": 7}))


def test_rows_of_one_key_are_a_row_of_arrays() -> None:
    docnos = [b"d7", b"", "grün".encode(), b"FT934-80775"]
    first, second = fields(lists(ids.column(docnos), [3, 3, 3, 1]), 2)
    assert [struct.unpack(">i", value)[0] for row in (first, second) for value in row[:2]] == [
        *(7, 3),
        *(7, 1),
    ]
    assert elements(first[2]) == ((1, 0, 23, 3, 1), [b"\0\0\0\1", b"\0\0\0\2", b"\0\0\0\3"])
    assert elements(first[3]) == ((1, 0, 25, 3, 1), docnos[:3])
    assert elements(second[3]) == ((1, 0, 25, 1, 1), docnos[3:])
    assert elements(first[4]) == ((1, 0, 701, 3, 1), [struct.pack(">d", x) for x in (0, 0.5, 1)])


def test_a_part_of_a_column_is_lists_of_its_own_texts() -> None:
    docnos = ids.column([b"d1", b"d22", b"d333", b"d4444"])
    (row,) = fields(lists(docnos[2:], [5, 5]), 1)
    assert elements(row[3])[1] == [b"d333", b"d4444"]


def test_no_rows_are_no_lists() -> None:
    assert lists(ids.column([]), []) == b""


def test_a_list_is_one_row_however_long_it_is() -> None:
    """Rows are encoded some 20,000 entries at a time."""
    lengths = [1, 30_000, 19_999, 2, 45_000, 1, 1]
    queries = np.repeat(np.arange(len(lengths)), lengths).tolist()
    docnos = [b"d%d" % number for number in range(sum(lengths))]
    rows = fields(lists(ids.column(docnos), queries), len(lengths))
    assert [len(elements(row[3])[1]) for row in rows] == lengths
    assert [docno for row in rows for docno in elements(row[3])[1]] == docnos


@pytest.mark.slow  # an interpreter is started
def test_making_rows_imports_no_pandas() -> None:
    """It would take longer than ten runs."""
    program = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]; "
        "import test_postgres_copy as tests; "
        "tests.test_rows_of_one_key_are_a_row_of_arrays(); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
