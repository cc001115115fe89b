"""All lines of a file as one table, and what runs and qrels ask of it: groups and repetitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import DataError, FileError
from evalstore.formats import ids
from evalstore.formats.ids import I64, U64, Bool
from evalstore.formats.source import quoted
from evalstore.formats.trec.columns import F64
from evalstore.formats.trec.threads import MANY, Part, repeated_keys

TOGETHER = 1 << 16
"""Rows in a batch of lists."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The lines and ranks of the rows of one block, which a table keeps for messages.

    Attributes:
        rows: the number of rows.
        line_count, lines: as in `Columns`.
        starts, first_ranks: int64: the first row of each stretch, and its rank.
        other_ranks: every rank, in 32 or 64 bits; None where each is one more than the last.
    """

    rows: int
    line_count: int
    lines: I64 | None
    starts: I64
    first_ranks: I64
    other_ranks: npt.NDArray[np.signedinteger] | None

    @staticmethod
    def of(part: Part) -> Origin:
        """What is to be kept of a part."""
        columns = part.columns
        ranks = np.zeros(len(part.keys), np.int64) if columns.ranks is None else columns.ranks
        steady = part.steady or columns.ranks is None
        return Origin(
            rows=len(part.keys),
            line_count=columns.line_count,
            lines=columns.lines,
            starts=columns.stretch_starts,
            first_ranks=ranks[columns.stretch_starts],
            other_ranks=None if steady else _short(ranks),
        )

    def ranks(self) -> I64:
        """The rank column: int64."""
        if self.other_ranks is not None:
            return self.other_ranks.astype(np.int64)
        lengths = np.diff(self.starts, append=self.rows)
        return np.repeat(self.first_ranks - self.starts, lengths) + np.arange(self.rows)


def _short(ranks: I64) -> npt.NDArray[np.signedinteger]:
    """The ranks as int32 where they fit; a copy, so that the block can be freed."""
    fits = len(ranks) > 0 and int(ranks.min()) >= -(2**31) and int(ranks.max()) < 2**31
    return ranks.astype(np.int32) if fits else ranks.copy()


@dataclass
class Table:
    """All data lines of a file; n rows, q queries, s stretches.

    The rows are in the order of the file, except in blocks where queries alternate: there the
    rows are grouped by query, those of each query in the order of the file.

    A stretch is a sequence of consecutive rows of the same query.

    Attributes:
        path: the file, as messages name it.
        qids: the distinct query ids, sorted by bytes.
        queries: int64 (s), the query of each stretch, an index into `qids`.
        starts: int64 (s), the first row of each stretch.
        docnos, values, subtopics: as in `Columns`, over the whole file.
        tags: the distinct run tags in order of appearance, with the row each appears in first.
        keys: uint64 (n): a hash of (query id, docno), and the subtopic where that counts.
        origins: where the rows come from, block by block.
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

    def __len__(self) -> int:
        """How many rows."""
        return len(self.values)

    def lengths(self) -> I64:
        """How many rows each stretch has: int64 (s)."""
        return np.diff(self.starts, append=len(self))

    @cached_property
    def by_query(self) -> I64:
        """The rows (int64, n) by query, in the order of `qids`, stable."""
        by_query = ids.stable_order(self.queries)
        if len(self.queries) == len(self):
            return by_query
        return ids.ranges(self.starts[by_query], self.lengths()[by_query])

    def query_lengths(self) -> I64:
        """How many rows each query has: int64 (q)."""
        return np.bincount(self.queries, self.lengths(), len(self.qids)).astype(np.int64)

    def query_of(self, rows: I64) -> I64:
        """The query of some rows: int64, as many."""
        return self.queries[np.searchsorted(self.starts, rows, side="right") - 1]

    def ranks(self) -> I64:
        """The rank column: int64 (n)."""
        return np.concatenate([origin.ranks() for origin in self.origins])

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
        """The docno of a row, as messages quote it."""
        return quoted(self.docnos[int(row)].as_py().decode())

    def qid(self, row: int) -> str:
        """The query id of a row, as messages quote it."""
        return quoted(self.qids[int(self.query_of(np.array([row]))[0])])

    @property
    def unit(self) -> str:
        """What messages count: the lines of a file."""
        return "line"

    @property
    def ranked(self) -> bool:
        """Whether the rows have ranks to be compared with the scores."""
        return True

    def where(self, row: int) -> str:
        """Where a row comes from, as messages say it."""
        return f"on line {self.line(row)}"

    def error(self, row: int, what: str) -> DataError:
        """The error of a row."""
        return self.located(self.line(row), what)

    def warn(self, line: int | None, what: str) -> None:
        """Note something odd that is accepted."""
        self.warnings.append(str(self.located(line, what)))

    def located(self, line: int | None, what: str) -> DataError:
        """What is wrong, with the line it is about."""
        return FileError(self.path, line, what)


# --- grouping ----------------------------------------------------------------------------------


def grouped(table: Table) -> tuple[I64 | None, I64, I64]:
    """Where each query's rows stand.

    Returns:
        (order, starts, lengths): `order` (int64, n) brings the rows of a query together, stable,
        the queries in the order of `qids`; None where they are together already. `starts` and
        `lengths` (int64, q) then say which rows query i has.
    """
    lengths = table.query_lengths()
    if len(table.queries) == len(table.qids):
        starts = np.empty_like(lengths)
        starts[table.queries] = table.starts
        return None, starts, lengths
    return table.by_query, np.cumsum(lengths) - lengths, lengths


def repeated(table: Table) -> tuple[I64, I64]:
    """Pairs of rows (first, later) that name the same document for the same query.

    Sorted by the line of the later row. The 64-bit keys point to them; the ids themselves decide.
    """
    twins = np.concatenate([table.twins, *_twins_across_blocks(table)])
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


def _twins_across_blocks(table: Table) -> Iterator[U64]:
    """The keys that occur more than once in queries that have rows in several blocks."""
    if not table.scattered.any():
        return
    stretches = np.flatnonzero(table.scattered[table.queries])
    stretches = stretches[ids.stable_order(table.queries[stretches])]
    rows = ids.ranges(table.starts[stretches], table.lengths()[stretches])
    if len(rows) < MANY:
        yield repeated_keys(table.keys[rows])
        return
    for first, stop in batches(table.query_lengths()[table.scattered]):
        yield repeated_keys(table.keys[rows[first:stop]])


def batches(lengths: I64) -> Iterator[tuple[int, int]]:
    """Split consecutive lists into batches of whole lists.

    Yields the first row of each batch and the row after its last. A batch is small enough that
    intermediate arrays stay in the cache, or it is one longer list.
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
