"""Counts of documents, judgments and queries."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import REL, Cutoff, Parameter, TrecName, measure
from evalstore.measures.segments import F64, ratio

UNBOUNDED = (0.0, np.inf)


@measure(
    name="NumQ",
    title="Queries",
    advice="Use it to see over how many queries a mean was taken.",
    formula="1 for each query evaluated",
    source="trec_eval m_num_q.c (num_q)",
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_q", "NumQ"),),
    rank_sensitive=False,
    condensable=False,
)
def num_q(judged: Judged, *, cutoff: None) -> F64:
    """How many queries were evaluated."""
    return np.ones(len(judged))


@measure(
    name="NumRet",
    title="Documents retrieved",
    advice="Use it to see whether engines were cut at the same depth.",
    formula="documents in the ranking",
    source="trec_eval m_num_ret.c (num_ret)",
    parameters=(Parameter("rel", None, "NumRelRet with that rel", above=0, becomes="NumRelRet"),),
    bounds=UNBOUNDED,
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_ret", "NumRet"),),
    rank_sensitive=False,
)
def num_ret(judged: Judged, *, cutoff: None, rel: None) -> F64:
    """How many documents were retrieved."""
    return judged.retrieved.astype(np.float64)


@measure(
    name="NumRel",
    title="Relevant documents",
    advice="Use it to know the query: with few relevant documents every measure jumps.",
    formula="R, the judged documents of the query with a grade of at least rel",
    source="trec_eval m_num_rel.c (num_rel)",
    parameters=(REL,),
    bounds=UNBOUNDED,
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_rel", "NumRel"),),
    rank_sensitive=False,
    condensable=False,
)
def num_rel(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How many documents of the qrels are relevant."""
    return judged.hits(rel).total


@measure(
    name="NumRelRet",
    title="Relevant documents retrieved",
    advice="Use it beside NumRel: it is recall before the division.",
    formula="relevant documents in the ranking",
    source="trec_eval m_num_rel_ret.c (num_rel_ret)",
    parameters=(REL,),
    bounds=UNBOUNDED,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_rel_ret", "NumRelRet"),),
    rank_sensitive=False,
)
def num_rel_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How many relevant documents were retrieved."""
    return judged.hits(rel).retrieved.astype(np.float64)


@measure(
    name="NumNonrelRet",
    from_hits=False,
    title="Judged nonrelevant documents retrieved",
    advice="Use it beside NumRet and NumRelRet: what is left of the ranking was never judged.",
    formula="documents in the ranking with a grade from 0 to below rel",
    source="trec_eval m_num_nonrel_judged_ret.c (num_nonrel_judged_ret)",
    parameters=(REL,),
    bounds=UNBOUNDED,
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_nonrel_judged_ret", "NumNonrelRet"),),
    rank_sensitive=False,
)
def num_nonrel_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How many documents judged as not relevant were retrieved."""
    nonrelevant = (judged.grade >= 0) & (judged.grade < rel)
    return judged.count_by_query(judged.query[nonrelevant]).astype(np.float64)


OF_RANKING = Cutoff("rank", required=False, doc="the first k documents; without it the ranking")


def _judged_at(judged: Judged, cutoff: int | None) -> F64:
    graded = judged.grade >= 0
    if cutoff is not None:
        graded &= judged.rank <= cutoff
    return judged.count_by_query(judged.query[graded]).astype(np.float64)


@measure(
    name="Judged",
    from_hits=False,
    title="Judged at k",
    advice="Look at it before believing P@k or nDCG@k: an engine whose documents nobody judged "
    "looks worse than it is. (ir_measures divides by the documents returned where they are fewer "
    "than k, and counts negative grades as judged.)",
    formula="documents with a grade of at least 0 in the first k / k",
    source="the complement of trec_eval's unj_k for rankings of at least k documents",
    cutoff=OF_RANKING,
    higher_is_better=None,
    condensable=False,
)
def judged_at(judged: Judged, *, cutoff: int | None) -> F64:
    """The share of the first k documents that has a judgment."""
    seen = _judged_at(judged, cutoff)
    return ratio(seen, judged.retrieved) if cutoff is None else seen / cutoff


@measure(
    name="Unjudged",
    from_hits=False,
    title="Unjudged at k",
    advice="Look at it before believing P@k or nDCG@k: a high value is a red flag. A ranking of "
    "fewer than k documents counts as if judged documents filled it up.",
    formula="documents in the first k without a grade of at least 0 / k",
    source="trec_eval m_unjudged.c (unj_k)",
    cutoff=OF_RANKING,
    higher_is_better=None,
    trec=(TrecName("unj", "Unjudged@{}", ("5", "10", "20")),),
    condensable=False,
)
def unjudged_at(judged: Judged, *, cutoff: int | None) -> F64:
    """The share of the first k documents that has no judgment."""
    seen = _judged_at(judged, cutoff)
    if cutoff is None:
        return ratio(judged.retrieved - seen, judged.retrieved)
    return np.asarray((np.minimum(judged.retrieved, cutoff) - seen) / cutoff)
