"""Precision and recall at a rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from evalstore.measures.judged import F64, I64, Hits, Judged, Subtopics, accumulate, places, ratio
from evalstore.measures.notation import levels as levels_named
from evalstore.measures.registry import (
    MULT,
    RANK,
    RANK_REQUIRED,
    RECALL,
    REL,
    TREC_CUTOFFS,
    Cutoff,
    Parameter,
    TrecName,
    measure,
)

at_rank = partial(measure, parameters=(REL,), cutoff=RANK_REQUIRED)
MULTIPLES = tuple(f"{i / 5:.2f}" for i in range(1, 11))


def _relevant_in_top(judged: Judged, rel: float, cutoff: int) -> I64:
    """Relevant documents in the first `cutoff`, per query."""
    hits = judged.hits(rel)
    return judged.count_by_query(hits.query[hits.rank <= cutoff])


@at_rank(
    name="P",
    title="Precision at k",
    advice="Use it if people see a fixed number of results. Their order does not count, and "
    "with fewer than k relevant documents 1 is out of reach.",
    formula="relevant in the first k / k",
    source="trec_eval m_P.c; divided by k even if fewer documents were retrieved",
    trec=(TrecName("P", "P@{}", TREC_CUTOFFS),),
    aliases=("Precision",),
)
def precision(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the first k documents that is relevant."""
    return _relevant_in_top(judged, rel, cutoff) / cutoff


@at_rank(
    name="R",
    title="Recall at k",
    advice="Use it for a first stage that another ranks again. It needs nearly complete judgments.",
    formula="relevant in the first k / R",
    source="trec_eval m_recall.c",
    trec=(TrecName("recall", "R@{}", TREC_CUTOFFS),),
    aliases=("Recall",),
)
def recall(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the relevant documents found in the first k."""
    return ratio(_relevant_in_top(judged, rel, cutoff), judged.hits(rel).total)


@at_rank(
    name="RelP",
    title="Relative precision at k",
    advice="Use it as P@k if queries have fewer than k relevant documents.",
    formula="relevant in the first k / min(k, R)",
    source="trec_eval m_rel_P.c",
    trec=(TrecName("relative_P", "RelP@{}", TREC_CUTOFFS),),
    ideal=1.0,
)
def relative_precision(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Precision at k as a share of the best that the query allows."""
    return ratio(_relevant_in_top(judged, rel, cutoff), np.minimum(judged.hits(rel).total, cutoff))


BETA = Parameter("beta", 1, "how much more recall weighs than precision", above=0, most=1e6)


@at_rank(
    name="F",
    title="F at k",
    advice="Use it to weigh precision against recall. A beta above 1 favours recall.",
    formula="(1 + beta^2) x P x R / (beta^2 x P + R), P = P@k, R = R@k; 0 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    parameters=(BETA, REL),
)
def f_at(judged: Judged, *, cutoff: int, rel: float, beta: float) -> F64:
    """The weighted harmonic mean of precision and recall at k."""
    p = precision(judged, cutoff=cutoff, rel=rel)
    r = recall(judged, cutoff=cutoff, rel=rel)
    return ratio((1 + beta**2) * p * r, beta**2 * p + r)


@at_rank(
    name="E",
    title="E at k (van Rijsbergen's effectiveness)",
    advice="Use it to compare with older work: it is 1 - F.",
    formula="1 - (1 + b^2) / (b^2 / R + 1 / P), P = P@k, R = R@k; 1 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    parameters=(
        Parameter("b", 1, "how much more recall weighs than precision", above=0, most=1e6),
        REL,
    ),
    higher_is_better=False,
)
def e_at(judged: Judged, *, cutoff: int, rel: float, b: float) -> F64:
    """One minus the F measure at k."""
    return np.asarray(1 - f_at(judged, cutoff=cutoff, rel=rel, beta=b))


@at_rank(
    name="Success",
    title="Success at k",
    advice="Use it if one good answer is enough.",
    formula="1 if a relevant document is in the first k, else 0",
    source="trec_eval m_success.c",
    trec=(TrecName("success", "Success@{}", ("1", "5", "10")),),
    ideal=1.0,
)
def success(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Whether a relevant document is among the first k."""
    return (_relevant_in_top(judged, rel, cutoff) > 0).astype(np.float64)


@measure(
    name="Rprec",
    title="R-precision",
    advice="Use it to compare engines query by query: every query can reach 1, and precision "
    "equals recall.",
    formula="relevant in the first R / R; with mult=x P@k, k = floor(x x R + 0.9)",
    source="Buckley and Voorhees, TREC book, 2005; trec_eval m_Rprec.c, m_Rprec_mult.c",
    parameters=(REL, MULT),
    trec=(TrecName("Rprec", "Rprec"), TrecName("Rprec_mult", "Rprec(mult={})", MULTIPLES)),
    aliases=("RPrec",),
    ideal=1.0,
)
def r_precision(judged: Judged, *, cutoff: None, rel: float, mult: float) -> F64:
    """Precision at rank R, the number of relevant documents of the query."""
    hits = judged.hits(rel)
    cut = rank_at_multiple(judged, hits.total, mult)
    inside = hits.rank <= cut[hits.query]
    return ratio(judged.count_by_query(hits.query[inside]), cut)


def rank_at_multiple(judged: Judged, total: F64, mult: float) -> F64:
    """The rank at a multiple of R, for some numbers R of relevant documents: float64."""
    wanted = mult * total + 0.9
    return np.floor(np.round(wanted, 9) if judged.compat == "exact" else wanted)  # as in _needed


@measure(
    name="IPrec",
    title="Interpolated precision at a recall level",
    advice="Use it at the 11 levels 0.0, 0.1, ..., 1.0 to draw a recall-precision curve.",
    formula="max of P@i over ranks i with at least ceil(r x R) relevant documents found; 0 if "
    "there is none",
    source="Manning et al., Introduction to Information Retrieval, 8.4; "
    "trec_eval m_iprec_at_recall.c",
    parameters=(REL,),
    cutoff=RECALL,
    trec=(TrecName("iprec_at_recall", "IPrec@{}", tuple(f"{i / 10:.2f}" for i in range(11))),),
    ideal=1.0,
)
def interpolated_precision(judged: Judged, *, cutoff: float, rel: float) -> F64:
    """The highest precision at or beyond the rank where recall reaches the level."""
    return interpolated(judged, cutoff, rel)


def interpolated(judged: Judged, level: float, rel: float) -> F64:
    """Interpolated precision at one recall level, per query."""
    hits = judged.hits(rel)
    envelope = judged.memo(("envelope", rel), lambda: _envelope(hits))
    needed = np.maximum(_needed(judged, hits.total, level), 1)
    reached = needed <= hits.retrieved
    before = np.cumsum(hits.retrieved) - hits.retrieved
    value = np.zeros(len(judged))
    value[reached] = envelope[(before + needed - 1)[reached]]
    return value


def _needed(judged: Judged, total: F64, level: float) -> I64:
    """The number of relevant documents at the recall level."""
    wanted = level * total
    if judged.compat == "trec_eval-9":
        return (wanted + 0.9).astype(np.int64)
    if judged.compat == "trec_eval-10":
        return np.floor(wanted + 0.5).astype(np.int64)
    # 0.7 x 3 is 2.0999999999999996 and 0.28 x 25 is 7.000000000000001 as doubles: the product is
    # first rounded to the decimal that it represents.
    return np.ceil(np.round(wanted, 9)).astype(np.int64)


def _envelope(hits: Hits) -> F64:
    """For each hit the highest precision at it or any later hit of its query."""
    last_first = hits.query.max(initial=0) - hits.query[::-1]
    return accumulate(np.maximum, last_first, (hits.found / hits.rank)[::-1])[::-1]


# Average precision and its relatives

LEVELS = tuple(i / 10 for i in range(11))
of_average = partial(measure, family="average precision", parameters=(REL,))
EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


def _average(judged: Judged, cutoff: int | None, rel: float) -> tuple[Hits, F64]:
    """The sum per query of the precisions at the relevant documents in the first `cutoff`."""
    hits = judged.hits(rel)
    at_hits = hits.found / hits.rank
    if cutoff is not None:
        at_hits = at_hits * (hits.rank <= cutoff)
    return hits, judged.sum_by_query(hits.query, at_hits)


@of_average(
    name="AP",
    title="Average precision",
    advice="Use it as the one figure for a whole ranking with binary relevance. Its mean over "
    "queries is MAP. norm='found' rewards an engine that finds less.",
    formula="sum over relevant retrieved (in the first k) of P@rank / R; see norm=",
    source="trec_eval m_map.c and m_map_cut.c, which divide by all R also at a cutoff",
    parameters=(
        REL,
        Parameter(
            "norm",
            "all",
            "divisor of the sum: R ('all'), min(R, k) ('min') or the relevant found ('found')",
            kind="text",
            choices=("all", "min", "found"),
        ),
    ),
    cutoff=RANK,
    trec=(TrecName("map_cut", "AP@{}", TREC_CUTOFFS), TrecName("map", "AP")),
    aliases=("MAP",),
    ideal=1.0,
)
def average_precision(judged: Judged, *, cutoff: int | None, rel: float, norm: str) -> F64:
    """The mean of the precisions at the relevant documents; one not retrieved counts 0."""
    hits, total = _average(judged, cutoff, rel)
    if norm == "all":
        return ratio(total, hits.total)
    if norm == "min":
        return ratio(total, hits.total if cutoff is None else np.minimum(hits.total, cutoff))
    inside = hits.rank <= (np.inf if cutoff is None else cutoff)
    return ratio(total, judged.count_by_query(hits.query[inside]))


@of_average(
    name="GMAP",
    title="Average precision, geometric mean",
    advice="Use it if the worst queries matter; the floor weighs heavily.",
    formula="AP per query; over queries exp(mean(ln(max(AP, 0.00001))))",
    source="Robertson, CIKM 2006; trec_eval m_gm_map.c",
    aggregate="geometric mean",
    trec=(TrecName("gm_map", "GMAP"),),
    ideal=1.0,
)
def geometric_average_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision, whose mean over queries is a geometric one."""
    hits, total = _average(judged, None, rel)
    return ratio(total, hits.total)


@of_average(
    name="APseen",
    title="Average precision at seen relevant documents",
    advice="Use it for how early an engine brings relevant documents; those never found do not "
    "count.",
    formula="mean of P@rank over the relevant documents retrieved",
    source="Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 1999, 3.2.1",
    cutoff=Cutoff("rank", required=False, doc="only the first k relevant documents retrieved"),
    ideal=1.0,
)
def average_precision_seen(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """The mean of the precisions at the relevant documents retrieved."""
    hits = judged.hits(rel)
    seen = hits.found <= (np.inf if cutoff is None else cutoff)
    total = judged.sum_by_query(hits.query, hits.found / hits.rank * seen)
    return ratio(total, judged.count_by_query(hits.query[seen]))


@of_average(
    name="11ptAP",
    title="Eleven-point average precision",
    advice="Use it to compare with older work; AP is finer.",
    formula="mean of IPrec@r over r = 0.0, 0.1, ..., 1.0",
    source="Manning et al., Introduction to Information Retrieval, 8.4; trec_eval m_11pt_avg.c",
    parameters=(
        REL,
        Parameter("levels", LEVELS, "other recall levels to average over", kind="levels"),
    ),
    trec=(TrecName("11pt_avg", "11ptAP", arguments=levels_named),),
    ideal=1.0,
)
def eleven_point(judged: Judged, *, cutoff: None, rel: float, levels: tuple[float, ...]) -> F64:
    """Interpolated precision averaged over the eleven recall levels."""
    total = np.zeros(len(judged))
    for level in sorted(levels, reverse=True):  # the order in which trec_eval adds
        total += interpolated(judged, level, rel)
    return total / len(levels)


@of_average(
    name="infAP",
    from_hits=False,
    title="Inferred average precision",
    advice="Use it if only a sample of the pool was judged, and the rest has a negative grade.",
    formula="mean over R of, at each relevant document retrieved at rank k: 1/k + (k-1)/k x "
    "(share of the documents above in the pool) x (share of the judged ones above that are "
    "relevant, smoothed by 0.00001)",
    source="Yilmaz and Aslam, CIKM 2006; trec_eval m_infap.c",
    trec=(TrecName("infAP", "infAP"),),
    monotone=False,
)
def inferred_average_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision estimated from a judged sample of the pool."""
    hits = judged.hits(rel)
    above = hits.rank - 1.0
    pooled = judged.pooled_so_far()[hits.row] - 1.0
    judged_above = judged.judged_so_far()[hits.row] - 1.0
    relevant = hits.found - 1.0
    in_pool = ratio(pooled, above)
    precise = (relevant + EPSILON) / (judged_above + 2 * EPSILON)
    expected = 1 / hits.rank + above / hits.rank * in_pool * precise
    return ratio(judged.sum_by_query(hits.query, expected), hits.total)


# The rank of the first relevant document


@measure(
    name="RR",
    family="reciprocal rank",
    title="Reciprocal rank",
    advice="Use it if one right answer is sought. Its mean over queries is MRR, which is "
    "noisy: rank 2 loses half.",
    formula="1 / rank of the first relevant document (in the first k); 0 if there is none",
    source="trec_eval m_recip_rank.c",
    parameters=(REL,),
    cutoff=RANK,
    trec=(TrecName("recip_rank", "RR"),),
    aliases=("MRR",),
    ideal=1.0,
)
def reciprocal_rank(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """One over the rank of the first relevant document."""
    hits = judged.hits(rel)
    first = hits.found == 1
    if cutoff is not None:
        first &= hits.rank <= cutoff
    value = np.zeros(len(judged))
    value[hits.query[first]] = 1 / hits.rank[first]
    return value


# Averages over judgment groups: several judges judged the same query, and each weighs alike. A
# measure is computed with the judgments of each group alone, as if it were the qrels, and averaged
# over the groups of a query; then over queries. After trec_eval's `*_avgjg`.

group_measure = partial(measure, family="judgment groups", needs=("judgment_groups",))


@dataclass(frozen=True, eq=False)
class GroupHits:
    """The relevant documents retrieved of each judgment group, at one relevance level.

    Attributes:
        owner: int64 (g), the query of each group; every group of any judgment counts.
        relevant: float64 (g), R: the relevant documents of each group.
        group: int64, one per hit, ascending.
        rank: int64, one per hit, ascending within a group.
    """

    owner: I64
    relevant: F64
    group: I64
    rank: I64

    def per_group(self, group: I64) -> I64:
        """The number of times that each group occurs: int64 (g)."""
        return np.bincount(group, minlength=len(self.owner))


def _hits(judged: Judged, rel: float) -> GroupHits:
    return judged.memo(("hits of groups", rel), lambda: _relevant(judged.judgment_groups, rel))


def _relevant(judgments: Subtopics | None, rel: float) -> GroupHits:
    nothing = np.zeros(0, np.int64)
    if judgments is None:
        return GroupHits(nothing, nothing.astype(np.float64), nothing, nothing)
    _, first, group = np.unique(judgments.subtopic, return_index=True, return_inverse=True)
    relevant = judgments.grade >= rel
    total = np.bincount(group[relevant], minlength=len(first)).astype(np.float64)
    hit = relevant & (judgments.rank > 0)
    order = np.lexsort((judgments.rank[hit], group[hit]))
    return GroupHits(judgments.query[first], total, group[hit][order], judgments.rank[hit][order])


def _averaged(judged: Judged, hits: GroupHits, values: F64) -> F64:
    """The mean over the groups of each query; 0 for a query without any."""
    return ratio(judged.sum_by_query(hits.owner, values), judged.count_by_query(hits.owner))


@group_measure(
    name="GroupAP",
    title="Average precision, averaged over judgment groups",
    advice="Use it as AP if several people judged each query. A judge without relevant "
    "documents counts as 0; AP_IA leaves that one out.",
    formula="mean over judgment groups of AP with the judgments of the group",
    source="trec_eval m_map_avgjg.c",
    parameters=(REL,),
    trec=(TrecName("map_avgjg", "GroupAP"),),
)
def group_ap(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision averaged over the judges of the query."""
    hits = _hits(judged, rel)
    precise = places(hits.group, hits.per_group(hits.group)) / hits.rank
    total = np.bincount(hits.group, precise, minlength=len(hits.owner))
    return _averaged(judged, hits, ratio(total, hits.relevant))


@group_measure(
    name="GroupP",
    title="Precision at k, averaged over judgment groups",
    advice="Use it as P@k if several people judged each query.",
    formula="mean over judgment groups of P@k with the judgments of the group",
    source="trec_eval m_P_avgjg.c",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("P_avgjg", "GroupP@{}", TREC_CUTOFFS),),
)
def group_p(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Precision at k averaged over the judges of the query."""
    hits = _hits(judged, rel)
    inside = hits.per_group(hits.group[hits.rank <= cutoff])
    return _averaged(judged, hits, inside / cutoff)


@group_measure(
    name="GroupRprec",
    title="R-precision, averaged over judgment groups",
    advice="Use it as Rprec if several people judged each query.",
    formula="mean over judgment groups of Rprec(mult) with the judgments of the group",
    source="trec_eval m_Rprec_mult_avgjg.c",
    parameters=(REL, MULT),
    trec=(TrecName("Rprec_mult_avgjg", "GroupRprec(mult={})", MULTIPLES),),
)
def group_rprec(judged: Judged, *, cutoff: None, rel: float, mult: float) -> F64:
    """R-precision averaged over the judges of the query."""
    hits = _hits(judged, rel)
    cut = rank_at_multiple(judged, hits.relevant, mult)
    inside = hits.per_group(hits.group[hits.rank <= cut[hits.group]])
    return _averaged(judged, hits, ratio(inside, cut))
