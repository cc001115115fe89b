"""Queries given in memory, as dictionaries and data frames, by the rules of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from evalstore.errors import DataError
from evalstore.formats.attributes import checked_name, is_single, value_text
from evalstore.formats.frames import QID_COLUMNS
from evalstore.formats.lines import tidy
from evalstore.formats.queries import Queries
from evalstore.formats.rows import id_text, why_not_an_id
from evalstore.formats.source import printable, quoted
from evalstore.formats.tables.queries_jsonl import TEXT_NAMES

if TYPE_CHECKING:
    import pandas as pd

NAME = "queries"
"""As messages call them."""


def queries_of_dict(given: Mapping[str, object]) -> Queries:
    """Queries of `{qid: text}` or `{qid: {"text": ..., "lang": ...}}`; a text may be missing.

    Raises:
        DataError: an id, a text or an attribute that can't be, with the query's id.
    """
    return _queries(
        (qid, dict(about) if isinstance(about, Mapping) else {"text": about})
        for qid, about in given.items()
    )


def queries_of_frame(frame: pd.DataFrame) -> Queries:
    """Queries of a frame with a row each.

    The id is under `qid`, `query_id` or `q_id`, the text under `text`, `query` or `title` where
    there is one; every other column is an attribute, missing values are none.

    Raises:
        DataError: no column of ids, or an id, a text or an attribute that can't be.
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
        why = why_not_an_id(given, "query id")
        if why is not None:
            raise DataError(f"{NAME}: {why}")
        qid = str(id_text(given))
        if qid in attributes:
            raise DataError(f"{NAME}: query {quoted(qid)} stands twice")
        text_name = next((name for name in TEXT_NAMES if name in about), None)
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
