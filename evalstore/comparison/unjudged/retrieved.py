"""The documents that several runs retrieve: each numbered once, with its grade and its ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats import Qrels, Run, ties
from evalstore.formats.reading import ids
from evalstore.measures.join import MarkedKeys, join, numbers_among

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PairRanks:
    """The documents that at least one of two runs retrieves down to a rank; n documents.

    Attributes:
        document: int64 (n), the numbers of the documents, ascending.
        query: int64 (n), the query of each, ascending.
        grade: float64 (n); NaN if it is not in the pool, negative if it is and was not judged.
        rank_a, rank_b: float64 (n), from 1; infinite if the run does not retrieve it.
    """

    document: I64
    query: I64
    grade: F64
    rank_a: F64
    rank_b: F64

    @property
    def judged(self) -> Bool:
        """Whether each document has a grade."""
        return self.grade >= 0

    def swapped(self) -> PairRanks:
        """The same with the two runs exchanged."""
        return replace(self, rank_a=self.rank_b, rank_b=self.rank_a)


@dataclass(frozen=True, eq=False)
class Retrieved:
    """The documents that several runs retrieve for some queries; d different documents.

    Attributes:
        qids: the queries.
        query: int64 (d), index into `qids`, ascending.
        docnos: Arrow binary (d), ascending as bytes within a query.
        grade: float64 (d); NaN if it is not in the pool, negative if it is and was not judged.
        runs: for each run the numbers of its documents (int64, ascending) and their ranks (int64).
    """

    qids: tuple[str, ...]
    query: I64
    docnos: pa.Array
    grade: F64
    runs: tuple[tuple[I64, I64], ...] = field(repr=False)

    def pair(self, a: int, b: int, cutoff: int | None) -> PairRanks:
        """The documents that run `a` or `b` (by position) has in its first `cutoff`."""
        documents, ranks = zip(*(_to_rank(self.runs[run], cutoff) for run in (a, b)), strict=True)
        both = np.sort(np.concatenate(documents), kind="stable")  # far faster than `np.unique`
        both = both[np.append(True, both[1:] != both[:-1])[: len(both)]]
        rank_a, rank_b = np.full((2, len(both)), np.inf)
        rank_a[np.searchsorted(both, documents[0])] = ranks[0]
        rank_b[np.searchsorted(both, documents[1])] = ranks[1]
        return PairRanks(both, self.query[both], self.grade[both], rank_a, rank_b)


def _to_rank(run: tuple[I64, I64], cutoff: int | None) -> tuple[I64, I64]:
    documents, ranks = run
    if cutoff is None:
        return run
    inside = ranks <= cutoff
    return documents[inside], ranks[inside]


def retrieved(
    runs: Sequence[Run], qrels: Qrels, qids: Sequence[str], depth: int | None = None
) -> Retrieved:
    """Number the documents that runs retrieve for `qids`, down to a rank (None: all).

    A run that does not answer a query has an empty ranking there. Documents are told apart by
    their ids, not by a hash.
    """
    queries, ranks, columns = [], [], []
    for given in runs:
        run = ties.settled(given)
        own = numbers_among(run.qids, qids)
        answered = np.flatnonzero(own >= 0)
        starts, lengths = run.starts[own[answered]], run.lengths[own[answered]]
        if depth is not None:
            lengths = np.minimum(lengths, depth)
        rows = ids.ranges(starts, lengths)
        queries.append(np.repeat(answered, lengths))
        ranks.append(rows - np.repeat(starts, lengths) + 1)
        columns.append(ids.take(run.docnos, rows))
    query, docnos = np.concatenate(queries), ids.concatenated(columns)
    order = ids.order_ascending(query, docnos)
    another = np.ones(len(order), bool)
    another[1:] = (query[order[1:]] != query[order[:-1]]) | ~ids.equal(
        docnos, order[1:], docnos, order[:-1]
    )
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(another) - 1
    first = order[another]
    ends = np.cumsum([len(rank) for rank in ranks])[:-1]
    of_runs = []
    for documents, rank in zip(np.split(number, ends), ranks, strict=True):
        ascending = np.argsort(documents)
        of_runs.append((documents[ascending], rank[ascending]))
    own_docnos = ids.take(docnos, first)
    grade = grades_of(tuple(qids), query[first], own_docnos, qrels)
    return Retrieved(tuple(qids), query[first], own_docnos, grade, tuple(of_runs))


def grades_of(qids: tuple[str, ...], query: I64, docnos: pa.Array, qrels: Qrels) -> F64:
    """The grade of each document by a qrels, NaN without one: float64 (d); `query` ascends."""
    lengths = np.bincount(query, minlength=len(qids))
    documents = Run(
        path="",
        tag="",
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos,
        scores=np.zeros(len(query)),
        warnings=(),
    )
    grade = np.full(len(query), np.nan)
    if len(query):
        marked = qrels.memo("marked keys", lambda: MarkedKeys(qrels.keys, qrels.by_key))
        lists = numbers_among(qids, qrels.qids)
        rows, judgments = join(documents, marked, qrels.docnos, qrels.row_query, lists)
        grade[rows] = qrels.grades[judgments]
    return grade
