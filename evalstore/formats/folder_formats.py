"""The formats of folders that hold runs: how each is recognised, and who lists its runs.

A format is one module of `evalstore.formats.folders` with a `FolderFormat` in it, and its name in
`MODULES`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from evalstore.errors import DataError, FileError
from evalstore.formats.source import ReadOptions, path_text

if TYPE_CHECKING:
    from evalstore.formats.run_sources import RunSources

MODULES = ("plain", "parameter_table", "pyterrier", "tira", "mlflow")
"""The modules that hold a format, in the order they are listed for people; the first one is that
of a folder which no other format recognises."""


@dataclass(frozen=True)
class FolderFormat:
    """A format of folders.

    Attributes:
        name: short, of lower-case letters and hyphens: `pyterrier-folder`.
        title: in words.
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
    """All formats of folders, in the order of `MODULES`."""
    modules = (import_module(f"evalstore.formats.folders.{name}") for name in MODULES)
    return tuple(
        thing for m in modules for thing in vars(m).values() if isinstance(thing, FolderFormat)
    )


def choose_folder_format(path: str, options: ReadOptions) -> FolderFormat | None:
    """The format that a folder, or a database, is read as; None for any other file.

    That is the one named in `options`, or else the one that recognises it, or else a plain folder.

    Raises:
        FileError: the folder can't be read.
        DataError: it may be of several formats.
    """
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
    """The format that a folder of an object store is read as: a plain one.

    Raises:
        FileError: the options name another one.
    """
    plain, *others = folder_formats()
    named = [form.name for form in others if form.name in options.formats]
    if named:
        what = f"a folder of an object store is read as {plain.name} only"
        raise FileError(
            path_text(path), None, f"{what}: copy it to this machine to read it as {named[0]}"
        )
    return plain
