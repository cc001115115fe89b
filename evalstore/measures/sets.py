"""The retrieved documents as a set, without their order."""

from __future__ import annotations

from evalstore.measures.judged import F64, Judged, ratio
from evalstore.measures.registry import REL, Parameter, TrecName, measure


@measure(
    name="SetP",
    title="Set precision",
    advice="Use it for engines that return a set (Boolean search, filters). With rankings cut at a "
    "fixed depth it says more of the depth than of the engine.",
    formula="relevant retrieved / retrieved",
    source="trec_eval m_set_P.c (set_P)",
    parameters=(REL,),
    trec=(TrecName("set_P", "SetP"),),
    rank_sensitive=False,
)
def set_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of all retrieved documents that is relevant."""
    return ratio(judged.hits(rel).retrieved, judged.retrieved)


@measure(
    name="SetR",
    title="Set recall",
    advice="Use it for the whole answer of an engine; at a common depth, R@k compares better.",
    formula="relevant retrieved / R",
    source="trec_eval m_set_recall.c (set_recall)",
    parameters=(REL,),
    trec=(TrecName("set_recall", "SetR"),),
    rank_sensitive=False,
)
def set_recall(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents that was retrieved at all."""
    hits = judged.hits(rel)
    return ratio(hits.retrieved, hits.total)


@measure(
    name="SetF",
    title="Set F",
    advice="Use it when a set must be both precise and complete. A beta above 1 weighs recall.",
    formula="(1 + beta^2) x P x R / (beta^2 x P + R), P = SetP, R = SetR; 0 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7; trec_eval m_set_F.c, whose "
    "parameter x is beta squared",
    parameters=(
        Parameter("beta", 1, "how much more recall weighs than precision", above=0, most=1e6),
        REL,
    ),
    trec=(TrecName("set_F", "SetF"),),
    rank_sensitive=False,
)
def set_f(judged: Judged, *, cutoff: None, rel: float, beta: float) -> F64:
    """The weighted harmonic mean of set precision and set recall."""
    hits = judged.hits(rel)
    p, r = ratio(hits.retrieved, judged.retrieved), ratio(hits.retrieved, hits.total)
    return ratio((1 + beta**2) * p * r, beta**2 * p + r)
