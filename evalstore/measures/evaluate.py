"""From judged documents and measures to values per query and their aggregates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evalstore.measures.judged import F64, Judged
from evalstore.measures.spec import Measure


def evaluate(judged: Judged, measures: Iterable[Measure]) -> dict[Measure, F64]:
    """The value of every measure for every query of `judged`: float64, in the order of its qids."""
    return {
        m: m.descriptor.function(judged, cutoff=m.cutoff, **m.arguments)
        for m in dict.fromkeys(measures)
    }


def aggregate(measure: Measure, values: F64) -> float:
    """One figure for all queries: their mean, or for counts their sum; 0 for no queries.

    Summed one after the other in the order of the queries, as trec_eval does: NumPy's pairwise
    sum differs in the last bits, and so now and then in the last printed digit.
    """
    if len(values) == 0:
        return 0.0
    total = float(np.add.accumulate(values)[-1])
    return total if measure.descriptor.aggregate == "sum" else total / len(values)
