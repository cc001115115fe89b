"""Runs, judgments and queries in memory (dictionaries, data frames), by the rules of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.queries import Queries, checked_name, is_single, value_text
from evalstore.formats.reading import ids
from evalstore.formats.reading.lines import tidy
from evalstore.formats.reading.rows import (
    VALUE_NAMES,
    Content,
    Rows,
    ids_are_fine,
    row_error,
    table,
    valid_id,
    why_not_an_id,
    wrong_value,
)
from evalstore.formats.reading.source import printable, quoted
from evalstore.formats.tables.texts import QUERY_TEXT_NAMES
from evalstore.formats.trec.columns import F64

if TYPE_CHECKING:
    import pandas as pd


Table = Mapping[str, Mapping[str, float]]


def read_dict(table_of: Table, content: Content, *, name: str, tag: str) -> Rows:
    """Read a dictionary of dictionaries; a query without documents is treated as missing."""
    if not isinstance(table_of, Mapping):
        raise DataError(f"{printable(name)}: expected {{qid: {{docno: number}}}}")
    for qid, documents in table_of.items():
        if not isinstance(documents, Mapping):
            _refuse(name, qid, f"expected {{docno: {VALUE_NAMES[content]}}}")
    answered = {qid: documents for qid, documents in table_of.items() if documents}
    lengths = np.fromiter(map(len, answered.values()), np.int64, len(answered))
    if not len(lengths):
        raise DataError(f"{printable(name)}: it holds no documents")
    columns = _columns(answered, int(lengths.sum()))
    if columns is None:
        return read_dict(checked(answered, content, name), content, name=name, tag=tag)
    qids, docnos, values = columns
    wrong = wrong_value(values, content)
    if wrong is not None:
        row, what = wrong
        query = int(np.searchsorted(np.cumsum(lengths), row, side="right"))
        qid, documents = list(answered.items())[query]
        docno = list(documents)[row - int(lengths[:query].sum())]
        _refuse(name, qid, f"document {quoted(docno)}: {what}")
    codes = np.repeat(np.arange(len(lengths)), lengths)
    return table(name, tag, qids.to_pylist(), codes, docnos, values, unique=True)


def _columns(answered: Table, count: int) -> tuple[pa.Array, pa.Array, F64] | None:
    """The query ids, docnos and numbers, or None if one of them is not fit to be one."""
    texts: list[str] = []  # of one dictionary at a time, while its keys are in the cache
    sizes = np.empty(count, np.int64)
    values = np.empty(count, np.float64)
    start = 0
    try:
        for documents in answered.values():
            docnos, numbers = list(documents), list(documents.values())
            text = "".join(docnos)
            encoded = docnos if text.isascii() else map(str.encode, docnos)
            if not set(map(type, numbers)) <= {int, float} and not all(map(_is_number, numbers)):
                return None
            rows = slice(start, start + len(docnos))
            sizes[rows] = np.fromiter(map(len, encoded), np.int64, len(docnos))
            values[rows] = np.fromiter(numbers, np.float64, len(docnos))
            texts.append(text)
            start = rows.stop
        column = ids.column_of(sizes, "".join(texts).encode())
        qids = ids.column([qid.encode() for qid in answered])
    except (TypeError, AttributeError, UnicodeEncodeError, OverflowError):
        return None
    if not ids_are_fine(column) or not ids_are_fine(qids):
        return None
    at, flat = ids.offsets_and_bytes(qids)
    return None if (flat[at[:-1]] == ord("#")).any() else (qids, column, values)


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float | np.integer | np.floating)


def checked(answered: Table, content: Content, name: str) -> dict[str, dict[str, float]]:
    """The same with every id as text and every number a float, checked one by one; NaN passes."""
    checked: dict[str, dict[str, float]] = {}
    for qid, documents in answered.items():
        key = valid_id(qid, "query id", f"{printable(name)}: ")
        if key in checked:
            raise DataError(f"{printable(name)}: query {quoted(str(qid))} is given twice")
        inner = checked[key] = {}
        where = f"{printable(name)}, query {quoted(key)}: "
        for docno, value in documents.items():
            text = valid_id(docno, "docno", where)
            if text in inner:
                _refuse(name, qid, f"document {quoted(text)} is given twice")
            inner[text] = _number(name, qid, text, value, content)
    return checked


def _number(name: str, qid: str, docno: str, value: object, content: Content) -> float:
    if not _is_number(value):
        what = f"{VALUE_NAMES[content]} {quoted(repr(value))[1:-1]} is not a number"
        _refuse(name, qid, f"document {quoted(docno)}: {what}")
    try:
        return float(value)  # type: ignore[arg-type]  # _is_number has looked
    except OverflowError:
        _refuse(name, qid, f"document {quoted(docno)}: {VALUE_NAMES[content]} is out of range")


def _refuse(name: str, qid: object, what: str) -> NoReturn:
    raise DataError(f"{printable(name)}, query {quoted(str(qid))}: {what}")


def to_dict(
    qids: tuple[str, ...], starts: ids.I64, lengths: ids.I64, docnos: list[str], values: F64
) -> dict[str, dict[str, float]]:
    """The rows as a dictionary of dictionaries, the queries in the order of `qids`."""
    numbers = values.tolist()
    return {
        qid: dict(zip(docnos[start : start + n], numbers[start : start + n], strict=True))
        for qid, start, n in zip(qids, starts.tolist(), lengths.tolist(), strict=True)
    }


# Runs and judgments as data frames: the columns of ir_measures, PyTerrier, ranx and our own

QID_COLUMNS = ("qid", "query_id", "q_id")
DOCNO_COLUMNS = ("docno", "doc_id")
VALUE_COLUMNS = {"run": ("score",), "qrels": ("grade", "relevance", "label", "score")}


def read_frame(frame: pd.DataFrame, content: Content, *, name: str, tag: str) -> Rows:
    """Read a frame of a row for each document retrieved or judged; further columns are ignored."""
    columns = [str(column) for column in frame.columns]
    qid_column = choose_column(columns, QID_COLUMNS, "query id", name)
    docno_column = choose_column(columns, DOCNO_COLUMNS, "docno", name)
    value_column = choose_column(columns, VALUE_COLUMNS[content], VALUE_NAMES[content], name)
    if not len(frame):
        raise DataError(f"{printable(name)}: the frame has no rows")
    qids = _ids(frame[qid_column], "query id", name)
    docnos = _ids(frame[docno_column], "docno", name)
    values = _values(frame[value_column], content, name)
    coded = qids.dictionary_encode()
    distinct, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)
    for code, qid in enumerate(distinct):
        why = why_not_an_id(qid.decode(), "query id")
        if why is not None:
            raise row_error(name, int(np.argmax(codes == code)), why)
    return table(name, tag, distinct, codes, docnos, values, unique=False)


def choose_column(columns: Sequence[str], names: tuple[str, ...], what: str, name: str) -> str:
    """The one of a frame's columns with one of these names."""
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
        column = pa.array(series)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if pa.types.is_dictionary(column.type):  # categories
            column = column.dictionary_decode()
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
    where = printable(name)
    words = enumerate(series.tolist())
    return ids.column(
        [valid_id(word, what, f"{where}, row {row}: ").encode() for row, word in words]
    )


def _values(series: pd.Series[Any], content: Content, name: str) -> F64:
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
        if not _is_number(value):
            text = quoted(repr(value))[1:-1]
            what = f"{VALUE_NAMES[content]} {text} is not a number"
            raise row_error(name, row, what)
        try:
            values[row] = value
        except OverflowError:
            raise row_error(name, row, f"{VALUE_NAMES[content]} is out of range") from None
    return values


# Queries given in memory, as dictionaries and data frames, by the rules of files

NAME = "queries"
"""In messages."""


def queries_of_dict(given: Mapping[str, object]) -> Queries:
    """Queries of `{qid: text}` or `{qid: {"text": ..., "lang": ...}}`; a text may be missing."""
    return _queries(
        (qid, dict(about) if isinstance(about, Mapping) else {"text": about})
        for qid, about in given.items()
    )


def queries_of_frame(frame: pd.DataFrame) -> Queries:
    """Queries of a frame with a row each; missing values are no attributes.

    The id is under `qid`, `query_id` or `q_id`, the text under `text`, `query` or `title` if there
    is one; every other column is an attribute.
    """
    columns = [str(column) for column in frame.columns]
    id_column = next((name for name in QID_COLUMNS if name in columns), None)
    if id_column is None:
        raise DataError(f"{NAME}: no column for the query id: one of {', '.join(QID_COLUMNS)}")
    qids = frame.iloc[:, columns.index(id_column)].tolist()
    others = [number for number, column in enumerate(columns) if column != id_column]
    values = {columns[number]: frame.iloc[:, number].tolist() for number in others}
    missing = {columns[number]: frame.iloc[:, number].isna().tolist() for number in others}
    return _queries(
        (qid, {name: of[row] for name, of in values.items() if not missing[name][row]})
        for row, qid in enumerate(qids)
    )


def _queries(rows: Iterable[tuple[object, dict[str, object]]]) -> Queries:
    texts: dict[str, str] = {}
    attributes: dict[str, dict[str, str]] = {}
    for given, about in rows:
        qid = valid_id(given, "query id", f"{NAME}: ")
        if qid in attributes:
            raise DataError(f"{NAME}: query {quoted(qid)} stands twice")
        text_name = next((name for name in QUERY_TEXT_NAMES if name in about), None)
        text = about.pop(text_name) if text_name is not None else None
        if not isinstance(text, str | None):
            raise DataError(f"{NAME}, query {quoted(qid)}: the text {_shown(text)} is not text")
        if text is not None:
            texts[qid] = tidy(text)
        own = ((checked_name(str(name)), _value(qid, name, of)) for name, of in about.items())
        attributes[qid] = {name: value for name, value in own if value}
    return Queries(texts, {qid: own for qid, own in attributes.items() if own})


def _value(qid: str, name: str, value: object) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    if not is_single(plain):
        raise DataError(
            f"{NAME}, query {quoted(qid)}: attribute {quoted(str(name))} is {_shown(value)}, "
            "not text, a finite number, true or false"
        )
    return value_text(plain)


def _shown(value: object) -> str:
    return printable(repr(value)[:100])
