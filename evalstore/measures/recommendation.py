"""Predicted ratings: the score is what the engine predicts, the grade what the user gave."""

from __future__ import annotations

from functools import partial

import numpy as np

from evalstore.measures.judged import F64, Bool, Judged, ratio
from evalstore.measures.registry import REL, Parameter, measure

SOURCE = "Herlocker et al., TOIS 2004"


def _rated(judged: Judged) -> F64:
    """The number of rated items among the predictions for each user."""
    return judged.count_by_query(judged.query).astype(np.float64)


def _weighted_mean(values: F64, weights: F64) -> F64:
    return np.asarray(weights @ values / weights.sum(axis=1))


def _weighted_root(values: F64, weights: F64) -> F64:
    return np.sqrt(_weighted_mean(values**2, weights))


of_ratings = partial(
    measure,
    family="ratings",
    source=SOURCE,
    bounds=(0.0, np.inf),
    higher_is_better=False,
    aggregate="own",
    weigh=_rated,
    from_hits=False,
    rank_sensitive=False,
    monotone=False,
    condensable=False,
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


@of_ratings(
    name="MAE",
    title="Mean absolute error",
    advice="Use it for predicted ratings on one scale.",
    formula="mean of |predicted - true| over the rated items, negative ratings too; over users "
    "pooled over all ratings",
    combine=_absolute,
    pool=_weighted_mean,
)
def mae(judged: Judged, *, cutoff: None) -> F64:
    """Distance of predicted ratings from the true ones."""
    return _mean(judged, np.abs(_errors(judged)))


@of_ratings(
    name="MSE",
    title="Mean squared error",
    advice="Use it as RMSE if squares are added up.",
    formula="as MAE, of (predicted - true)^2",
    combine=_squared,
    pool=_weighted_mean,
)
def mse(judged: Judged, *, cutoff: None) -> F64:
    """Distance of predicted ratings from the true ones, squared so that large errors weigh more."""
    return _mean(judged, _errors(judged) ** 2)


@of_ratings(
    name="RMSE",
    title="Root mean squared error",
    advice="Use it if one large error is worse than several small ones.",
    formula="square root of MSE, over users too",
    combine=_root,
    pool=_weighted_root,
)
def rmse(judged: Judged, *, cutoff: None) -> F64:
    """The typical error of predicted ratings, in points of the scale."""
    return np.sqrt(_mean(judged, _errors(judged) ** 2))


# The share of the ratings that an engine predicts, of the queries that it answers, and of the
# collection that it retrieves


def _ratings(judged: Judged) -> F64:
    """The number of ratings of each user in the judgments."""
    return judged.pool.count().astype(np.float64)


def _predicted(judged: Judged, values: F64, **_: object) -> float:
    return len(judged.query) / max(len(judged.pool.query), 1)


@measure(
    name="PredictionCoverage",
    family="coverage",
    title="Prediction coverage",
    advice="Look at it beside MAE and RMSE: an engine may predict only easy ratings.",
    formula="ratings with a prediction / ratings, negative ratings too; over users pooled over all "
    "ratings",
    source=SOURCE,
    aggregate="own",
    combine=_predicted,
    weigh=_ratings,
    pool=_weighted_mean,
    from_hits=False,
    rank_sensitive=False,
    condensable=False,
)
def prediction_coverage(judged: Judged, *, cutoff: None) -> F64:
    """The share of the true ratings that the engine predicts."""
    return ratio(_rated(judged), _ratings(judged))


@measure(
    name="UserCoverage",
    family="coverage",
    title="User coverage",
    advice="Look at it before comparing means: an engine may answer only easy queries.",
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
    family="coverage",
    title="Item coverage",
    advice="Use it for recommenders that may show everybody the same few items.",
    formula="documents retrieved / documents of the collection; over queries the different "
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


# User-oriented measures: what the user knew before, and how many documents are wanted

FAMILIARITY_SOURCE = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 1999, 3.2.2"
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


def _knows(judged: Judged) -> F64:
    """1 for each query of which the user knew a judged document, else 0."""
    _, pool_known = _known(judged)
    return (judged.count_by_query(judged.pool.query[pool_known]) > 0).astype(np.float64)


def _over_those_who_know(judged: Judged, values: F64, **_: object) -> float:
    counted = values[_knows(judged) > 0]
    return float(np.add.accumulate(counted)[-1] / len(counted)) if len(counted) else 0.0


of_familiarity = partial(
    measure,
    family="familiarity",
    source=FAMILIARITY_SOURCE,
    parameters=(REL,),
    needs=("known",),
    aggregate="own",
    combine=_over_those_who_know,
    weigh=_knows,
    pool=_weighted_mean,
    rank_sensitive=False,
)


@of_familiarity(
    name="CoverageRatio",
    title="Coverage ratio",
    advice="Use it if users know part of the answer.",
    formula="known relevant documents retrieved / known relevant documents; the mean is over the "
    "queries with a known judged document",
)
def coverage_ratio(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents known to the user that was retrieved."""
    known, pool_known = _known(judged)
    retrieved = judged.count_by_query(judged.query[known & (judged.grade >= rel)])
    return ratio(
        retrieved, judged.count_by_query(judged.pool.query[pool_known & (judged.pool.grade >= rel)])
    )


@of_familiarity(
    name="NoveltyRatio",
    title="Novelty ratio",
    advice="Use it if users look for what they do not know yet.",
    formula="relevant documents retrieved that the user did not know / relevant retrieved; the "
    "mean is over the queries of CoverageRatio",
)
def novelty_ratio(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents retrieved that is new to the user."""
    known, _ = _known(judged)
    new = judged.count_by_query(judged.query[~known & (judged.grade >= rel)])
    return ratio(new, judged.hits(rel).retrieved)


@measure(
    name="RelativeRecall",
    family="familiarity",
    title="Relative recall",
    advice="Use it if users want a number of documents instead of all.",
    formula="min(relevant documents retrieved, expected) / expected",
    source=FAMILIARITY_SOURCE,
    parameters=(EXPECTED, REL),
    example="RelativeRecall(expected=3)",
    rank_sensitive=False,
)
def relative_recall(judged: Judged, *, cutoff: None, rel: float, expected: int) -> F64:
    """The share of the relevant documents the user expected that was found."""
    return np.asarray(np.minimum(judged.hits(rel).retrieved, expected) / expected)


@measure(
    name="RecallEffort",
    family="familiarity",
    title="Recall effort",
    advice="Use it for how far down users must read.",
    formula="expected / rank of the expected-th relevant document; 0 if there are not as many",
    source=FAMILIARITY_SOURCE,
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
