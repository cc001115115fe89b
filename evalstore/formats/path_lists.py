"""Lists of paths in a file: one on each line, or separated by NUL as `find -print0` writes them."""

from __future__ import annotations

import codecs
import os
from typing import NamedTuple

from evalstore.errors import FileError
from evalstore.formats.source import ReadOptions, blocks, path_text

LARGEST = 64 << 20
"""Bytes of a list: several hundred thousand paths."""


class ListedPath(NamedTuple):
    """A path of a list, and the number of its line (of its entry, where NUL separates them)."""

    path: str
    line: int


def read_path_list(file: str) -> list[ListedPath]:
    """The paths in a list, in its order; `-` is standard input. Empty lines are left out.

    A path is taken as it is: a blank at its end belongs to it, and a pattern is not expanded.

    Raises:
        FileError: the list can't be read, has no path or more than 64 MiB; or a line says `-`.
    """
    options = ReadOptions(max_bytes=LARGEST)
    content = b"".join(blocks(file, options, max_line=LARGEST)).removeprefix(codecs.BOM_UTF8)
    lines = content.split(b"\0") if b"\0" in content else content.split(b"\n")
    texts = (os.fsdecode(line.removesuffix(b"\r")) for line in lines)
    paths = [ListedPath(text, number) for number, text in enumerate(texts, 1) if text.strip()]
    if not paths:
        raise FileError(path_text(file), None, "no path in this list")
    for path, number in paths:
        if path == "-":
            what = "- is standard input, which a list can't name; a file of this name is ./-"
            raise FileError(path_text(file), number, what)
    return paths
