"""Diversity: the ranking should serve every subtopic (aspect, intent) of a query.

A document is relevant to a subtopic from grade `rel` on; all subtopics with a relevant document
weigh alike. A document for a subtopic already served by n others gains (1 - alpha)^n there.
After ndeval, the program of the TREC Web track's diversity task.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from evalstore.measures.judged import F64, I64, Judged, Subtopics, places, ratio
from evalstore.measures.registry import RANK_REQUIRED, REL, Parameter, measure

ALPHA = Parameter(
    "alpha", 0.5, "how much less a further document for the same subtopic gains", least=0, most=1
)
BETA = Parameter(
    "beta", 0.5, "how likely the reader goes on to the next document", above=0, below=1
)
of_subtopics = partial(measure, needs=("subtopics",))
novelty = partial(of_subtopics, monotone=False)
novelty_at = partial(novelty, parameters=(ALPHA, REL), cutoff=RANK_REQUIRED)
NDEVAL = "ndeval"
Discount = Literal["log2", "reciprocal"]


@dataclass(frozen=True, eq=False)
class Aspects:
    """The (document, subtopic) pairs that are relevant.

    Attributes:
        query, rank, document: int64, one per pair, as in `Subtopics`.
        subtopic: int64, from 0 without gaps over all queries.
        owner: int64, the query of each subtopic.
        size: int64, the relevant documents of each subtopic.
        subtopics: float64, one per query: its subtopics that have a relevant document.
    """

    query: I64
    rank: I64
    document: I64
    subtopic: I64
    owner: I64
    size: I64
    subtopics: F64


def _aspects(judged: Judged, rel: float) -> Aspects:
    nothing = np.zeros(0, np.int64)
    none = Subtopics(nothing, nothing, nothing, nothing.astype(np.float64), nothing)
    subtopics = judged.subtopics or none
    return judged.memo(("aspects", rel), lambda: _relevant(subtopics, rel, len(judged)))


def _relevant(subtopics: Subtopics, rel: float, queries: int) -> Aspects:
    kept = subtopics.grade >= rel
    named = np.stack([subtopics.query[kept], subtopics.subtopic[kept]])
    distinct, subtopic = np.unique(named, axis=1, return_inverse=True)
    subtopic = subtopic.reshape(-1).astype(np.int64)
    owner = distinct[0]
    return Aspects(
        query=subtopics.query[kept],
        rank=subtopics.rank[kept],
        document=subtopics.document[kept],
        subtopic=subtopic,
        owner=owner,
        size=np.bincount(subtopic, minlength=len(owner)),
        subtopics=np.bincount(owner, minlength=queries).astype(np.float64),
    )


def _served(subtopic: I64, rank: I64) -> I64:
    """The number of each pair among the documents for its subtopic, by rank: 1, 2, 3, ..."""
    order = np.lexsort((rank, subtopic))
    at = np.empty(len(subtopic), np.int64)
    at[order] = places(subtopic[order], np.bincount(subtopic))
    return at


def _discount(rank: I64, discount: Discount) -> F64:
    return np.log2(rank + 1.0) if discount == "log2" else rank.astype(np.float64)


def _gained(
    judged: Judged, aspects: Aspects, rank: I64, *, cutoff: int, alpha: float, discount: Discount
) -> F64:
    """The discounted novel gain of documents at these ranks (0: nowhere), per query."""
    seen = rank > 0
    at = rank[seen]
    gain = np.power(1 - alpha, _served(aspects.subtopic[seen], at) - 1.0)
    terms = np.where(at <= cutoff, gain / _discount(at, discount), 0.0)
    return judged.sum_by_query(aspects.query[seen], terms)


def _perfect(aspects: Aspects, cutoff: int, alpha: float, discount: Discount) -> F64:
    """The gain of documents relevant to every subtopic at every rank, per query."""
    rank = np.arange(1, cutoff + 1)
    each = np.power(1 - alpha, rank - 1.0) / _discount(rank, discount)
    return aspects.subtopics * float(np.add.accumulate(each)[-1])


def _ideal_ranks(judged: Judged, rel: float, cutoff: int, alpha: float) -> I64:
    """The rank of each pair's document in a ranking that takes the largest gain at each rank.

    Greedy, as the best ranking is hard to find (it is a set cover); of equal gains the higher docno
    goes first. One round a rank, all queries at once.
    """
    aspects = _aspects(judged, rel)
    rank = np.zeros(len(aspects.query), np.int64)
    if len(rank) == 0:
        return rank
    worth = np.ones(len(aspects.owner))
    _, document = np.unique(aspects.document, return_inverse=True)
    query_of = np.zeros(document.max() + 1, np.int64)
    query_of[document] = aspects.query
    first = np.flatnonzero(np.append(True, query_of[1:] != query_of[:-1]))
    lengths = np.diff(np.append(first, len(query_of)))
    group = np.repeat(np.arange(len(first)), lengths)
    taken = np.zeros(len(query_of), bool)
    for step in range(1, min(cutoff, int(lengths.max())) + 1):
        gain = np.bincount(document, worth[aspects.subtopic], minlength=len(query_of))
        gain[taken] = -1.0
        best = np.maximum.reduceat(gain, first)[group]
        candidates = np.where((gain == best) & ~taken, np.arange(len(query_of)), -1)
        chosen = np.maximum.reduceat(candidates, first)
        chosen = chosen[chosen >= 0]
        taken[chosen] = True
        now = np.zeros(len(query_of), bool)
        now[chosen] = True
        pairs = now[document]
        rank[pairs] = step
        worth[aspects.subtopic[pairs]] *= 1 - alpha
    return rank


def _normal(
    judged: Judged, *, cutoff: int, rel: float, alpha: float, discount: Discount, ideal: bool
) -> F64:
    """Novel gain over that of the ideal ranking, or over that of perfect documents."""
    aspects = _aspects(judged, rel)
    gained = _gained(judged, aspects, aspects.rank, cutoff=cutoff, alpha=alpha, discount=discount)
    if not ideal:
        return ratio(gained, _perfect(aspects, cutoff, alpha, discount))
    key = ("ideal ranks", rel, cutoff, alpha)
    best = judged.memo(key, lambda: _ideal_ranks(judged, rel, cutoff, alpha))
    most = _gained(judged, aspects, best, cutoff=cutoff, alpha=alpha, discount=discount)
    return ratio(gained, most)


@novelty_at(
    name="alpha_nDCG",
    title="Alpha-nDCG at k",
    advice="Use it for diversity. The ideal ranking is found greedily, so a value can exceed 1 "
    "in rare cases.",
    formula="sum over ranks i to k of (sum over its subtopics of (1 - alpha)^n) / log2(i + 1), n "
    "documents above for the same subtopic, over the same for the ideal ranking",
    source="Clarke et al., SIGIR 2008; " + NDEVAL,
    aliases=("α_nDCG",),
    bounds=(0.0, np.inf),
)
def alpha_ndcg(judged: Judged, *, cutoff: int, rel: float, alpha: float) -> F64:
    """Discounted gain that pays for new subtopics, as a share of the ideal."""
    return _normal(judged, cutoff=cutoff, rel=rel, alpha=alpha, discount="log2", ideal=True)


@novelty_at(
    name="alpha_DCG",
    title="Alpha-DCG at k",
    advice="Use it as alpha_nDCG, but with a fixed ideal for all queries.",
    formula="as alpha_nDCG, over the same for k documents relevant to every subtopic",
    source="Clarke et al., SIGIR 2008; " + NDEVAL,
    aliases=("α_DCG",),
)
def alpha_dcg(judged: Judged, *, cutoff: int, rel: float, alpha: float) -> F64:
    """Discounted gain that pays for new subtopics, as a share of what perfect documents would."""
    return _normal(judged, cutoff=cutoff, rel=rel, alpha=alpha, discount="log2", ideal=False)


@novelty_at(
    name="ERR_IA",
    title="Intent-aware expected reciprocal rank at k",
    advice="Use it for diversity if one good document per intent ends the search.",
    formula="as alpha_DCG, with i in place of log2(i + 1)",
    source="Chapelle et al., CIKM 2009; " + NDEVAL,
)
def err_ia(judged: Judged, *, cutoff: int, rel: float, alpha: float) -> F64:
    """Expected reciprocal rank averaged over the intents of the query."""
    return _normal(judged, cutoff=cutoff, rel=rel, alpha=alpha, discount="reciprocal", ideal=False)


@novelty_at(
    name="nERR_IA",
    title="Normalised intent-aware expected reciprocal rank at k",
    advice="Use it as ERR_IA if every query should reach about 1.",
    formula="as ERR_IA, over the same for the ideal ranking of alpha_nDCG",
    source="Chapelle et al., CIKM 2009; " + NDEVAL,
    bounds=(0.0, np.inf),
)
def nerr_ia(judged: Judged, *, cutoff: int, rel: float, alpha: float) -> F64:
    """Intent-aware expected reciprocal rank as a share of the ideal."""
    return _normal(judged, cutoff=cutoff, rel=rel, alpha=alpha, discount="reciprocal", ideal=True)


def _decayed(judged: Judged, aspects: Aspects, rank: I64, alpha: float, beta: float) -> F64:
    seen = rank > 0
    at = rank[seen]
    gain = np.power(1 - alpha, _served(aspects.subtopic[seen], at) - 1.0)
    return judged.sum_by_query(aspects.query[seen], gain * np.power(beta, at - 1.0))


@novelty(
    name="NRBP",
    title="Novelty- and rank-biased precision",
    advice="Use it for diversity with readers of a given patience.",
    formula="(1 - (1 - alpha) beta) / subtopics x sum over ranks i of (sum over its subtopics of "
    "(1 - alpha)^n) x beta^(i - 1)",
    source="Clarke et al., ICTIR 2009; " + NDEVAL,
    parameters=(ALPHA, BETA, REL),
)
def nrbp(judged: Judged, *, cutoff: None, rel: float, alpha: float, beta: float) -> F64:
    """Rank-biased precision that pays for new subtopics."""
    aspects = _aspects(judged, rel)
    gained = _decayed(judged, aspects, aspects.rank, alpha, beta)
    return ratio((1 - (1 - alpha) * beta) * gained, aspects.subtopics)


@novelty(
    name="nNRBP",
    title="Normalised novelty- and rank-biased precision",
    advice="Use it as NRBP if every query should reach about 1.",
    formula="NRBP over NRBP of the ideal ranking of alpha_nDCG",
    source="Clarke et al., ICTIR 2009; " + NDEVAL,
    parameters=(ALPHA, BETA, REL),
    bounds=(0.0, np.inf),
)
def nnrbp(judged: Judged, *, cutoff: None, rel: float, alpha: float, beta: float) -> F64:
    """Rank-biased precision that pays for new subtopics, as a share of the ideal."""
    aspects = _aspects(judged, rel)
    gained = _decayed(judged, aspects, aspects.rank, alpha, beta)
    everything = len(aspects.query) + 1
    key = ("ideal ranks", rel, everything, alpha)
    best = judged.memo(key, lambda: _ideal_ranks(judged, rel, everything, alpha))
    return ratio(gained, _decayed(judged, aspects, best, alpha, beta))


@of_subtopics(
    name="P_IA",
    title="Intent-aware precision at k",
    advice="Use it as P@k for queries of several intents; it does not reward covering all.",
    formula="mean over subtopics of the share of the first k documents relevant to it",
    source="Agrawal et al., WSDM 2009; " + NDEVAL,
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
)
def p_ia(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """Precision at k averaged over the intents of the query."""
    aspects = _aspects(judged, rel)
    inside = (aspects.rank > 0) & (aspects.rank <= cutoff)
    return ratio(judged.count_by_query(aspects.query[inside]), aspects.subtopics * cutoff)


@of_subtopics(
    name="AP_IA",
    title="Intent-aware average precision",
    advice="Use it as AP for queries of several intents.",
    formula="mean over subtopics of AP with the documents relevant to it",
    source="Agrawal et al., WSDM 2009; " + NDEVAL,
    parameters=(REL,),
    aliases=("MAP_IA",),
)
def ap_ia(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision averaged over the intents of the query."""
    aspects = _aspects(judged, rel)
    seen = aspects.rank > 0
    subtopic, rank = aspects.subtopic[seen], aspects.rank[seen]
    precise = _served(subtopic, rank) / rank
    order = np.lexsort((rank, subtopic))
    total = np.bincount(subtopic[order], precise[order], minlength=len(aspects.owner))
    each = ratio(total, aspects.size)
    return ratio(judged.sum_by_query(aspects.owner, each), aspects.subtopics)


@of_subtopics(
    name="StRecall",
    title="Subtopic recall at k",
    advice="Use it for how much of the query's range the first k documents cover.",
    formula="subtopics with a relevant document in the first k / subtopics",
    source="Zhai et al., SIGIR 2003; " + NDEVAL,
    parameters=(REL,),
    cutoff=RANK_REQUIRED,
)
def subtopic_recall(judged: Judged, *, cutoff: int, rel: float) -> F64:
    """The share of the subtopics that the first k documents serve."""
    aspects = _aspects(judged, rel)
    inside = (aspects.rank > 0) & (aspects.rank <= cutoff)
    touched = np.unique(aspects.subtopic[inside])
    return ratio(judged.count_by_query(aspects.owner[touched]), aspects.subtopics)
