"""Rows of frames, dictionaries, CSV and TSV, checked by the rules of TREC files.

The rows become the same `Table` that the lines of a file become. Messages about rows in memory
number them from 0, as pandas' `iloc` does.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64
from evalstore.formats.reading.lines import BLANKS, CONTROLS, Lines, numbered_lines, tag_of_file
from evalstore.formats.reading.source import ReadOptions, path_text, printable, quoted, refuse
from evalstore.formats.trec.columns import F64, MAX_GRADE, MAX_ID, NUMBER
from evalstore.formats.trec.table import Table

Content = Literal["run", "qrels"]
VALUE_NAMES = {"run": "score", "qrels": "grade"}


@dataclass
class Rows(Table):
    """A table of rows in memory, without lines and ranks.

    `numbers`: int64 (n), the number of each row as it was given; None if row i is number i.
    """

    numbers: I64 | None = None

    unit: ClassVar[str] = "row"
    ranked: ClassVar[bool] = False

    def lines(self, rows: I64) -> I64:
        """The numbers of some rows, from 0: int64."""
        return rows if self.numbers is None else self.numbers[rows]

    def where(self, row: int) -> str:
        """The row, in messages."""
        return f"in row {self.line(row)}"

    def located(self, line: int | None, what: str) -> DataError:
        """The error of a row."""
        return row_error(self.path, line, what)


def row_error(name: str, row: int | None, what: str) -> DataError:
    """The error of a row of `name`."""
    where = printable(name) if row is None else f"{printable(name)}, row {row}"
    return DataError(f"{where}: {what}")


def table(
    name: str,
    tag: str,
    qids: Sequence[bytes],
    codes: I64,
    docnos: pa.Array,
    values: F64,
    *,
    unique: bool,
) -> Rows:
    """The table of some rows (n > 0), the rows of a query together; ids and values are checked.

    `codes` (int64, n) are the queries of the rows, as indices into `qids`, each of which has a row;
    `unique` says that no document can be repeated for a query.
    """
    numbers = None
    if (codes[1:] < codes[:-1]).any():
        numbers = np.argsort(codes, kind="stable")
        codes, docnos, values = codes[numbers], ids.take(docnos, numbers), values[numbers]
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    order = sorted(range(len(qids)), key=qids.__getitem__)
    position = np.empty(len(qids), np.int64)
    position[order] = np.arange(len(qids))
    rises = values[1:] > values[:-1]
    rises[starts[1:] - 1] = False
    return Rows(
        path=name,
        qids=tuple(qids[code].decode() for code in order),
        queries=position[codes[starts]],
        starts=starts,
        docnos=docnos,
        values=values,
        subtopics=None,
        tags={tag: 0},
        keys=ids.hash_ids(docnos, ids.hash_ids(ids.column(qids))[codes]),
        origins=[],
        twins=np.zeros(0, np.uint64),
        scattered=np.full(len(qids), not unique),
        by_score=not rises.any(),
        by_rank=True,
        numbers=numbers,
    )


def ids_are_fine(column: pa.Array) -> bool:
    """Whether every id (UTF-8) has 1 to 1,024 bytes and neither blanks nor control characters."""
    sizes = ids.lengths(column)
    if len(sizes) and (int(sizes.min()) == 0 or int(sizes.max()) > MAX_ID):
        return False
    at, flat = ids.offsets_and_bytes(column)
    flat = flat[at[0] : at[-1]]
    if not len(flat):
        return True
    if int(flat.min()) <= ord(" "):
        return False
    if int(flat.max()) < 127:
        return True
    # In UTF-8, 0xC2 and a byte below 0xA0 are one of the controls U+0080 to U+009F.
    controls = (flat[:-1] == 0xC2) & (flat[1:] < 0xA0)
    return not (flat == 127).any() and not controls.any()


def why_not_an_id(word: object, what: str) -> str | None:
    """The reason why a value (text, or digits) can't be such an id; None if it can."""
    text = id_text(word)
    if text is None:
        hint = "; a missing value makes whole numbers floats" if isinstance(word, float) else ""
        return f"{what} {quoted(repr(word))[1:-1]} is not text and not a whole number{hint}"
    if not text:
        return f"an empty {what}"
    if any(blank in text for blank in BLANKS) or CONTROLS.search(text):
        return f"{what} {quoted(text)} holds blanks or control characters"
    if len(text.encode()) > MAX_ID:
        return f"a {what} of more than 1,024 bytes"
    if what == "query id" and text.startswith("#"):
        return f"query id {quoted(text)} begins with #, which begins a comment in a file"
    return None


def valid_id(word: object, what: str, where: str = "") -> str:
    """An id as text; if it can't be one, a DataError that begins with `where`."""
    why = why_not_an_id(word, what)
    if why is not None:
        raise DataError(f"{where}{why}")
    return str(id_text(word))


def id_text(word: object) -> str | None:
    """An id as text; None for a value that is none: a fraction, True and False, nothing."""
    if isinstance(word, str):
        return word
    if isinstance(word, int | np.integer) and not isinstance(word, bool):
        return str(int(word))
    return None


def wrong_value(values: F64, content: Content) -> tuple[int, str] | None:
    """The first score or grade that can't be, and why; None if all are fine."""
    name = VALUE_NAMES[content]
    if content == "run":
        if np.isfinite(values).all():
            return None
        row = int(np.argmin(np.isfinite(values)))
        return row, f"{name} {values[row]} is not a finite number"
    inside = np.abs(values) <= MAX_GRADE
    if inside.all():
        return None
    row = int(np.argmin(inside))
    reason = "is out of range" if np.isfinite(values[row]) else "is not a finite number"
    return row, f"{name} {values[row]:g} {reason}"


# Rows of files that are not TREC lines (CSV, tab-separated), checked by the same rules


@dataclass
class FileRows(Rows):
    """A table whose rows stand on lines of a file; `numbers` are the lines, from 1."""

    unit: ClassVar[str] = "line"
    where = Table.where
    located = Table.located


def read_rows(path: str, rows: Iterable[tuple[int, str, str, float]], content: Content) -> FileRows:
    """The table of a file's rows: line, query id, docno, score or grade."""
    docnos: list[bytes] = []
    lines, codes, values = array("q"), array("q"), array("d")  # a fraction of the memory of lists
    code_of: dict[str, int] = {}
    for line, qid, docno, value in rows:
        code = code_of.get(qid)
        if code is None:
            check_id(path, line, qid, "query id")
            code = code_of[qid] = len(code_of)
        check_id(path, line, docno, "docno")
        lines.append(line)
        docnos.append(docno.encode())
        values.append(value)
        codes.append(code)
    if not lines:
        refuse(path, None, f"no rows: a {content} is expected")
    numbers, scores = np.array(lines, np.int64), np.array(values, np.float64)
    wrong = wrong_value(scores, content)
    if wrong is not None:
        refuse(path, int(numbers[wrong[0]]), wrong[1])
    qids, all_codes = [qid.encode() for qid in code_of], np.array(codes, np.int64)
    name, tag, column = path_text(path), tag_of_file(path), ids.column(docnos)
    made = table(name, tag, qids, all_codes, column, scores, unique=False)
    given = numbers if made.numbers is None else numbers[made.numbers]
    return FileRows(**{**vars(made), "numbers": given})


def number(path: str, line: int, text: str, content: Content) -> float:
    """A score or grade, written as TREC files have them."""
    if not NUMBER.fullmatch(text.encode()):
        refuse(path, line, f"{VALUE_NAMES[content]} {quoted(text)} is not a finite decimal number")
    return float(text)


def check_id(path: str, line: int, word: str, what: str) -> None:
    """Refuse a word of a line that can't be the query id or docno it should be."""
    why = why_not_an_id(word, what)
    if why is not None:
        refuse(path, line, why)


# Rows of CSV and TSV. In files that programs export a cell in double quotes may go over several
# lines (`csv_rows`). In a table that people write a row is a line (`csv_lines`): a quote that is
# not closed is found in its line, and does not take in the rest of the file.


def check_width(path: str, line: int, cells: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a row with more or fewer cells than the first line has names."""
    if len(cells) != len(names):
        what = f"expected {len(names)} columns as in the first line, found {len(cells)}"
        refuse(path, line, what)


def csv_rows(path: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield first line and cells of every row; separated by commas if the first line has one."""
    numbered = numbered_lines(path, options)
    first = next(numbered, None)
    if first is None:
        refuse(path, None, "the file is empty")
    lines = _Lines(chain((first,), numbered))
    rows = csv.reader(lines, delimiter=_separator(first[1], ",", "\t"), strict=True)
    while True:
        lines.taken.clear()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            refuse(path, lines.taken[0] if lines.taken else None, f"not CSV ({error})")
        if cells is None:
            return
        yield lines.taken[0], cells


def csv_lines(path: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield number and stripped cells of every line; separated by tabs if the first has one."""
    separator = ""
    for number, line in numbered_lines(path, options):
        separator = separator or _separator(line, "\t", ",")
        try:
            (cells,) = csv.reader([line], delimiter=separator, strict=True)
        except csv.Error as error:
            refuse(path, number, f"not CSV ({error}); a value can't go over several lines")
        yield number, [cell.strip() for cell in cells]


def first_cells(head: str) -> list[str]:
    """The cells of the first line of a file's beginning; none if it is not CSV."""
    line = head.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    try:
        return next(csv.reader([line], delimiter=_separator(line, ",", "\t")), [])
    except csv.Error:
        return []


def _separator(line: str, *separators: str) -> str:
    """The first of these that a line has, or else the comma."""
    return next((separator for separator in separators if separator in line), ",")


class _Lines(Iterator[str]):
    """Lines with their ends, as csv.reader wants them; `taken` are the numbers of those read."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.taken: list[int] = []  # since it was last emptied

    def __next__(self) -> str:
        line, text = next(self._lines)
        self.taken.append(line)
        return f"{text}\n"
