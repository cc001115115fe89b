"""Precision and recall at a rank."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Hits, Judged
from evalstore.measures.registry import (
    MULT,
    RANK_REQUIRED,
    RECALL,
    REL,
    TREC_CUTOFFS,
    Parameter,
    TrecName,
    measure,
)
from evalstore.measures.segments import F64, I64, accumulate, ratio


def _relevant_in_top(judged: Judged, rel: float, cutoff: int) -> I64:
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
    aliases=("Precision",),
)
def precision(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the first k documents that is relevant."""
    return _relevant_in_top(judged, rel, cutoff) / cutoff


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
    aliases=("Recall",),
)
def recall(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the relevant documents found in the first k."""
    return ratio(_relevant_in_top(judged, rel, cutoff), judged.hits(rel).total)


@measure(
    name="RelP",
    title="Relative precision at k",
    advice="Use it as P@k where queries have fewer than k relevant documents: 1 is always within "
    "reach.",
    formula="relevant in the first k / min(k, R)",
    source="trec_eval m_rel_P.c (relative_P_k)",
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
    trec=(TrecName("relative_P", "RelP@{}", TREC_CUTOFFS),),
    ideal=1.0,
)
def relative_precision(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Precision at k as a share of the best that the query allows."""
    return ratio(_relevant_in_top(judged, rel, cutoff), np.minimum(judged.hits(rel).total, cutoff))


BETA = Parameter("beta", 1, "how much more recall weighs than precision", above=0, most=1e6)


@measure(
    name="F",
    title="F at k",
    advice="Use it to weigh precision and recall at a fixed number of results against each other. "
    "A beta above 1 weighs recall.",
    formula="(1 + beta^2) x P x R / (beta^2 x P + R), P = P@k, R = R@k; 0 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    parameters=(BETA, REL),
    cutoff=RANK_REQUIRED,
)
def f_at(judged: Judged, *, cutoff: int, rel: float, beta: float) -> F64:
    """The weighted harmonic mean of precision and recall at k."""
    p = precision(judged, cutoff=cutoff, rel=rel)
    r = recall(judged, cutoff=cutoff, rel=rel)
    return ratio((1 + beta**2) * p * r, beta**2 * p + r)


@measure(
    name="E",
    title="E at k (van Rijsbergen's effectiveness)",
    advice="Use it to compare with older work; it is 1 - F. Texts differ on what a b above 1 "
    "favours: by this formula it weighs recall.",
    formula="1 - (1 + b^2) / (b^2 / R + 1 / P), P = P@k, R = R@k; 1 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7; Baeza-Yates and Ribeiro-Neto, "
    "Modern Information Retrieval, 1999, 3.2.2, where the words on b and the formula disagree",
    parameters=(
        Parameter("b", 1, "how much more recall weighs than precision", above=0, most=1e6),
        REL,
    ),
    cutoff=RANK_REQUIRED,
    higher_is_better=False,
)
def e_at(judged: Judged, *, cutoff: int, rel: float, b: float) -> F64:
    """One minus the F measure at k; lower is better."""
    return np.asarray(1 - f_at(judged, cutoff=cutoff, rel=rel, beta=b))


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
    return (_relevant_in_top(judged, rel, cutoff) > 0).astype(np.float64)


@measure(
    name="Rprec",
    title="R-precision",
    advice="Use it to compare engines query by query: the cutoff moves with the number of "
    "relevant documents, so every query can reach 1. Precision and recall are equal there. With "
    "mult= the cutoff is a multiple of R.",
    formula="relevant in the first R / R; with mult=x P@k at the rank k = x x R rounded up (by the "
    "rule floor(x x R + 0.9))",
    source="Buckley and Voorhees, TREC book, 2005; trec_eval m_Rprec.c, m_Rprec_mult.c",
    parameters=(
        REL,
        MULT,
    ),
    trec=(
        TrecName("Rprec", "Rprec"),
        TrecName("Rprec_mult", "Rprec(mult={})", tuple(f"{i / 5:.2f}" for i in range(1, 11))),
    ),
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
    """How many relevant documents make the recall level."""
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
