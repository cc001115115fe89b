"""Graded relevance: gains, discounted by rank."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import F64, I64, Judged, ratio
from evalstore.measures.registry import RANK, TREC_CUTOFFS, Parameter, TrecName, measure

GRADED_REL = Parameter("rel", 0, "grades below it gain nothing; by default no positive grade does")


def _gains(grade: F64, rel: float) -> F64:
    """The grade itself, and 0 where it is negative or below `rel`."""
    return np.where(grade >= rel, np.maximum(grade, 0.0), 0.0)


def _discounted(judged: Judged, query: I64, place: I64, gain: F64, cutoff: int | None) -> F64:
    """The sum per query of gain / log2(place + 1), of the first `cutoff` places."""
    terms = gain / np.log2(place + 1.0)
    if cutoff is not None:
        terms = np.where(place <= cutoff, terms, 0.0)
    return judged.sum_by_query(query, terms)


@measure(
    name="nDCG",
    title="Normalised discounted cumulative gain",
    advice="Use it at a cutoff (nDCG@10) when judgments are graded and the top of the list "
    "matters. Other tools may use the gain 2^g - 1: say which, the figures differ much.",
    formula="DCG / ideal DCG, DCG = sum over ranks i (to k) of grade / log2(i + 1); the ideal "
    "ranks all judged documents of the query by grade",
    source="Jarvelin and Kekalainen, TOIS 2002; trec_eval m_ndcg.c, m_ndcg_cut.c",
    parameters=(GRADED_REL,),
    cutoff=RANK,
    trec=(TrecName("ndcg_cut", "nDCG@{}", TREC_CUTOFFS), TrecName("ndcg", "nDCG")),
    ideal=1.0,
)
def ndcg(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """The discounted gain of the ranking as a share of the best possible."""
    gain = _gains(judged.grade, rel)
    ideal = _gains(judged.pool_grade, rel)
    return ratio(
        _discounted(judged, judged.query, judged.rank, gain, cutoff),
        _discounted(judged, judged.pool_query, judged.pool_places(), ideal, cutoff),
    )
