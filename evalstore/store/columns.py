"""Columns of many rows, and Arrow columns as the strings that the databases take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
import pyarrow as pa

Column = npt.NDArray[Any] | pa.Array | Sequence[bytes]
"""A column to insert, without nulls: numbers as an array, texts as UTF-8 in Arrow, or bytes."""


def texts(ids: pa.Array) -> list[str]:
    """An Arrow binary array of UTF-8 as Python strings."""
    kind = pa.large_string() if pa.types.is_large_binary(ids.type) else pa.string()
    alike = pa.Array.from_buffers(kind, len(ids), ids.buffers(), offset=ids.offset)
    return list(alike.to_pylist())
