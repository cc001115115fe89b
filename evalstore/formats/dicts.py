"""Runs and judgments as dictionaries of dictionaries: `{qid: {docno: score or grade}}`.

As pytrec_eval, ranx and BEIR have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NoReturn

import numpy as np
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats import ids
from evalstore.formats._trec.columns import F64
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
    qids = _ids(list(answered))
    docnos = _ids(list(chain.from_iterable(answered.values())))
    values = _values(answered, int(lengths.sum()))
    if qids is None or docnos is None or _comment_like(qids) or values is None:
        return read_dict(_checked(answered, content, name), content, name=name, tag=tag)
    wrong = wrong_value(values, content)
    if wrong is not None:
        _refuse_row(answered, lengths, wrong, name)
    starts = np.cumsum(lengths) - lengths
    codes = np.arange(len(lengths))
    return table(name, tag, qids.to_pylist(), codes, starts, docnos, values, unique=True)


def _ids(words: list[str]) -> pa.Array | None:
    """Some ids as a column of bytes, or None where one of them is not fit to be an id."""
    try:
        joined = "".join(words)
        data = joined.encode()
    except (TypeError, UnicodeEncodeError):
        return None
    if len(data) == len(joined):
        sizes = np.fromiter(map(len, words), np.int64, len(words))
    else:
        sizes = np.fromiter((len(word.encode()) for word in words), np.int64, len(words))
    column = ids.column_of(sizes, data)
    return column if ids_are_fine(column) else None


def _comment_like(qids: pa.Array) -> bool:
    at, flat = ids.offsets_and_bytes(qids)
    return bool((flat[at[:-1]] == ord("#")).any())


def _values(answered: Table, count: int) -> F64 | None:
    """The numbers, float64, or None where one of them is no number."""
    numbers = list(chain.from_iterable(documents.values() for documents in answered.values()))
    if not set(map(type, numbers)) <= {int, float} and not all(map(_is_number, numbers)):
        return None
    try:
        return np.fromiter(numbers, np.float64, count)
    except OverflowError:  # a whole number beyond the range of a float
        return None


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float | np.integer | np.floating)


def _checked(answered: Table, content: Content, name: str) -> dict[str, dict[str, float]]:
    """The same with every id as text, looked at one by one.

    Raises:
        DataError: the first key or number that can't be.
    """
    checked: dict[str, dict[str, float]] = {}
    for qid, documents in answered.items():
        why = why_not_an_id(qid, "query id")
        if why is not None:
            raise DataError(f"{printable(name)}: {why}")
        if id_text(qid) in checked:
            raise DataError(f"{printable(name)}: query {quoted(str(qid))} stands twice")
        inner = checked[str(id_text(qid))] = {}
        for docno, value in documents.items():
            why = why_not_an_id(docno, "docno")
            if why is not None:
                _refuse(name, qid, why)
            text = str(id_text(docno))
            if text in inner:
                _refuse(name, qid, f"document {quoted(text)} stands twice")
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
