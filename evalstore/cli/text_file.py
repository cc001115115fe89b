"""Short texts that people give as files."""

from __future__ import annotations

import click

from evalstore.errors import FileError

LONGEST = 1 << 20


def read_text(path: str) -> str:
    """The text of a UTF-8 file of at most 1 MiB; `-` is standard input.

    Raises:
        FileError: the file can't be read, is longer, or is not UTF-8.
    """
    name = "<stdin>" if path == "-" else path
    try:
        with click.open_file(path, "rb") as stream:
            content: bytes = stream.read(LONGEST + 1)
    except OSError as error:
        raise FileError(name, None, (error.strerror or str(error)).lower()) from None
    if len(content) > LONGEST:
        raise FileError(name, None, f"longer than {LONGEST:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(name, line, "not UTF-8") from None
