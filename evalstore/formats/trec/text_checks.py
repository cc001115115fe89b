"""Checks that a block is text: control characters, UTF-8, line lengths."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from evalstore.formats.source import MAX_LINE
from evalstore.formats.trec.columns import Flaw, first_flaw

BAD_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n|\Z)")
C1_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")
CACHED = 256 << 10
"""Bytes checked in one step, so that they and intermediate arrays fit in the level-2 cache."""

U8 = npt.NDArray[np.uint8]


def bad_text(block: bytes) -> Flaw | None:
    """The first line with a byte that has no place in text, with bad UTF-8, or too long."""
    return first_flaw(_long_line(block), _control(block), _encoding(block))


def count_lines(block: bytes) -> int:
    """How many lines a block has, the last of which may lack its end."""
    return count_byte(block, 10) + (not block.endswith(b"\n")) if block else 0


def count_byte(block: bytes, byte: int) -> int:
    """How often a byte occurs: as `bytes.count`, but without holding the interpreter."""
    return sum(int(np.count_nonzero(part == byte)) for part in _parts(block))


def line_start(block: bytes, line: int) -> int:
    """Where a line (from 1) begins."""
    at = 0
    for _ in range(line - 1):
        at = block.index(b"\n", at) + 1
    return at


def _parts(block: bytes) -> list[U8]:
    flat = np.frombuffer(block, np.uint8)
    return [flat[at : at + CACHED] for at in range(0, len(flat), CACHED)]


def _long_line(block: bytes) -> Flaw | None:
    # Where every aligned half-limit holds a line end, no line can be over the limit.
    half = MAX_LINE // 2
    if all(block.find(b"\n", at, at + half) >= 0 for at in range(0, len(block) - half, half)):
        return None
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    sizes = np.diff(np.concatenate([[-1], ends, [len(block)]])) - 1
    over = np.flatnonzero(sizes > MAX_LINE)
    if not len(over):
        return None
    return Flaw(int(over[0]) + 1, "the line is longer than 64 KiB; is this a text file?")


def _control(block: bytes) -> Flaw | None:
    # Counting is cheap and finding is not, so the position is sought only when the counts differ.
    below_space = sum(int(np.count_nonzero(part < 32)) for part in _parts(block))
    fine = count_byte(block, 10)
    if b"\t" in block:
        fine += count_byte(block, 9)
    if b"\r" in block:
        flat = np.frombuffer(block, np.uint8)
        fine += int(np.count_nonzero((flat[:-1] == 13) & (flat[1:] == 10)))
        fine += block.endswith(b"\r")
    if below_space == fine and b"\x7f" not in block:
        return None
    bad = BAD_BYTE.search(block)
    if bad is None:
        return None
    byte = bad[0][0]
    what = f"control character 0x{byte:02x}; remove it"
    if byte == 0:
        what = "a NUL byte: this is not a text file, or it is UTF-16 (give its encoding)"
    if byte == 13:
        what = "a carriage return without a line feed: save the file with Unix or Windows line ends"
    return Flaw(_line_of(block, bad.start()), what)


def _encoding(block: bytes) -> Flaw | None:
    if block.isascii():
        return None
    try:
        block.decode()
    except UnicodeDecodeError as error:
        line = _line_of(block, error.start)
        return Flaw(line, "not UTF-8: recode the file, or give its encoding")
    flat = np.frombuffer(block, np.uint8)
    # In valid UTF-8, 0xC2 and a byte below 0xA0 are one of the controls U+0080 to U+009F.
    if not ((flat[:-1] == 0xC2) & (flat[1:] < 0xA0)).any():
        return None
    bad = C1_CONTROL.search(block)
    if bad is None:
        return None
    what = f"control character U+{ord(bad[0].decode()):04X}; remove it"
    return Flaw(_line_of(block, bad.start()), what)


def _line_of(block: bytes, at: int) -> int:
    return block.count(b"\n", 0, at) + 1
