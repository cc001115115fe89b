"""Precision and recall at a rank."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import F64, I64, Hits, Judged, ratio
from evalstore.measures.registry import (
    RANK_REQUIRED,
    RECALL,
    REL,
    TREC_CUTOFFS,
    TrecName,
    measure,
)


def _found(judged: Judged, rel: float, cutoff: int) -> I64:
    """Relevant documents in the first `cutoff`, per query."""
    hits = judged.hits(rel)
    return judged.count_by_query(hits.query[hits.rank <= cutoff])


@measure(
    name="P",
    title="Precision at k",
    advice="Use it where people look at a fixed number of results. It says nothing of their order "
    "within the k, and a query with fewer than k relevant documents can't reach 1.",
    formula="relevant in the first k / k",
    source="trec_eval m_P.c (P_k); divided by k even where fewer documents were retrieved",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("P", "P@{}", TREC_CUTOFFS),),
)
def precision(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the first k documents that is relevant."""
    return _found(judged, rel, cutoff) / cutoff


@measure(
    name="R",
    title="Recall at k",
    advice="Use it for a first stage whose results something else will rank again. It needs "
    "judgments that are nearly complete.",
    formula="relevant in the first k / R",
    source="trec_eval m_recall.c (recall_k)",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("recall", "R@{}", TREC_CUTOFFS),),
)
def recall(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the relevant documents found in the first k."""
    return ratio(_found(judged, rel, cutoff), judged.hits(rel).total)


@measure(
    name="Success",
    title="Success at k",
    advice="Use it where one good answer is enough. It does not tell one from many.",
    formula="1 if a relevant document is in the first k, else 0",
    source="trec_eval m_success.c (success_k)",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("success", "Success@{}", ("1", "5", "10")),),
    ideal=1.0,
)
def success(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Whether a relevant document is among the first k."""
    return (_found(judged, rel, cutoff) > 0).astype(np.float64)


@measure(
    name="Rprec",
    title="R-precision",
    advice="Use it to compare engines query by query: the cutoff moves with the number of "
    "relevant documents, so every query can reach 1. Precision and recall are equal there.",
    formula="relevant in the first R / R",
    source="trec_eval m_Rprec.c; Buckley and Voorhees, TREC book, 2005",
    parameters=(REL,),
    trec=(TrecName("Rprec", "Rprec"),),
    ideal=1.0,
)
def r_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Precision at rank R, the number of relevant documents of the query."""
    hits = judged.hits(rel)
    inside = hits.rank <= hits.total[hits.query]
    return ratio(judged.count_by_query(hits.query[inside]), hits.total)


@measure(
    name="IPrec",
    title="Interpolated precision at a recall level",
    advice="Use it at the 11 levels 0.0, 0.1, ..., 1.0 to draw a recall-precision curve. A single "
    "level is rarely worth quoting.",
    formula="max over ranks i with at least ceil(r x R) relevant documents found of P@i; "
    "0 if there is none",
    source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 8.4; "
    "trec_eval m_iprec_at_recall.c",
    parameters=(REL,),
    cutoff=RECALL,
    trec=(TrecName("iprec_at_recall", "IPrec@{}", tuple(f"{i / 10:.2f}" for i in range(11))),),
    ideal=1.0,
)
def interpolated_precision(judged: Judged, *, cutoff: float, rel: float) -> F64:
    """The highest precision at or beyond the rank where recall reaches the level."""
    hits = judged.hits(rel)
    envelope = judged.memo(("envelope", rel), lambda: _envelope(hits))
    needed = np.maximum(_needed(judged, hits.total, cutoff), 1)
    reached = needed <= hits.retrieved
    before = np.cumsum(hits.retrieved) - hits.retrieved
    value = np.zeros(len(judged))
    value[reached] = envelope[(before + needed - 1)[reached]]
    return value


def _needed(judged: Judged, total: F64, level: float) -> I64:
    """How many relevant documents make the recall level."""
    wanted = level * total
    if judged.compat == "trec_eval-9":
        return (wanted + 0.9).astype(np.int64)
    if judged.compat == "trec_eval-10":
        return np.floor(wanted + 0.5).astype(np.int64)
    # 0.7 x 3 is 2.0999999999999996 and 0.28 x 25 is 7.000000000000001 as doubles: the product of
    # two decimals is first brought back to the decimal it stands for.
    return np.ceil(np.round(wanted, 9)).astype(np.int64)


def _envelope(hits: Hits) -> F64:
    """For each hit the highest precision at it or any later hit of its query.

    A running maximum from the back within each query. Precisions are replaced by their places in
    sorted order, so that the query can be put in front of them without rounding anything.
    """
    precisions = hits.found / hits.rank
    distinct, place = np.unique(precisions, return_inverse=True)
    from_last = (hits.query.max(initial=0) - hits.query) * len(distinct) + place
    best = np.maximum.accumulate(from_last[::-1])[::-1]
    return distinct[best % len(distinct)] if len(distinct) else precisions
