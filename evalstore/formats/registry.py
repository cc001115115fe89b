"""The formats of files: the contents of each, how it is recognised, its readers and writers.

A format is a `Format` in a module of this package, and its line in `FORMATS`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, Literal, NamedTuple, TypeVar

from evalstore.errors import DataError
from evalstore.formats.reading.lines import Lines, first_line
from evalstore.formats.reading.source import ReadOptions, path_text, refuse
from evalstore.plugins import of_other_packages

if TYPE_CHECKING:
    from evalstore.formats.lists import Lists
    from evalstore.formats.run import RunParts
    from evalstore.formats.sources import RunSources


Content = Literal[
    "run",
    "values",
    "qrels",
    "subtopic qrels",
    "judgment groups",
    "preferences",
    "queries",
    "attributes",
    "documents",
    "known",
    "times",
]
T = TypeVar("T")
Write = Callable[["Lists", BinaryIO], None]
"""Writes a run or judgments; a DataError says what a file of the format can't hold."""

FORMATS = (
    "trec.run:TREC_RUN",
    "json.files:RUN_JSON",
    "json.files:RUN_LISTS",
    "json.files:MTEB_PREDICTIONS",
    "tables.frames:MSMARCO_RUN",
    "tables.frames:RUN_FRAME",
    "json.evalrun:EVALRUN",
    "tables.quepid:QUEPID_SNAPSHOT",
    "json.lists:RANK_EVAL_RESPONSE",
    "json.lists:OPENSEARCH_RESULTS",
    "json.lists:RANK_LLM",
    "json.lists:DPR_RUN",
    "trec.values:TREC_EVAL_OUTPUT",
    "trec.qrels:TREC_QRELS",
    "json.files:QRELS_JSON",
    "tables.frames:BEIR_QRELS",
    "tables.frames:QRELS_FRAME",
    "tables.quepid:QUEPID_RATINGS",
    "json.lists:RANK_EVAL_REQUEST",
    "json.lists:OPENSEARCH_JUDGMENTS",
    "json.umbrela:UMBRELA",
    "trec.qrels:SUBTOPIC_QRELS",
    "trec.qrels:JUDGMENT_GROUPS",
    "tables.quepid:QUEPID_BOOK",
    "trec.preferences:PREFERENCES",
    "tables.texts:QUERIES_TSV",
    "tables.texts:QUERIES_JSONL",
    "tables.texts:TREC_TOPICS",
    "tables.texts:QUERY_ATTRIBUTES",
    "tables.texts:DOCUMENTS_JSONL",
    "tables.texts:DOCUMENTS_TSV",
    "trec.values:KNOWN",
    "trec.values:TIMES",
)
"""Module and name of each format, in the order they are listed for people."""


class Recognised(NamedTuple):
    """The reason why a file may be of a format, and whether it can't be of any other one."""

    certain: bool
    reason: str


Recognise = Callable[[str], Recognised | None]


def recognise_if(test: Callable[[str], object], reason: str, *, certain: bool) -> Recognise:
    """A function that recognises files whose beginning passes a test."""
    seen = Recognised(certain, reason)
    return lambda head: seen if test(head) else None


@dataclass(frozen=True)
class Format(Generic[T]):
    """A format of files.

    Attributes:
        name: short, of lower-case letters and hyphens: `trec-run`.
        extensions: the usual file name extensions; not used for recognition.
        recognise: given how a file begins (whole lines; unpacked, decoded), why it may be of this
            format, or None. Of all formats with the same content at most one recognises a file.
        parts: (path, options) -> the keys of each of the runs in a file; None if a file holds
            one. `read` refuses a file of several.
        read_part: (path, options, keys) -> the run under these keys.
        read_large: (path, options) -> the result of `read`, or a `RunParts` if a file has more rows
            than `ReadOptions.rows_at_once`; None if the format has no such reader.
        writers: by the end of the file name; the first also writes files of other names. Empty
            if there is no writer. Reading gives back what was written.
        lost: what such a file can't hold, in words; empty if it holds everything.
        by_text: whether such files name queries by their texts, so that reading them needs
            `ReadOptions.query_ids`.
    """

    name: str
    title: str
    content: Content
    extensions: tuple[str, ...]
    example: str
    recognise: Recognise
    read: Callable[[str, ReadOptions | None], T]
    parts: Callable[[str, ReadOptions], tuple[tuple[str, ...], ...]] | None = None
    read_part: Callable[[str, ReadOptions, tuple[str, ...]], T] | None = None
    read_large: Callable[[str, ReadOptions], T | RunParts] | None = None
    writers: Mapping[str, Write] = field(default_factory=dict)
    lost: str = ""
    by_text: bool = False


@dataclass(frozen=True)
class LineFormat(Format[T]):
    """A format that is read line by line, so that a file from a pipe can be recognised.

    Attributes:
        read_lines: (path, numbered lines) -> their content; the path is for messages only.
    """

    read_lines: Callable[[str, Lines], T] = field(kw_only=True)


def line_format(
    name: str,
    title: str,
    content: Content,
    extensions: tuple[str, ...],
    example: str,
    recognise: Recognise,
    read_lines: Callable[[str, Lines], T],
) -> LineFormat[T]:
    """Describe a format that is read line by line."""

    def read(path: str, options: ReadOptions | None) -> T:
        _, lines = first_line(path, options or ReadOptions(), content)
        return read_lines(path, lines)

    return LineFormat(
        name, title, content, extensions, example, recognise, read, read_lines=read_lines
    )


@functools.cache
def own_formats() -> tuple[Format[Any], ...]:
    """The formats of this package, in the order of `FORMATS`."""
    return tuple(_named(name) for name in FORMATS)


@functools.cache
def other_formats() -> tuple[Format[Any], ...]:
    """The formats of other packages."""

    def named(loaded: object) -> tuple[str, Format[Any]]:
        if not isinstance(loaded, Format):
            raise TypeError("not a Format")
        return loaded.name, loaded

    own = {form.name for form in own_formats()} | {form.name for form in folder_formats()}
    return tuple(of_other_packages("formats", named, own).values())


def formats() -> tuple[Format[Any], ...]:
    """All formats, those of other packages at the end."""
    return (*own_formats(), *other_formats())


def named_formats(names: Iterable[str]) -> list[Format[Any]]:
    """The formats of these names that exist; names of folder formats are left out."""
    own = {form.name: form for form in own_formats()}
    by_name = own if own.keys() >= set(names) else {form.name: form for form in formats()}
    return [by_name[name] for name in names if name in by_name]


def _named(name: str) -> Any:
    module, _, constant = name.partition(":")
    return getattr(import_module(f"evalstore.formats.{module}"), constant)


def recognised(head: str, *contents: Content) -> list[tuple[Format[Any], Recognised]]:
    """The formats that a file with these first lines may be of: if there are, the certain ones.

    Those of other packages are asked if no other one recognises it.
    """
    for some in (own_formats, other_formats):
        possible = (f for f in some() if not contents or f.content in contents)
        candidates = [(f, reason) for f in possible if (reason := f.recognise(head)) is not None]
        if candidates:
            return [candidate for candidate in candidates if candidate[1].certain] or candidates
    return []


def recognised_lines(head: str, content: Content) -> LineFormat[Any]:
    """The one format of lines with this content that a file is of, going by its first line."""
    return next(f for f, _ in recognised(head, content) if isinstance(f, LineFormat))


def is_by_text(name: str) -> bool:
    """Whether files of the format of this name name queries by their texts."""
    return any(form.by_text for form in named_formats([name]))


def first_columns(head: str) -> list[str]:
    """The columns of the first line that is neither blank nor a comment; none if it begins JSON."""
    for columns in map(str.split, head.splitlines()):
        if columns and not columns[0].startswith("#"):
            return [] if columns[0].startswith(("{", "[")) else columns
    return []


def ends_in_number(head: str, count: int) -> bool:
    """Whether the first line has this many columns, the last of which is a number."""
    columns = first_columns(head)
    return len(columns) == count and is_number(columns[-1])


def is_number(word: str) -> bool:
    """Whether a column may hold a score or a grade."""
    try:
        float(word)
    except ValueError:
        return False
    return True


# Formats of folders that hold runs: each is a `FolderFormat` in a module of
# `evalstore.formats.folders`.

FOLDER_FORMATS = (
    "folders.plain:PLAIN_FOLDER",
    "folders.plain:PARAMETER_TABLE",
    "folders.plain:PYTERRIER_FOLDER",
    "folders.plain:TIRA_FOLDER",
    "folders.mlflow:MLFLOW_STORE",
)
"""In the order they are listed for people; the first one is that of a folder which no other format
recognises.
"""


@dataclass(frozen=True)
class FolderFormat:
    """A format of folders.

    Attributes:
        name: short, of lower-case letters and hyphens: `pyterrier-folder`.
        example: the paths of a small folder, one a line.
        recognise: given the path, whether it looks like this format.
        read: (path, options) -> the runs in it.
    """

    name: str
    title: str
    example: str
    recognise: Callable[[str], bool]
    read: Callable[[str, ReadOptions], RunSources]


@functools.cache
def folder_formats() -> tuple[FolderFormat, ...]:
    """All formats of folders, in the order of `FOLDER_FORMATS`."""
    return tuple(_named(name) for name in FOLDER_FORMATS)


def choose_folder_format(path: str, options: ReadOptions) -> FolderFormat | None:
    """The format named in `options`, or that recognises the folder, or a plain one; or None."""
    plain, *others = folder_formats()
    matching = [form for form in others if form.recognise(path)]
    if not matching and not os.path.isdir(path):
        return None
    named = [form for form in folder_formats() if form.name in options.formats]
    candidates = named or matching or [plain]
    if len(candidates) > 1:
        names = " or ".join(form.name for form in candidates)
        raise DataError(f"{path_text(path)}: this may be {names}", problem="which format")
    return candidates[0]


def object_folder_format(path: str, options: ReadOptions) -> FolderFormat:
    """The format that a folder of an object store is read as: a plain one."""
    plain, *others = folder_formats()
    named = [form.name for form in others if form.name in options.formats]
    if named:
        what = f"a folder of an object store is read as {plain.name} only"
        refuse(path, None, f"{what}: copy it to this machine to read it as {named[0]}")
    return plain
