"""The runs of one path: a file, the parts of a file, or the runs of a folder.

`run_sources` lists them without reading their rankings; `read_source` reads one, in any process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from evalstore.errors import DataError
from evalstore.formats.any_format import choose_format, read_large_run_or_values, read_run_or_values
from evalstore.formats.reading.lines import run_name
from evalstore.formats.reading.paths import is_object, is_url, shown_path
from evalstore.formats.reading.remote import is_folder
from evalstore.formats.reading.source import ReadOptions, refuse
from evalstore.formats.registry import choose_folder_format, object_folder_format
from evalstore.formats.run import NotInParts, Run, RunParts
from evalstore.formats.trec.values import PrintedValues

T = TypeVar("T")


@dataclass(frozen=True)
class RunSource:
    """One run to read, and what was told beside it.

    Attributes:
        part: the keys of the run within the file; empty if the file is one run.
        name: None if the run is named after the file.
        engine: None if the run tag names it.
        facts: by the names of the fields of `catalog.given_facts.GivenFacts`; they count more than
            those in the file itself.
        warnings: what was accepted although it is odd, one sentence each.
        error: why there is no run to read, although there should be one.
        format: the name of the file's format; empty if it is told when the file is read.
        content: the run if it is in memory; `path` is then its name in messages.
        sent_as: the name that the sender of the file gave it; empty for a file of this machine.
    """

    path: str
    part: tuple[str, ...] = ()
    name: str | None = None
    engine: str | None = None
    experiment: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    error: DataError | None = None
    format: str = field(default="", compare=False)
    content: Run | None = field(default=None, compare=False, repr=False)
    sent_as: str = ""

    def __fspath__(self) -> str:
        return self.path

    @property
    def label(self) -> str:
        """The file, and the part of it, as messages name them."""
        path = shown_path(self.path)
        return f"{path} ({', '.join(self.part)})" if self.part else path


@dataclass(frozen=True)
class RunSources:
    """The runs of one path, one or more.

    Attributes:
        warnings: what is odd about the folder: one sentence each.
        format: the name of the folder's format (`folder_formats`); empty for a file.
    """

    runs: tuple[RunSource, ...]
    warnings: tuple[str, ...] = ()
    format: str = ""


def run_sources(path: str, options: ReadOptions | None = None) -> RunSources:
    """The runs of a path: a file (`-` is standard input), a folder, or a database of MLflow.

    A file that can't be read is one run: reading it reports why. Formats named in `options` decide
    before the content does.
    """
    options = options or ReadOptions()
    if options.is_known is not None and options.is_known(path):
        return RunSources((RunSource(path),))
    form = choose_folder_format(path, options)
    if form is None:
        runs = file_sources(path, options)
        if not _is_object_folder(path, options, runs[0]):
            return RunSources(runs)
        form = object_folder_format(path, options)
    sources = form.read(path, options)
    if not sources.runs:
        reasons = "".join(f"; {warning}" for warning in sources.warnings[:3])
        refuse(path, None, f"no runs in this folder ({form.name}){reasons}")
    return replace(sources, format=form.name)


def find_sources(path: str, options: ReadOptions) -> RunSources:
    """The runs of a path; if they can't be told, one run with that error."""
    try:
        return run_sources(path, options)
    except DataError as error:
        return RunSources((RunSource(path, error=error),))


def _is_object_folder(path: str, options: ReadOptions, run: RunSource) -> bool:
    """Whether a path is a folder of an object store; `run` is the path read as a file."""
    if not is_object(path) or (options.is_known is not None and options.is_known(path)):
        return False
    if run.error is not None or not options.formats:
        return run.error is not None and run.error.problem == "several runs"
    return is_folder(path)


def file_sources(path: str, options: ReadOptions) -> tuple[RunSource, ...]:
    """The runs of one file, several if its format has such files."""
    is_file = (path != "-" and os.path.isfile(path)) or is_url(path)
    if not is_file or (options.is_known is not None and options.is_known(path)):
        return (RunSource(path),)
    try:
        form = choose_format(path, options, "run", "values")
        parts = form.parts(path, options) if form.parts else ()
    except DataError as error:  # reading a file reports the error; a URL was tried often enough
        return (RunSource(path, error=error if is_url(path) else None),)
    if len(parts) < 2:
        return (RunSource(path, format=form.name),)
    stem = run_name(path).removesuffix("_predictions")
    return tuple(
        RunSource(path, part, name="_".join((stem, *part)), format=form.name) for part in parts
    )


def read_source(source: RunSource, options: ReadOptions | None = None) -> Run | PrintedValues:
    """Read the run of a source, or the values of one."""
    options = _reading(source, options or ReadOptions())
    if source.error is not None:
        raise source.error
    if not source.part:
        return read_run_or_values(source.path, options)
    form = choose_format(source.path, options, "run")
    if form.read_part is None:
        refuse(source.path, None, "the file changed while it was read")
    run: Run = form.read_part(source.path, options, source.part)
    return replace(run, format=form.name)


def use_source(
    source: RunSource, options: ReadOptions, use: Callable[[Run | RunParts | PrintedValues], T]
) -> T:
    """Call `use` with the run of a source, in parts if possible.

    `use` is called again, with the whole run, if it raises `NotInParts`.
    """
    if source.content is not None:
        return use(source.content)
    if source.error is None and not source.part:
        with suppress(NotInParts):
            return use(read_large_run_or_values(source.path, _reading(source, options)))
    return use(read_source(source, options))


def _reading(source: RunSource, options: ReadOptions) -> ReadOptions:
    """The options, with the format of the file if it is known."""
    known = (source.format,) if source.format else ()
    return replace(options, formats=options.formats or known)
