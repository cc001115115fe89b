"""The careful path: rewrite any block into a regular one, keep the number of every line, read that.

What it accepts beyond the fast path: several blanks between columns, blanks around them, blank
lines, comments, more columns than a run has, and ranks that are no numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from evalstore.formats import ids
from evalstore.formats.trec.columns import I64, NO_RANK, NUMBER, Columns, Flaw, Layout, first_flaw
from evalstore.formats.trec.fast_path import (
    CODED,
    arrow_table,
    flat_column,
    numbers,
    table_columns,
    to_columns,
)
from evalstore.formats.trec.messages import misfit, not_a_number
from evalstore.formats.trec.text_checks import count_lines, line_start

DECIMAL = re.compile(rb"[+-]?[0-9]+")
HEXADECIMAL = re.compile(rb"0[xX][0-9a-fA-F]{1,16}")


@dataclass(frozen=True)
class Lines:
    """The data lines of a block, rewritten.

    Attributes:
        text: one tab between columns, a line feed after the last, nothing else.
        numbers: int64, the line of the block (from 1) that each comes from.
        extra: how many had more columns than they should, and the first such line.
        flaw: the first line with a wrong number of columns; `text` stops before it.
    """

    text: bytes
    numbers: I64
    extra: tuple[int, int]
    flaw: Flaw | None


def read_irregular(block: bytes, layout: Layout) -> tuple[Columns, Flaw | None]:
    """The columns of a block up to its first flaw (in columns or numbers), and that flaw."""
    lines = _rewritten(block, layout)
    line_count = count_lines(block)
    if not lines.text:
        return _no_columns(layout, line_count), lines.flaw
    table = arrow_table(lines.text, layout, "\t") if _first_rank_is_plain(lines, layout) else None
    columns = None if table is None else table_columns(table, layout)
    wrong: Flaw | None = None
    if columns is None or not np.isfinite(columns.values).all():
        columns, wrong = _by_hand(lines, layout)
    columns = replace(columns, line_count=line_count, lines=lines.numbers, extra=lines.extra)
    return columns, first_flaw(wrong, lines.flaw)


def _no_columns(layout: Layout, line_count: int) -> Columns:
    nothing = ids.column([])
    return Columns(
        qids=[],
        stretch_codes=np.zeros(0, np.int64),
        stretch_starts=np.zeros(0, np.int64),
        docnos=nothing,
        values=np.zeros(0),
        line_count=line_count,
        lines=np.zeros(0, np.int64),
        ranks=np.zeros(0, np.int64) if layout.ranked else None,
        subtopics=nothing if layout.second else None,
    )


# --- rewriting ---------------------------------------------------------------------------------


def _rewritten(block: bytes, layout: Layout) -> Lines:
    flat = np.frombuffer(block, np.uint8)
    # With a blank on either side: controls are refused before, so what is left are line ends.
    solid = np.zeros(len(flat) + 2, bool)
    np.greater(flat, 32, out=solid[1:-1])
    edges = np.flatnonzero(solid[1:] != solid[:-1])
    starts, ends = edges[::2], edges[1::2]

    # The columns of a line are the words between two line ends.
    line_ends = np.append(np.flatnonzero(flat == 10), len(flat))
    words_before = np.searchsorted(starts, line_ends)
    count = np.diff(words_before, prepend=0)
    numbers = np.flatnonzero(count)
    count = count[numbers]
    first = words_before[numbers] - count
    comment = flat[starts[first]] == ord("#")
    if comment.any():
        numbers, count, first = numbers[~comment], count[~comment], first[~comment]
    numbers = numbers + 1

    flaw = None
    wrong = count < layout.width if layout.more_allowed else count != layout.width
    if wrong.any():
        at = int(np.argmax(wrong))
        first_words = range(first[at], first[at] + min(count[at], 8))
        words = [block[starts[i] : ends[i]] for i in first_words]
        flaw = Flaw(int(numbers[at]), misfit(words, int(count[at]), layout))
        first, count, numbers = first[:at], count[:at], numbers[:at]
    over = np.flatnonzero(count > layout.width)
    extra = (len(over), int(numbers[over[0]])) if len(over) else (0, 0)

    # Keep the wanted words and the one byte after each, which becomes the separator.
    last = ends[first + (layout.width - 1)]
    keep = solid[1:]
    keep[ends] = True
    if len(first) * layout.width < len(starts):
        keep &= _between(starts[first], last + 1, len(keep))
    out = np.append(flat, np.uint8(10))
    out[ends] = 9
    out[last] = 10
    return Lines(out[keep].tobytes(), numbers, extra, flaw)


def _between(starts: I64, stops: I64, size: int) -> ids.Bool:
    """True at the places from each start up to its stop, in ascending order; bool (size)."""
    bounds = np.stack([starts, stops], axis=1).ravel()
    lengths = np.diff(bounds, prepend=0, append=size)
    return np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)


# --- numbers that Arrow does not take ----------------------------------------------------------


def _first_rank_is_plain(lines: Lines, layout: Layout) -> bool:
    """Whether Arrow takes the rank of the first line: mostly the others are of the same kind."""
    first = lines.text[: lines.text.index(b"\n")].split(b"\t")
    return not layout.ranked or DECIMAL.fullmatch(first[layout.names.index("rank")]) is not None


def _by_hand(lines: Lines, layout: Layout) -> tuple[Columns, Flaw | None]:
    """The columns, with ranks and values read one by one where Arrow could not; the first flaw."""
    kinds = {"rank": CODED} if layout.ranked else {}
    table = arrow_table(lines.text, layout, "\t", kinds)
    if table is not None:
        values = numbers(flat_column(table, layout.value), np.float64)
    else:
        table = arrow_table(lines.text, layout, "\t", kinds | {layout.value: pa.binary()})
        if table is None:
            # Can't be: every column is bytes and every line has them all.
            raise Flaw(int(lines.numbers[0]), "this line can't be read")
        words = flat_column(table, layout.value).to_pylist()
        values = np.array([_number(word) for word in words])
    ranks: I64 | None = None
    if layout.ranked:
        coded = flat_column(table, "rank")
        distinct = [_whole_number(word) for word in coded.dictionary.to_pylist()]
        ranks = np.array(distinct, np.int64)[numbers(coded.indices, np.int32)]
    columns = to_columns(table, layout, values, ranks)
    wrong = np.flatnonzero(~np.isfinite(values))
    if not len(wrong):
        return columns, None
    row = int(wrong[0])
    start = line_start(lines.text, row + 1)
    line = lines.text[start : lines.text.index(b"\n", start)].split(b"\t")
    return columns, Flaw(int(lines.numbers[row]), not_a_number(line, layout))


def _number(word: bytes) -> float:
    return float(word) if NUMBER.fullmatch(word) else np.nan


def _whole_number(word: bytes) -> int:
    """The rank as Arrow reads it (decimal, or 0x and up to 16 digits), and with a plus sign."""
    if HEXADECIMAL.fullmatch(word):
        value = int(word, 16)
        return value - (1 << 64) if value >> 63 else value
    if not DECIMAL.fullmatch(word):
        return NO_RANK
    digits = word.lstrip(b"+-").lstrip(b"0") or b"0"
    value = int(digits) if len(digits) < 20 else 1 << 64
    value = -value if word[:1] == b"-" else value
    return value if -(1 << 63) <= value < 1 << 63 else NO_RANK
