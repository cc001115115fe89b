"""Lines of running text (queries, documents): numbered, decoded, and the ids and texts in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NoReturn

from evalstore.errors import FileError
from evalstore.formats._trec.columns import MAX_ID
from evalstore.formats.source import ReadOptions, blocks, quoted, shown

MAX_TEXT_LINE = 16 << 20
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""All but tab and line feed; texts may hold them, escaped in JSON or by accident."""
BLANKS = " \t\r\n"


def refuse(path: str, line: int | None, what: str) -> NoReturn:
    """Raise the FileError of a line."""
    raise FileError(shown(path), line, what)


def numbered_lines(path: str, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and the text of every line that is not blank.

    Raises:
        FileError: the file can't be read, or a line is not UTF-8, too long, or holds a NUL.
    """
    number = 0
    for block in blocks(path, options, max_line=MAX_TEXT_LINE):
        for line in block.split(b"\n")[: None if block[-1:] != b"\n" else -1]:
            number += 1
            if len(line) > MAX_TEXT_LINE:
                refuse(path, number, "the line is longer than 16 MiB; is this a text file?")
            if b"\0" in line:
                refuse(path, number, "a NUL byte: this is not a text file, or it is UTF-16")
            try:
                text = line.decode().removesuffix("\r")
            except UnicodeDecodeError:
                refuse(path, number, "not UTF-8: recode the file, or give its encoding")
            if "\r" in text:
                what = "a carriage return without a line feed"
                refuse(path, number, f"{what}: save the file with Unix or Windows line ends")
            if text.strip(BLANKS):
                yield number, text


def json_object(path: str, line: int, text: str) -> dict[str, object]:
    """The object of a line of JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "out of bounds"
        refuse(path, line, f"not JSON ({reason}): one object a line is expected")
    if not isinstance(found, dict):
        refuse(path, line, "not a JSON object: one object a line is expected")
    return found


def named(found: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first text or whole number among some names of a JSON object."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def checked_id(path: str, line: int, what: str, text: str | None, names: str) -> str:
    """An id without the blanks around it; refused where no run or qrels could name it."""
    word = (text or "").strip(BLANKS)
    if not word:
        refuse(path, line, f"no {what}: {names}")
    if any(blank in word for blank in BLANKS) or CONTROLS.search(word):
        refuse(path, line, f"{what} {quoted(word)} holds blanks or control characters")
    if len(word.encode()) > MAX_ID:
        refuse(path, line, f"a {what} of more than 1,024 bytes")
    return word


def tidy(text: str) -> str:
    """A text without the blanks around it, control characters in it made spaces."""
    return CONTROLS.sub(" ", text).strip()
