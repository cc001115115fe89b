"""Lines of running text (queries, documents): numbered, decoded, and the ids and texts in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NoReturn

from evalstore.errors import FileError
from evalstore.formats.source import ReadOptions, blocks, path_text, quoted
from evalstore.formats.trec.columns import MAX_ID

Lines = Iterator[tuple[int, str]]
"""The number (from 1) and the text of each line that is not blank."""

MAX_TEXT_LINE = 16 << 20
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""All but tab and line feed; texts may hold them, escaped in JSON or by accident."""
BLANKS = " \t\r\n"


def refuse(path: str, line: int | None, what: str) -> NoReturn:
    """Raise the FileError of a line."""
    raise FileError(path_text(path), line, what)


def unreadable(error: ValueError | RecursionError) -> str:
    """Why a parser (of JSON, YAML or TOML) can't read a text."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, RecursionError):
        return "nested too deep"
    return "a value out of range"


def numbered_lines(path: str, options: ReadOptions) -> Lines:
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


def first_line(path: str, options: ReadOptions, content: str) -> tuple[tuple[int, str], Lines]:
    """The first line of a file that is not blank, and all such lines, the first included.

    Raises:
        FileError: there is none; `content` says in the message what the file should hold.
    """
    lines = numbered_lines(path, options)
    first = next(lines, None)
    if first is None:
        refuse(path, None, f"no {content}: the file is empty")
    return first, chain((first,), lines)


def json_object(path: str, line: int, text: str) -> dict[str, object]:
    """The object of a line of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        refuse(path, line, f"not JSON ({unreadable(error)}): one object a line is expected")
    if not isinstance(value, dict):
        refuse(path, line, "not a JSON object: one object a line is expected")
    return value


def named(keys: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first text or whole number among some names of a JSON object."""
    name = name_of(keys, names)
    return None if name is None else str(keys[name])


def name_of(keys: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first of some names that holds a text or a whole number in a JSON object."""
    for name in names:
        value = keys.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return name
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


def id_and_word(
    path: str, options: ReadOptions | None, columns: str
) -> Iterator[tuple[int, str, str]]:
    """Yield line, query id and the other word of every line of two columns.

    Args:
        path: the file; lines that begin with `#` are comments.
        options: how to read it.
        columns: what the two hold, as messages name them.

    Raises:
        FileError: at the first line that is not two columns, and for a file without any.
    """
    empty = True
    for line, text in numbered_lines(path, options or ReadOptions()):
        if text.lstrip().startswith("#"):
            continue
        words = [word for word in text.strip(" \t").replace("\t", " ").split(" ") if word]
        if len(words) != 2:
            refuse(path, line, f"expected 2 columns ({columns}), found {len(words)}")
        empty = False
        yield line, checked_id(path, line, "query id", words[0], "a query id"), words[1]
    if empty:
        refuse(path, None, f"no lines of {columns}")
