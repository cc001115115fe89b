"""Preferences between the documents of a query, and how many of them a ranking fulfils.

Documents are numbered from 0 within a query, and a set of documents is a whole number whose bit i
stands for document i. So the documents that one document is preferred to are one number, and
counting takes a few operations per document, not one per pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from graphlib import TopologicalSorter
from itertools import pairwise
from operator import or_
from typing import Literal, NamedTuple

import numpy as np

from evalstore.measures.segments import F64, I64

Scope = Literal["all", "either", "both"]
Levels = Sequence[Sequence[int]]
"""Documents by level, the most preferred first."""


class Share(NamedTuple):
    """Preferences fulfilled, and those that could be."""

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
        relevant: the documents of a level above 0.
        nonrelevant: the documents of level 0.
        in_one_order: whether the group has one subgroup, so that its levels order all of it.
    """

    below: Sequence[int]
    above: Sequence[int]
    relevant: int
    nonrelevant: int
    in_one_order: bool


@dataclass(frozen=True, eq=False)
class QueryPreferences:
    """The preferences of a query, and how a run ranks its documents.

    Attributes:
        rank: int64, of each document in the run; 0 where it was not retrieved.
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
    """The judgment group of some subgroups, each of them an order of some documents.

    Args:
        size: how many documents the query has.
        subgroups: without contradictions, as a file of preferences is checked for.
        nonrelevant: the documents of level 0.
    """
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
    """The preferences that the grades of a query make: one group, the higher grade preferred.

    Args:
        ranked: the grades of the judged documents retrieved, by rank.
        missed: the grades of the judged documents that were not retrieved.
    """
    grades = np.array([*ranked, *missed], np.float64)
    levels = [np.flatnonzero(grades == grade).tolist() for grade in np.unique(grades)[::-1]]
    nonrelevant = as_set(np.flatnonzero(grades == 0).tolist())
    rank = np.zeros(len(grades), np.int64)
    rank[: len(ranked)] = np.arange(1, len(ranked) + 1)
    groups = (group_of(len(grades), [levels], nonrelevant),) if levels else ()
    return QueryPreferences(rank, groups)


def ties_ascending(query: I64, rank: I64, score: F64) -> I64:
    """The ranks of some documents where equal scores stand in the other order: int64.

    For preferences trec_eval orders equal scores by document id ascending (form_prefs_counts.c),
    for everything else descending.

    Args:
        query: int64; the query of each document.
        rank: int64; its rank in the usual order.
        score: float64; what the engine gave it.
    """
    ranks = np.empty_like(rank)
    ranks[np.lexsort((-rank, -score, query))] = rank[np.lexsort((rank, query))]
    return ranks


# --- pairs that several groups judge -------------------------------------------------------------


class Pairs(NamedTuple):
    """Pairs of documents with a preference in some group, by how many were retrieved.

    Attributes:
        both, one: the sum over pairs of the share of the groups that agree with the ranking.
        both_pairs, one_pairs, neither_pairs: how many pairs.
    """

    both: float
    one: float
    both_pairs: int
    one_pairs: int
    neither_pairs: int


def pairs(query: QueryPreferences) -> Pairs:
    """How far the ranking agrees with the groups, pair by pair."""
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
