"""Cohen's kappa and Krippendorff's alpha: recorded values of other packages, textbook examples."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalstore.errors import DataError
from evalstore.stats import bootstrap_intervals, cohen_kappa, krippendorff_alpha

JUDGES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "judges.json").read_text("utf-8")
)
"""Grades and coefficients by scikit-learn, irrCAC and krippendorff (regenerate_judges.py)."""


@pytest.mark.parametrize("case", JUDGES)
def test_as_other_packages_have_it(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    assert cohen_kappa(a, b) == pytest.approx(case["kappa"], abs=1e-9)
    assert cohen_kappa(a, b, "linear") == pytest.approx(case["kappa_linear"], abs=1e-9)
    assert cohen_kappa(a, b, "quadratic") == pytest.approx(case["kappa_quadratic"], abs=1e-9)
    for metric in ("nominal", "ordinal", "interval"):
        ours = krippendorff_alpha(a, b, metric)  # type: ignore[arg-type]  # a text
        assert ours == pytest.approx(case[f"alpha_{metric}"], abs=1e-9)


def test_krippendorffs_own_example_of_two_observers() -> None:
    """Computing Krippendorff's Alpha-Reliability (2011), B: nominal data, alpha 0.692."""
    a, b = "aabbdcccedda", "babbbccceddd"
    numbers = {letter: float(number) for number, letter in enumerate("abcde")}
    alpha = krippendorff_alpha([numbers[x] for x in a], [numbers[x] for x in b])
    assert round(alpha, 3) == 0.692


def test_grades_of_kappa_are_as_far_apart_as_their_places() -> None:
    a, b = [0, 1, 4, 4, 0], [0, 4, 4, 1, 1]
    places = {0: 0, 1: 1, 4: 2}
    renamed = [places[x] for x in a], [places[x] for x in b]
    assert cohen_kappa(a, b, "linear") == cohen_kappa(*renamed, "linear")
    assert krippendorff_alpha(a, b, "interval") != krippendorff_alpha(*renamed, "interval")


@pytest.mark.parametrize(("a", "b"), [([], []), ([2, 2], [2, 2])])
def test_one_grade_throughout_has_neither(a: list[float], b: list[float]) -> None:
    assert math.isnan(cohen_kappa(a, b, "quadratic"))
    for metric in ("nominal", "ordinal", "interval"):
        assert math.isnan(krippendorff_alpha(a, b, metric))  # type: ignore[arg-type]  # a text


def test_grades_that_are_not_aligned_are_refused() -> None:
    with pytest.raises(DataError, match="two lists of one length"):
        cohen_kappa([1, 2], [1])


def share(tables: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The second count of the first."""
    return (tables[:, 1] / tables[:, 0])[None]


def test_intervals_draw_queries_that_have_documents_and_repeat() -> None:
    """Of two queries with 0 and 1 of 1, a quarter of the resamples has 0, a quarter 1."""
    tables = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    [wide] = bootstrap_intervals(tables, share)
    [narrow] = bootstrap_intervals(tables, share, level=0.4)
    assert (wide, narrow) == ((0, 1), (0.5, 0.5))
    assert bootstrap_intervals(tables, share) == [wide]
    [ends] = bootstrap_intervals(tables[:2], share)
    assert math.isnan(ends.low)
    assert math.isnan(ends.high)
