"""The blocks of a file, parsed in threads, with what each thread can find out on its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from evalstore.errors import FileError
from evalstore.trec import ids
from evalstore.trec.block import read_block
from evalstore.trec.ids import I64, U64
from evalstore.trec.layout import NO_RANK, Columns, Flaw, Layout
from evalstore.trec.source import DamagedFileError, Reading, blocks, shown

DRAINED = 64 << 20
FEW = 1 << 16
FEW_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class Part:
    """One block of a file.

    A stretch is a row of lines, one after the other, of the same query.

    Attributes:
        columns: its data lines.
        keys: uint64 per row: a hash of (query id, docno), and the subtopic where that counts.
        stretch_codes: int64, per stretch: the query, an index into `columns.qids`.
        stretch_starts: int64, per stretch: its first row.
        twins: uint64: the keys that occur more than once.
        by_score: whether no score exceeds the one before it in its stretch.
        by_rank: whether every rank is a number that exceeds the one before it in its stretch.
        steady: whether it does so by 1 everywhere.
        size: the bytes of the block.
    """

    columns: Columns
    keys: U64
    stretch_codes: I64
    stretch_starts: I64
    twins: U64
    by_score: bool
    by_rank: bool
    steady: bool
    size: int


def read_parts(path: str, layout: Layout, how: Reading) -> Iterator[Part]:
    """Yield the parts of a file in order; few blocks are in memory at a time.

    Raises:
        FileError: the file can't be read, or its first line that breaks a rule.
    """
    source = Held(blocks(path, how))
    before = 0
    try:
        for part in _parsed(source, layout, how):
            yield part
            before += part.columns.line_count
    except Flaw as flaw:
        source.drain()
        if isinstance(source.failure, DamagedFileError):
            raise source.failure from None
        raise FileError(shown(path), before + flaw.line, flaw.what) from None
    if source.failure:
        raise source.failure


def _parsed(source: Iterator[bytes], layout: Layout, how: Reading) -> Iterator[Part]:
    head = list(islice(source, FEW_BLOCKS))
    if len(head) < FEW_BLOCKS or how.threads == 1:  # to start threads would take longer
        yield from (parse(block, layout, how) for block in chain(head, source))
        return
    waiting: deque[Future[Part]] = deque()
    with ThreadPoolExecutor(how.threads) as pool:
        try:
            for block in chain(head, source):
                waiting.append(pool.submit(parse, block, layout, how))
                if len(waiting) > how.threads + 1:
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
        """Read on for a while: after a bad line, whether the file is damaged is worth knowing."""
        size = 0
        for block in self:
            size += len(block)
            if size > DRAINED:
                break


def parse(block: bytes, layout: Layout, how: Reading) -> Part:
    """Parse a block and look for what can be seen in it alone."""
    columns = read_block(block, layout, careful=how.careful)
    salts = ids.hash_ids(ids.column(columns.qids))[columns.codes]
    if columns.subtopics is not None:
        salts = ids.hash_ids(columns.subtopics, salts)
    keys = ids.hash_ids(columns.docnos, salts)
    codes = columns.codes
    turns = np.flatnonzero(codes[1:] != codes[:-1])
    starts = np.concatenate([[0], turns + 1]) if len(codes) else turns
    steady = columns.ranks is not None and _steady(columns.ranks, turns)
    return Part(
        columns=columns,
        keys=keys,
        stretch_codes=codes[starts].astype(np.int64),
        stretch_starts=starts,
        twins=repeated_keys(keys),
        by_score=_holds(columns.values[1:] <= columns.values[:-1], turns),
        by_rank=steady or columns.ranks is None or _rises(columns.ranks, turns),
        steady=steady,
        size=len(block),
    )


def repeated_keys(keys: U64) -> U64:
    """The keys that occur more than once: uint64, sorted."""
    if len(keys) < FEW:
        # Half of each key sorts in half the time, and says mostly that none is repeated.
        halves = np.sort((keys >> np.uint64(32)).astype(np.uint32))
        if not (halves[1:] == halves[:-1]).any():
            return np.zeros(0, np.uint64)
    in_order = np.sort(keys)
    again = in_order[1:][in_order[1:] == in_order[:-1]]
    return np.unique(again) if len(again) else again


def _steady(ranks: I64, turns: I64) -> bool:
    return _holds(np.diff(ranks) == 1, turns) and bool((ranks != NO_RANK).all())


def _rises(ranks: I64, turns: I64) -> bool:
    return _holds(ranks[1:] > ranks[:-1], turns) and bool((ranks != NO_RANK).all())


def _holds(steps: np.ndarray[tuple[int], np.dtype[np.bool_]], turns: I64) -> bool:
    """Whether every step is true but those from one stretch to the next, which don't count."""
    steps[turns] = True
    return bool(steps.all())
