"""User-oriented measures: what the user knew before, and how many documents are wanted."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import REL, Parameter, measure
from evalstore.measures.segments import F64, Bool, ratio

SOURCE = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 1999, 3.2.2"
EXPECTED = Parameter(
    "expected",
    None,
    "how many relevant documents the user expects to find",
    kind="whole",
    required=True,
    least=1,
    most=1_000_000,
)


def _known(judged: Judged) -> tuple[Bool, Bool]:
    nothing = np.zeros(0, bool)
    known = nothing if judged.known is None else judged.known
    return known, nothing if judged.pool_known is None else judged.pool_known


@measure(
    name="CoverageRatio",
    title="Coverage ratio",
    advice="Use it where users know part of the answer: an engine that misses it loses trust.",
    formula="known relevant documents retrieved / known relevant documents",
    source=SOURCE,
    parameters=(REL,),
    needs=("known",),
    rank_sensitive=False,
)
def coverage_ratio(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents known to the user that was retrieved."""
    known, pool_known = _known(judged)
    retrieved = judged.count_by_query(judged.query[known & (judged.grade >= rel)])
    return ratio(
        retrieved, judged.count_by_query(judged.pool.query[pool_known & (judged.pool.grade >= rel)])
    )


@measure(
    name="NoveltyRatio",
    title="Novelty ratio",
    advice="Use it where users look for what they do not know yet.",
    formula="relevant documents retrieved that the user did not know / relevant retrieved",
    source=SOURCE,
    parameters=(REL,),
    needs=("known",),
    rank_sensitive=False,
)
def novelty_ratio(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents retrieved that is new to the user."""
    known, _ = _known(judged)
    new = judged.count_by_query(judged.query[~known & (judged.grade >= rel)])
    return ratio(new, judged.hits(rel).retrieved)


@measure(
    name="RelativeRecall",
    title="Relative recall",
    advice="Use it where a user wants a number of documents rather than all of them.",
    formula="min(relevant documents retrieved, expected) / expected",
    source=SOURCE,
    parameters=(EXPECTED, REL),
    example="RelativeRecall(expected=3)",
    rank_sensitive=False,
)
def relative_recall(judged: Judged, *, cutoff: None, rel: float, expected: int) -> F64:
    """The share of the relevant documents the user expected that was found."""
    return np.asarray(np.minimum(judged.hits(rel).retrieved, expected) / expected)


@measure(
    name="RecallEffort",
    title="Recall effort",
    advice="Use it for how far down a user must read to find what was expected.",
    formula="expected / rank of the expected-th relevant document; 0 if there are not as many",
    source=SOURCE + ", which leaves open what an engine gets that finds too few",
    parameters=(EXPECTED, REL),
    example="RecallEffort(expected=3)",
)
def recall_effort(judged: Judged, *, cutoff: None, rel: float, expected: int) -> F64:
    """The relevant documents the user expected per document read to find them."""
    hits = judged.hits(rel)
    last = hits.found == expected
    value = np.zeros(len(judged))
    value[hits.query[last]] = expected / hits.rank[last]
    return value
