"""Files that formats write: complete or not at all, plain or gzip; numbers and ids as text."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from evalstore.errors import DataError, FileError
from evalstore.formats import ids
from evalstore.formats.source import path_text, quoted

BYTE_ORDER_MARK = "\ufeff"


@contextmanager
def opened_for_writing(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; gzip where the name ends in `.gz`.

    It gets its name only when it is complete, and takes the place of a file of that name. A device
    or a pipe, such as `/dev/stdout`, is written directly. The same content gives the same bytes: a
    gzip file holds no time and no name.

    Raises:
        FileError: the file can't be opened or written.
    """
    with replacing(Path(path)) as target, target.open("wb") as file:
        if not path.lower().endswith(".gz"):
            yield file
            return
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # it has all of BinaryIO that is used


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """A path to write, which becomes `output` when all went well.

    Raises:
        FileError: the file can't be written.
    """
    device = output.exists() and not output.is_file()
    target = output if device else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        yield target
        if not device:
            target.replace(output)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(path_text(str(output)), None, reason) from None
    finally:
        if not device:
            target.unlink(missing_ok=True)


def write_lines(stream: BinaryIO, pieces: Iterable[str]) -> None:
    """Write pieces of text that begin with an id, as UTF-8.

    Raises:
        DataError: the first begins with a byte order mark, which readers take off.
    """
    for number, piece in enumerate(pieces):
        if number == 0 and piece.startswith(BYTE_ORDER_MARK):
            raise DataError(
                f"query id {quoted(piece.split()[0])} begins with a byte order mark, which "
                "readers of this format leave out at the beginning of a file"
            )
        stream.write(piece.encode())


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as CSV: UTF-8, commas between, Unix line ends, quotes around cells that need them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def number_text(number: float) -> str:
    """The fewest digits that are read back as the same number: `1`, `2.5`, `1e-07`."""
    return repr(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)


def texts(column: pa.Array) -> list[str]:
    """The ids of a column as text."""
    at, flat = ids.offsets_and_bytes(column)
    data, ends = flat.tobytes(), at.tolist()
    return [data[a:b].decode() for a, b in pairwise(ends)]
