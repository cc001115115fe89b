"""Runs and judgments as data frames: the columns of ir_measures, PyTerrier, ranx and our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats import ids
from evalstore.formats.rows import (
    VALUE_NAMES,
    Content,
    Rows,
    id_text,
    ids_are_fine,
    row_error,
    table,
    why_not_an_id,
    wrong_value,
)
from evalstore.formats.source import printable, quoted
from evalstore.formats.trec.columns import F64
from evalstore.formats.trec.fast_path import stretches

if TYPE_CHECKING:
    import pandas as pd

QID_COLUMNS = ("qid", "query_id", "q_id")
DOCNO_COLUMNS = ("docno", "doc_id")
VALUE_COLUMNS = {"run": ("score",), "qrels": ("grade", "relevance", "label", "score")}


def read_frame(frame: pd.DataFrame, content: Content, *, name: str, tag: str) -> Rows:
    """Read a frame of a row for each document retrieved or judged; further columns are ignored.

    Raises:
        DataError: what is wrong, with the row, counted from 0.
    """
    columns = [str(column) for column in frame.columns]
    qid_column = choose_column(columns, QID_COLUMNS, "query id", name)
    docno_column = choose_column(columns, DOCNO_COLUMNS, "docno", name)
    value_column = choose_column(columns, VALUE_COLUMNS[content], VALUE_NAMES[content], name)
    if not len(frame):
        raise DataError(f"{printable(name)}: the frame has no rows")
    qids = _ids(frame[qid_column], "query id", name)
    docnos = _ids(frame[docno_column], "docno", name)
    values = _values(frame[value_column], content, name)
    distinct, codes, starts = stretches(qids)
    for code, qid in enumerate(distinct):
        why = why_not_an_id(qid.decode(), "query id")
        if why is not None:
            raise row_error(name, int(starts[np.argmax(codes == code)]), why)
    if len(starts) <= 2 * len(distinct):
        return table(name, tag, distinct, codes, starts, docnos, values, unique=False)
    # Queries take turns: the rows of each are brought together, in their order.
    lengths = np.diff(starts, append=len(values))
    order = ids.stable_order(np.repeat(codes, lengths))
    sizes = np.bincount(codes, lengths, len(distinct)).astype(np.int64)
    rows = table(
        name,
        tag,
        distinct,
        np.arange(len(distinct)),
        np.cumsum(sizes) - sizes,
        ids.take(docnos, order),
        values[order],
        unique=False,
    )
    return replace(rows, numbers=order)


def choose_column(columns: Sequence[str], names: tuple[str, ...], what: str, name: str) -> str:
    """The one of a frame's columns that has one of some names.

    Raises:
        DataError: there is none, or several; `what` says what for, `name` where.
    """
    present = [column for column in columns if column in names]
    if len(present) == 1:
        return present[0]
    if present:
        raise DataError(
            f"{printable(name)}: several columns for the {what}: {', '.join(present)}; keep one"
        )
    have = ", ".join(map(quoted, columns[:12])) or "none"
    raise DataError(
        f"{printable(name)}: no column for the {what}: one of {', '.join(names)}; it has: {have}"
    )


def _ids(series: pd.Series[Any], what: str, name: str) -> pa.Array:
    """A column of ids as bytes: text as it is, whole numbers as their digits."""
    try:
        column = _flat(pa.array(series))
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError, OverflowError):
        column = None
    if column is not None and pa.types.is_integer(column.type) and not column.null_count:
        column = column.cast(pa.string())
    if column is not None and not column.null_count:
        as_bytes = None
        if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
            as_bytes = column.cast(pa.binary())
        elif pa.types.is_large_string(column.type):
            as_bytes = column.cast(pa.large_binary())
        if as_bytes is not None and ids_are_fine(as_bytes):
            return as_bytes
    words = series.tolist()
    for row, word in enumerate(words):
        why = why_not_an_id(word, what)
        if why is not None:
            raise row_error(name, row, why)
    return ids.column([str(id_text(word)).encode() for word in words])


def _flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array, its categories spelled out."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column


def _values(series: pd.Series[Any], content: Content, name: str) -> F64:
    """A column of scores or grades as float64."""
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else None
    if kind is not None and kind in "iuf":
        values = series.to_numpy(np.float64)
    else:
        values = _one_by_one(series, content, name)
    wrong = wrong_value(values, content)
    if wrong is not None:
        raise row_error(name, *wrong)
    return values


def _one_by_one(series: pd.Series[Any], content: Content, name: str) -> F64:
    """The numbers of a column that may hold anything, or nothing in some rows."""
    values = np.empty(len(series), np.float64)
    for row, value in enumerate(series.tolist()):
        number = isinstance(value, int | float | np.integer | np.floating)
        if not number or isinstance(value, bool):
            text = quoted(repr(value))[1:-1]
            what = f"{VALUE_NAMES[content]} {text} is not a number"
            raise row_error(name, row, what)
        try:
            values[row] = value
        except OverflowError:
            raise row_error(name, row, f"{VALUE_NAMES[content]} is out of range") from None
    return values


def to_frame(columns: dict[str, Any]) -> pd.DataFrame:
    """A frame of some columns: texts, int64 and float64."""
    import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

    return pd.DataFrame(columns)
