"""All lines of a file as one table, with groups by query and repeated lines."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count, islice, pairwise
from math import inf
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import DataError, FileError
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64, Bool
from evalstore.formats.reading.source import (
    DamagedFileError,
    ReadOptions,
    blocks,
    path_text,
    quoted,
    refuse,
)
from evalstore.formats.trec.block import read_block
from evalstore.formats.trec.columns import F64, NO_RANK, Columns, Flaw, Layout, counted

TOGETHER = 1 << 16
"""Rows in a batch of lists."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The lines and ranks of the rows of one block, which a table keeps for messages.

    Attributes:
        line_count, lines: as in `Columns`.
        ranks: as in `Columns`, in 32 bits if they fit.
    """

    rows: int
    line_count: int
    lines: I64 | None
    ranks: npt.NDArray[np.signedinteger] | None

    @staticmethod
    def of(part: Part) -> Origin:
        """The origin of the rows of a part."""
        columns = part.columns
        ranks = None if columns.ranks is None else _short(columns.ranks)
        return Origin(len(part.keys), columns.line_count, columns.lines, ranks)


def _short(ranks: I64) -> npt.NDArray[np.signedinteger]:
    """The ranks as int32 if they fit; a copy, so that the block can be freed."""
    fits = len(ranks) > 0 and int(ranks.min()) >= -(2**31) and int(ranks.max()) < 2**31
    return ranks.astype(np.int32) if fits else ranks.copy()


@dataclass
class Table:
    """All data lines of a file; n rows, q queries, s stretches of consecutive rows of one query.

    The rows are in the order of the file, except in blocks with alternating queries: there the rows
    are grouped by query, those of each query in the order of the file.

    Attributes:
        path: the file, as messages name it.
        qids: the distinct query ids, sorted by bytes.
        queries: int64 (s), the query of each stretch, an index into `qids`.
        starts: int64 (s), the first row of each stretch.
        docnos, values, subtopics, tags: as in `Columns`, over the whole file.
        keys: uint64 (n): a hash of (query id, docno), and the subtopic if that counts.
        origins: of the rows, block by block.
        twins: uint64: the keys that occur more than once in a block, in any order.
        scattered: bool (q), which queries have rows in more than one block.
        by_score: whether no score exceeds the one before it for the same query.
        by_rank: whether every rank exceeds the one before it for the same query.
        warnings: what was accepted although it is odd, one sentence each.
    """

    path: str
    qids: tuple[str, ...]
    queries: I64
    starts: I64
    docnos: pa.Array
    values: F64
    subtopics: pa.Array | None
    tags: dict[str, int]
    keys: U64
    origins: list[Origin]
    twins: U64
    scattered: Bool
    by_score: bool
    by_rank: bool
    warnings: list[str] = field(default_factory=list)

    unit: ClassVar[str] = "line"  # in messages
    ranked: ClassVar[bool] = True  # has ranks to be compared with the scores

    def __len__(self) -> int:
        return len(self.values)

    def lengths(self) -> I64:
        """The number of rows of each stretch: int64 (s)."""
        return np.diff(self.starts, append=len(self))

    @cached_property
    def by_query(self) -> I64:
        """The rows (int64, n) by query, in the order of `qids`, stable."""
        by_query = ids.stable_order(self.queries)
        if len(self.queries) == len(self):
            return by_query
        return ids.ranges(self.starts[by_query], self.lengths()[by_query])

    def query_lengths(self) -> I64:
        """The number of rows of each query: int64 (q)."""
        return np.bincount(self.queries, self.lengths(), len(self.qids)).astype(np.int64)

    def query_of(self, rows: I64) -> I64:
        """The query of some rows: int64, as many."""
        return self.queries[np.searchsorted(self.starts, rows, side="right") - 1]

    def ranks(self) -> I64:
        """The rank column: int64 (n)."""
        ranks = [origin.ranks for origin in self.origins if origin.ranks is not None]
        return np.concatenate(ranks).astype(np.int64)

    def line(self, row: int) -> int:
        """The line of the file, from 1, that a row was read from."""
        return int(self.lines(np.array([row]))[0])

    def lines(self, rows: I64) -> I64:
        """The lines, from 1, that some rows, in ascending order, were read from: int64."""
        lines: list[I64] = []
        before, first = 0, 0
        ends = np.cumsum([origin.rows for origin in self.origins])
        for origin, stop in zip(self.origins, np.searchsorted(rows, ends).tolist(), strict=True):
            inside = rows[first:stop] - (ends[len(lines)] - origin.rows)
            lines.append((inside + 1 if origin.lines is None else origin.lines[inside]) + before)
            first, before = stop, before + origin.line_count
        return np.concatenate(lines)

    def docno(self, row: int) -> str:
        """The docno of a row, in messages."""
        return quoted(self.docnos[int(row)].as_py().decode())

    def qid(self, row: int) -> str:
        """The query id of a row, in messages."""
        return quoted(self.qids[int(self.query_of(np.array([row]))[0])])

    def where(self, row: int) -> str:
        """The place of a row, in messages."""
        return f"on line {self.line(row)}"

    def error(self, row: int, what: str) -> DataError:
        """The error of a row."""
        return self.located(self.line(row), what)

    def warn(self, line: int | None, what: str) -> None:
        """Note something odd that is accepted."""
        self.warnings.append(str(self.located(line, what)))

    def located(self, line: int | None, what: str) -> DataError:
        """The error of a line."""
        return FileError(self.path, line, what)


def grouped(table: Table) -> tuple[I64 | None, I64, I64]:
    """(order, starts, lengths): the places of the rows of each query.

    `order` (int64, n) brings the rows of a query together, stable, the queries in the order of
    `qids`; None if they are together already. `starts` and `lengths` (int64, q) then say which rows
    query i has.
    """
    lengths = table.query_lengths()
    if len(table.queries) == len(table.qids):
        starts = np.empty_like(lengths)
        starts[table.queries] = table.starts
        return None, starts, lengths
    return table.by_query, np.cumsum(lengths) - lengths, lengths


def repeated(table: Table) -> tuple[I64, I64]:
    """Pairs of rows (first, later) with the same document and query, by the later row's line."""
    twins = np.concatenate([table.twins, _twins_across_blocks(table)])
    if not len(twins):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = np.flatnonzero(np.isin(table.keys, twins))
    rows = rows[np.argsort(table.keys[rows], kind="stable")]
    keys = table.keys[rows]
    fresh = np.append(True, keys[1:] != keys[:-1])
    first = rows[np.flatnonzero(fresh)[np.cumsum(fresh) - 1]]
    same = _same(table, first, rows)
    pairs = same & ~fresh
    both = [(first[pairs], rows[pairs])]
    if not same.all():  # different ids of the same hash: compare all that have it, one by one
        rest = np.isin(keys, keys[~same])
        both = [(first[pairs & ~rest], rows[pairs & ~rest]), _one_by_one(table, rows[rest])]
    firsts = np.concatenate([pair[0] for pair in both])
    later = np.concatenate([pair[1] for pair in both])
    by_row = np.argsort(later)
    by_line = by_row[np.argsort(table.lines(later[by_row]))]
    return firsts[by_line], later[by_line]


def _twins_across_blocks(table: Table) -> U64:
    """The keys that occur more than once in queries that have rows in several blocks."""
    stretches = np.flatnonzero(table.scattered[table.queries])
    return repeated_keys(
        table.keys[ids.ranges(table.starts[stretches], table.lengths()[stretches])]
    )


def batches(lengths: I64) -> Iterator[tuple[int, int]]:
    """Split consecutive lists into batches of whole lists; yield the first row of each and its end.

    A batch is small enough that intermediate arrays stay in the cache, or it is one longer list.
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    cuts = ends[np.searchsorted(ends, np.arange(TOGETHER, total, TOGETHER))]
    yield from pairwise(sorted({0, *cuts.tolist(), total}))


def _same(table: Table, left: I64, right: I64) -> Bool:
    same: Bool = table.query_of(left) == table.query_of(right)
    same &= ids.equal(table.docnos, left, table.docnos, right)
    if table.subtopics is not None:
        same &= ids.equal(table.subtopics, left, table.subtopics, right)
    return same


def _one_by_one(table: Table, rows: I64) -> tuple[I64, I64]:
    seen: dict[tuple[object, ...], int] = {}
    pairs = []
    for row, query in zip(rows.tolist(), table.query_of(rows).tolist(), strict=True):
        subtopic = None if table.subtopics is None else table.subtopics[row].as_py()
        first = seen.setdefault((query, table.docnos[row].as_py(), subtopic), row)
        if first != row:
            pairs.append((first, row))
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


# The blocks of a file, parsed in threads, with what can be computed from each block alone

DRAINED = 64 << 20
FEW_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class Part:
    """One block of a file: its data lines, and its size in bytes.

    Attributes:
        keys: uint64 per row: a hash of (query id, docno), and the subtopic if that counts.
        twins: uint64: the keys that occur more than once.
        by_score: whether no score exceeds the one before it in its stretch.
        by_rank: whether every rank is a number that exceeds the one before it in its stretch.
    """

    columns: Columns
    keys: U64
    twins: U64
    by_score: bool
    by_rank: bool
    size: int

    def cut(self) -> tuple[Part, Part]:
        """The rows before the last stretch, which may be none, and that stretch, as two parts."""
        row = int(self.columns.stretch_starts[-1])
        before = self._rows(slice(0, row), slice(0, -1))
        return before, self._rows(slice(row, None), slice(-1, None))

    def _rows(self, rows: slice, stretches: slice) -> Part:
        columns = self.columns
        keys = self.keys[rows]
        used, codes = np.unique(columns.stretch_codes[stretches], return_inverse=True)
        return replace(
            self,
            columns=replace(
                columns,
                qids=[columns.qids[code] for code in used.tolist()],
                stretch_codes=codes,
                stretch_starts=columns.stretch_starts[stretches] - rows.start,
                docnos=columns.docnos[rows.start : rows.start + len(keys)],
                values=columns.values[rows],
                line_count=len(keys),
                lines=None,
                ranks=None if columns.ranks is None else columns.ranks[rows],
                tags=dict.fromkeys(columns.tags, 0),
            ),
            keys=keys,
            twins=self.twins[np.isin(self.twins, keys)],
        )


def read_parts(
    path: str, layout: Layout, options: ReadOptions, opening: OpeningLines
) -> Iterator[Part]:
    """Yield the parts of a file in order; `opening` gets the comment lines that open it."""
    source = Held(opening.noted(blocks(path, options)))
    before = 0
    try:
        for part in _parsed(source, layout, options):
            yield part
            before += part.columns.line_count
    except Flaw as flaw:
        source.drain()
        if isinstance(source.failure, DamagedFileError):
            raise source.failure from None
        refuse(path, before + flaw.line, flaw.what)
    if source.failure:
        raise source.failure


def _parsed(source: Iterator[bytes], layout: Layout, options: ReadOptions) -> Iterator[Part]:
    head = list(islice(source, FEW_BLOCKS))
    if len(head) < FEW_BLOCKS or options.threads == 1:  # to start threads would take longer
        yield from (parse(block, layout, options) for block in chain(head, source))
        return
    waiting: deque[Future[Part]] = deque()
    with ThreadPoolExecutor(options.threads) as pool:
        try:
            for block in chain(head, source):
                waiting.append(pool.submit(parse, block, layout, options))
                if len(waiting) > options.threads + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class Held(Iterator[bytes]):
    """Blocks up to the first failure to read one, which is kept for later."""

    def __init__(self, source: Iterator[bytes]) -> None:
        self._source = source
        self.failure: FileError | None = None

    def __next__(self) -> bytes:
        try:
            return next(self._source)
        except FileError as error:
            self.failure = error
            raise StopIteration from None

    def drain(self) -> None:
        """Read on for a while after a bad line: a damaged file is the more useful error."""
        size = 0
        for block in self:
            size += len(block)
            if size > DRAINED:
                break


def parse(block: bytes, layout: Layout, options: ReadOptions) -> Part:
    """Parse a block and compute what depends on this block alone."""
    columns = read_block(block, layout, careful=options.careful)
    if len(columns.stretch_starts) > 2 * len(columns.qids):
        columns = _grouped(columns)
    salts = ids.hash_ids(ids.column(columns.qids))[columns.stretch_codes]
    salts = np.repeat(salts, columns.stretch_lengths())
    if columns.subtopics is not None:
        salts = ids.hash_ids(columns.subtopics, salts)
    keys = ids.hash_ids(columns.docnos, salts)
    turns = columns.stretch_starts[1:] - 1
    ranks = columns.ranks
    are_numbers = ranks is None or bool((ranks != NO_RANK).all())
    return Part(
        columns=columns,
        keys=keys,
        twins=repeated_keys(keys),
        by_score=_holds(columns.values[1:] <= columns.values[:-1], turns),
        by_rank=are_numbers and (ranks is None or _holds(ranks[1:] > ranks[:-1], turns)),
        size=len(block),
    )


def _grouped(columns: Columns) -> Columns:
    """The same rows grouped by query, in the order of the lines: then there are few stretches."""
    codes = np.repeat(columns.stretch_codes, columns.stretch_lengths())
    order = ids.stable_order(codes)
    now = np.empty_like(order)
    now[order] = np.arange(len(order))
    lengths = np.bincount(codes, minlength=len(columns.qids))
    return replace(
        columns,
        stretch_codes=np.arange(len(columns.qids)),
        stretch_starts=np.cumsum(lengths) - lengths,
        docnos=ids.take(columns.docnos, order),
        values=columns.values[order],
        lines=order + 1 if columns.lines is None else columns.lines[order],
        ranks=None if columns.ranks is None else columns.ranks[order],
        tags={tag: int(now[row]) for tag, row in columns.tags.items()},
        subtopics=None if columns.subtopics is None else ids.take(columns.subtopics, order),
    )


def repeated_keys(keys: U64) -> U64:
    """The keys that occur more than once: uint64, sorted."""
    in_order = np.sort(keys)
    again = in_order[1:][in_order[1:] == in_order[:-1]]
    # NumPy's `unique` loads masked arrays: 10 ms of every command.
    is_first = np.append(True, again[1:] != again[:-1])[: len(again)]
    distinct: U64 = again[is_first]
    return distinct


def _holds(steps: np.ndarray[tuple[int], np.dtype[np.bool_]], turns: I64) -> bool:
    """Whether every step is true but those from one stretch to the next, which don't count."""
    steps[turns] = True
    return bool(steps.all())


MOST_OPENING = 1 << 20
"""Bytes of opening lines that are kept: more than any header that is read."""
BLANKS = b" \t\r\n"


class OpeningLines:
    """The comment lines before the first data line of a file, noted while its blocks pass."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._is_over = False

    def noted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The same blocks, of whole lines; the opening lines in them are noted."""
        for block in blocks:
            if not self._is_over:
                self._note(block)
            yield block

    def lines(self) -> list[tuple[int, str]]:
        """The number (from 1) and text of each opening line that is a comment."""
        text = self._kept.decode(errors="replace")
        return [
            (number, line.removesuffix("\r"))
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]

    def _note(self, block: bytes) -> None:
        end = 0
        while end < len(block) and len(self._kept) + end <= MOST_OPENING:
            if block[end] not in b"#" + BLANKS:
                break
            after = block.find(b"\n", end) + 1 or len(block)
            line = block[end:after].lstrip(BLANKS)
            if line and not line.startswith(b"#"):
                break
            end = after
        self._kept += block[:end]
        self._is_over = end < len(block)


# From the parts of a file to one table of all its lines


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
