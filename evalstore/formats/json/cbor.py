"""CBOR (RFC 8949) as ranx packs a run: maps, texts and numbers; anything else is refused."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from evalstore.errors import FileError
from evalstore.formats.source import path_text

UNSIGNED, NEGATIVE, TEXT, MAP, SIMPLE = 0, 1, 3, 5, 7
"""The kinds of values, in the first three bits of a byte."""
LENGTHS = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}
"""How the number that follows is packed, by the last five bits; below 24 they are the number."""
FLOATS = {25: ">e", 26: ">f", 27: ">d"}
DEEPEST = 8

Made = Callable[[Sequence[tuple[str, Any]]], dict[str, Any]]


def is_map(data: bytes) -> bool:
    """Whether data begins as a map does: with no byte that begins a text in UTF-8."""
    return data[:1] >= b"\xa0" and data[:1] <= b"\xbb"


def decode(path: str, data: bytes, made: Made) -> Any:
    """The value that a file holds.

    Args:
        path: the file, for messages.
        data: its content.
        made: given the keys and values of a map, what it becomes.

    Raises:
        FileError: it ends too early or goes on, or has something else than maps with texts as keys,
            texts and numbers.
    """
    reader = _Reader(path, data, made)
    value = reader.value(0)
    if reader.at < len(data):
        reader.refuse("more content after the end")
    return value


def first_value(data: bytes) -> str | None:
    """What the first value two maps deep begins with in JSON: `{`, `"` or a digit; None if none."""
    reader = _Reader("", data, dict)
    try:
        for _ in range(reader.map_length()):
            reader.text()
            if reader.map_length():
                reader.text()
                kind, detail = divmod(reader.data[reader.at], 32)
                number = kind in (UNSIGNED, NEGATIVE) or (kind == SIMPLE and detail in FLOATS)
                return "0" if number else {MAP: "{", TEXT: '"'}.get(kind)
    except (FileError, IndexError):  # the beginning of a file ends anywhere
        pass
    return None


class _Reader:
    """Data, and the position of the next byte."""

    def __init__(self, path: str, data: bytes, made: Made) -> None:
        self.path = path
        self.data = data
        self.made = made
        self.at = 0

    def value(self, depth: int) -> Any:
        """The next value."""
        kind, detail = self._head()
        if kind == UNSIGNED:
            return self._number(detail)
        if kind == NEGATIVE:
            return -1 - self._number(detail)
        if kind == TEXT:
            return self._text(detail)
        if kind == SIMPLE and detail in FLOATS:
            return self._unpacked(FLOATS[detail])
        if kind != MAP:
            self.refuse("something else than maps, texts and numbers")
        if depth == DEEPEST:
            self.refuse("maps are nested too deep")
        return self.made(
            [(self.text(), self.value(depth + 1)) for _ in range(self._number(detail))]
        )

    def map_length(self) -> int:
        """How many keys the map that begins here has."""
        kind, detail = self._head()
        if kind != MAP:
            self.refuse("a map is expected")
        return self._number(detail)

    def text(self) -> str:
        """The text that begins here."""
        kind, detail = self._head()
        if kind != TEXT:
            self.refuse("a key that is no text")
        return self._text(detail)

    def refuse(self, what: str) -> NoReturn:
        """Raise the FileError of this position."""
        raise FileError(path_text(self.path), None, f"CBOR, byte {self.at:,}: {what}")

    def _head(self) -> tuple[int, int]:
        """The kind of the next value, and the rest of its first byte."""
        return divmod(self._bytes(1)[0], 32)

    def _number(self, detail: int) -> int:
        if detail < 24:
            return detail
        if detail not in LENGTHS:
            self.refuse("a length that is not given")
        return int(self._unpacked(LENGTHS[detail]))

    def _text(self, detail: int) -> str:
        try:
            return self._bytes(self._number(detail)).decode()
        except UnicodeDecodeError:
            self.refuse("a text that is not UTF-8")

    def _unpacked(self, form: str) -> Any:
        (number,) = struct.unpack(form, self._bytes(struct.calcsize(form)))
        return number

    def _bytes(self, count: int) -> bytes:
        data = self.data[self.at : self.at + count]
        if len(data) < count:
            self.refuse("the file ends before its content does")
        self.at += count
        return data
