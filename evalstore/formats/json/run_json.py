"""Runs as JSON: `{qid: {docno: score}}`, as pytrec_eval, ranx, BEIR and MTEB 1 write them."""

from __future__ import annotations

from typing import BinaryIO

from evalstore.formats.file_names import tag_of_file
from evalstore.formats.json.files import (
    checked_objects,
    read_object,
    recognise_numbers,
    write_object,
)
from evalstore.formats.lists import Lists
from evalstore.formats.registry import Format
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name, and a query without documents is left out.

    Raises:
        FileError: no JSON object.
        DataError: what is wrong, with the query and the document.
    """
    scores = checked_objects(path, read_object(path, options or ReadOptions()), "score")
    return Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))


def write_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run; its tag is lost."""
    write_object(run.lists, stream, whole=False)
    stream.write(b"\n")


RUN_JSON: Format[Run] = Format(
    name="run-json",
    title="run as JSON, {qid: {docno: score}}: pytrec_eval, ranx (also .lz4), MTEB 1",
    content="run",
    extensions=(".json",),
    example='{"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"d7": 3.25}}\n',
    recognise=recognise_numbers,
    read=read_run,
    writers={".json": write_run},
    lost="the run tag",
)
