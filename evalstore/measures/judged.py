"""The judged documents of one run as flat arrays: the input of every measure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from graphlib import TopologicalSorter
from itertools import pairwise
from operator import or_
from typing import Literal, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

CompatMode = Literal["exact", "trec_eval-9", "trec_eval-10"]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Hits:
    """The relevant documents a run retrieved, at one relevance level.

    Attributes:
        row: int64, the index of each hit in the arrays of `Judged`, ascending.
        query, rank: int64, of each hit; ascending, ranks within a query.
        found: int64, how many relevant documents stand at this rank or above: 1, 2, 3, ...
        total: float64, one per query: R, the relevant documents of the qrels.
        retrieved: int64, one per query: its number of hits.
    """

    row: I64
    query: I64
    rank: I64
    found: I64
    total: F64
    retrieved: I64


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judgments of documents for subtopics, or judgment groups, sorted by query and document.

    Attributes:
        query: int64, index into the queries of `Judged`, ascending.
        document: int64, numbers the documents of all queries; of two of a query, the one whose
            docno is lower as bytes has the lower number. Ascending.
        subtopic: int64, numbers the subtopics of all queries.
        rank: int64, of the document in the run; 0 if it was not retrieved.
    """

    query: I64
    document: I64
    subtopic: I64
    grade: F64
    rank: I64


@dataclass(frozen=True, eq=False)
class Judged:
    """One run joined to one qrels; m judged documents retrieved, q queries evaluated.

    Built once by `measures.join.match` and shared by all measures. Arrays that several measures
    need are computed at first use (`memo`). Facts beside the run and the qrels are None unless
    given; a measure names those that it requires in its descriptor (`needs`).

    Attributes:
        qids: the queries evaluated, sorted by bytes.
        query: int64 (m), index into `qids`, ascending.
        rank: int64 (m), from 1, ascending within a query.
        grade: float64 (m); negative means in the pool but not judged.
        score: float64 (m), of the engine.
        retrieved: int64 (q), the length of each ranking; 0 if the run did not answer.
        answered: bool (q), whether the run has the query.
        pool: every judgment of the qrels (p), the same object for several runs.
        highest_grade: the highest grade of the whole qrels, at least 0.
        compat: the release of trec_eval to agree with if they differ.
        collection_size, index_bytes, memory_bytes, money, currency, energy_joules: as in `Extras`.
        distinct: how many different documents the run retrieved for the queries evaluated.
        known: bool (m), whether the user knew the document before.
        pool_known: bool (p), the same for every judgment of the pool.
        times: float64 (q), milliseconds each query took; NaN if not measured.
        run_queries: how many queries the run answers, those without judgments included.
        subtopics, judgment_groups, preferences: those of the queries evaluated.
        strata: int64 (m), the stratum of each, numbered as in `pool`; None if it has none.
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
    strata: I64 | None = None
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.qids)

    def memo(self, key: Hashable, build: Callable[[], T]) -> T:
        """The result of `build`, computed at the first call for `key`."""
        if key not in self._memo:
            self._memo[key] = build()
        return cast(T, self._memo[key])

    def sum_by_query(self, query: I64, weights: F64) -> F64:
        """Sum `weights` per query, one after the other in the order given: float64 (q)."""
        return np.bincount(query, weights, minlength=len(self)).astype(np.float64)

    def count_by_query(self, query: I64) -> I64:
        """The number of times that each query occurs: int64 (q)."""
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
        """For each row, the number of documents of the qrels, judged or not, there or above."""
        return self.memo(
            "pooled so far", lambda: places(self.query, self.count_by_query(self.query))
        )

    def judged_so_far(self) -> I64:
        """For each row, the number of judged documents (grade >= 0) at its rank or above."""
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
        """The same with only judged documents (grade >= 0) in the rankings (trec_eval -J).

        In each judgment group its own judgments decide. Preferences stay: they are between judged
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
        return replace(
            self,
            query=self.query[kept],
            rank=rank,
            grade=self.grade[kept],
            score=self.score[kept],
            retrieved=retrieved,
            known=None if self.known is None else self.known[kept],
            strata=None if self.strata is None else self.strata[kept],
            _memo={},
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
    return np.where(rank <= depth, rank, 0)


def _cut_judgments(judgments: Subtopics | None, depth: int) -> Subtopics | None:
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


# Arrays with one stretch per query: places, running sums, quotients; without a loop over queries

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


def places(query: I64, lengths: I64) -> I64:
    """1, 2, 3, ... within each query; `query` ascending, `lengths` the number of rows of each."""
    before = np.cumsum(lengths) - lengths
    return np.arange(1, len(query) + 1) - before[query]


def count_so_far(query: I64, lengths: I64, counted: Bool) -> I64:
    """For each row, how many rows of its query, up to this one, have `counted` set: int64."""
    so_far = np.cumsum(counted)
    before: I64 = np.append(0, so_far)[np.cumsum(lengths) - lengths]
    return so_far - before[query]


def accumulate(combine: np.ufunc, query: I64, values: F64) -> F64:
    """`combine.accumulate` (running sum, product, maximum) within each query: float64.

    `query` ascending. One running sum over everything, less the sum before each query, would round
    a query by the values of its neighbours. So queries of like length (the same power of two)
    become the rows of one padded table, which at most doubles the data, and each row runs alone.
    """
    result = np.empty(len(values))
    lengths = np.bincount(query)
    starts = np.cumsum(lengths) - lengths
    sizes = np.frexp(lengths.astype(np.float64))[1]
    for size in set(sizes[lengths > 0].tolist()):
        rows = np.flatnonzero((sizes == size) & (lengths > 0))
        width = np.arange(int(lengths[rows].max()))
        inside = width < lengths[rows, None]
        at = (starts[rows, None] + width)[inside]
        table = np.zeros(inside.shape)
        table[inside] = values[at]
        result[at] = combine.accumulate(table, axis=1)[inside]
    return result


def ratio(numerator: npt.NDArray[np.number], denominator: npt.NDArray[np.number]) -> F64:
    """The quotient, or 0 if the denominator is 0: float64."""
    top = numerator.astype(np.float64)
    bottom = denominator.astype(np.float64)
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)


# The judgments of a qrels, one object for all runs

MOST_KEPT = 64
"""Results in memory: a server holds a pool for hours, for any parameters."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Every judgment of the queries evaluated; p judgments, q queries. Its arrays never change.

    Attributes:
        queries: q.
        query: int64 (p), the number of the query of each judgment, ascending.
        grade: float64 (p), its grade, descending within a query; negative means in the pool but
            not judged.
        stratum: int64 (p), numbers the strata of all queries, those of a query by their names as
            bytes; None without a sample.
    """

    queries: int
    query: I64
    grade: F64
    stratum: I64 | None = None
    _memo: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    def memo(self, key: Hashable, build: Callable[[], T]) -> T:
        """The result of `build`, computed at the first call for `key`."""
        result = self._memo.get(key)  # one access: another thread may clear them at any time
        if result is None:
            result = build()
            if len(self._memo) >= MOST_KEPT:
                self._memo.clear()
            self._memo[key] = result
        return cast(T, result)

    def count(self) -> I64:
        """The number of judgments of each query: int64 (q)."""
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


# Preferences between the documents of a query. Documents are numbered from 0 within a query, and a
# set of documents is a whole number whose bit i stands for document i. So the documents that one
# document is preferred to are one number, and counting takes a few operations per document, not one
# per pair.

Scope = Literal["all", "either", "both"]
Levels = Sequence[Sequence[int]]
"""Documents by level, the most preferred first."""


class Share(NamedTuple):
    """Preferences that a ranking fulfils, and those that it could."""

    fulfilled: int
    possible: int


class Counts(NamedTuple):
    """The preferences of a group, by how many of their two documents were retrieved."""

    both: Share
    one: Share
    neither: int

    def share(self, scope: Scope) -> Share:
        """The preferences with both documents retrieved, with either of them, or all."""
        if scope == "both":
            return self.both
        fulfilled = self.both.fulfilled + self.one.fulfilled
        possible = self.both.possible + self.one.possible
        return Share(fulfilled, possible + (self.neither if scope == "all" else 0))


@dataclass(frozen=True, eq=False)
class PreferenceGroup:
    """The preferences of one judgment group.

    Attributes:
        below: for each document of the query, the documents it is preferred to.
        above: for each document, the documents preferred to it.
        relevant, nonrelevant: the documents of a level above 0, and of level 0.
        in_one_order: whether the group has one subgroup, so that its levels order all of it.
    """

    below: Sequence[int]
    above: Sequence[int]
    relevant: int
    nonrelevant: int
    in_one_order: bool


@dataclass(frozen=True, eq=False)
class QueryPreferences:
    """The preferences of a query, and the ranks of its documents in a run.

    Attributes:
        rank: int64, of each document in the run; 0 if it was not retrieved.
        groups: the judgment groups, by name as bytes.
    """

    rank: I64
    groups: tuple[PreferenceGroup, ...]

    @cached_property
    def order(self) -> list[int]:
        """The documents by rank; those not retrieved follow by number."""
        by_rank: list[int] = np.lexsort((self.rank, self.rank == 0)).tolist()
        return by_rank

    @cached_property
    def retrieved(self) -> int:
        """The documents retrieved."""
        return as_set(np.flatnonzero(self.rank).tolist())

    def counts(self, group: PreferenceGroup, kept: int = -1) -> Counts:
        """Count the preferences of a group between the documents `kept` (-1: all)."""
        retrieved, seen = self.retrieved, 0
        both = one = both_fulfilled = one_fulfilled = neither = 0
        for document in self.order:
            bit = 1 << document
            seen |= bit
            below = group.below[document] & kept
            if not below or not bit & kept:
                continue
            below_retrieved = below & retrieved
            if bit & retrieved:
                both += below_retrieved.bit_count()
                both_fulfilled += (below_retrieved & ~seen).bit_count()
                one_fulfilled += (below & ~retrieved).bit_count()
            else:
                one += below_retrieved.bit_count()
                neither += (below & ~retrieved).bit_count()
        return Counts(
            Share(both_fulfilled, both), Share(one_fulfilled, one_fulfilled + one), neither
        )

    def first(self, documents: int, count: int) -> int:
        """Of a set of documents, the first `count` by rank, those not retrieved last."""
        members = [document for document in self.order if documents >> document & 1]
        return as_set(members[:count])


def as_set(documents: Iterable[int]) -> int:
    """Some documents as a set."""
    return reduce(or_, (1 << document for document in documents), 0)


def group_of(size: int, subgroups: Sequence[Levels], nonrelevant: int) -> PreferenceGroup:
    """The judgment group of subgroups without contradictions; `nonrelevant` have level 0."""
    members = as_set(doc for levels in subgroups for level in levels for doc in level)
    reversed_subgroups = [levels[::-1] for levels in subgroups]
    return PreferenceGroup(
        below=_reach(size, subgroups),
        above=_reach(size, reversed_subgroups),
        relevant=members & ~nonrelevant,
        nonrelevant=nonrelevant,
        in_one_order=len(subgroups) == 1,
    )


def _reach(size: int, subgroups: Sequence[Levels]) -> list[int]:
    """For each document, those of lower levels, through any number of subgroups."""
    reach = [0] * size
    if len(subgroups) == 1:
        lower = 0
        for level in reversed(subgroups[0]):
            for document in level:
                reach[document] = lower
            lower |= as_set(level)
        return reach
    # Between two levels of a subgroup there is a step: documents lead to the step below them, and
    # a step leads to the documents below it.
    leads_to: dict[Hashable, list[Hashable]] = {}
    for number, levels in enumerate(subgroups):
        for step, (better, worse) in enumerate(pairwise(levels)):
            leads_to[number, step] = list(worse)
            for document in better:
                leads_to.setdefault(document, []).append((number, step))
    below_step: dict[Hashable, int] = {}
    for node in TopologicalSorter(leads_to).static_order():
        after = leads_to.get(node, ())
        if isinstance(node, int):
            reach[node] = reduce(or_, (below_step[step] for step in after), 0)
        else:
            documents = [document for document in after if isinstance(document, int)]
            below = (reach[document] for document in documents)
            below_step[node] = reduce(or_, below, as_set(documents))
    return reach


def of_grades(ranked: Sequence[float], missed: Sequence[float]) -> QueryPreferences:
    """The preferences of a query's grades: one group, higher preferred; `ranked` by rank."""
    grades = np.array([*ranked, *missed], np.float64)
    levels = [np.flatnonzero(grades == grade).tolist() for grade in np.unique(grades)[::-1]]
    nonrelevant = as_set(np.flatnonzero(grades == 0).tolist())
    rank = np.zeros(len(grades), np.int64)
    rank[: len(ranked)] = np.arange(1, len(ranked) + 1)
    groups = (group_of(len(grades), [levels], nonrelevant),) if levels else ()
    return QueryPreferences(rank, groups)


def ties_ascending(query: I64, rank: I64, score: F64) -> I64:
    """The ranks of documents, equal scores by id ascending as in form_prefs_counts.c: int64."""
    ranks = np.empty_like(rank)
    ranks[np.lexsort((-rank, -score, query))] = rank[np.lexsort((rank, query))]
    return ranks


# Pairs that several groups judge


class Pairs(NamedTuple):
    """Pairs of documents with a preference in some group, by how many were retrieved.

    `both` and `one` are the sum over pairs of the share of the groups that agree with the ranking.
    """

    both: float
    one: float
    both_pairs: int
    one_pairs: int
    neither_pairs: int


def pairs(query: QueryPreferences) -> Pairs:
    """The agreement of the ranking with the groups, pair by pair."""
    both = one = 0.0
    both_pairs = one_pairs = neither_pairs = seen = 0
    groups, retrieved = query.groups, query.retrieved
    for document in query.order:
        seen |= 1 << document
        below = reduce(or_, (group.below[document] for group in groups), 0) & ~seen
        above = reduce(or_, (group.above[document] for group in groups), 0) & ~seen
        judged = below | above
        if not retrieved >> document & 1:
            neither_pairs += judged.bit_count()
            continue
        both_pairs += (judged & retrieved).bit_count()
        one_pairs += (judged & ~retrieved).bit_count()
        agreed, disputed = below & ~above, below & above
        both += (agreed & retrieved).bit_count() + _agreement(
            groups, document, disputed & retrieved
        )
        one += (agreed & ~retrieved).bit_count() + _agreement(
            groups, document, disputed & ~retrieved
        )
    return Pairs(both, one, both_pairs, one_pairs, neither_pairs)


def _agreement(groups: Sequence[PreferenceGroup], document: int, others: int) -> float:
    """The sum over others, on which groups disagree, of the share that prefers the document."""
    total = 0.0
    while others:
        other = others.bit_length() - 1
        others ^= 1 << other
        better = sum(group.below[document] >> other & 1 for group in groups)
        worse = sum(group.above[document] >> other & 1 for group in groups)
        total += better / (better + worse)
    return total
