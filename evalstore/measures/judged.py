"""The judged documents of one run as flat arrays: the input of every measure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, cast

import numpy as np

from evalstore.measures.pool import Pool
from evalstore.measures.preference_groups import QueryPreferences
from evalstore.measures.segments import F64, I64, Bool, count_so_far, places

CompatMode = Literal["exact", "trec_eval-9", "trec_eval-10"]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Hits:
    """The relevant documents a run retrieved, at one relevance level.

    Attributes:
        row: int64, where each hit stands in the arrays of `Judged`, ascending.
        query: int64, the query of each hit, ascending.
        rank: int64, its rank, ascending within a query.
        found: int64, how many relevant documents stand at this rank or above: 1, 2, 3, ...
        total: float64, one per query: R, the relevant documents of the qrels.
        retrieved: int64, one per query: how many hits it has.
    """

    row: I64
    query: I64
    rank: I64
    found: I64
    total: F64
    retrieved: I64


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which retrieved and judged documents are relevant to which aspect of their query.

    One row per judgment of a document for a subtopic, sorted by query and document. Judgments by
    judgment group (who judged) have the same form.

    Attributes:
        query: int64, index into the queries of `Judged`, ascending.
        document: int64, numbers the documents of all queries; of two of a query, the one whose
            docno is lower as bytes has the lower number. Ascending.
        subtopic: int64, numbers the subtopics of all queries.
        grade: float64.
        rank: int64, of the document in the run; 0 where it was not retrieved.
    """

    query: I64
    document: I64
    subtopic: I64
    grade: F64
    rank: I64


@dataclass(frozen=True, eq=False)
class Judged:
    """One run joined to one qrels; m judged documents retrieved, q queries evaluated.

    Built once by `measures.matching.match` and shared by all measures. Arrays that several
    measures need are computed at first use and kept (`memo`). Facts beside the run and the qrels
    are None unless given; a measure names those that it requires in its descriptor (`needs`).

    Attributes:
        qids: the queries evaluated, sorted by bytes.
        query: int64 (m), index into `qids`, ascending.
        rank: int64 (m), from 1, ascending within a query.
        grade: float64 (m); negative means in the pool but not judged.
        score: float64 (m), what the engine gave.
        retrieved: int64 (q), the length of each ranking; 0 where the run did not answer.
        answered: bool (q), whether the run has the query.
        pool: every judgment of the qrels (p), the same object for several runs.
        highest_grade: the highest grade of the whole qrels, at least 0.
        compat: which release of trec_eval to agree with where they differ.
        collection_size: how many documents the collection has.
        distinct: how many different documents the run retrieved for the queries evaluated.
        known: bool (m), whether the user knew the document before.
        pool_known: bool (p), the same for every judgment of the pool.
        times: float64 (q), milliseconds each query took; NaN where not measured.
        index_bytes: the size of the engine's index.
        memory_bytes: the most memory that the engine used.
        money, currency: what all queries of the run together cost.
        energy_joules: the energy that all queries of the run together took.
        run_queries: how many queries the run answers, those without judgments included.
        subtopics: the judgments by subtopic.
        judgment_groups: the judgments by judgment group, in place of the subtopic.
        preferences: the preferences between documents, for each query.
    """

    qids: tuple[str, ...]
    query: I64
    rank: I64
    grade: F64
    score: F64
    retrieved: I64
    answered: Bool
    pool: Pool
    highest_grade: float
    compat: CompatMode = "exact"
    collection_size: int | None = None
    distinct: int | None = None
    known: Bool | None = None
    pool_known: Bool | None = None
    times: F64 | None = None
    index_bytes: int | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    run_queries: int = 0
    subtopics: Subtopics | None = None
    judgment_groups: Subtopics | None = None
    preferences: tuple[QueryPreferences, ...] | None = None
    _kept: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """How many queries."""
        return len(self.qids)

    def memo(self, key: Hashable, build: Callable[[], T]) -> T:
        """The result of `build`, computed at the first call for `key`."""
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
        row = np.flatnonzero(self.grade >= rel)
        query = self.query[row]
        retrieved = self.count_by_query(query)
        total = self.pool.relevant(rel)
        return Hits(row, query, self.rank[row], places(query, retrieved), total, retrieved)

    def pooled_so_far(self) -> I64:
        """For each row, how many documents of the qrels, judged or not, stand there or above."""
        return self.memo(
            "pooled so far", lambda: places(self.query, self.count_by_query(self.query))
        )

    def judged_so_far(self) -> I64:
        """For each row, how many judged documents (grade >= 0) stand at its rank or above."""
        return self.memo(
            "judged so far",
            lambda: count_so_far(self.query, self.count_by_query(self.query), self.grade >= 0),
        )

    def cut(self, depth: int) -> Judged:
        """The same with every ranking cut after `depth` documents (trec_eval -M)."""
        kept = self.rank <= depth
        cut = self._with(kept, self.rank[kept], np.minimum(self.retrieved, depth))
        preferences = self.preferences
        if preferences is not None:
            preferences = tuple(replace(q, rank=_cut(q.rank, depth)) for q in preferences)
        return replace(
            cut,
            subtopics=_cut_judgments(self.subtopics, depth),
            judgment_groups=_cut_judgments(self.judgment_groups, depth),
            preferences=preferences,
        )

    def condensed(self) -> Judged:
        """The same with only judged documents left in the rankings (trec_eval -J).

        Documents outside the qrels and those of negative grade go; the others move up. In each
        judgment group its own judgments decide. Preferences stay: they are between judged
        documents, whose order does not change.
        """

        def build() -> Judged:
            kept = self.grade >= 0
            lengths = self.count_by_query(self.query[kept])
            rank = places(self.query[kept], lengths)
            subtopics, groups = self.subtopics, self.judgment_groups
            return replace(
                self._with(kept, rank, lengths),
                subtopics=None if subtopics is None else self._moved(subtopics, kept, rank),
                judgment_groups=None if groups is None else _condensed_groups(groups),
            )

        return self.memo("condensed", build)

    def _with(self, kept: Bool, rank: I64, retrieved: I64) -> Judged:
        """The kept rows at new ranks."""
        return replace(
            self,
            query=self.query[kept],
            rank=rank,
            grade=self.grade[kept],
            score=self.score[kept],
            retrieved=retrieved,
            known=None if self.known is None else self.known[kept],
            _kept={},
        )

    def _moved(self, subtopics: Subtopics, kept: Bool, rank: I64) -> Subtopics:
        """The judgments by subtopic at the new ranks of their documents; 0 for those not kept."""
        # (query, old rank) names a row of the run.
        span = int(max(self.rank.max(initial=0), subtopics.rank.max(initial=0))) + 1
        names = self.query[kept] * span + self.rank[kept]
        wanted = subtopics.query * span + subtopics.rank
        at = np.searchsorted(names, wanted)
        is_kept = at < len(names)
        is_kept[is_kept] = names[at[is_kept]] == wanted[is_kept]
        moved = np.zeros_like(subtopics.rank)
        moved[is_kept] = rank[at[is_kept]]
        return replace(subtopics, rank=moved)


def _cut(rank: I64, depth: int) -> I64:
    """The ranks, 0 (not retrieved) for those beyond a depth."""
    return np.where(rank <= depth, rank, 0)


def _cut_judgments(judgments: Subtopics | None, depth: int) -> Subtopics | None:
    """Judgments by subtopic or judgment group, those beyond a depth not retrieved."""
    if judgments is None:
        return None
    return replace(judgments, rank=_cut(judgments.rank, depth))


def _condensed_groups(groups: Subtopics) -> Subtopics:
    """Judgments by group, the documents of each ranked among those that the group judged."""
    rank = np.zeros_like(groups.rank)
    rows = np.flatnonzero((groups.rank > 0) & (groups.grade >= 0))
    rows = rows[np.lexsort((groups.rank[rows], groups.subtopic[rows]))]
    group = groups.subtopic[rows]
    rank[rows] = places(group, np.bincount(group))
    return replace(groups, rank=rank)
