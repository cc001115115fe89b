"""Average precision and its relatives."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Hits, Judged
from evalstore.measures.precision import interpolated
from evalstore.measures.registry import (
    RANK,
    REL,
    TREC_CUTOFFS,
    Cutoff,
    Parameter,
    TrecName,
    measure,
)
from evalstore.measures.segments import F64, ratio
from evalstore.measures.trec_names import levels as levels_named

LEVELS = tuple(i / 10 for i in range(11))
EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


def _average(judged: Judged, cutoff: int | None, rel: float) -> tuple[Hits, F64]:
    """The sum per query of the precisions at the relevant documents in the first `cutoff`."""
    hits = judged.hits(rel)
    at_hits = hits.found / hits.rank
    if cutoff is not None:
        at_hits = at_hits * (hits.rank <= cutoff)
    return hits, judged.sum_by_query(hits.query, at_hits)


@measure(
    name="AP",
    title="Average precision",
    advice="Use it as the one figure for a whole ranking with binary relevance: stable, and "
    "sensitive to every relevant document. Its mean over queries is MAP. At a cutoff other tools "
    "divide by something else than R: norm='min' and norm='found' are theirs, and the last of "
    "them rewards an engine that finds less.",
    formula="sum over relevant retrieved (in the first k) of P@rank / R; with norm='min' / "
    "min(R, k), with norm='found' / the relevant found (in the first k)",
    source="trec_eval m_map.c (map) and m_map_cut.c (map_cut_k), which divide by all R also at a "
    "cutoff",
    parameters=(
        REL,
        Parameter(
            "norm",
            "all",
            "what the sum is divided by: all R relevant documents, min(R, k), or those found",
            kind="text",
            choices=("all", "min", "found"),
        ),
    ),
    cutoff=RANK,
    trec=(TrecName("map_cut", "AP@{}", TREC_CUTOFFS), TrecName("map", "AP")),
    aliases=("MAP",),
    ideal=1.0,
)
def average_precision(judged: Judged, *, cutoff: int | None, rel: float, norm: str) -> F64:
    """The mean of the precisions at the relevant documents; one not retrieved counts 0."""
    hits, total = _average(judged, cutoff, rel)
    if norm == "all":
        return ratio(total, hits.total)
    if norm == "min":
        return ratio(total, hits.total if cutoff is None else np.minimum(hits.total, cutoff))
    inside = hits.rank <= (np.inf if cutoff is None else cutoff)
    return ratio(total, judged.count_by_query(hits.query[inside]))


@measure(
    name="GMAP",
    title="Average precision, geometric mean",
    advice="Use it where the worst queries matter: doubling a query from 0.01 to 0.02 counts as "
    "much as from 0.4 to 0.8. The floor for queries at 0 decides more than one would like.",
    formula="AP per query; over queries exp(mean(ln(max(AP, 0.00001))))",
    source="Robertson, CIKM 2006; trec_eval m_gm_map.c (gm_map)",
    parameters=(REL,),
    aggregate="geometric mean",
    trec=(TrecName("gm_map", "GMAP"),),
    ideal=1.0,
)
def geometric_average_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision, whose mean over queries is a geometric one."""
    hits, total = _average(judged, None, rel)
    return ratio(total, hits.total)


@measure(
    name="APseen",
    title="Average precision at seen relevant documents",
    advice="Use it for how fast an engine brings its first relevant documents. It does not punish "
    "those never found: an engine that finds one, first, reaches 1.",
    formula="mean of P@rank over the first n relevant documents retrieved (all of them without @n)",
    source="Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 1999, 3.2.1",
    parameters=(REL,),
    cutoff=Cutoff("rank", required=False, doc="only the first n relevant documents retrieved"),
    ideal=1.0,
)
def average_precision_seen(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """The mean of the precisions at the relevant documents retrieved."""
    hits = judged.hits(rel)
    seen = hits.found <= (np.inf if cutoff is None else cutoff)
    total = judged.sum_by_query(hits.query, hits.found / hits.rank * seen)
    return ratio(total, judged.count_by_query(hits.query[seen]))


@measure(
    name="11ptAP",
    title="Eleven-point average precision",
    advice="Use it to compare with older work; AP is the finer measure of the same area.",
    formula="mean of IPrec@r over the recall levels r = 0.0, 0.1, ..., 1.0",
    source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 8.4; trec_eval "
    "m_11pt_avg.c (11pt_avg)",
    parameters=(
        REL,
        Parameter("levels", LEVELS, "other recall levels to average over", kind="levels"),
    ),
    trec=(TrecName("11pt_avg", "11ptAP", arguments=levels_named),),
    ideal=1.0,
)
def eleven_point(judged: Judged, *, cutoff: None, rel: float, levels: tuple[float, ...]) -> F64:
    """Interpolated precision averaged over the eleven recall levels."""
    total = np.zeros(len(judged))
    for level in sorted(levels, reverse=True):  # the order in which trec_eval adds
        total += interpolated(judged, level, rel)
    return total / len(levels)


@measure(
    name="infAP",
    from_hits=False,
    title="Inferred average precision",
    advice="Use it where only a sample of the pool was judged and the rest stands in the qrels "
    "with a negative grade. With complete judgments it is AP but for a trace.",
    formula="mean over R of, at each relevant document retrieved at rank k: 1/k + (k-1)/k x "
    "(share of the documents above that are in the pool) x (share of the judged ones above that "
    "are relevant, smoothed by 0.00001)",
    source="Yilmaz and Aslam, CIKM 2006; trec_eval m_infap.c (infAP)",
    parameters=(REL,),
    trec=(TrecName("infAP", "infAP"),),
    monotone=False,
)
def inferred_average_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Average precision estimated from a judged sample of the pool."""
    hits = judged.hits(rel)
    above = hits.rank - 1.0
    pooled = judged.pooled_so_far()[hits.row] - 1.0
    judged_above = judged.judged_so_far()[hits.row] - 1.0
    relevant = hits.found - 1.0
    in_pool = ratio(pooled, above)
    precise = (relevant + EPSILON) / (judged_above + 2 * EPSILON)
    expected = 1 / hits.rank + above / hits.rank * in_pool * precise
    return ratio(judged.sum_by_query(hits.query, expected), hits.total)
