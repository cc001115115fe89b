"""Predicted ratings: the score is what the engine predicts, the grade what the user gave."""

from __future__ import annotations

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import measure
from evalstore.measures.segments import F64, ratio

SOURCE = "Herlocker, Konstan, Terveen and Riedl, TOIS 2004"
ADVICE = (
    "Every judgment counts as a rating here, a negative one too; a user without a rated prediction "
    "is left out of the aggregate."
)


def _mean(judged: Judged, errors: F64) -> F64:
    return ratio(judged.sum_by_query(judged.query, errors), judged.count_by_query(judged.query))


def _errors(judged: Judged) -> F64:
    # Scores and grades near the end of what a number can hold must not overflow when squared.
    return np.asarray(np.clip(judged.score - judged.grade, -1e150, 1e150))


def _pooled(errors: F64) -> float:
    return float(np.add.accumulate(errors)[-1] / len(errors)) if len(errors) else 0.0


def _absolute(judged: Judged, values: F64, **_: object) -> float:
    return _pooled(np.abs(_errors(judged)))


def _squared(judged: Judged, values: F64, **_: object) -> float:
    return _pooled(_errors(judged) ** 2)


def _root(judged: Judged, values: F64, **_: object) -> float:
    return float(np.sqrt(_squared(judged, values)))


@measure(
    name="MAE",
    from_hits=False,
    title="Mean absolute error",
    advice="Use it for predicted ratings on one scale: it is in points of that scale. " + ADVICE,
    formula="mean of |predicted - true| over the rated items; over users pooled over all ratings",
    source=SOURCE,
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    combine=_absolute,
    rank_sensitive=False,
    monotone=False,
    condensable=False,
)
def mae(judged: Judged, *, cutoff: None) -> F64:
    """How far predicted ratings are from the true ones."""
    return _mean(judged, np.abs(_errors(judged)))


@measure(
    name="MSE",
    from_hits=False,
    title="Mean squared error",
    advice="Use it as RMSE where squares are to be added up. " + ADVICE,
    formula="mean of (predicted - true)^2 over the rated items; over users pooled over all ratings",
    source=SOURCE,
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    combine=_squared,
    rank_sensitive=False,
    monotone=False,
    condensable=False,
)
def mse(judged: Judged, *, cutoff: None) -> F64:
    """How far predicted ratings are from the true ones, squared so that large errors weigh more."""
    return _mean(judged, _errors(judged) ** 2)


@measure(
    name="RMSE",
    from_hits=False,
    title="Root mean squared error",
    advice="Use it for predicted ratings where a large error hurts more than several small ones. "
    + ADVICE,
    formula="square root of MSE; over users the root of the MSE pooled over all ratings",
    source=SOURCE,
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    combine=_root,
    rank_sensitive=False,
    monotone=False,
    condensable=False,
)
def rmse(judged: Judged, *, cutoff: None) -> F64:
    """The typical error of predicted ratings, in points of the scale."""
    return np.sqrt(_mean(judged, _errors(judged) ** 2))
