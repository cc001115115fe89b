"""The cost of an engine: response time, size of the index, memory, money and energy."""

from __future__ import annotations

from functools import partial

import numpy as np

from evalstore.errors import MeasureError
from evalstore.measures.judged import F64, Judged
from evalstore.measures.registry import Parameter, measure

own_measure = partial(
    measure,
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    rank_sensitive=False,
    condensable=False,
)


def _over_queries(judged: Judged, values: F64, *, percentile: float | None, **_: object) -> float:
    times = np.zeros(0) if judged.times is None else judged.times
    times = times[~np.isnan(times)]
    if len(times) == 0:
        return 0.0
    if percentile is None:
        return float(np.add.accumulate(times)[-1] / len(times))
    return float(np.percentile(times, percentile))


def _timed(judged: Judged) -> F64:
    times = np.full(len(judged), np.nan) if judged.times is None else judged.times
    return (~np.isnan(times)).astype(np.float64)


def _pooled_times(values: F64, weights: F64, *, percentile: float | None) -> F64:
    if percentile is None:
        return np.asarray(weights @ values / weights.sum(axis=1))
    # The interpolated percentile of `np.percentile` over values repeated as often as they weigh.
    order = np.argsort(values)
    ends = np.cumsum(weights[:, order], axis=1)
    place = (ends[:, -1] - 1) * percentile / 100
    floor = np.floor(place)
    low, high = (
        values[order][(ends <= at[:, None]).sum(axis=1).clip(max=len(values) - 1)]
        for at in (floor, floor + 1)
    )
    return np.asarray(low + np.where(floor < place, (place - floor) * (high - low), 0.0))


@own_measure(
    name="ResponseTime",
    title="Response time",
    advice="Use it beside a quality measure, on one machine; look at percentile=95 too.",
    formula="milliseconds the query took; over queries their mean, or with percentile= the time "
    "within which that share of them was answered (interpolated)",
    source="Croft et al., Search Engines, 2010, 8.5 (query latency)",
    parameters=(
        Parameter(
            "percentile",
            None,
            "the percentile over queries (50 is the median)",
            least=0,
            most=100,
        ),
    ),
    combine=_over_queries,
    weigh=_timed,
    pool=_pooled_times,
    mean_without="percentile",
    needs=("times",),
)
def response_time(judged: Judged, *, cutoff: None, percentile: float | None) -> F64:
    """Response time of the engine; a query that was not timed shows 0 and is left out."""
    times = np.zeros(len(judged)) if judged.times is None else judged.times
    return np.nan_to_num(times, nan=0.0)


def _of_run(judged: Judged, values: F64, **_: object) -> float:
    return float(values[0])


run_measure = partial(own_measure, combine=_of_run, of_run=True)


@run_measure(
    name="IndexSize",
    title="Index size",
    advice="Use it beside a quality measure and the size of the collection.",
    formula="bytes of the index",
    source="Croft et al., Search Engines, 2010, 8.5",
    counts=True,
    needs=("index_bytes",),
)
def index_size(judged: Judged, *, cutoff: None) -> F64:
    """Space that the engine's index takes."""
    return np.full(len(judged), float(judged.index_bytes or 0))


@run_measure(
    name="PeakMemory",
    title="Peak memory",
    advice="Use it beside a quality measure; compare only what was measured in the same way.",
    formula="the most bytes of memory that the engine used",
    source="Santhanam et al., Findings of ACL 2023",
    counts=True,
    needs=("memory_bytes",),
)
def peak_memory(judged: Judged, *, cutoff: None) -> F64:
    """Memory that the engine needs."""
    return np.full(len(judged), float(judged.memory_bytes or 0))


@run_measure(
    name="CostPerQuery",
    title="Cost per query",
    advice="Use it beside a quality measure. It has no value for a run with a cost in "
    "another currency.",
    formula="cost of all queries / queries that the run answers (also those without judgments)",
    source="Santhanam et al., Findings of ACL 2023",
    parameters=(
        Parameter(
            "currency",
            None,
            "the currency in letters, like 'EUR'",
            kind="text",
            required=True,
            pattern="[A-Za-z]{1,12}",
        ),
    ),
    needs=("money", "currency"),
    example="CostPerQuery(currency='EUR')",
)
def cost_per_query(judged: Judged, *, cutoff: None, currency: str) -> F64:
    """Money that the answer to a query costs."""
    if judged.currency != currency:
        raise MeasureError(
            f"CostPerQuery(currency={currency!r}) needs the cost in {currency}: that of the run is "
            f"in {judged.currency}"
        )
    return _per_query(judged, judged.money)


@run_measure(
    name="EnergyPerQuery",
    title="Energy per query",
    advice="Use it beside a quality measure; compare only what was measured in the same way "
    "on the same machine.",
    formula="as CostPerQuery, of the joules of all queries",
    source="Scells et al., SIGIR 2022",
    needs=("energy_joules",),
)
def energy_per_query(judged: Judged, *, cutoff: None) -> F64:
    """Energy that the answer to a query takes."""
    return _per_query(judged, judged.energy_joules)


def _per_query(judged: Judged, amount: float | None) -> F64:
    """The share of each query in an amount that is known for the run alone."""
    return np.full(len(judged), (amount or 0.0) / max(judged.run_queries, 1))
