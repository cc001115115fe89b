"""Runs and judgments as dictionaries of dictionaries: `{qid: {docno: score or grade}}`.

As pytrec_eval, ranx and BEIR have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

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
    table,
    why_not_an_id,
    wrong_value,
)
from evalstore.formats.source import printable, quoted
from evalstore.formats.trec.columns import F64

Table = Mapping[str, Mapping[str, float]]


def read_dict(table_of: Table, content: Content, *, name: str, tag: str) -> Rows:
    """Read a dictionary of dictionaries; a query without documents is as one that is not there.

    Raises:
        DataError: what is wrong, with its keys.
    """
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
        _refuse_row(answered, lengths, wrong, name)
    starts = np.cumsum(lengths) - lengths
    codes = np.arange(len(lengths))
    return table(name, tag, qids.to_pylist(), codes, starts, docnos, values, unique=True)


def _columns(answered: Table, count: int) -> tuple[pa.Array, pa.Array, F64] | None:
    """The query ids, docnos and numbers, or None where one of them is not fit to be one.

    A dictionary is gone through at a time: while its keys are in the cache.
    """
    texts: list[str] = []
    sizes = np.empty(count, np.int64)
    values = np.empty(count, np.float64)
    start = 0
    try:
        for documents in answered.values():
            docnos, numbers = list(documents), list(documents.values())
            text = "".join(docnos)
            lengths = map(len, docnos) if text.isascii() else map(_encoded_length, docnos)
            if not set(map(type, numbers)) <= {int, float} and not all(map(_is_number, numbers)):
                return None
            rows = slice(start, start + len(docnos))
            sizes[rows] = np.fromiter(lengths, np.int64, len(docnos))
            values[rows] = np.fromiter(numbers, np.float64, len(docnos))
            texts.append(text)
            start = rows.stop
        column = ids.column_of(sizes, "".join(texts).encode())
        qids = ids.column([qid.encode() for qid in answered])
    except (TypeError, AttributeError, UnicodeEncodeError, OverflowError):
        return None
    fine = ids_are_fine(column) and ids_are_fine(qids) and not _comment_like(qids)
    return (qids, column, values) if fine else None


def _encoded_length(word: str) -> int:
    return len(word.encode())


def _comment_like(qids: pa.Array) -> bool:
    at, flat = ids.offsets_and_bytes(qids)
    return bool((flat[at[:-1]] == ord("#")).any())


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float | np.integer | np.floating)


def checked(answered: Table, content: Content, name: str) -> dict[str, dict[str, float]]:
    """The same with every id as text and every number a float, looked at one by one.

    Raises:
        DataError: the first key that can't be, or what is no number (NaN and infinity are).
    """
    checked: dict[str, dict[str, float]] = {}
    for qid, documents in answered.items():
        why = why_not_an_id(qid, "query id")
        if why is not None:
            raise DataError(f"{printable(name)}: {why}")
        if id_text(qid) in checked:
            raise DataError(f"{printable(name)}: query {quoted(str(qid))} is given twice")
        inner = checked[str(id_text(qid))] = {}
        for docno, value in documents.items():
            why = why_not_an_id(docno, "docno")
            if why is not None:
                _refuse(name, qid, why)
            text = str(id_text(docno))
            if text in inner:
                _refuse(name, qid, f"document {quoted(text)} is given twice")
            inner[text] = _number(name, qid, text, value, content)
    return checked


def _number(name: str, qid: str, docno: str, value: object, content: Content) -> float:
    if isinstance(value, str) or not _is_number(value):
        what = f"{VALUE_NAMES[content]} {quoted(repr(value))[1:-1]} is not a number"
        _refuse(name, qid, f"document {quoted(docno)}: {what}")
    try:
        return float(value)  # type: ignore[arg-type]  # _is_number has looked
    except OverflowError:
        what = f"document {quoted(docno)}: {VALUE_NAMES[content]} is out of range"
        _refuse(name, qid, what)


def _refuse(name: str, qid: object, what: str) -> NoReturn:
    raise DataError(f"{printable(name)}, query {quoted(str(qid))}: {what}")


def _refuse_row(answered: Table, lengths: ids.I64, wrong: tuple[int, str], name: str) -> NoReturn:
    row, what = wrong
    query = int(np.searchsorted(np.cumsum(lengths), row, side="right"))
    qid, documents = list(answered.items())[query]
    docno = list(documents)[row - int(lengths[:query].sum())]
    _refuse(name, qid, f"document {quoted(docno)}: {what}")


def to_dict(
    qids: tuple[str, ...], starts: ids.I64, lengths: ids.I64, docnos: list[str], values: F64
) -> dict[str, dict[str, float]]:
    """The rows as a dictionary of dictionaries, the queries in the order of `qids`."""
    numbers = values.tolist()
    return {
        qid: dict(zip(docnos[start : start + n], numbers[start : start + n], strict=True))
        for qid, start, n in zip(qids, starts.tolist(), lengths.tolist(), strict=True)
    }
