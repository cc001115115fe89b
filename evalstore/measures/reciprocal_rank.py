"""The rank of the first relevant document."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import RANK, REL, TrecName, measure
from evalstore.measures.segments import F64


@measure(
    name="RR",
    title="Reciprocal rank",
    advice="Use it where one right answer is sought. Steps between ranks are far from equal (1 to "
    "2 loses half, 9 to 10 next to nothing), so its mean is noisy. Its mean over queries is MRR.",
    formula="1 / rank of the first relevant document (in the first k); 0 if there is none",
    source="trec_eval m_recip_rank.c (recip_rank)",
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
