"""From the parts of a file to one table of all its lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64
from evalstore.formats.reading.source import ReadOptions, path_text, refuse
from evalstore.formats.trec.columns import Columns, Layout, counted
from evalstore.formats.trec.table import OpeningLines, Origin, Part, Table, read_parts


class NotInOrder(Exception):
    """A file can't be read a table at a time: the rows of some query are in several places."""


def read_table(
    path: str, layout: Layout, options: ReadOptions, opening: OpeningLines | None = None
) -> Table:
    """Read a whole file; `opening` gets the comment lines that open it."""
    ((table, _),) = read_tables(path, layout, options, opening or OpeningLines())
    return table


def read_tables(
    path: str, layout: Layout, options: ReadOptions, opening: OpeningLines, rows: float = inf
) -> Iterator[tuple[Table, bool]]:
    """Yield the rows of a file as tables of whole queries, each with whether more tables follow.

    `opening` gets the comment lines that open the file. The first table ends with the query in
    which it gets `rows` rows; later ones, which are in memory beside the results of those before,
    with a quarter of that. Of several tables only the first knows the lines of its rows. Raises
    NotInOrder if a query of an earlier table comes again.
    """
    builder: TableBuilder | None = None
    seen = Seen()
    qids: set[str] = set()
    enough = rows
    for read in read_parts(path, layout, options, opening):
        part = read
        seen.add(part)
        if builder and len(builder) >= enough and len(part.keys) and not builder.goes_on(part):
            before, part = part.cut()
            builder.add(before)
            seen.origins[-1] = Origin.of(before)
            yield _next(builder, path, seen, qids), True
            builder, seen.origins = None, [Origin.of(part)]
            enough = rows / 4
        if builder:
            builder.add(part)
        elif len(part.keys):
            times = min(_size(path) / part.size, enough / len(part.keys) + 1)
            builder = TableBuilder(part, times)
    if not seen.origins:
        refuse(path, None, "the file is empty")
    if not builder:
        refuse(path, None, "no data lines, only blank lines or comments")
    table = _next(builder, path, seen, qids)
    if seen.extra:
        message = f"more than {layout.width} columns in {counted(seen.extra, 'line')}"
        table.warn(seen.first_extra, f"{message}; the rest of a line is ignored")
    yield table, False


def _next(builder: TableBuilder, path: str, seen: Seen, qids: set[str]) -> Table:
    """The table of what was read since the one before; adds its queries to `qids`."""
    table = builder.table(path_text(path), seen.origins)
    if not qids.isdisjoint(table.qids):
        raise NotInOrder
    qids.update(table.qids)
    return table


def _size(path: str) -> int:
    """The size of a file, if it has one: a hint at how much memory to reserve."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


@dataclass
class Seen:
    """The origins of the rows of all parts, and the number and first of lines with more columns."""

    origins: list[Origin] = field(default_factory=list)
    lines: int = 0
    extra: int = 0
    first_extra: int = 0

    def add(self, part: Part) -> None:
        """Note a part, the next in the file."""
        columns = part.columns
        self.origins.append(Origin.of(part))
        count, line = columns.extra
        if count and not self.extra:
            self.first_extra = self.lines + line
        self.extra += count
        self.lines += columns.line_count


class TableBuilder:
    """The rows of a file so far. Queries are numbered by appearance until the table is made."""

    def __init__(self, first: Part, times: float) -> None:
        """Begin with a part; the whole file may be `times` as large."""
        columns = first.columns
        self._numbers: dict[bytes, int] = {}
        self._occurs: list[I64] = []
        self._queries: list[I64] = []
        self._starts: list[I64] = []
        self._tags: dict[str, int] = {}
        self._docnos = GrowingIds(columns.docnos, times)
        self._subtopics = (
            None if columns.subtopics is None else GrowingIds(columns.subtopics, times)
        )
        self._values = Growing(columns.values, times)
        self._keys = Growing(first.keys, times)
        self._twins: list[U64] = []
        self._by_score = True
        self._by_rank = True
        self._last: Columns | None = None
        self._note(first, 0)

    def __len__(self) -> int:
        return self._keys.size

    def goes_on(self, part: Part) -> bool:
        """Whether the query of the last rows of a part has rows here already."""
        columns = part.columns
        return columns.qids[columns.stretch_codes[-1]] in self._numbers

    def add(self, part: Part) -> None:
        """Put the rows of a part at the end."""
        columns = part.columns
        if not len(part.keys):
            return
        before = self._keys.size
        self._docnos.add(columns.docnos)
        if self._subtopics and columns.subtopics is not None:
            self._subtopics.add(columns.subtopics)
        self._values.add(columns.values)
        self._keys.add(part.keys)
        self._note(part, before)

    def _note(self, part: Part, before: int) -> None:
        """Take in all but the rows themselves; `before` of them came before this part's."""
        columns = part.columns
        unseen = (qid for qid in columns.qids if qid not in self._numbers)
        self._numbers.update(zip(unseen, count(len(self._numbers)), strict=False))
        numbers = np.array([self._numbers[qid] for qid in columns.qids], np.int64)
        self._occurs.append(numbers)
        self._queries.append(numbers[columns.stretch_codes])
        self._starts.append(columns.stretch_starts + before)
        for tag, row in columns.tags.items():
            self._tags.setdefault(tag.decode(), before + row)
        self._twins.append(part.twins)
        higher, later = _step(self._last, columns)
        self._by_score &= part.by_score and not higher
        self._by_rank &= part.by_rank and later
        self._last = columns

    def table(self, path: str, origins: list[Origin]) -> Table:
        """All rows, the queries sorted by bytes."""
        distinct = sorted(self._numbers)
        numbers = np.array([self._numbers[qid] for qid in distinct], np.int64)
        position = np.empty_like(numbers)
        position[numbers] = np.arange(len(numbers))
        queries = position[np.concatenate(self._queries)]
        # A query may continue from one part to the next.
        fresh = np.append(True, queries[1:] != queries[:-1])
        return Table(
            path=path,
            qids=tuple(qid.decode() for qid in distinct),
            queries=queries[fresh],
            starts=np.concatenate(self._starts)[fresh],
            docnos=self._docnos.whole(),
            values=self._values.whole(),
            subtopics=self._subtopics.whole() if self._subtopics else None,
            tags=self._tags,
            keys=self._keys.whole(),
            origins=origins,
            twins=np.concatenate(self._twins),
            scattered=np.bincount(np.concatenate(self._occurs))[numbers] > 1,
            by_score=self._by_score,
            by_rank=self._by_rank,
        )


def _step(last: Columns | None, first: Columns) -> tuple[bool, bool]:
    """(higher score, later rank) of the first row of a part; (False, True) for another query."""
    if last is None or last.qids[last.stretch_codes[-1]] != first.qids[first.stretch_codes[0]]:
        return False, True
    later = last.ranks is None or first.ranks is None or bool(first.ranks[0] > last.ranks[-1])
    return bool(first.values[0] > last.values[-1]), later


# Arrays that grow at their end, in which the parts of a file become whole columns. Concatenating
# the parts would need the memory twice, and the first access to new memory costs more than a copy.
# So more memory is reserved than is needed at first; the operating system never provides pages that
# are not written to.

T = TypeVar("T", bound=np.generic)
LEAST = 4
MOST = 256


class Growing(Generic[T]):
    """A one-dimensional array to which others are added; `size` is the number of values."""

    def __init__(self, first: npt.NDArray[T], times: float = 0) -> None:
        """Begin with some values; `times` is a hint how many times as long the whole may become."""
        self._values = first
        self._hint = int(min(1.25 * times * len(first), 2**62))
        self.size = len(first)

    def add(self, more: npt.NDArray[T]) -> None:
        """Put some values at the end."""
        size = self.size + len(more)
        if size > len(self._values):
            grown = np.empty(max(LEAST * size, min(self._hint, MOST * size)), self._values.dtype)
            grown[: self.size] = self._values[: self.size]
            self._values = grown
        self._values[self.size : size] = more
        self.size = size

    def whole(self) -> npt.NDArray[T]:
        """All values so far."""
        return self._values[: self.size]


class GrowingIds:
    """A column of ids to which others are added.

    Arrow's 32-bit offsets hold 2 GiB of ids; more than `limit` makes it a column of 64-bit ones.
    """

    def __init__(self, first: pa.Array, times: float = 0, limit: int = 2**31 - 1) -> None:
        at, flat = ids.offsets_and_bytes(first)
        self._limit = limit
        self._bytes = Growing(flat[at[0] : at[-1]], times)
        self._offsets: Growing[Any] = Growing((at - at[0]).astype(np.int32), times)

    def add(self, more: pa.Array) -> None:
        """Put some ids at the end."""
        at, flat = ids.offsets_and_bytes(more)
        ends = at[1:].astype(np.int64) + (self._bytes.size - int(at[0]))
        self._bytes.add(flat[at[0] : at[-1]])
        if self._bytes.size > self._limit and self._offsets.whole().dtype == np.int32:
            self._offsets = Growing(self._offsets.whole().astype(np.int64))
        self._offsets.add(ends)

    def whole(self) -> pa.Array:
        """All ids so far: Arrow binary, or large binary over the limit."""
        offsets = self._offsets.whole()
        kind = pa.binary() if offsets.dtype == np.int32 else pa.large_binary()
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self._bytes.whole())]
        return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
