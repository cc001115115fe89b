"""Averages over judgment groups: several judges judged the same query, and each weighs alike.

A measure is computed with the judgments of each group alone, as if it were the qrels, and averaged
over the groups of a query; then over queries. After trec_eval's `*_avgjg`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalstore.measures.judged import Judged, Subtopics
from evalstore.measures.precision import rank_at_multiple
from evalstore.measures.registry import (
    MULT,
    RANK_REQUIRED,
    REL,
    TREC_CUTOFFS,
    TrecName,
    measure,
)
from evalstore.measures.segments import F64, I64, places, ratio

NEEDS = ("judgment_groups",)


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
        """How often each group occurs: int64 (g)."""
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


@measure(
    name="GroupAP",
    title="Average precision, averaged over judgment groups",
    advice="Use it as AP where several people judged each query and need not agree. A judge who "
    "found nothing relevant counts as 0; AP_IA leaves that one out.",
    formula="mean over judgment groups of AP with the judgments of the group",
    source="trec_eval m_map_avgjg.c (map_avgjg)",
    parameters=(REL,),
    trec=(TrecName("map_avgjg", "GroupAP"),),
    needs=NEEDS,
)
def group_ap(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision averaged over the judges of the query."""
    hits = _hits(judged, rel)
    precise = places(hits.group, hits.per_group(hits.group)) / hits.rank
    total = np.bincount(hits.group, precise, minlength=len(hits.owner))
    return _averaged(judged, hits, ratio(total, hits.relevant))


@measure(
    name="GroupP",
    title="Precision at k, averaged over judgment groups",
    advice="Use it as P@k where several people judged each query and need not agree.",
    formula="mean over judgment groups of P@k with the judgments of the group",
    source="trec_eval m_P_avgjg.c (P_avgjg_k)",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("P_avgjg", "GroupP@{}", TREC_CUTOFFS),),
    needs=NEEDS,
)
def group_p(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Precision at k averaged over the judges of the query."""
    hits = _hits(judged, rel)
    inside = hits.per_group(hits.group[hits.rank <= cutoff])
    return _averaged(judged, hits, inside / cutoff)


@measure(
    name="GroupRprec",
    title="R-precision, averaged over judgment groups",
    advice="Use it as Rprec where several people judged each query and need not agree.",
    formula="mean over judgment groups of Rprec with the judgments of the group; with mult=x of "
    "Rprec(mult=x)",
    source="trec_eval m_Rprec_mult_avgjg.c (Rprec_mult_avgjg_x)",
    parameters=(REL, MULT),
    trec=(
        TrecName(
            "Rprec_mult_avgjg",
            "GroupRprec(mult={})",
            tuple(f"{i / 5:.2f}" for i in range(1, 11)),
        ),
    ),
    needs=NEEDS,
)
def group_rprec(judged: Judged, *, cutoff: None, rel: float, mult: float) -> F64:
    """R-precision averaged over the judges of the query."""
    hits = _hits(judged, rel)
    cut = rank_at_multiple(judged, hits.relevant, mult)
    inside = hits.per_group(hits.group[hits.rank <= cut[hits.group]])
    return _averaged(judged, hits, ratio(inside, cut))
