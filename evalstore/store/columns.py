"""Columns of many rows, and Arrow columns as the strings that the databases take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Column = npt.NDArray[Any] | pa.Array | Sequence[bytes]
"""A column to insert, without nulls: numbers as an array, texts as UTF-8 in Arrow, or bytes."""


def texts(ids: pa.Array) -> list[str]:
    """An Arrow binary array of UTF-8 as Python strings."""
    kind = pa.large_string() if pa.types.is_large_binary(ids.type) else pa.string()
    alike = pa.Array.from_buffers(kind, len(ids), ids.buffers(), offset=ids.offset)
    return list(alike.to_pylist())


# The rows of a run and its evaluation, as columns; uses no database

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RankingRows:
    """A run's content as it is stored; q lists.

    Attributes:
        qids: the queries answered.
        packed: one packed ranking per list; a thread may still be packing them.
        top_query: int64, index into `qids` of each row that is stored for SQL.
        top_rank, top_docno, top_score: of these rows; ranks from 1.
    """

    qids: Sequence[str]
    lengths: I64
    packed: Sequence[bytes]
    top_query: I64
    top_rank: I64
    top_docno: pa.Array
    top_score: F64


@dataclass(frozen=True)
class EvaluationRows:
    """The evaluation of a run under a qrels, as it is stored.

    Attributes:
        qids: the queries evaluated.
        hit_query, hit_rank, hit_docno, hit_grade, hit_score: the relevant documents retrieved.
        values: per measure (canonical name) a float64 per query.
        aggregates: per measure its aggregate over all queries.
        measures: per measure (family, direction, aggregate).
    """

    qids: Sequence[str]
    hit_query: I64
    hit_rank: I64
    hit_docno: pa.Array
    hit_grade: F64
    hit_score: F64
    values: Mapping[str, F64]
    aggregates: Mapping[str, float]
    measures: Mapping[str, tuple[str, int, str]]
