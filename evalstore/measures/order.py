"""The order of the judged documents against the ideal one, where the best grade comes first."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import REL, Parameter, measure
from evalstore.measures.segments import F64, I64, accumulate, ratio


def _levels(judged: Judged) -> tuple[I64, I64, int]:
    """Of the judged documents: the query, the place of the grade on the scale, the scale's size."""

    def build() -> tuple[I64, I64, int]:
        graded = judged.grade >= 0
        scale, level = np.unique(judged.grade[graded], return_inverse=True)
        return judged.query[graded], level.astype(np.int64), len(scale)

    return judged.memo("levels", build)


def _inversions(judged: Judged) -> F64:
    """Pairs of judged documents of a query in which the lower grade comes first."""
    return judged.memo("inversions", lambda: _count_inversions(judged))


def _count_inversions(judged: Judged) -> F64:
    """Counted bit by bit of the grade's place on the scale, from the highest bit down.

    Where two grades first differ, the lower has a 0 and the higher a 1. So among documents of one
    query that agree in all higher bits, count the zeros above each one. As many rounds as bits.
    """
    query, level, size = _levels(judged)
    total = np.zeros(len(judged))
    for bit in reversed(range(max(size - 1, 0).bit_length())):
        group = query * (size + 1) + (level >> (bit + 1))
        order = np.argsort(group, kind="stable")
        _, dense = np.unique(group[order], return_inverse=True)
        higher = ((level[order] >> bit) & 1).astype(bool)
        zeros = accumulate(np.add, dense.astype(np.int64), (~higher).astype(np.float64))
        total += judged.sum_by_query(query[order][higher], zeros[higher])
    return total


def _pairs(judged: Judged) -> F64:
    """Pairs of judged documents of a query that differ in grade."""
    query, level, size = _levels(judged)
    classes, members = np.unique(query * (size + 1) + level, return_counts=True)
    all_pairs = judged.count_by_query(query).astype(np.float64) ** 2
    alike = judged.sum_by_query(classes // (size + 1), members.astype(np.float64) ** 2)
    return np.asarray((all_pairs - alike) / 2)


@measure(
    name="Inversions",
    title="Inversions",
    advice="Use it to see by how many swaps a ranking of few, fully judged documents misses the "
    "ideal. It grows with the square of the ranking's length: compare KendallTau between queries.",
    formula="pairs of judged documents retrieved in which the lower grade comes first",
    source="Kendall, Biometrika 1938 (the discordant pairs)",
    bounds=(0.0, np.inf),
    higher_is_better=False,
    counts=True,
    ideal=0.0,
)
def inversions(judged: Judged, *, cutoff: None) -> F64:
    """How many pairs of documents stand the wrong way round."""
    return _inversions(judged)


@measure(
    name="KendallTau",
    title="Kendall's tau against the ideal order",
    advice="Use it for the order as a whole; it gives the bottom of the list as much weight as the "
    "top.",
    formula="(C - D) / (C + D) over pairs of judged documents retrieved that differ in grade: C "
    "with the higher grade first, D with the lower; 0 if there are none",
    source="Kendall, Biometrika 1938; pairs of equal grade left out (Goodman and Kruskal's gamma)",
    bounds=(-1.0, 1.0),
)
def kendall_tau(judged: Judged, *, cutoff: None) -> F64:
    """How well the ranking agrees with the order of the grades: 1 wholly, -1 reversed."""
    pairs = _pairs(judged)
    return ratio(pairs - 2 * _inversions(judged), pairs)


@measure(
    name="RankScore",
    title="Rank score (half-life utility)",
    advice="Use it for recommendation lists: interest halves every half_life ranks.",
    formula="sum over relevant retrieved of 2^-((rank - 1) / half_life), over the same for the R "
    "relevant documents at ranks 1 to R",
    source="Breese, Heckerman and Kadie, UAI 1998, whose half-life is one rank longer",
    parameters=(
        Parameter("half_life", 5, "after how many ranks interest has halved", above=0, most=1e6),
        REL,
    ),
    ideal=1.0,
)
def rank_score(judged: Judged, *, cutoff: None, rel: float, half_life: float) -> F64:
    """The interest that the relevant documents still meet, as a share of the best possible."""
    hits = judged.hits(rel)
    interest = judged.sum_by_query(hits.query, np.exp2((1 - hits.rank) / half_life))
    position = judged.pool_places()[judged.pool_grade >= rel]
    query = judged.pool_query[judged.pool_grade >= rel]
    return ratio(interest, judged.sum_by_query(query, np.exp2((1 - position) / half_life)))
