"""Which format a run or judgments are written in, and writing them."""

from __future__ import annotations

from typing import Literal

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.any_format import TREC
from evalstore.formats.lists import Lists
from evalstore.formats.registry import Format, Write, formats
from evalstore.formats.source import path_text
from evalstore.formats.writing import opened_for_writing

Content = Literal["run", "qrels"]

NOT_WRITTEN = (".lz4", ".bz2", ".xz", ".zst", ".zip")
"""The ends of names of compressed files that are not written."""


def written_formats(content: Content) -> dict[str, Format[object]]:
    """The formats that runs, or judgments, are written in, by name."""
    return {form.name: form for form in formats() if form.content == content and form.writers}


def choose_writer(content: Content, name: str | None = None, path: str = "") -> Write:
    """What writes a run, or judgments, in the format of that name.

    Without a name it is the format of files whose name ends as `path` does (`.gz` at the end does
    not count), or else TREC's.

    Raises:
        DataError: no format of that name is written; a gzip file of Parquet, or a file that is
            packed otherwise.
    """
    by_name = written_formats(content)
    if name is not None and name not in by_name:
        raise DataError(
            f"no format that {'runs' if content == 'run' else 'judgments'} are written in is "
            f"called {name!r}{did_you_mean(name, by_name)}",
            problem="unknown format",
        )
    if path.lower().endswith(NOT_WRITTEN):
        raise DataError(f"{path_text(path)}: files are packed with gzip only: end it in .gz")
    file = path.lower().removesuffix(".gz")
    if file.endswith(".parquet") and file != path.lower():
        raise DataError(f"{path_text(path)}: Parquet is compressed already: leave .gz out")
    candidates = by_name.values() if name is None else [by_name[name]]
    for form in candidates:
        for ending, write in form.writers.items():
            if ending and file.endswith(ending):
                return write
    return next(iter(by_name[name or TREC[content]].writers.values()))


def write_file(lists: Lists, content: Content, path: str, name: str | None = None) -> None:
    """Write a run, or judgments, into a file; gzip where its name ends in `.gz`.

    The file is complete or not there at all; a file of that name is replaced.

    Raises:
        DataError: as `choose_writer`, or what the format can't hold.
        FileError: the file can't be written.
    """
    write = choose_writer(content, name, path)
    with opened_for_writing(path) as stream:
        write(lists, stream)
