"""Read a run: an engine's ranked answers to the queries of a collection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.trec.ids import I64, U64
from evalstore.trec.lists import Reading, Table, groups, read_table, repeated
from evalstore.trec.table import NO_RANK, RUN

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Run:
    """A run as arrays.

    The rows of query i are `starts[i] : starts[i] + lengths[i]`, by score descending. Equal scores
    stand in any order: their order by docno is settled where it can matter, by `trec.order`.

    Attributes:
        path: the file, as messages name it.
        tag: the run tag (the first, where there are several).
        qids: the query ids, sorted by bytes.
        starts, lengths: int64, one per query.
        docnos: Arrow binary, n.
        scores: float64, n, finite.
        keys: uint64, n: a hash of (query id, docno).
        warnings: what was accepted although it is odd, one sentence each, with file and line.
    """

    path: str
    tag: str
    qids: tuple[str, ...]
    starts: I64
    lengths: I64
    docnos: pa.Array
    scores: F64
    keys: U64
    warnings: tuple[str, ...]


def read_run(path: str, how: Reading | None = None) -> Run:
    """Read a run file; the rules are those of docs/formats.md.

    Raises:
        FileError: the first line that breaks a rule, or a document retrieved twice for a query.
    """
    table = read_table(path, RUN, how or Reading())
    pairs = repeated(table)
    if pairs:
        first, later = min(pairs, key=lambda pair: table.line(pair[1]))
        docno = table.docnos[later].as_py().decode()
        qid = table.qids[table.codes[later]]
        raise FileError(
            table.path,
            table.line(later),
            f"document {docno!r} retrieved twice for query {qid!r} (first on line "
            f"{table.line(first)})",
        )
    _warn_of_tags(table)
    order, starts, lengths = groups(table.codes, len(table.qids))
    if order is not None:
        _reorder(table, order)
    _sort_by_score(table, starts, lengths)
    _warn_of_ranks(table)
    return Run(
        path=table.path,
        tag=next(iter(table.tags)),
        qids=tuple(table.qids),
        starts=starts,
        lengths=lengths,
        docnos=table.docnos,
        scores=table.values,
        keys=table.keys,
        warnings=tuple(table.warnings),
    )


def _warn_of_tags(table: Table) -> None:
    if len(table.tags) > 1:
        (first, _), (second, row) = list(table.tags.items())[:2]
        more = len(table.tags) - 2
        others = f" and {more} more" if more else ""
        table.warn(
            table.line(row), f"a second run tag {second!r}{others}; the run is taken as {first!r}"
        )


def _reorder(table: Table, order: I64) -> None:
    table.codes = table.codes[order]
    table.docnos = table.docnos.take(pa.array(order))
    table.values = table.values[order]
    table.keys = table.keys[order]
    if table.ranks is not None:
        table.ranks = table.ranks[order]


def _sort_by_score(table: Table, starts: I64, lengths: I64) -> None:
    """Bring the rows of each query into descending order of score, stable, where they are not."""
    codes, scores = table.codes, table.values
    rising = (scores[1:] > scores[:-1]) & (codes[1:] == codes[:-1])
    if not rising.any():
        return
    wrong = np.unique(codes[1:][rising])
    order = np.arange(len(codes))
    if len(wrong) > len(codes) // 50:  # many short lists: one sort of everything is cheaper
        order = np.lexsort((-scores, codes))
        # lexsort puts the queries in order of their code, the table has them in order of the file.
        begin = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        moved = np.empty_like(order)
        within = np.arange(len(codes)) - np.repeat(begin, lengths)
        moved[np.repeat(starts, lengths) + within] = order
        order = moved
    else:
        for query in wrong.tolist():
            rows = slice(starts[query], starts[query] + lengths[query])
            order[rows] = starts[query] + np.argsort(-scores[rows], kind="stable")
    _reorder(table, order)


def _warn_of_ranks(table: Table) -> None:
    """Count the rows whose rank column puts them before a document of a higher score."""
    ranks, scores, codes = table.ranks, table.values, table.codes
    if ranks is None:
        return
    absurd = int(np.count_nonzero(ranks == NO_RANK))
    if absurd:
        table.warn(None, f"the rank is no whole number in {absurd:,} lines; it is ignored")
    below = (codes[1:] == codes[:-1]) & (scores[1:] < scores[:-1])
    contradicts = int(np.count_nonzero(below & (ranks[1:] <= ranks[:-1]))) if not absurd else 0
    if contradicts:
        table.warn(
            None,
            f"the rank column contradicts the scores in {contradicts:,} lines; "
            "the order is by score",
        )
