"""The share of the queries that an engine answers, and of the collection that it retrieves."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import measure
from evalstore.measures.segments import F64

SOURCE = "Herlocker, Konstan, Terveen and Riedl, TOIS 2004"


@measure(
    name="UserCoverage",
    title="User coverage",
    advice="Look at it before comparing means: an engine that answers only easy queries looks good "
    "where missing answers are left out.",
    formula="1 if the engine retrieved something, else 0; the mean is the share answered",
    source=SOURCE,
    rank_sensitive=False,
    condensable=False,
)
def user_coverage(judged: Judged, *, cutoff: None) -> F64:
    """The share of the queries (users) that the engine answered at all."""
    return judged.answered.astype(np.float64)


def _ever(judged: Judged, values: F64, **_: object) -> float:
    return min((judged.distinct or 0) / (judged.collection_size or 1), 1.0)


@measure(
    name="ItemCoverage",
    title="Item coverage",
    advice="Use it for recommenders: one that shows everybody the same few items covers little.",
    formula="documents retrieved / documents of the collection; over all queries the different "
    "documents ever retrieved / documents of the collection",
    source=SOURCE,
    aggregate="own",
    combine=_ever,
    needs=("collection_size",),
    higher_is_better=None,
    rank_sensitive=False,
    condensable=False,
)
def item_coverage(judged: Judged, *, cutoff: None) -> F64:
    """The share of the collection that the engine retrieved."""
    size = judged.collection_size or 1
    return np.asarray(np.minimum(judged.retrieved / size, 1.0))
