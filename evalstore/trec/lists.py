"""From blocks to one table grouped by query: what runs and qrels have in common."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.trec import ids
from evalstore.trec.ids import I64, U64
from evalstore.trec.source import MAX_BYTES, blocks, shown
from evalstore.trec.table import Columns, Flaw, Layout, read_block


@dataclass(frozen=True)
class Reading:
    """How to read: the file's encoding, the size limit, threads, and (for tests) the path taken."""

    encoding: str = "utf-8"
    max_bytes: int = MAX_BYTES
    threads: int = 2
    careful: bool = False


@dataclass
class Table:
    """All data lines of a file, in the order of the file.

    Attributes:
        qids: the distinct query ids, sorted by bytes.
        codes: int32 per row: the query, an index into `qids`.
        docnos, values, ranks, tags: as in `Columns`, over the whole file.
        keys: uint64 per row: a hash of (query id, docno).
        origin: where each row comes from, for messages.
        warnings: what was accepted although it is odd, one sentence each.
    """

    path: str
    qids: list[str]
    codes: npt.NDArray[np.int32]
    docnos: pa.Array
    values: npt.NDArray[np.float64]
    ranks: I64 | None
    tags: dict[str, int]
    keys: U64
    origin: list[Columns]
    warnings: list[str] = field(default_factory=list)

    def line(self, row: int) -> int:
        """The line of the file, from 1, that a row was read from."""
        before = 0
        for part in self.origin:
            if row < len(part.codes):
                return before + part.line(row)
            row -= len(part.codes)
            before += part.line_count
        raise IndexError(row)

    def warn(self, line: int | None, what: str) -> None:
        """Note something odd that is accepted."""
        self.warnings.append(str(FileError(self.path, line, what)))


def read_table(path: str, layout: Layout, how: Reading) -> Table:
    """Read a whole file. Raises FileError for the first line that breaks a rule, or an empty file."""
    parts: list[Columns] = []
    hashes: list[U64] = []
    line_count = 0
    try:
        for columns, keys in _parsed(path, layout, how):
            parts.append(columns)
            hashes.append(keys)
            line_count += columns.line_count
    except Flaw as flaw:
        raise FileError(shown(path), line_count + flaw.line, flaw.what) from None
    if not parts:
        raise FileError(shown(path), None, "the file is empty")
    if not any(len(part.codes) for part in parts):
        raise FileError(shown(path), None, "no data lines, only blank lines or comments")
    table = _joined(shown(path), parts, np.concatenate(hashes))
    _warn_of_extra_columns(table, layout)
    return table


def _parsed(path: str, layout: Layout, how: Reading) -> Iterator[tuple[Columns, U64]]:
    """Parse blocks in threads, in order, with few of them in memory at a time."""

    def parse(block: bytes) -> tuple[Columns, U64]:
        columns = read_block(block, layout, careful=how.careful)
        salts = ids.hash_ids(pa.array(columns.qids, pa.binary()))
        return columns, ids.hash_ids(columns.docnos, salts[columns.codes])

    waiting: deque[Future[tuple[Columns, U64]]] = deque()
    with ThreadPoolExecutor(how.threads) as pool:
        for block in blocks(path, encoding=how.encoding, max_bytes=how.max_bytes):
            waiting.append(pool.submit(parse, block))
            if len(waiting) > how.threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _joined(path: str, parts: list[Columns], keys: U64) -> Table:
    distinct = sorted({qid for part in parts for qid in part.qids})
    place = {qid: i for i, qid in enumerate(distinct)}
    codes = [np.array([place[q] for q in p.qids], np.int32)[p.codes] for p in parts if p.qids]
    tags: dict[str, int] = {}
    before = 0
    for part in parts:
        for tag, row in part.tags.items():
            tags.setdefault(tag.decode(), before + row)
        before += len(part.codes)
    ranks = [part.ranks for part in parts if part.ranks is not None]
    docnos = pa.concat_arrays(_wide([part.docnos for part in parts]))
    for part in parts:
        object.__setattr__(part, "docnos", docnos[:0])  # held once is enough
    return Table(
        path=path,
        qids=[qid.decode() for qid in distinct],
        codes=np.concatenate(codes),
        docnos=docnos,
        values=np.concatenate([part.values for part in parts]),
        ranks=np.concatenate(ranks) if ranks else None,
        tags=tags,
        keys=keys,
        origin=parts,
    )


def _wide(arrays: list[pa.Array]) -> list[pa.Array]:
    """Arrays that can be one: 32-bit offsets hold 2 GiB of ids, more takes 64-bit ones."""
    if sum(array.nbytes for array in arrays) < 2**31 - 1:
        return arrays
    return [array.cast(pa.large_binary()) for array in arrays]


def _warn_of_extra_columns(table: Table, layout: Layout) -> None:
    rows, first, before = 0, 0, 0
    for part in table.origin:
        if part.extra[0] and not rows:
            first = before + part.extra[1]
        rows += part.extra[0]
        before += part.line_count
    if rows:
        said = f"more than {layout.width} columns in {rows:,} lines; the rest of a line is ignored"
        table.warn(first, said)


# --- grouping ----------------------------------------------------------------------------------


def groups(codes: npt.NDArray[np.int32], count: int) -> tuple[I64 | None, I64, I64]:
    """Where each query's rows stand.

    Returns:
        (order, starts, lengths): `order` (int64, n) brings the rows of a query together, stable;
        None where they are together already. `starts` and `lengths` (int64, count) then say which
        rows query i has.
    """
    turns = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    first = np.concatenate([[0], turns])
    order = None
    if len(first) != count:
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
        first = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
    starts = np.empty(count, np.int64)
    starts[codes[first]] = first
    lengths = np.bincount(codes, minlength=count)
    return order, starts, lengths


def repeated(table: Table) -> list[tuple[int, int]]:
    """Pairs of rows (first, later) that name the same document for the same query.

    The 64-bit keys are sorted; only where two are equal are the ids themselves compared.
    """
    in_order = np.sort(table.keys)
    twins = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
    if not len(twins):
        return []
    rows = np.flatnonzero(np.isin(table.keys, twins))
    seen: dict[tuple[int, bytes], int] = {}
    pairs = []
    docnos = table.docnos.take(pa.array(rows)).to_pylist()
    for row, docno in zip(rows.tolist(), docnos, strict=True):
        first = seen.setdefault((int(table.codes[row]), docno), row)
        if first != row:
            pairs.append((first, row))
    return pairs
