"""One block of lines to columns: the fast path, the careful path, and what is wrong with which line.

The fast path hands a regular block (one separator, six or four columns, nothing else) to Arrow's
CSV reader. The careful path first rewrites an irregular block (several blanks between columns,
comments, blank lines, extra columns) into a regular one, keeping the number of every line, and
then takes the same way. Every block decides for itself; both paths end in the same `Columns`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from evalstore.trec import ids
from evalstore.trec.source import MAX_LINE

MAX_ID = 1024
TEXT = pa.dictionary(pa.int32(), pa.binary())
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BAD_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n|\Z)")
BAD_CHARACTER = re.compile("[\x80-\x9f]")


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of file; ids are text, `value` is a float64 and `rank` an int64."""

    kind: Literal["run", "qrels"]
    names: tuple[str, ...]
    value: str
    more_allowed: bool

    @property
    def width(self) -> int:
        """How many columns a line has."""
        return len(self.names)


RUN = Layout("run", ("qid", "q0", "docno", "rank", "score", "tag"), "score", more_allowed=True)
QRELS = Layout("qrels", ("qid", "iteration", "docno", "grade"), "grade", more_allowed=False)


@dataclass(frozen=True)
class Columns:
    """The data lines of one block, one row each.

    Attributes:
        qids, codes: the block's distinct query ids and, per row (int32), which it is.
        docnos: Arrow binary, per row.
        values: float64: the score of a run, the grade of a qrels.
        ranks: int64, the rank column; None in a qrels, -2^63 where it is no whole number.
        tags: the distinct run tags in order of appearance, with the row each appears in first.
        lines: the line within the block (from 1) of each row; None where row i is line i + 1.
        line_count: how many lines the block has.
        extra: how many rows have more columns than they should, and the first such line.
    """

    qids: list[bytes]
    codes: npt.NDArray[np.int32]
    docnos: pa.Array
    values: npt.NDArray[np.float64]
    ranks: npt.NDArray[np.int64] | None
    tags: dict[bytes, int]
    lines: npt.NDArray[np.int32] | None
    line_count: int
    extra: tuple[int, int]

    def line(self, row: int) -> int:
        """The line within the block, from 1, of a row."""
        return row + 1 if self.lines is None else int(self.lines[row])


class Flaw(Exception):
    """What is wrong with the first bad line of a block: `line` counts from 1 within the block."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


NO_RANK = np.iinfo(np.int64).min


def read_block(block: bytes, layout: Layout, *, careful: bool = False) -> Columns:
    """Read one block of whole lines (UTF-8, no byte order mark).

    Raises:
        Flaw: the first line, in the order of the file, that breaks a rule.
    """
    flaw = _bad_bytes(block)
    if flaw:
        block = block[: _line_start(block, flaw.line)]
    columns = None if careful else _fast(block, layout)
    if columns is None:
        columns = _careful(block, layout)
    _check_values(columns, layout)
    if flaw:
        raise flaw
    return columns


# --- bytes -------------------------------------------------------------------------------------


def _bad_bytes(block: bytes) -> Flaw | None:
    """The first line with a byte that has no place in text, with bad UTF-8, or too long."""
    flaws = [f for f in (_long_line(block), _control(block), _encoding(block)) if f]
    return min(flaws, key=lambda flaw: flaw.line, default=None)


def _long_line(block: bytes) -> Flaw | None:
    # Where every aligned half-limit holds a line end, no line can be over the limit.
    half = MAX_LINE // 2
    if all(block.find(b"\n", at, at + half) >= 0 for at in range(0, len(block) - half, half)):
        return None
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    sizes = np.diff(np.concatenate([[-1], ends, [len(block)]])) - 1
    over = np.flatnonzero(sizes > MAX_LINE)
    return Flaw(int(over[0]) + 1, "the line is longer than 64 KiB") if len(over) else None


def _control(block: bytes) -> Flaw | None:
    # Counting is cheap and finding is not, so the position is sought only when the counts differ.
    seen = _count_below_space(block)
    returns = block.count(b"\r\n") + block.endswith(b"\r") if b"\r" in block else 0
    fine = block.count(b"\n") + block.count(b"\t") + returns
    if seen == fine and b"\x7f" not in block:
        return None
    bad = BAD_BYTE.search(block)
    if bad is None:
        return None
    byte = bad[0][0]
    what = f"control character 0x{byte:02x}"
    if byte == 0:
        what = "a NUL byte: this is not a text file (or it is UTF-16)"
    if byte == 13:
        what = "a carriage return without a line feed: save the file with Unix or Windows line ends"
    return Flaw(_line_of(block, bad.start()), what)


def _count_below_space(block: bytes) -> int:
    flat = np.frombuffer(block, np.uint8)
    step = 1 << 18  # fits the second-level cache
    return sum(np.count_nonzero(flat[at : at + step] < 32) for at in range(0, len(flat), step))


def _encoding(block: bytes) -> Flaw | None:
    if block.isascii():
        return None
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        return Flaw(_line_of(block, error.start), "not UTF-8: recode the file or say --encoding")
    bad = BAD_CHARACTER.search(text)
    if bad is None:
        return None
    return Flaw(text.count("\n", 0, bad.start()) + 1, f"control character U+{ord(bad[0]):04X}")


def _line_of(block: bytes, at: int) -> int:
    return block.count(b"\n", 0, at) + 1


def _line_start(block: bytes, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = block.index(b"\n", at) + 1
    return at


# --- the fast path -----------------------------------------------------------------------------


def _fast(block: bytes, layout: Layout) -> Columns | None:
    """The columns of a regular block; None where it is not regular."""
    first = block[: block.find(b"\n") + 1 or None]
    delimiter = "\t" if b"\t" in first else " "
    if (b" " if delimiter == "\t" else b"\t") in block:
        return None
    table = _arrow(block, layout, delimiter, lenient=False)
    line_count = block.count(b"\n") + (not block.endswith(b"\n"))
    if table is None or table.num_rows != line_count:
        return None
    columns = _columns(table, layout, None, line_count, (0, 0))
    ignored = _dictionary(table.column(1))[0]
    if b"" in ignored or any(len(word) > MAX_ID for word in ignored):
        return None
    if b"" in columns.qids or b"" in columns.tags or any(q[:1] == b"#" for q in columns.qids):
        return None
    if not np.isfinite(columns.values).all() or ids.lengths(columns.docnos).min(initial=1) == 0:
        return None
    return columns


def _arrow(block: bytes, layout: Layout, delimiter: str, *, lenient: bool) -> pa.Table | None:
    """Arrow's table of the block, a chunk a column; None where a value is not of its type."""
    types = dict.fromkeys(layout.names, TEXT)
    types["docno"] = pa.binary()
    if "rank" in types:
        types["rank"] = pa.binary() if lenient else pa.int64()
    types[layout.value] = pa.binary() if lenient else pa.float64()
    try:
        return pyarrow.csv.read_csv(
            pa.py_buffer(block),
            pyarrow.csv.ReadOptions(
                column_names=list(layout.names), use_threads=False, block_size=len(block) + 1
            ),
            pyarrow.csv.ParseOptions(
                delimiter=delimiter, quote_char=False, double_quote=False, escape_char=False
            ),
            pyarrow.csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _dictionary(column: pa.ChunkedArray) -> tuple[list[bytes], npt.NDArray[np.int32]]:
    if column.num_chunks == 0:
        return [], np.zeros(0, np.int32)
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array.dictionary.to_pylist(), np.asarray(array.indices)


def _flat(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _columns(
    table: pa.Table,
    layout: Layout,
    lines: npt.NDArray[np.int32] | None,
    line_count: int,
    extra: tuple[int, int],
) -> Columns:
    qids, codes = _dictionary(table.column("qid"))
    values, ranks = _flat(table.column(layout.value)), None
    tags: dict[bytes, int] = {}
    if layout is RUN:
        names, tag_codes = _dictionary(table.column("tag"))
        # A dictionary is built in order of appearance; only a second tag needs looking for.
        tags = {name: int(np.argmax(tag_codes == i)) if i else 0 for i, name in enumerate(names)}
        ranks = np.asarray(_flat(table.column("rank")))
    return Columns(
        qids=qids,
        codes=codes,
        docnos=_flat(table.column("docno")),
        values=np.asarray(values),
        ranks=ranks,
        tags=tags,
        lines=lines,
        line_count=line_count,
        extra=extra,
    )


# --- the careful path --------------------------------------------------------------------------


def _careful(block: bytes, layout: Layout) -> Columns:
    """The columns of any block, by way of a regular rewriting of it."""
    line_count = block.count(b"\n") + (not block.endswith(b"\n")) if block else 0
    regular, lines, extra, flaw = _regular(block, layout)
    columns = _typed(regular, layout, lines, line_count, extra)
    if flaw:
        _check_values(columns, layout)
        raise flaw
    return columns


def _regular(
    block: bytes, layout: Layout
) -> tuple[bytes, npt.NDArray[np.int32], tuple[int, int], Flaw | None]:
    """The data lines with one tab between columns and nothing else, and the line of each.

    Stops before the first line with a wrong number of columns, which is the flaw returned.
    """
    flat = np.frombuffer(block, np.uint8)
    blank = (flat == 32) | (flat == 9) | (flat == 10) | (flat == 13)
    before = np.empty_like(blank)
    before[:1] = True
    before[1:] = blank[:-1]
    starts = np.flatnonzero(~blank & before)
    ends = np.flatnonzero(blank & ~before)
    if len(ends) < len(starts):
        ends = np.append(ends, len(flat))
    newlines = np.flatnonzero(flat == 10)
    token_line = np.searchsorted(newlines, starts)  # from 0
    is_first = np.ones(len(starts), bool)
    is_first[1:] = token_line[1:] != token_line[:-1]
    first = np.flatnonzero(is_first)
    count = np.diff(np.append(first, len(starts)))
    data = flat[starts[first]] != ord("#")
    first, count = first[data], count[data]
    lines = token_line[first] + 1

    wrong = count < layout.width if layout.more_allowed else count != layout.width
    flaw = None
    if wrong.any():
        at = int(np.argmax(wrong))
        tokens = _tokens(block, starts, ends, first[at], count[at])
        flaw = Flaw(int(lines[at]), _misfit(tokens, layout))
        first, count, lines = first[:at], count[:at], lines[:at]
    over = np.flatnonzero(count > layout.width)
    extra = (len(over), int(lines[over[0]])) if len(over) else (0, 0)

    # Keep the bytes of the wanted tokens and the one separator byte that follows each.
    wanted = (first[:, None] + np.arange(layout.width)).ravel()
    keep = np.zeros(len(flat) + 2, np.int8)
    keep[starts[wanted]] += 1
    keep[ends[wanted] + 1] -= 1
    mask = np.cumsum(keep, dtype=np.int8).view(bool)[: len(flat) + 1]
    out = np.append(flat, np.uint8(10))
    out[ends[wanted]] = 9
    out[ends[wanted[layout.width - 1 :: layout.width]]] = 10
    return out[mask].tobytes(), lines.astype(np.int32), extra, flaw


def _tokens(
    block: bytes,
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    first: int,
    count: int,
) -> list[bytes]:
    return [block[starts[i] : ends[i]] for i in range(first, first + count)]


def _typed(
    regular: bytes,
    layout: Layout,
    lines: npt.NDArray[np.int32],
    line_count: int,
    extra: tuple[int, int],
) -> Columns:
    table = _arrow(regular, layout, "\t", lenient=False) if regular else None
    if table is not None:
        columns = _columns(table, layout, lines, line_count, extra)
        if np.isfinite(columns.values).all():
            return columns
    if not regular:
        types = {name: TEXT for name in layout.names} | {"docno": pa.binary()}
        types |= {layout.value: pa.float64()} | ({"rank": pa.int64()} if layout is RUN else {})
        table = pa.table({name: pa.array([], types[name]) for name in layout.names})
        return _columns(table, layout, lines, line_count, extra)
    table = _arrow(regular, layout, "\t", lenient=True)
    if table is None:  # can't be: every column is bytes and every line has them all
        raise Flaw(int(lines[0]), "can't be read")
    values = table.column(layout.value).to_pylist()
    numbers = np.array([float(v) if NUMBER.fullmatch(v) else np.nan for v in values])
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        row = int(bad[0])
        good = _typed(_head(regular, row), layout, lines[:row], line_count, extra)
        _check_values(good, layout)
        raise Flaw(int(lines[row]), _not_a_number(regular, row, layout, values[row]))
    table = table.set_column(
        layout.names.index(layout.value), layout.value, pa.array(numbers, pa.float64())
    )
    if layout is RUN:
        ranks = [int(r) if _is_int64(r) else NO_RANK for r in table.column("rank").to_pylist()]
        table = table.set_column(layout.names.index("rank"), "rank", pa.array(ranks, pa.int64()))
    return _columns(table, layout, lines, line_count, extra)


def _is_int64(word: bytes) -> bool:
    return re.fullmatch(rb"[+-]?[0-9]{1,18}", word) is not None


def _head(regular: bytes, rows: int) -> bytes:
    return regular[: _line_start(regular, rows + 1)]


# --- words -------------------------------------------------------------------------------------


def _misfit(tokens: list[bytes], layout: Layout) -> str:
    """Why a line does not have the right number of columns, with a guess at what the file is."""
    said = f"expected {layout.width} columns, found {len(tokens)}"
    line = b" ".join(tokens)
    if line[:1] in (b"{", b"["):
        return f"{said}: this looks like JSON, not TREC {layout.kind} lines"
    if len(tokens) == 1 and line.count(b",") >= layout.width - 2:
        return f"{said}: this looks like CSV; columns are separated by spaces or tabs"
    if layout is RUN and len(tokens) == 4 and NUMBER.fullmatch(tokens[3]):
        return f"{said}: this looks like a qrels (qid, iteration, docno, grade), not a run"
    if layout is QRELS and len(tokens) == 6 and NUMBER.fullmatch(tokens[4]):
        return f"{said}: this looks like a run (qid, Q0, docno, rank, score, tag), not a qrels"
    return said


def _not_a_number(regular: bytes, row: int, layout: Layout, word: bytes) -> str:
    shown = repr(word[:40].decode(errors="replace"))
    if NUMBER.fullmatch(word):
        return f"{layout.value} {shown} is out of range"
    start = _line_start(regular, row + 1)
    tokens = regular[start : regular.find(b"\n", start)].split(b"\t")
    numeric = [i for i in (3, 4) if i < layout.width and NUMBER.fullmatch(tokens[i])]
    header = row == 0 and not numeric and word[:1].isalpha() and word.lower() not in WORDS_FOR_NAN
    hint = "; a header row? remove it" if header and _names_a_column(tokens) else ""
    return f"{layout.value} {shown} is not a finite decimal number{hint}"


WORDS_FOR_NAN = {b"nan", b"inf", b"infinity", b"none", b"null"}
COLUMN_NAME = re.compile(rb"(?i)q0|rank|score|sim|run|tag|iter|query|topic|doc|grade|rel")


def _names_a_column(tokens: list[bytes]) -> bool:
    return sum(COLUMN_NAME.search(token) is not None for token in tokens) >= 3


def _check_values(columns: Columns, layout: Layout) -> None:
    """Raise the Flaw of the first row with an id too long or a grade out of range."""
    found: list[tuple[int, str]] = []
    for name, lengths in (
        ("query id", _lengths_of(columns.qids, columns.codes)),
        ("docno", ids.lengths(columns.docnos)),
    ):
        if lengths is not None and lengths.max(initial=0) > MAX_ID:
            found.append((int(np.argmax(lengths > MAX_ID)), f"{name} longer than 1,024 bytes"))
    for tag, row in columns.tags.items():
        if len(tag) > MAX_ID:
            found.append((row, "run tag longer than 1,024 bytes"))
    if layout is QRELS:
        wild = np.abs(columns.values) > MAX_GRADE
        if wild.any():
            row = int(np.argmax(wild))
            found.append((row, f"grade {columns.values[row]:g} is out of range"))
    if found:
        row, what = min(found)
        raise Flaw(columns.line(row), what)


MAX_GRADE = 2**31 - 1


def _lengths_of(
    words: list[bytes], codes: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64] | None:
    if all(len(word) <= MAX_ID for word in words):
        return None
    return np.array([len(word) for word in words])[codes]
