"""Files that commands write: complete or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO


@contextmanager
def written(output: Path) -> Iterator[TextIO]:
    """A UTF-8 text file that gets its name only when it is complete; an existing one is replaced.

    A device or a pipe, such as `/dev/stdout`, is written directly.

    Raises:
        DataError: the file can't be written.
    """
    from evalstore.formats.writing import replacing

    with (
        replacing(output) as target,
        target.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
    ):
        yield stream


@contextmanager
def written_bytes(output: Path) -> Iterator[BinaryIO]:
    """The same for a file of bytes."""
    from evalstore.formats.writing import replacing

    with replacing(output) as target, target.open("wb") as stream:
        yield stream
