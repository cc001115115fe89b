"""Counts of documents: what the other measures are made of."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import F64, Judged
from evalstore.measures.registry import REL, Parameter, TrecName, measure


@measure(
    name="NumRet",
    title="Documents retrieved",
    advice="Use it to see whether engines were cut at the same depth.",
    formula="documents in the ranking (with rel=: those of at least that grade)",
    source="trec_eval m_num_ret.c (num_ret)",
    parameters=(
        Parameter("rel", 0, "count only documents of at least this grade; 0: all", least=0),
    ),
    bounds=(0.0, np.inf),
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_ret", "NumRet"),),
    rank_sensitive=False,
)
def num_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How many documents were retrieved."""
    return (judged.hits(rel).retrieved if rel > 0 else judged.retrieved).astype(np.float64)


@measure(
    name="NumRel",
    title="Relevant documents",
    advice="Use it to know the query: with few relevant documents every measure jumps.",
    formula="R, the judged documents of the query with a grade of at least rel",
    source="trec_eval m_num_rel.c (num_rel)",
    parameters=(REL,),
    bounds=(0.0, np.inf),
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_rel", "NumRel"),),
    rank_sensitive=False,
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
    bounds=(0.0, np.inf),
    aggregate="sum",
    counts=True,
    trec=(TrecName("num_rel_ret", "NumRelRet"),),
    rank_sensitive=False,
)
def num_rel_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How many relevant documents were retrieved."""
    return judged.hits(rel).retrieved.astype(np.float64)
