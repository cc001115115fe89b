"""Judgments as JSON: `{qid: {docno: grade}}`, as pytrec_eval, ranx and BEIR have them."""

from __future__ import annotations

from typing import BinaryIO

from evalstore.formats.json_files import (
    checked_objects,
    first_value_in,
    read_object,
    write_object,
)
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, path_text


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; a query without documents is left out.

    Raises:
        FileError: no JSON object.
        DataError: what is wrong, with the query and the document.
    """
    grades = checked_objects(path, read_object(path, options or ReadOptions()), "grade")
    return Qrels.from_dict(grades, name=path_text(path))


def write_qrels(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments."""
    write_object(qrels.lists, stream, whole=True)
    stream.write(b"\n")


def _recognise(head: str) -> Recognised | None:
    value = first_value_in(head)
    if value is None or value in "{[":
        return None
    return Recognised(False, "a JSON object of objects of numbers")


QRELS_JSON: Format[Qrels] = Format(
    name="qrels-json",
    title="judgments as JSON, {qid: {docno: grade}}: pytrec_eval, ranx",
    content="qrels",
    extensions=(".json",),
    example='{"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}}\n',
    recognise=_recognise,
    read=read_qrels,
    writers={".json": write_qrels},
)
