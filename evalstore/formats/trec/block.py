"""One block of lines to columns, or the first flaw in it.

The fast path gives a regular block to Arrow's CSV reader; the careful path first rewrites an
irregular block into a regular one. The path is chosen for each block; both return `Columns`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from evalstore.formats.reading import ids
from evalstore.formats.reading.source import MAX_LINE
from evalstore.formats.trec.columns import (
    F64,
    I64,
    MAX_GRADE,
    MAX_ID,
    NO_RANK,
    NUMBER,
    Columns,
    Flaw,
    Layout,
    first_flaw,
    misfit,
    not_a_number,
)


def read_block(block: bytes, layout: Layout, *, careful: bool = False) -> Columns:
    """Read one block of whole lines (UTF-8, no byte order mark), or raise its first `Flaw`."""
    flaw: Flaw | None = None
    bad = first_flaw(_long_line(block), _control(block), _encoding(block))
    if bad:
        block = block[: line_start(block, bad.line)]
    columns = None if careful or bad else read_regular(block, layout)
    if columns is None:
        columns, flaw = read_irregular(block, layout)
    flaw = first_flaw(bad, flaw, _bad_value(columns, layout))
    if flaw:
        raise flaw
    return columns


def _bad_value(columns: Columns, layout: Layout) -> Flaw | None:
    """The first row with an id that is too long or a grade that is out of range."""
    faults: list[tuple[int, str]] = []
    words = [("docno", columns.docnos)]
    if columns.subtopics is not None:
        words.append((layout.second, columns.subtopics))
    for name, column in words:
        long = ids.lengths(column) > MAX_ID
        if long.any():
            faults.append((int(np.argmax(long)), f"a {name} of more than 1,024 bytes"))
    if any(len(qid) > MAX_ID for qid in columns.qids):
        long = np.array([len(qid) > MAX_ID for qid in columns.qids])[columns.stretch_codes]
        row = int(columns.stretch_starts[np.argmax(long)])
        faults.append((row, "a query id of more than 1,024 bytes"))
    for tag, row in columns.tags.items():
        if len(tag) > MAX_ID:
            faults.append((row, "a run tag of more than 1,024 bytes"))
    if not layout.ranked:
        wild = np.abs(columns.values) > MAX_GRADE
        if wild.any():
            row = int(np.argmax(wild))
            faults.append((row, f"grade {columns.values[row]:g} is out of range"))
    if not faults:
        return None
    row, what = min(faults)
    return Flaw(columns.line(row), what)


# The fast path: Arrow's CSV reader on a regular block (the same single separator everywhere)

N = TypeVar("N", bound=np.generic)
CODED = pa.dictionary(pa.int32(), pa.binary())


def read_regular(block: bytes, layout: Layout) -> Columns | None:
    """The columns of a regular block; None if the block may be irregular.

    A regular block has one and the same single separator between the columns, and a number in each
    place of one. Ids that are too long and grades out of range are still to be checked.
    """
    first = block[: block.find(b"\n") + 1 or None]
    separator = "\t" if b"\t" in first else " "
    if (b" " if separator == "\t" else b"\t") in block:
        return None
    line_count = count_lines(block)
    table = arrow_table(block, layout, separator)
    if table is None or table.num_rows != line_count or line_count == 0:
        return None
    columns = table_columns(table, layout)
    empty = ids.lengths(flat_column(table, "aside")).min() == 0 or b"" in columns.tags
    empty |= ids.lengths(columns.docnos).min() == 0
    if empty or any(qid[:1] in (b"", b"#") for qid in columns.qids):
        return None
    return columns if np.isfinite(columns.values).all() else None


def arrow_table(
    block: bytes, layout: Layout, separator: str, kinds: dict[str, pa.DataType] | None = None
) -> pa.Table | None:
    """Arrow's table of a block, some types replaced by `kinds`; None if it is irregular."""
    types = dict.fromkeys(layout.names, pa.binary())
    types[layout.value] = pa.float64()
    if layout.ranked:
        types["rank"] = pa.int64()
    types |= kinds or {}
    try:
        return pyarrow.csv.read_csv(
            pa.py_buffer(block),
            pyarrow.csv.ReadOptions(
                column_names=list(layout.names), use_threads=False, block_size=len(block) + 1
            ),
            pyarrow.csv.ParseOptions(
                delimiter=separator, quote_char=False, double_quote=False, escape_char=False
            ),
            pyarrow.csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def table_columns(table: pa.Table, layout: Layout) -> Columns:
    """The columns of a table, with the numbers of the layout."""
    ranks = numbers(flat_column(table, "rank"), np.int64) if layout.ranked else None
    return to_columns(table, layout, numbers(flat_column(table, layout.value), np.float64), ranks)


def to_columns(table: pa.Table, layout: Layout, values: F64, ranks: I64 | None) -> Columns:
    """The columns of a table of one line a row, at least one; its numbers are given apart."""
    qids, codes, starts = stretches(flat_column(table, "qid"))
    tags: dict[bytes, int] = {}
    if layout.ranked:
        distinct, numbers_of_tags, first = stretches(flat_column(table, "tag"))
        rows = first[np.unique(numbers_of_tags, return_index=True)[1]]
        tags = dict(zip(distinct, rows.tolist(), strict=True))
    return Columns(
        qids=qids,
        stretch_codes=codes,
        stretch_starts=starts,
        docnos=flat_column(table, "docno"),
        values=values,
        line_count=table.num_rows,
        ranks=ranks,
        tags=tags,
        subtopics=flat_column(table, "aside") if layout.second else None,
    )


def flat_column(table: pa.Table, name: str) -> pa.Array:
    """A column as one array."""
    return table.column(name).combine_chunks()


def numbers(column: pa.Array, dtype: type[N]) -> npt.NDArray[N]:
    """A column of numbers without nulls, uncopied (Arrow's own `to_numpy` imports pandas)."""
    return np.frombuffer(column.buffers()[1], dtype)[column.offset :][: len(column)]


def stretches(words: pa.Array) -> tuple[list[bytes], I64, I64]:
    """(distinct, codes, starts) of the stretches of equal words in a column (n > 0).

    `distinct` are the words in order of appearance; per stretch (int64) `codes` says which of them
    it is, and `starts` its first row.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  (paths and options are read without it)

    encoded = pc.run_end_encode(words)
    ends, coded = numbers(encoded.run_ends, np.int32), encoded.values.dictionary_encode()
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    return coded.dictionary.to_pylist(), numbers(coded.indices, np.int32).astype(np.int64), starts


# The careful path: rewrite any block into a regular one, keep the number of every line, read that.
# Beyond the fast path it accepts several blanks between columns, blanks around them, blank lines,
# comments, more columns than a run has, and ranks that are no numbers.

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
    # Mostly the ranks of other lines are of the same kind as the first one.
    first = lines.text[: lines.text.index(b"\n")].split(b"\t")
    is_plain = not layout.ranked or DECIMAL.fullmatch(first[layout.names.index("rank")])
    table = arrow_table(lines.text, layout, "\t") if is_plain else None
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


# Numbers that Arrow does not take


def _by_hand(lines: Lines, layout: Layout) -> tuple[Columns, Flaw | None]:
    """The columns, with numbers read one by one if Arrow could not; the first flaw."""
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
        values = np.array([float(w) if NUMBER.fullmatch(w) else np.nan for w in words])
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


# Checks that a block is text: control characters, UTF-8, line lengths

BAD_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n|\Z)")
C1_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")
CACHED = 256 << 10
"""Bytes checked in one step, so that they and intermediate arrays fit in the level-2 cache."""

U8 = npt.NDArray[np.uint8]


def count_lines(block: bytes) -> int:
    """The number of lines of a block, the last of which may lack its end."""
    return count_byte(block, 10) + (not block.endswith(b"\n")) if block else 0


def count_byte(block: bytes, byte: int) -> int:
    """The number of bytes of a value: `bytes.count` without holding the interpreter."""
    return sum(int(np.count_nonzero(part == byte)) for part in _parts(block))


def line_start(block: bytes, line: int) -> int:
    """The position of the first byte of a line, from 1."""
    at = 0
    for _ in range(line - 1):
        at = block.index(b"\n", at) + 1
    return at


def _parts(block: bytes) -> list[U8]:
    flat = np.frombuffer(block, np.uint8)
    return [flat[at : at + CACHED] for at in range(0, len(flat), CACHED)]


def _long_line(block: bytes) -> Flaw | None:
    # If every aligned half-limit holds a line end, no line can be over the limit.
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
