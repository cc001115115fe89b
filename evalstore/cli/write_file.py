"""Files that commands write: complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from evalstore.errors import DataError


@contextmanager
def written(output: Path) -> Iterator[TextIO]:
    """A UTF-8 text file that gets its name only when it is complete; an existing one is replaced.

    A device or a pipe, such as `/dev/stdout`, is written directly.

    Raises:
        DataError: the file can't be written.
    """
    with (
        _replacing(output) as target,
        target.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
    ):
        yield stream


@contextmanager
def written_bytes(output: Path) -> Iterator[BinaryIO]:
    """The same for a file of bytes."""
    with _replacing(output) as target, target.open("wb") as stream:
        yield stream


@contextmanager
def _replacing(output: Path) -> Iterator[Path]:
    """A path to write, which becomes `output` when all went well."""
    device = output.exists() and not output.is_file()
    target = output if device else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        yield target
        if not device:
            target.replace(output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"{output}: {(error.strerror or str(error)).lower()}") from None
    finally:
        if not device:
            target.unlink(missing_ok=True)
