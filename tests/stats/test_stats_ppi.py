"""Prediction-powered means and differences, as ppi-python has them (golden/regenerate_ppi.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError

GOLDEN = Path(__file__).parent.parent / "golden" / "ppi.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text("utf-8"))["cases"]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_ppi_python(number: int) -> None:
    case = dict(CASES[number])
    expected = case.pop("result")
    assert stats.ppi_mean(**case) == pytest.approx(expected, abs=1e-9)


def test_a_difference_is_the_mean_of_the_differences() -> None:
    random = np.random.default_rng(1)
    human, same, rest = (random.random((2, n)).round(3) for n in (9, 9, 40))
    (h_a, h_b), (s_a, s_b), (r_a, r_b) = human, same, rest
    found = stats.ppi_difference(h_a, h_b, s_a, s_b, r_a, r_b, level=0.9)
    assert found == stats.ppi_mean(h_b - h_a, s_b - s_a, r_b - r_a, level=0.9)


@pytest.mark.parametrize("model", [0.5, 0.25])
def test_a_constant_model_leaves_the_mean_of_people(model: float) -> None:
    human = [0.1, 0.4, 0.7, 0.2]
    found = stats.ppi_mean(human, [model] * 4, [model] * 9)
    half = scipy_stats.norm.ppf(0.975) * np.std(human) / 2
    assert found == pytest.approx((0.35, 0.35 - half, 0.35 + half), abs=1e-12)


def test_a_useless_model_gives_students_interval_of_people() -> None:
    human = [0.1, 0.4, 0.7, 0.2]
    found = stats.ppi_mean(human, [0.1, 0.3, -0.5, 0.2], [0.4, 0.0], interval="t")
    expected = scipy_stats.ttest_1samp(human, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_the_interval_for_few_values_covers_what_it_says() -> None:
    """At 30 values by people; 2,000 simulations, and people alone no more than 5 % narrower."""
    random = np.random.default_rng(7)
    covered, width, alone = 0, 0.0, 0.0
    for _ in range(2000):
        human, useless = random.beta(0.9, 1.6, 230), random.random(230)
        model = 0.6 * human + 0.2 * useless
        good = stats.ppi_mean(human[:30], model[:30], model[30:], interval="t")
        covered += good.low <= 0.9 / 2.5 <= good.high
        of_useless = stats.ppi_mean(human[:30], useless[:30], useless[30:], interval="t")
        width += of_useless.high - of_useless.low
        alone += 2 * scipy_stats.t.ppf(0.975, 29) * human[:30].std(ddof=1) / np.sqrt(30)
    assert 0.93 <= covered / 2000 <= 0.97
    assert width <= 1.05 * alone


@pytest.mark.parametrize(
    ("human", "same", "rest", "message"),
    [
        ([0.1], [0.2], [0.3], "at least 2 queries; got 1"),
        ([0.1, 0.2], [0.2], [0.3], "two lists of one length"),
        ([0.1, 0.2], [0.2, 0.3], [], "at least 1"),
        ([0.1, np.nan], [0.2, 0.3], [0.3], "people's values must be finite"),
        ([0.1, 0.2], [0.2, 0.3], [np.inf], "the model's values must be finite"),
    ],
)
def test_values_that_give_no_estimate_are_refused(
    human: list[float], same: list[float], rest: list[float], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        stats.ppi_mean(human, same, rest)


def test_a_level_is_between_0_and_1() -> None:
    with pytest.raises(DataError, match="level"):
        stats.ppi_mean([0.1, 0.2], [0.2, 0.3], [0.3], level=95)
    with pytest.raises(DataError, match="interval must be 'normal' or 't'"):
        stats.ppi_mean([1, 2], [1, 2], [1], interval="T")  # type: ignore[arg-type]
