"""Judgments as JSON: `{qid: {docno: grade}}`, as pytrec_eval, ranx and BEIR have them."""

from __future__ import annotations

from typing import BinaryIO

from evalstore.formats.json.files import (
    checked_objects,
    read_object,
    recognise_numbers,
    write_object,
)
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format
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


QRELS_JSON: Format[Qrels] = Format(
    name="qrels-json",
    title="judgments as JSON, {qid: {docno: grade}}: pytrec_eval, ranx",
    content="qrels",
    extensions=(".json",),
    example='{"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}}\n',
    recognise=recognise_numbers,
    read=read_qrels,
    writers={".json": write_qrels},
)
