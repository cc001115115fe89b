"""The order of the judged documents compared with the ideal one, the best grade first."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import F64, I64, Judged, count_so_far, places, ratio
from evalstore.measures.registry import REL, Parameter, measure


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

    At the first bit that differs, the lower grade has a 0 and the higher a 1. So among documents of
    one query that agree in all higher bits, count the zeros above each one. As many rounds as bits.
    """
    query, level, size = _levels(judged)
    total = np.zeros(len(judged))
    for bit in reversed(range(max(size - 1, 0).bit_length())):
        group = query * (size + 1) + (level >> (bit + 1))
        order = np.argsort(group, kind="stable")
        _, dense, members = np.unique(group[order], return_inverse=True, return_counts=True)
        higher = ((level[order] >> bit) & 1).astype(bool)
        zeros = count_so_far(dense, members, ~higher).astype(np.float64)
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
    from_hits=False,
    title="Inversions",
    advice="Use it for short, fully judged rankings; between queries compare KendallTau.",
    formula="pairs of judged documents retrieved in which the lower grade comes first",
    source="Kendall, Biometrika 1938 (the discordant pairs)",
    bounds=(0.0, np.inf),
    higher_is_better=False,
    counts=True,
    ideal=0.0,
)
def inversions(judged: Judged, *, cutoff: None) -> F64:
    """Number of pairs of documents in the wrong order."""
    return _inversions(judged)


@measure(
    name="KendallTau",
    from_hits=False,
    title="Kendall's tau against the ideal order",
    advice="Use it for the order as a whole; bottom and top weigh alike.",
    formula="(C - D) / (C + D) over pairs of judged documents retrieved that differ in grade: C "
    "with the higher grade first, D with the lower; 0 if there are none",
    source="Kendall, Biometrika 1938; pairs of equal grade left out (Goodman and Kruskal's gamma)",
    bounds=(-1.0, 1.0),
)
def kendall_tau(judged: Judged, *, cutoff: None) -> F64:
    """Agreement of the ranking with the order of the grades: 1 wholly, -1 reversed."""
    pairs = _pairs(judged)
    return ratio(pairs - 2 * _inversions(judged), pairs)


@measure(
    name="RankScore",
    title="Rank score (half-life utility)",
    advice="Use it for recommendation lists.",
    formula="sum over relevant retrieved of 2^-((rank - 1) / half_life), over the same for the R "
    "relevant documents at ranks 1 to R",
    source="Breese et al., UAI 1998, whose half-life is one rank longer",
    parameters=(
        Parameter("half_life", 5, "after how many ranks interest has halved", above=0, most=1e6),
        REL,
    ),
    ideal=1.0,
)
def rank_score(judged: Judged, *, cutoff: None, rel: float, half_life: float) -> F64:
    """Relevant documents, discounted by a half-life in ranks, as a share of the best possible."""
    hits = judged.hits(rel)
    interest = judged.sum_by_query(hits.query, np.exp2((1 - hits.rank) / half_life))
    position = judged.pool.places()[judged.pool.grade >= rel]
    query = judged.pool.query[judged.pool.grade >= rel]
    return ratio(interest, judged.sum_by_query(query, np.exp2((1 - position) / half_life)))


@measure(
    name="Compat",
    title="Compatibility with the ideal rankings",
    advice="Use it if grades say which documents a reader should see first. p = 0.95 looks "
    "at about 20 ranks.",
    formula="the highest RBO of the ranking with a ranking of the documents of grade above 0 by "
    "grade (equal grades in any order): sum over depths i of p^(i - 1) x documents common to the "
    "first i of both / i, over the same for the ideal ranking with itself (normalize=False: over "
    "the sum of p^(i - 1)); i to the end of the longer of the two",
    source="Clarke et al., TOIS 2021; ir_measures (Compat), which orders equal scores by "
    "document id ascending and gives documents not retrieved score 0",
    parameters=(
        Parameter("p", 0.95, "how likely the reader goes on to the next depth", above=0, below=1),
        Parameter("normalize", True, "let the ideal ranking reach 1", kind="flag"),
    ),
    ideal=1.0,
)
def compatibility(judged: Judged, *, cutoff: None, p: float, normalize: bool) -> F64:
    """Closeness of the ranking to the ideal one most like it, the top weighing most."""
    gaining = judged.grade > 0
    query, rank, grade = judged.query[gaining], judged.rank[gaining], judged.grade[gaining]
    ideal_query = judged.pool.query[judged.pool.grade > 0]
    ideal = judged.count_by_query(ideal_query)
    depth = np.maximum(judged.retrieved, ideal)
    # The addend of a document that is common to both rankings from depth m on: the sum of
    # p^(i - 1) / i from m to the end, which is down_to[end] - down_to[m - 1].
    depths = np.arange(1, depth.max(initial=0) + 1)
    down_to = np.append(0.0, np.cumsum(np.power(p, depths - 1.0) / depths))

    def common_from(query: I64, first: I64) -> F64:
        return judged.sum_by_query(query, down_to[depth[query]] - down_to[first - 1])

    value = common_from(query, np.maximum(rank, _ideal_places(judged, query, grade)))
    if normalize:
        return ratio(value, common_from(ideal_query, places(ideal_query, ideal)))
    return ratio(value, (1 - np.power(p, depth)) / (1 - p))


def _ideal_places(judged: Judged, query: I64, grade: F64) -> I64:
    """The places, from 1, of retrieved documents in the ideal ranking most like the run: int64.

    Behind all documents of higher grades, and among those of their own in the order of the run.
    `query` is ascending and ranks ascend within it.
    """
    pool = judged.pool.grade > 0
    levels = np.unique(judged.pool.grade[pool])[::-1]  # best first
    size = len(levels) + 1
    # Groups of one query and one grade, best first: numbers that ascend in the pool's order.
    pool_group = judged.pool.query[pool] * size + np.searchsorted(-levels, -judged.pool.grade[pool])
    group = query * size + np.searchsorted(-levels, -grade)
    first = np.searchsorted(pool_group, group) - np.searchsorted(pool_group, query * size)
    order = np.argsort(group, kind="stable")
    within = np.empty(len(group), np.int64)
    _, lengths = np.unique(group, return_counts=True)
    within[order] = places(np.repeat(np.arange(len(lengths)), lengths), lengths)
    return np.asarray(first + within, np.int64)
