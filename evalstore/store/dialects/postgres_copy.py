"""Columns as the rows of PostgreSQL's binary COPY, made without a loop over the rows.

A row is the number of its columns as int16, and for each column the length of its value in bytes as
int32 and the value. Numbers are big-endian; text is UTF-8. The rows stand between HEADER and END.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import BigInteger, Float, Integer, SmallInteger, Table

from evalstore.formats import ids
from evalstore.store.columns import Column

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
"""The signature, no flags, and an extension of length 0."""

END = b"\xff\xff"

ROWS_TOGETHER = 20_000
"""Rows that are encoded at once: some megabytes."""

NUMBERS = ((SmallInteger, ">i2"), (BigInteger, ">i8"), (Integer, ">i4"), (Float, ">f8"))
"""By the type of a column, how NumPy names a value of it. The others are text and bytes."""

ARRAY = np.dtype(
    [
        *(("dimensions", ">i4"), ("has_nulls", ">i4"), ("type", ">u4")),
        *(("length", ">i4"), ("first_index", ">i4")),
    ]
)
"""What stands before the elements of an array; each of them has its length before it."""

ELEMENTS = {">i4": 23, ">f8": 701}
"""The numbers of the types `integer` and `double precision`."""


def encoded_rows(
    table: Table, columns: Mapping[str, Column], same: Mapping[str, int]
) -> Iterator[memoryview]:
    """The rows of a table in binary, many in each piece.

    Args:
        table: tells the types of the columns.
        columns: values without nulls, of one length.
        same: the columns before these, with the one number that they have in all rows.
    """
    count = len(next(iter(columns.values())))
    for start in range(0, count, ROWS_TOGETHER):
        length = min(ROWS_TOGETHER, count - start)
        values: dict[str, Any] = {name: np.full(length, value) for name, value in same.items()}
        values |= {name: column[start : start + length] for name, column in columns.items()}
        yield _encoded(table, values, length)


def _encoded(table: Table, values: Mapping[str, Any], count: int) -> memoryview:
    """Some rows: stretches of fixed width, and between them the texts, joined row by row."""
    parts: list[pa.Array] = []
    fixed: list[tuple[str, npt.NDArray[Any]]] = [(">i2", np.full(count, len(values)))]
    for name, column in values.items():
        kind = _number(table, name)
        if kind is None:
            text = _large_binary(column)
            fixed.append((">i4", ids.lengths(text)))
            parts += [_joined(fixed, count), text]
            fixed = []
        else:
            fixed += [(">i4", np.full(count, np.dtype(kind).itemsize)), (kind, column)]
    if fixed:
        parts.append(_joined(fixed, count))
    rows = pc.binary_join_element_wise(*parts, _large_binary([b""])[0])
    ends = np.frombuffer(rows.buffers()[1], np.int64)
    return memoryview(rows.buffers()[2])[: ends[count]]


def _number(table: Table, name: str) -> str | None:
    """How NumPy names a value of this column; None for text and bytes."""
    kind = table.c[name].type
    return next((number for cls, number in NUMBERS if isinstance(kind, cls)), None)


def _large_binary(column: pa.Array | Sequence[bytes]) -> pa.Array:
    array = column if isinstance(column, pa.Array) else ids.column(column)
    return array.cast(pa.large_binary())


def _joined(fields: Sequence[tuple[str, npt.NDArray[Any]]], count: int) -> pa.Array:
    """Fields side by side as one binary value a row."""
    rows = np.empty(count, [(str(number), kind) for number, (kind, _) in enumerate(fields)])
    for number, (_, column) in enumerate(fields):
        rows[str(number)] = column
    width = pa.binary(rows.dtype.itemsize)
    joined = pa.FixedSizeBinaryArray.from_buffers(width, count, [None, pa.py_buffer(rows)])
    return joined.cast(pa.large_binary())


def encoded_array(kind: str, values: npt.NDArray[Any]) -> bytes:
    """An array of one dimension, of a kind in ELEMENTS, with the length of the whole before it."""
    size = np.dtype(kind).itemsize
    elements = np.empty(len(values), [("length", ">i4"), ("value", kind)])
    elements["length"], elements["value"] = size, values
    before = np.array([(1, 0, ELEMENTS[kind], len(values), 1)], ARRAY)
    whole = before.tobytes() + elements.tobytes()
    return np.array(len(whole), ">i4").tobytes() + whole


def encoded_integer(value: int) -> bytes:
    """A value of the type `integer`, with its length before it."""
    return np.array([4, value], ">i4").tobytes()
