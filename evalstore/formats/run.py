"""A run in memory: an engine's ranked answers to the queries of a collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64, Bool
from evalstore.formats.reading.lines import texts
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.trec.columns import F64, counted
from evalstore.formats.trec.table import batches

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run as arrays of n rows, a row for each document retrieved.

    The rows of query i are `starts[i] : starts[i] + lengths[i]`: every query has one stretch of
    rows, and the stretches cover all rows without a gap, in any order of the queries. Within a
    stretch the score descends. Equal scores stand in any order: `settled` and `ranks` put them in
    order (docno descending).

    Attributes:
        path: the file, as messages name it.
        tag: the run tag (the first if there are several).
        qids: the query ids, sorted by bytes.
        starts, lengths: int64, one per query.
        docnos: Arrow binary, n.
        scores: float64, n, finite.
        warnings: what was accepted although it is odd, one sentence each, with file and line.
        read_keys: the `keys`, if reading has computed them.
        is_settled: whether equal scores are known to stand in order (`settled`).
        format: the name of the file's format (`registry`); empty for a run from memory.
        facts: what the file tells of the run beside its ranking, by the names of the fields of
            `catalog.given_facts.GivenFacts`: `{"parameters": {"k1": 0.9}, "commit": "4f2a9c1"}`.
        times: the milliseconds that queries took, by query id, if the file tells them.
        names: the names that the file itself gives, by kind: `run`, `engine`, `collection`,
            `experiment`.
    """

    path: str
    tag: str
    qids: tuple[str, ...]
    starts: I64
    lengths: I64
    docnos: pa.Array
    scores: F64
    warnings: tuple[str, ...]
    read_keys: U64 | None = None
    is_settled: bool = False
    format: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def keys(self) -> U64:
        """A hash of (query id, docno) per row: uint64, n."""
        if self.read_keys is not None:
            return self.read_keys
        by_start = np.argsort(self.starts, kind="stable")
        qids = [self.qids[query] for query in by_start]
        return ids.row_keys(qids, self.lengths[by_start], self.docnos)

    @classmethod
    def from_dict(
        cls, scores: Mapping[str, Mapping[str, float]], *, name: str = "run", tag: str = "run"
    ) -> Run:
        """Make a run of `{qid: {docno: score}}`, as pytrec_eval, ranx and BEIR have it.

        Args:
            scores: finite numbers. Ids are text; whole numbers are taken as their digits. A query
                without documents is as one that is not there.
            name: what messages call the run.
            tag: the run tag that `write` writes.

        Raises:
            DataError: what a run file could not hold either, with its keys.

        >>> Run.from_dict({"q1": {"d1": 1.5, "d2": 2.5}}).to_dict()
        {'q1': {'d2': 2.5, 'd1': 1.5}}
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Run)
        from evalstore.formats.trec import run as trec_run  # noqa: PLC0415  (they make a Run)

        tag = valid_id(tag, "run tag")
        return trec_run.run_of(memory.read_dict(scores, "run", name=name, tag=tag))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, name: str = "run", tag: str = "run") -> Run:
        """Make a run of a data frame with a row for each document retrieved.

        Args:
            frame: the query id under `qid`, `query_id` or `q_id`; the document's under `docno` or
                `doc_id`; and `score`. Other columns are ignored, `rank` too: the order is by
                score. Ids are text or whole numbers, which are taken as their digits.
            name: what messages call the run.
            tag: the run tag that `write` writes.

        Raises:
            DataError: what a run file could not hold either (a document twice in a query, a score
                that is not finite, ...), with the row, counted from 0.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"qid": [1, 1], "docno": ["d1", "d2"], "score": [1.5, 2.5]})
        >>> Run.from_frame(frame).to_dict()
        {'1': {'d2': 2.5, 'd1': 1.5}}
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Run)
        from evalstore.formats.trec import run as trec_run  # noqa: PLC0415  (they make a Run)

        tag = valid_id(tag, "run tag")
        return trec_run.run_of(memory.read_frame(frame, "run", name=name, tag=tag))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The scores as `{qid: {docno: score}}`, the best document of each query first."""
        from evalstore.formats import memory  # noqa: PLC0415  (they know Run)

        run = settled(self)
        return memory.to_dict(run.qids, run.starts, run.lengths, texts(run.docnos), run.scores)

    def to_frame(self) -> pd.DataFrame:
        """The run as a frame of qid, docno, rank (int64, from 1) and score (float64).

        Sorted by query id (as bytes) and rank.
        """
        import pandas as pd  # noqa: PLC0415  (only users of frames wait for it)

        run = settled(self)
        rows = ids.ranges(run.starts, run.lengths)
        return pd.DataFrame(
            {
                "qid": np.repeat(np.array(run.qids, object), run.lengths),
                "docno": texts(ids.take(run.docnos, rows)),
                "rank": rows - np.repeat(run.starts, run.lengths) + 1,
                "score": run.scores[rows],
            }
        )

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the run into a file; gzip if its name ends in `.gz`.

        Args:
            path: the file: complete or not there at all; a file of that name is replaced.
            format: the name of a format, as `evalstore formats` lists them; if None, that of
                files whose name ends so, or else TREC lines, ranks from 1.

        Raises:
            DataError: what the format can't hold, or there is none of that name.
            FileError: the file can't be written.
        """
        from evalstore.formats.any_format import write_file  # noqa: PLC0415  (imports readers)
        from evalstore.formats.lists import lists_of  # noqa: PLC0415  (it knows Run)

        write_file(lists_of(self), "run", os.fspath(path), format)

    def __repr__(self) -> str:
        queries, documents = counted(len(self.qids), "query"), counted(len(self.scores), "document")
        return f"<Run {self.tag!r}: {queries}, {documents}>"


# The order of a ranking: score descending, equal scores by docno descending as bytes, as in
# trec_eval (form_res_rels.c). The rows of a run are sorted by score already.


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


# A run that is too large to be in memory as a whole


class NotInParts(Exception):
    """A file can't be read in parts: it has to be read as a whole, which tells what is wrong."""


@dataclass(frozen=True, eq=False)
class RunParts:
    """A large run, read a part at a time; the other attributes are those of the whole `Run`.

    Attributes:
        parts: the runs of some queries each, in the order of the file, no query in two of them;
            none has warnings. Each is read when it is iterated over, once. Raises `NotInParts` if
            something is odd or wrong.
    """

    path: str
    tag: str
    facts: Mapping[str, Any]
    parts: Iterator[Run]
    names: Mapping[str, str] = field(default_factory=dict)
    format: str = ""
