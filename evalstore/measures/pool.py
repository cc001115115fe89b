"""The judgments of a qrels as the measures use them, one object for all runs of the qrels."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from evalstore.measures.segments import F64, I64, places

T = TypeVar("T")

MOST_KEPT = 64
"""Results that are kept: a server keeps a pool for hours, and is asked for any parameters."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Every judgment of the queries evaluated; p judgments, q queries.

    What follows from the judgments alone is computed at first use and kept (`memo`), so that it is
    computed once for all runs. Nobody changes an array of it.

    Attributes:
        queries: q.
        query: int64 (p), the number of the query of each judgment, ascending.
        grade: float64 (p), its grade, descending within a query; negative means in the pool but
            not judged.
    """

    queries: int
    query: I64
    grade: F64
    _kept: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    def memo(self, key: Hashable, build: Callable[[], T]) -> T:
        """The result of `build`, computed at the first call for `key`."""
        result = self._kept.get(key)  # one access: another thread may clear them at any time
        if result is None:
            result = build()
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = result
        return cast(T, result)

    def count(self) -> I64:
        """How many judgments each query has: int64 (q)."""
        return self.memo("count", lambda: np.bincount(self.query, minlength=self.queries))

    def relevant(self, rel: float) -> F64:
        """R of each query, its judgments of grade `rel` or above: float64 (q)."""

        def build() -> F64:
            relevant = self.query[self.grade >= rel]
            return np.bincount(relevant, minlength=self.queries).astype(np.float64)

        return self.memo(("relevant", rel), build)

    def nonrelevant(self, rel: float) -> I64:
        """N of each query, its judgments of grades from 0 to below `rel`: int64 (q)."""

        def build() -> I64:
            judged = (self.grade >= 0) & (self.grade < rel)
            return np.bincount(self.query[judged], minlength=self.queries)

        return self.memo(("nonrelevant", rel), build)

    def places(self) -> I64:
        """The place, from 1, of each judgment in its query's ideal ranking: int64 (p)."""
        return self.memo("places", lambda: places(self.query, self.count()))

    def highest(self) -> F64:
        """The highest grade of each query, at least 0: float64 (q)."""

        def build() -> F64:
            first = self.places() == 1
            highest = np.zeros(self.queries)
            highest[self.query[first]] = np.maximum(self.grade[first], 0)
            return highest

        return self.memo("highest", build)
