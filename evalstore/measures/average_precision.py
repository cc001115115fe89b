"""Average precision."""

from __future__ import annotations

from evalstore.measures.judged import F64, Judged, ratio
from evalstore.measures.registry import RANK, REL, TREC_CUTOFFS, TrecName, measure


@measure(
    name="AP",
    title="Average precision",
    advice="Use it as the one figure for a whole ranking with binary relevance: stable, and "
    "sensitive to every relevant document. Its mean over queries is MAP.",
    formula="sum over relevant retrieved (in the first k) of P@rank / R",
    source="trec_eval m_map.c (map) and m_map_cut.c (map_cut_k); divided by all R also at a cutoff",
    parameters=(REL,),
    cutoff=RANK,
    trec=(TrecName("map_cut", "AP@{}", TREC_CUTOFFS), TrecName("map", "AP")),
)
def average_precision(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """The mean of the precisions at the relevant documents; one not retrieved counts 0."""
    hits = judged.hits(rel)
    at_hits = hits.found / hits.rank
    if cutoff is not None:
        at_hits = at_hits * (hits.rank <= cutoff)
    return ratio(judged.sum_by_query(hits.query, at_hits), hits.total)
