"""From judged documents and measures to values per query and their aggregates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evalstore.errors import MeasureError
from evalstore.measures.judged import F64, Judged
from evalstore.measures.notation import Measure
from evalstore.measures.registry import JUDGED_ONLY, NEEDS

GEOMETRIC_FLOOR = 1e-5
"""The least value in a geometric mean: a single value of 0 would make the mean 0."""


def evaluate(judged: Judged, measures: Iterable[Measure]) -> dict[Measure, F64]:
    """The value of every measure for every query of `judged`: float64, in the order of its qids.

    Raises:
        MeasureError: a measure needs what `judged` was not given.
    """
    values: dict[Measure, F64] = {}
    for measure in dict.fromkeys(measures):
        for need in measure.complete().descriptor.needs:
            if getattr(judged, need) is None:
                raise MeasureError(f"{measure} needs {NEEDS[need]}", needs=need)
        ranking, arguments = _ranking_and_arguments(judged, measure)
        values[measure] = measure.descriptor.function(ranking, cutoff=measure.cutoff, **arguments)
    return values


def _ranking_and_arguments(judged: Judged, measure: Measure) -> tuple[Judged, dict[str, object]]:
    """The ranking after `judged_only`, and the remaining parameters of the measure."""
    arguments: dict[str, object] = dict(measure.arguments)
    condense = arguments.pop(JUDGED_ONLY.name, False)
    return (judged.condensed() if condense else judged), arguments


def aggregate(measure: Measure, values: F64, judged: Judged | None = None) -> float:
    """One figure for all queries; 0 for no queries.

    It is the mean, for counts the sum, for some measures a geometric mean, and for a few measures
    an aggregate of their own (MAE pools all ratings), which needs the `judged` of the values.

    Values are added one after the other in the order of the queries, as trec_eval does: NumPy's
    pairwise sum differs in the last bits, and so sometimes in the last printed digit.

    Raises:
        MeasureError: the measure's own aggregate needs `judged`.
    """
    if len(values) == 0:
        return 0.0
    descriptor = measure.descriptor
    if descriptor.combine is not None:
        if judged is None:
            raise MeasureError(f"the aggregate of {measure} can't be told from its values alone")
        ranking, arguments = _ranking_and_arguments(judged, measure)
        return float(descriptor.combine(ranking, values, **arguments))
    if descriptor.aggregate == "geometric mean":
        return float(np.exp(_sum(np.log(np.maximum(values, GEOMETRIC_FLOOR))) / len(values)))
    total = _sum(values)
    return total if descriptor.aggregate == "sum" else total / len(values)


def weights_of(measure: Measure, judged: Judged) -> F64 | None:
    """The weight of each query in the measure's own aggregate: float64 (q), 0 without a value.

    None if every query has a value, and counts alike.
    """
    if measure.descriptor.weigh is None:
        return None
    return measure.descriptor.weigh(_ranking_and_arguments(judged, measure)[0])


def is_of_means(measure: Measure) -> bool:
    """Whether the figure over queries is the mean, or sum, of the values of those that have one."""
    descriptor = measure.descriptor
    if descriptor.aggregate == "own" and descriptor.mean_without:
        return measure.arguments[descriptor.mean_without] is None
    return descriptor.aggregate in ("mean", "sum")


def follows_from_values(measure: Measure) -> bool:
    """Whether the figure over queries follows from the values and weights of the queries."""
    descriptor = measure.descriptor
    return descriptor.aggregate != "own" or descriptor.of_run or descriptor.pool is not None


def pooled(measure: Measure, values: F64, weights: F64) -> F64:
    """The aggregates of resampled queries: float64 (m), of a measure that `follows_from_values`.

    `values` are those of the queries (q), `weights` (m, q) how much each query counts in each
    resample: the number of times it was drawn, times its weight of `weights_of`. With weights of 1
    it is `aggregate`, up to rounding. Every row needs some weight.
    """
    descriptor = measure.descriptor
    if descriptor.aggregate == "own" and descriptor.pool is not None:
        arguments = {k: v for k, v in measure.arguments.items() if k != JUDGED_ONLY.name}
        return descriptor.pool(values, weights, **arguments)
    if descriptor.aggregate == "sum":
        return np.asarray(weights @ values)
    total = weights.sum(axis=1)
    if descriptor.aggregate == "geometric mean":
        return np.asarray(np.exp(weights @ np.log(np.maximum(values, GEOMETRIC_FLOOR)) / total))
    return np.asarray(weights @ values / total)


def _sum(values: F64) -> float:
    return float(np.add.accumulate(values)[-1])
