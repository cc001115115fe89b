"""Read a run: an engine's ranked answers to the queries of a collection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.trec import ids
from evalstore.trec.gathering import read_table
from evalstore.trec.ids import I64, U64, Bool
from evalstore.trec.layout import F64, NO_RANK, RUN
from evalstore.trec.lists import Table, grouped, repeated
from evalstore.trec.source import Reading, quoted
from evalstore.trec.wording import counted


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
    firsts, later = repeated(table)
    if len(later):
        raise FileError(
            table.path,
            table.line(later[0]),
            f"document {table.docno(later[0])} retrieved twice for query {table.qid(later[0])} "
            f"(first on line {table.line(firsts[0])}); keep one of the two",
        )
    _warn_of_tags(table)
    order, starts, lengths = grouped(table)
    if order is not None or not table.by_score:
        order = _by_score(table, order, starts, lengths)
    if order is not None or not table.by_rank:
        _warn_of_ranks(table, order, starts, lengths)
    return Run(
        path=table.path,
        tag=next(iter(table.tags)),
        qids=table.qids,
        starts=starts,
        lengths=lengths,
        docnos=table.docnos if order is None else ids.take(table.docnos, order),
        scores=table.values if order is None else table.values[order],
        keys=table.keys if order is None else table.keys[order],
        warnings=tuple(table.warnings),
    )


def _warn_of_tags(table: Table) -> None:
    if len(table.tags) > 1:
        (first, _), (second, row) = list(table.tags.items())[:2]
        more = len(table.tags) - 2
        others = f" and {more:,} more" if more else ""
        table.warn(
            table.line(row),
            f"a second run tag, {quoted(second)}{others}; the run is taken as {quoted(first)}",
        )


def _by_score(table: Table, order: I64 | None, starts: I64, lengths: I64) -> I64 | None:
    """The order of rows (int64, n) that has each query's by score descending, stable.

    None where they are so already. `order` brings the queries together, where that is needed.
    """
    scores = table.values if order is None else table.values[order]
    place, by_place = places_of_rows(starts, lengths)
    rising = np.flatnonzero((scores[1:] > scores[:-1]) & (place[1:] == place[:-1]))
    if not len(rising):
        return order
    wrong = np.unique(place[rising])
    if len(wrong) > len(scores) // 50:  # many short lists: one sort of everything is cheaper
        inside = np.lexsort((-scores, place))
        return inside if order is None else order[inside]
    result = np.arange(len(scores)) if order is None else order.copy()
    for query in by_place[wrong].tolist():
        rows = slice(starts[query], starts[query] + lengths[query])
        result[rows] = result[rows][np.argsort(-scores[rows], kind="stable")]
    return result


def places_of_rows(starts: I64, lengths: I64) -> tuple[I64, I64]:
    """For lists that stand one after the other: which list, counted by place, each row is in.

    Returns:
        (place, by_place): int64 (n), ascending; int64 (q), the query at each place.
    """
    by_place = np.argsort(starts, kind="stable")
    return np.repeat(np.arange(len(starts)), lengths[by_place]), by_place


def _warn_of_ranks(table: Table, order: I64 | None, starts: I64, lengths: I64) -> None:
    """Count the lines whose rank is no number, or not after that of every higher score."""
    ranks = table.ranks()
    absurd = np.flatnonzero(ranks == NO_RANK)
    if len(absurd):
        said = f"the rank is no whole number in {counted(len(absurd), 'line')}; it is ignored"
        table.warn(table.line(absurd[0]), said)
    rows = np.arange(len(ranks)) if order is None else order
    place, _ = places_of_rows(starts, lengths)
    usable = ranks[rows] != NO_RANK
    rows, place = rows[usable], place[usable]
    contradicting = rows[_contradicts(place, table.values[rows], ranks[rows])]
    if len(contradicting):
        said = f"the rank contradicts the scores in {counted(len(contradicting), 'line')}"
        table.warn(table.line(contradicting.min()), f"{said}; the order is by score")


def _contradicts(place: I64, scores: F64, ranks: I64) -> Bool:
    """Which rows have a rank no later than that of a document with a higher score: bool (n).

    The rows are by list (`place`, ascending) and score (descending). Within a tie any order of the
    ranks is right.
    """
    n = len(ranks)
    if n == 0:
        return np.zeros(0, bool)
    # Ranks are any 64-bit numbers. Numbered by size, with the list as the higher digits, the
    # greatest so far never comes from another list.
    _, by_size = np.unique(ranks, return_inverse=True)
    number = place * n + by_size
    greatest = np.maximum.accumulate(number)
    fresh = np.append(True, (place[1:] != place[:-1]) | (scores[1:] != scores[:-1]))
    tie = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]  # the first row of each row's tie
    higher = np.where(tie > 0, greatest[tie - 1], -1)
    return np.asarray(number <= higher)
