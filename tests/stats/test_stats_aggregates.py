"""Figures over queries that are no means, and their differences."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from drawn_values import F64, two_runs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evalstore import stats
from evalstore.errors import DataError
from evalstore.measures import parse
from evalstore.measures.evaluate import pooled
from evalstore.stats.aggregates import Figure, aggregate_differences


def percentile(percent: float) -> Figure:
    return partial(pooled, parse(f"ResponseTime(percentile={percent})"))


# Figures of measures, since these are what is compared.
weighted_mean: Figure = partial(pooled, parse("MAE"))
root_mean_square: Figure = partial(pooled, parse("RMSE"))
GEOMETRIC_MEAN: Figure = partial(pooled, parse("GMAP"))

FIGURES = {
    "mean": weighted_mean,
    "median": percentile(50),
    "90th percentile": percentile(90),
    "root mean square": root_mean_square,
    "geometric mean": GEOMETRIC_MEAN,
}
EACH_FIGURE = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


def of_list(figure: Figure, values: F64) -> float:
    return float(figure(values, np.ones((1, len(values))))[0])


@given(two_runs(), st.integers(0, 100), st.data())
def test_figures_are_those_of_values_repeated_by_weight(
    runs: tuple[F64, F64], percent: int, data: st.DataObject
) -> None:
    values, _ = runs
    n = len(values)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    assume(weights.any())
    repeated = np.repeat(values, weights)
    expected = {
        percentile(percent): np.percentile(repeated, percent),
        weighted_mean: repeated.mean(),
        root_mean_square: math.sqrt((repeated**2).mean()),
        GEOMETRIC_MEAN: math.exp(np.log(np.maximum(repeated, 1e-5)).mean()),
    }
    for figure, value in expected.items():
        rows = np.array([weights, np.ones(n)], np.float64)
        assert figure(values, rows)[0] == pytest.approx(value, abs=1e-9)
        assert figure(values, rows)[1] == pytest.approx(of_list(figure, values))


@EACH_FIGURE
@settings(max_examples=15, deadline=None)
@given(runs=two_runs(most=6))
def test_p_counts_every_pattern_of_exchanges(figure: Figure, runs: tuple[F64, F64]) -> None:
    a, b = runs
    differences = []
    for exchange in itertools.product((False, True), repeat=len(a)):
        one, other = np.where(exchange, b, a), np.where(exchange, a, b)
        differences.append(of_list(figure, other) - of_list(figure, one))
    observed = abs(differences[0])
    result = aggregate_differences(figure, a, b, resamples=100)
    assert result.difference == pytest.approx(differences[0], abs=1e-12)
    assert result.p == np.mean(np.abs(differences) >= observed - 1e-10)


def test_a_weight_goes_with_its_value() -> None:
    a, b, weights_a, weights_b = [0.0, 1.0], [0.4, 0.4], [1, 3], [2, 2]
    result = aggregate_differences(weighted_mean, a, b, weights_a, weights_b)
    assert result.difference == pytest.approx(0.4 - 0.75)
    # One exchange: (0.4 x 2 + 3) / 5 against 0.4 x 2 / 3, further apart than as observed.
    assert result.p == 1
    # A query with nearly all of the weight decides the figures.
    heavy = aggregate_differences(weighted_mean, a, b, [1e9, 1], [1e9, 1])
    assert heavy.difference == pytest.approx(0.4)


@pytest.mark.parametrize("queries", [14, 40])
def test_of_a_mean_p_is_the_randomization_tests_and_the_interval_near_students(
    queries: int,
) -> None:
    a, b = np.random.default_rng(queries).random((2, queries))
    b += 0.1
    result = aggregate_differences(weighted_mean, a, b, resamples=20_000)
    expected = stats.randomization(a, b).p
    error = 0 if queries <= 14 else 5 * math.sqrt(expected * (1 - expected) / 20_000) + 5e-5
    assert result.p == pytest.approx(expected, abs=error, rel=1e-12)
    low, high = stats.t_interval(a, b)
    assert result.interval == pytest.approx((low, high), abs=0.05 * (high - low))


@EACH_FIGURE
@settings(max_examples=15, deadline=None)
@given(runs=two_runs(), data=st.data())
def test_exchange_order_and_unit_change_nothing_else(
    figure: Figure, runs: tuple[F64, F64], data: st.DataObject
) -> None:
    a, b = runs
    result = aggregate_differences(figure, a, b, resamples=200)
    low, high = result.interval
    order = data.draw(st.permutations(range(len(a))))
    assert aggregate_differences(figure, a[order], b[order], resamples=200) == result
    mirrored = aggregate_differences(figure, b, a, resamples=200)
    assert mirrored == (-result.difference, result.p, (-high, -low))
    if figure is not FIGURES["geometric mean"]:  # its floor has a unit
        twice = aggregate_differences(figure, 2 * a, 2 * b, resamples=200)
        assert twice.p == result.p
        assert twice.interval == pytest.approx((2 * low, 2 * high), abs=1e-9)


def test_runs_without_a_difference_and_one_query_bound_nothing() -> None:
    for a, b in (([0.1, 0.5, 0.5], [0.1, 0.5, 0.5]), ([0.2], [0.9])):
        result = aggregate_differences(percentile(50), a, b)
        assert result.p == 1
        assert result.interval == (-math.inf, math.inf)
        assert aggregate_differences(percentile(50), a, b, bounds=(-1, 1)).interval == (-1, 1)


def test_bounds_cut_the_interval() -> None:
    a, b = [0.1, 0.0, 0.2, 0.1], [1.0, 0.6, 0.9, 1.0]
    low, high = aggregate_differences(percentile(50), a, b).interval
    assert high > 1
    assert aggregate_differences(percentile(50), a, b, bounds=(-1, 1)).interval == (low, 1)


def test_what_can_not_be_weighted_or_resampled_is_refused() -> None:
    for weights in ([1], [1, 0], [1, -1]):
        with pytest.raises(DataError, match="weights must be above 0"):
            aggregate_differences(weighted_mean, [1, 2], [2, 3], weights)
    with pytest.raises(DataError, match="level must lie"):
        aggregate_differences(weighted_mean, [1, 2], [2, 3], level=95)
    with pytest.raises(DataError, match="resamples must be at least 1"):
        aggregate_differences(weighted_mean, [1, 2], [2, 3], resamples=0)


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "true"), [("median", 0.2), ("root mean square", None)])
def test_differences_are_covered_and_falsely_claimed_as_often_as_asked(
    figure: str, true: float | None
) -> None:
    random = np.random.default_rng(2)
    experiments, queries, covered, false = 250, 25, 0, 0
    if true is None:  # of exponential values with mean 1: the root of 2 x mean^2 and variances
        true = math.sqrt(2.2**2 + 2) - math.sqrt(2**2 + 2)
    for seed in range(experiments):
        shared = random.exponential(1, queries)
        a, b = shared + random.exponential(1, (2, queries))
        false += aggregate_differences(FIGURES[figure], a, b, resamples=199, seed=seed).p < 0.05
        result = aggregate_differences(FIGURES[figure], a, b + 0.2, resamples=199, seed=seed)
        low, high = result.interval
        covered += low <= true <= high
    error = 2 * math.sqrt(0.05 * 0.95 / experiments)
    assert false / experiments <= 0.05 + error
    assert 0.93 - error <= covered / experiments <= 0.97 + error
