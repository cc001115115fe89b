"""Runs and judgments from files of any format: the content decides, unless a format is named."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Literal

from evalstore.errors import DataError, FileError, did_you_mean
from evalstore.formats.folder_formats import folder_formats
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format, formats, recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, beginning, path_text

TREC = {"run": "trec-run", "qrels": "trec-qrels"}
"""The formats that a file is read as which looks like none: their messages tell what is wrong."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run of any format; docs/formats.md lists them.

    Raises:
        FileError: the file can't be read, or what first breaks a rule of its format.
        DataError: the format can't be told, or there is none of the name in `options`.
    """
    options = options or ReadOptions()
    form = choose_format(path, options, "run")
    run: Run = form.read(path, options)
    return replace(run, format=form.name)


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments of any format; docs/formats.md lists them.

    Raises:
        FileError: the file can't be read, or what first breaks a rule of its format.
        DataError: the format can't be told, or there is none of the name in `options`.
    """
    options = options or ReadOptions()
    form = choose_format(path, options, "qrels")
    qrels: Qrels = form.read(path, options)
    return replace(qrels, format=form.name)


def choose_format(path: str, options: ReadOptions, content: Literal["run", "qrels"]) -> Format[Any]:
    """The format that a file is read as.

    That is the one named in `options` which holds such content, or else the one that the beginning
    of the file is recognised as; TREC's where it looks like none, and where the file can be read
    only once (a named pipe).

    Raises:
        FileError: a folder where a run is expected.
        DataError: the file may be of several formats; or an unknown name.
    """
    by_name = {form.name: form for form in formats()}
    names = [*by_name, *(form.name for form in folder_formats())]
    for name in options.formats:
        if name not in names:
            raise DataError(
                f"no format is called {name!r}{did_you_mean(name, names)}",
                problem="unknown format",
            )
    if content == "run" and os.path.isdir(path):
        raise FileError(path_text(path), None, "is a directory", problem="several runs")
    given = [by_name[name] for name in options.formats if name in by_name]
    wanted = [form.name for form in given if form.content == content]
    if not wanted:
        candidates = recognised(beginning(path, options), content)
        wanted = [form.name for form, _ in candidates] or [TREC[content]]
    if len(wanted) > 1:
        raise DataError(
            f"{path_text(path)}: this may be {' or '.join(wanted)}", problem="which format"
        )
    return by_name[wanted[0]]
