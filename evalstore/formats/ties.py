"""The order of a ranking: score descending, equal scores by docno descending as bytes.

As in trec_eval (form_res_rels.c). The rows of a run are sorted by score already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64, Bool
from evalstore.formats.trec.table import batches

if TYPE_CHECKING:
    from evalstore.formats.run import Run


def rounded(run: Run) -> Run:
    """The run with its scores held as 32-bit floats, as trec_eval up to 9.0.8 does.

    Rounding keeps the order and makes more ties; scores out of range become the largest float32.
    """
    limit = np.finfo(np.float32).max
    scores = np.clip(run.scores, -limit, limit).astype(np.float32).astype(np.float64)
    return replace(run, scores=scores, is_settled=False)


def ranks(run: Run, rows: I64, queries: I64) -> I64:
    """The rank, from 1, of some rows of these queries; settles only ties that these rows are in."""
    if run.is_settled:
        return rows - run.starts[queries] + 1
    scores = run.scores
    start, end = run.starts[queries], run.starts[queries] + run.lengths[queries]
    above = (rows > start) & (scores[np.maximum(rows - 1, 0)] == scores[rows])
    last = len(scores) - 1
    below = (rows + 1 < end) & (scores[np.minimum(rows + 1, last)] == scores[rows])
    rank = rows - start + 1
    tied = np.flatnonzero(above | below)
    if len(tied) == 0:
        return rank
    # The first row of the tie of each, and the row after its last: by a binary search in each row's
    # own list, since only few rows are needed.
    own, stop, score = rows[tied], end[tied], scores[rows[tied]]
    first = _bisect(start[tied], own, lambda at: scores[at] > score)
    stop = _bisect(own + 1, stop, lambda at: scores[np.minimum(at, end[tied] - 1)] == score)
    first, group = np.unique(first, return_index=True)
    size = stop[group] - first
    members = ids.ranges(first, size)
    labels = np.repeat(np.arange(len(first)), size)
    order = ids.order_descending(labels, run.docnos, members)
    # The k-th row of a group, in order, gets the k-th position of that group.
    settled = np.empty(len(members), np.int64)
    settled[order] = members
    index = np.searchsorted(members, rows[tied])
    rank[tied] = settled[index] - start[tied] + 1
    return rank


def _bisect(low: I64, high: I64, before: Callable[[I64], Bool]) -> I64:
    """The first position of each range, or its end, that is not `before`; vectorised."""
    while (low < high).any():
        middle = (low + high) // 2
        # If a range has only one position left, `middle` is that position, nothing changes.
        goes_on = before(middle) & (low < high)
        low, high = np.where(goes_on, middle + 1, low), np.where(goes_on, high, middle)
    return low


def settled(run: Run, *, in_place: bool = False) -> Run:
    """The run with every tie in order: row k of a query is its document at rank k + 1.

    The rows of each query keep their places; tied scores are equal, so only documents move. With
    `in_place` the memory of `run` is used if possible, whose documents then move too.
    """
    if run.is_settled:
        return run
    n = len(run.scores)
    inside = np.ones(n, bool)  # has a row above it in its own list
    inside[run.starts[run.lengths > 0]] = False
    same = np.zeros(n + 1, bool)
    same[1:n] = (run.scores[1:] == run.scores[:-1]) & inside[1:]
    tied = np.flatnonzero(same[:-1] | same[1:])
    ties = np.diff(np.flatnonzero(~same[tied]), append=len(tied))
    keys = _Moved(run.read_keys, in_place=in_place)
    moves = keys.noting(_moves(run, tied, ties))
    docnos = ids.rearranged(run.docnos, moves, in_place=in_place)
    return replace(run, docnos=docnos, read_keys=keys.now, is_settled=True)


class _Moved:
    """The keys of a run, if it has them, moved with its documents; `now` is the result."""

    def __init__(self, before: U64 | None, *, in_place: bool) -> None:
        self._before = before
        self._in_place = in_place and before is not None and before.flags.writeable
        self.now = before

    def noting(self, moves: Iterable[tuple[I64, I64]]) -> Iterator[tuple[I64, I64]]:
        for rows, taken in moves:
            if self._before is not None and self.now is not None:
                if self.now is self._before and not self._in_place:
                    self.now = self._before.copy()
                self.now[rows] = self._before[taken]
            yield rows, taken


def _moves(run: Run, tied: I64, ties: I64) -> Iterator[tuple[I64, I64]]:
    """(rows, rows whose documents they get) for ties given as rows and the size of each tie."""
    ends = np.cumsum(ties)
    for first, stop in batches(ties):
        rows = tied[first:stop]
        sizes = ties[np.searchsorted(ends, first, "right") : np.searchsorted(ends, stop) + 1]
        labels = np.repeat(np.arange(len(sizes)), sizes)
        taken = rows[ids.order_descending(labels, run.docnos, rows)]
        if (rows != taken).any():
            yield rows, taken
