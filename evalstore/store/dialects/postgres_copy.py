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

ELEMENTS = {">i4": 23, ">f8": 701, None: 25}
"""The numbers of the types `integer`, `double precision` and `text`."""


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
    fixed: list[tuple[Any, Any]] = [(">i2", len(values))]
    for name, column in values.items():
        kind = _number(table, name)
        if kind is None:
            text = _large_binary(column)
            fixed.append((">i4", ids.lengths(text)))
            parts += [_joined(fixed, count), text]
            fixed = []
        else:
            fixed += [(">i4", np.dtype(kind).itemsize), (kind, column)]
    if fixed:
        parts.append(_joined(fixed, count))
    return _concatenated(parts, count)


def _concatenated(parts: Sequence[pa.Array], count: int) -> memoryview:
    """The bytes of all rows, of which each part has a stretch."""
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


def _joined(fields: Sequence[tuple[Any, Any]], count: int) -> pa.Array:
    """Fields side by side as one binary value a row: the type of each, and its values (or one)."""
    rows = np.empty(count, [(str(number), kind) for number, (kind, _) in enumerate(fields)])
    for number, (_, column) in enumerate(fields):
        rows[str(number)] = column
    width = pa.binary(rows.dtype.itemsize)
    joined = pa.FixedSizeBinaryArray.from_buffers(width, count, [None, pa.py_buffer(rows)])
    return joined.cast(pa.large_binary())


def encoded_lists(
    table: Table, key: str, columns: Mapping[str, Column], same: Mapping[str, int]
) -> Iterator[memoryview]:
    """The rows of a table of lists in binary: one for each value of the key, the rest in arrays.

    Args:
        table: tells the types of the columns; of each but the key a row has an array.
        key: the column whose values differ from row to row; equal ones stand together.
        columns: as in `encoded_rows`, the key among them.
        same: as in `encoded_rows`.
    """
    keys = np.asarray(columns[key])
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    bounds = np.append(starts, len(keys))
    first = 0
    while first < len(starts):
        many = np.searchsorted(bounds, bounds[first] + ROWS_TOGETHER, "right") - 1
        last = max(int(many), first + 1)
        values = {name: column[bounds[first] : bounds[last]] for name, column in columns.items()}
        yield _encoded_lists(table, key, values, same, bounds[first : last + 1] - bounds[first])
        first = last


def _encoded_lists(
    table: Table,
    key: str,
    columns: Mapping[str, Any],
    same: Mapping[str, int],
    bounds: npt.NDArray[np.int64],
) -> memoryview:
    """Some rows; `bounds` says where the list of each begins, and where the last one ends."""
    count = len(bounds) - 1
    parts: list[pa.Array] = []
    fixed: list[tuple[Any, Any]] = [(">i2", len(same) + len(columns))]
    for value in same.values():
        fixed += [(">i4", 4), (">i4", value)]
    for name, column in columns.items():
        kind = _number(table, name)
        if name == key:
            fixed += [(">i4", 4), (">i4", column[bounds[:-1]])]
            continue
        elements, ends = _elements(kind, column)
        offsets = ends[bounds]
        before = np.zeros(count, ARRAY)
        before["dimensions"], before["type"], before["first_index"] = 1, ELEMENTS[kind], 1
        before["length"] = np.diff(bounds)
        fixed += [(">i4", ARRAY.itemsize + np.diff(offsets)), (ARRAY, before)]
        buffers = [None, pa.py_buffer(offsets), elements]
        lists = pa.LargeBinaryArray.from_buffers(pa.large_binary(), count, buffers)
        parts += [_joined(fixed, count), lists]
        fixed = []
    return _concatenated(parts, count)


def _elements(kind: str | None, column: Any) -> tuple[pa.Buffer, npt.NDArray[np.int64]]:
    """Values as elements of arrays, and where each of them begins; and the end of the last one."""
    count = len(column)
    if kind is None:
        text = _large_binary(column)
        joined = _joined([(">i4", ids.lengths(text))], count)
        elements = pc.binary_join_element_wise(joined, text, _large_binary([b""])[0])
        return elements.buffers()[2], np.frombuffer(elements.buffers()[1], np.int64)[: count + 1]
    size = np.dtype(kind).itemsize
    numbers = np.empty(count, [("length", ">i4"), ("value", kind)])
    numbers["length"], numbers["value"] = size, column
    return pa.py_buffer(numbers), np.arange(count + 1) * numbers.dtype.itemsize
