"""The judged documents of one run as flat arrays: all that a measure sees."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Compat = Literal["exact", "trec_eval-9", "trec_eval-10"]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Hits:
    """The relevant documents a run retrieved, at one relevance level.

    Attributes:
        query: int64, the query of each hit, ascending.
        rank: int64, its rank, ascending within a query.
        found: int64, how many relevant documents stand at this rank or above: 1, 2, 3, ...
        total: float64, one per query: R, the relevant documents of the qrels.
        retrieved: int64, one per query: how many hits it has.
    """

    query: I64
    rank: I64
    found: I64
    total: F64
    retrieved: I64


@dataclass(frozen=True, eq=False)
class Judged:
    """One run held against one qrels; m judged documents retrieved, q queries evaluated.

    Built once by `evalstore.judging.judge` and shared by all measures. What several measures need
    is computed at the first asking and kept (`memo`).

    Attributes:
        qids: the queries evaluated, sorted by bytes.
        query: int64 (m), index into `qids`, ascending.
        rank: int64 (m), from 1, ascending within a query.
        grade: float64 (m); negative means in the pool but not judged.
        score: float64 (m), what the engine gave.
        retrieved: int64 (q), the length of each ranking; 0 where the run did not answer.
        answered: bool (q), whether the run has the query.
        pool_query: int64 (p), the query of every judgment of the qrels, ascending.
        pool_grade: float64 (p), its grade, descending within a query.
        highest_grade: the highest grade of the whole qrels, at least 0.
        compat: which release of trec_eval to agree with where they differ.
    """

    qids: tuple[str, ...]
    query: I64
    rank: I64
    grade: F64
    score: F64
    retrieved: I64
    answered: Bool
    pool_query: I64
    pool_grade: F64
    highest_grade: float
    compat: Compat = "exact"
    _kept: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """How many queries."""
        return len(self.qids)

    def memo(self, key: Hashable, build: Callable[[], T]) -> T:
        """What `build` gives, computed at the first asking for `key`."""
        if key not in self._kept:
            self._kept[key] = build()
        return cast(T, self._kept[key])

    def sum_by_query(self, query: I64, weights: F64) -> F64:
        """Sum `weights` per query, one after the other in the order given: float64 (q)."""
        return np.bincount(query, weights, minlength=len(self)).astype(np.float64)

    def count_by_query(self, query: I64) -> I64:
        """How often each query occurs: int64 (q)."""
        return np.bincount(query, minlength=len(self))

    def hits(self, rel: float) -> Hits:
        """The relevant documents retrieved, relevant meaning grade >= `rel`."""
        return self.memo(("hits", rel), lambda: self._hits(rel))

    def _hits(self, rel: float) -> Hits:
        relevant = self.grade >= rel
        query, rank = self.query[relevant], self.rank[relevant]
        retrieved = self.count_by_query(query)
        total = self.count_by_query(self.pool_query[self.pool_grade >= rel]).astype(np.float64)
        return Hits(query, rank, places(query, retrieved), total, retrieved)

    def pool_places(self) -> I64:
        """The place, from 1, of each judgment in its query's ideal ranking: int64 (p)."""
        count = self.count_by_query(self.pool_query)
        return self.memo("pool places", lambda: places(self.pool_query, count))


def places(query: I64, lengths: I64) -> I64:
    """1, 2, 3, ... within each query; `query` ascending, `lengths` how often each occurs."""
    before = np.cumsum(lengths) - lengths
    return np.arange(1, len(query) + 1) - before[query]


def ratio(numerator: npt.NDArray[np.number], denominator: npt.NDArray[np.number]) -> F64:
    """The quotient, and 0 where the denominator is 0: float64."""
    top = numerator.astype(np.float64)
    bottom = denominator.astype(np.float64)
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
