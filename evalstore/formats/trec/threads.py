"""The blocks of a file, parsed in threads, with what can be computed from each block alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from evalstore.errors import FileError
from evalstore.formats import ids
from evalstore.formats.ids import I64, U64
from evalstore.formats.source import DamagedFileError, ReadOptions, blocks, path_text
from evalstore.formats.trec.block import read_block
from evalstore.formats.trec.columns import NO_RANK, Columns, Flaw, Layout
from evalstore.formats.trec.opening import OpeningLines

DRAINED = 64 << 20
FEW, MANY = 1 << 8, 1 << 18
"""Between FEW and MANY keys, repeated keys are found with a table; otherwise by sorting."""
FEW_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class Part:
    """One block of a file.

    Attributes:
        columns: its data lines.
        keys: uint64 per row: a hash of (query id, docno), and the subtopic where that counts.
        twins: uint64: the keys that occur more than once.
        by_score: whether no score exceeds the one before it in its stretch.
        by_rank: whether every rank is a number that exceeds the one before it in its stretch.
        steady: whether it does so by 1 everywhere.
        size: the bytes of the block.
    """

    columns: Columns
    keys: U64
    twins: U64
    by_score: bool
    by_rank: bool
    steady: bool
    size: int

    def cut(self) -> tuple[Part, Part]:
        """The rows before the last stretch, and that stretch, as two parts.

        The first may be empty. What all rows have together, as the run tags, is noted of both.
        """
        row = int(self.columns.stretch_starts[-1])
        before = self._rows(slice(0, row), slice(0, -1))
        return before, self._rows(slice(row, None), slice(-1, None))

    def _rows(self, rows: slice, stretches: slice) -> Part:
        """Some rows, which are these stretches, as a part."""
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
    """Yield the parts of a file in order; few blocks are in memory at a time.

    Args:
        path: the file.
        layout: its columns.
        options: how to read it.
        opening: gets the comment lines that open the file.

    Raises:
        FileError: the file can't be read, or its first line that breaks a rule.
    """
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
        raise FileError(path_text(path), before + flaw.line, flaw.what) from None
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
    steady = columns.ranks is not None and _steady(columns.ranks, turns)
    return Part(
        columns=columns,
        keys=keys,
        twins=repeated_keys(keys),
        by_score=_holds(columns.values[1:] <= columns.values[:-1], turns),
        by_rank=steady or columns.ranks is None or _rises(columns.ranks, turns),
        steady=steady,
        size=len(block),
    )


def _grouped(columns: Columns) -> Columns:
    """The same rows grouped by query, those of each query in the order of the lines.

    Where queries alternate line by line, this leaves only a few stretches to process.
    """
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
    """The keys that occur more than once: uint64, sorted.

    Each row writes its number into a table, at the index given by the top bits of its key. Rows
    whose number was overwritten are compared with the row in the table, and with each other in the
    same way; they are fewer. The table is small enough for the cache. Sorting all keys takes up to
    four times as long, depending on the processor.
    """
    if not FEW < len(keys) < MANY:
        return _repeated(keys)
    bits = len(keys).bit_length() + 1
    slots = (keys >> np.uint64(64 - bits)).view(np.int64)
    rows = np.arange(len(keys), dtype=np.int32)
    table = np.empty(1 << bits, np.int32)
    table[slots] = rows
    rows_there = table[slots]
    lost = np.flatnonzero(rows_there != rows)
    again = keys[lost] == keys[rows_there[lost]]
    others = keys[lost[~again]]
    # Hashes are lost in greater number only where somebody made ids for that.
    repeated_too = repeated_keys(others) if 2 * len(others) < len(keys) else _repeated(others)
    return _distinct(np.concatenate([keys[lost[again]], repeated_too]))


def _repeated(keys: U64) -> U64:
    in_order = np.sort(keys)
    return _distinct(in_order[1:][in_order[1:] == in_order[:-1]])


def _distinct(keys: U64) -> U64:
    """The keys, each once, sorted. NumPy's `unique` loads masked arrays: 10 ms of every command."""
    in_order = np.sort(keys)
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = in_order[1:] != in_order[:-1]
    distinct: U64 = in_order[is_first]
    return distinct


def _steady(ranks: I64, turns: I64) -> bool:
    return _holds(np.diff(ranks) == 1, turns) and bool((ranks != NO_RANK).all())


def _rises(ranks: I64, turns: I64) -> bool:
    return _holds(ranks[1:] > ranks[:-1], turns) and bool((ranks != NO_RANK).all())


def _holds(steps: np.ndarray[tuple[int], np.dtype[np.bool_]], turns: I64) -> bool:
    """Whether every step is true but those from one stretch to the next, which don't count."""
    steps[turns] = True
    return bool(steps.all())
