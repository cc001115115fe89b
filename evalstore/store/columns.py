"""Columns of many rows, and Arrow columns as the strings that the databases take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Column: TypeAlias = npt.NDArray[Any] | pa.Array | Sequence[bytes]
"""A column to insert, without nulls: an array of numbers, UTF-8 texts in Arrow, or bytes."""


def texts(ids: pa.Array) -> list[str]:
    """The strings of an Arrow binary array of UTF-8."""
    kind = pa.large_string() if pa.types.is_large_binary(ids.type) else pa.string()
    alike = pa.Array.from_buffers(kind, len(ids), ids.buffers(), offset=ids.offset)
    return list(alike.to_pylist())


ROWS_AT_ONCE = 1000
"""Rows of columns converted to Python objects at a time: few enough for the processor's cache."""


def rows_of(columns: Mapping[str, Column]) -> Iterator[tuple[Any, ...]]:
    """The rows of columns of one length as Python objects.

    Only few rows at a time are converted: they need several times the memory of columns.
    """
    return chain.from_iterable(
        zip(*(_values(column[at : at + ROWS_AT_ONCE]) for column in columns.values()), strict=True)
        for at in range(0, len(next(iter(columns.values()))), ROWS_AT_ONCE)
    )


def _values(column: Column) -> Sequence[Any]:
    if isinstance(column, pa.Array):
        return texts(column)
    return list(column.tolist()) if isinstance(column, np.ndarray) else column


# The rows of a run and of its evaluation, as columns; this part uses no database

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RankingRows:
    """The content of a run as it is stored, with q lists.

    Attributes:
        qids: the queries answered.
        packed: one packed ranking per list.
        top_query: int64, index into `qids` of each row that is stored for SQL.
        top_rank, top_docno, top_score: the rank (from 1), document and score of these rows.
    """

    qids: Sequence[str]
    lengths: I64
    packed: Sequence[bytes]
    top_query: I64
    top_rank: I64
    top_docno: pa.Array
    top_score: F64


@dataclass(frozen=True, kw_only=True)
class ValueRows:
    """The values of measures of a run under a qrels.

    Attributes:
        qids: the queries evaluated.
        values: float64 per query, by the measure's canonical name.
        aggregates: the aggregate over all queries, by measure.
        measures: (family, direction, aggregate), by measure.
    """

    qids: Sequence[str]
    values: Mapping[str, F64]
    aggregates: Mapping[str, float]
    measures: Mapping[str, tuple[str, int, str]]


@dataclass(frozen=True, kw_only=True)
class EvaluationRows(ValueRows):
    """The evaluation of a run under a qrels in the form in which it is stored.

    Attributes:
        hit_query, hit_rank, hit_docno, hit_grade, hit_score: the relevant documents retrieved.
    """

    hit_query: I64
    hit_rank: I64
    hit_docno: pa.Array
    hit_grade: F64
    hit_score: F64
