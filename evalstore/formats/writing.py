"""Files that formats write: opened plain or gzip, numbers and ids as text."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TextIO

import pyarrow as pa

from evalstore.errors import FileError
from evalstore.formats import ids
from evalstore.formats.source import path_text


@contextmanager
def opened_for_writing(path: str) -> Iterator[TextIO]:
    """Open a text file for writing, UTF-8 with Unix line ends; gzip where the name ends in `.gz`.

    The same content gives the same bytes: a gzip file holds no time and no name.

    Raises:
        FileError: the file can't be opened or written.
    """
    try:
        if path.endswith(".gz"):
            with (
                open(path, "wb") as raw,
                gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed,
                _text(packed) as file,
            ):
                yield file
        else:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                yield file
    except OSError as error:
        raise FileError(path_text(path), None, (error.strerror or str(error)).lower()) from None


def _text(packed: gzip.GzipFile) -> TextIO:
    return io.TextIOWrapper(packed, encoding="utf-8", newline="\n")


def number_text(number: float) -> str:
    """The fewest digits that are read back as the same number: `1`, `2.5`, `1e-07`."""
    return repr(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)


def texts(column: pa.Array) -> list[str]:
    """The ids of a column as text."""
    at, flat = ids.offsets_and_bytes(column)
    data, ends = flat.tobytes(), at.tolist()
    return [data[a:b].decode() for a, b in pairwise(ends)]
