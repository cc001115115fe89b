"""The cost of an engine: response time and size of the index."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import Parameter, measure
from evalstore.measures.segments import F64


def _over_queries(judged: Judged, values: F64, *, percentile: float | None, **_: object) -> float:
    times = np.zeros(0) if judged.times is None else judged.times
    times = times[~np.isnan(times)]
    if len(times) == 0:
        return 0.0
    if percentile is None:
        return float(np.add.accumulate(times)[-1] / len(times))
    return float(np.percentile(times, percentile))


@measure(
    name="ResponseTime",
    title="Response time",
    advice="Use it beside a measure of quality. The mean hides the slow queries that users "
    "remember: look at percentile=95 too. Compare only what ran on the same machine.",
    formula="milliseconds the query took; over queries their mean, or with percentile= the time "
    "within which that share of them was answered (between two queries by proportion)",
    source="Croft, Metzler and Strohman, Search Engines, 2010, 8.5 (query latency)",
    parameters=(
        Parameter(
            "percentile",
            None,
            "over queries take this percentile (50 is the median) in place of the mean",
            least=0,
            most=100,
        ),
    ),
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    combine=_over_queries,
    needs=("times",),
    rank_sensitive=False,
    condensable=False,
)
def response_time(judged: Judged, *, cutoff: None, percentile: float | None) -> F64:
    """How long the engine took to answer; a query that was not timed shows 0 and is left out."""
    times = np.zeros(len(judged)) if judged.times is None else judged.times
    return np.nan_to_num(times, nan=0.0)


def _same(judged: Judged, values: F64, **_: object) -> float:
    return float(judged.index_bytes or 0)


@measure(
    name="IndexSize",
    title="Index size",
    advice="Use it beside a measure of quality, with the size of the collection in mind.",
    formula="bytes of the index, the same for every query",
    source="Croft, Metzler and Strohman, Search Engines, 2010, 8.5",
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    combine=_same,
    counts=True,
    needs=("index_bytes",),
    rank_sensitive=False,
    condensable=False,
)
def index_size(judged: Judged, *, cutoff: None) -> F64:
    """How much room the engine's index takes."""
    return np.full(len(judged), float(judged.index_bytes or 0))
