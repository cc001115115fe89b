"""Binary preferences: relevant documents should stand above the judged nonrelevant ones."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import REL, TrecName, measure
from evalstore.measures.segments import F64, ratio


def _preference(judged: Judged, rel: float) -> F64:
    hits = judged.hits(rel)
    total = judged.pool.nonrelevant(rel)
    above = judged.judged_so_far()[hits.row] - hits.found
    relevant = hits.total[hits.query]
    worst = np.minimum(total[hits.query], relevant)
    kept = 1 - ratio(np.minimum(above, relevant), worst)
    return ratio(judged.sum_by_query(hits.query, kept), hits.total)


@measure(
    name="Bpref",
    from_hits=False,
    title="Binary preference",
    advice="Use it where judgments are incomplete: documents without a judgment are passed over "
    "instead of counted as not relevant. A query without judged nonrelevant documents gives its "
    "recall.",
    formula="1/R x sum over relevant retrieved of 1 - min(n, R) / min(N, R); n judged nonrelevant "
    "documents above it, N in all",
    source="Buckley and Voorhees, SIGIR 2004; trec_eval m_bpref.c (bpref)",
    parameters=(REL,),
    trec=(TrecName("bpref", "Bpref"),),
    aliases=("BPref",),
    ideal=1.0,
)
def bpref(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """How often a relevant document stands above judged nonrelevant ones."""
    return _preference(judged, rel)


@measure(
    name="GM-Bpref",
    from_hits=False,
    title="Binary preference, geometric mean",
    advice="Use it as Bpref where the worst queries matter; its floor for queries at 0 weighs "
    "heavily.",
    formula="Bpref per query; over queries exp(mean(ln(max(Bpref, 0.00001))))",
    source="trec_eval m_gm_bpref.c (gm_bpref)",
    parameters=(REL,),
    aggregate="geometric mean",
    trec=(TrecName("gm_bpref", "GM-Bpref"),),
    ideal=1.0,
)
def geometric_bpref(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Binary preference, whose mean over queries is a geometric one."""
    return _preference(judged, rel)
