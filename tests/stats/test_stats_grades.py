"""Cohen's kappa and Krippendorff's alpha: recorded values of other packages, textbook examples."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from evalstore.errors import DataError
from evalstore.stats import (
    bootstrap_intervals,
    cohen_kappa,
    group_favour,
    krippendorff_alpha,
)

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


def favour(judged: list[float], own: list[bool]) -> Any:
    """Of two queries; run 0 has the documents 1 and 2 of each, run 1 the documents 2 and 3.

    The reference grades of the three are 1, 1 and 0; `judged` are those of the six documents.
    """
    documents = [0, 1, 1, 2, 3, 4, 4, 5]
    grades = [[1.0, 1, 0, 1, 1, 0][n] for n in documents]
    given = [judged[n] for n in documents]
    return group_favour(grades, given, [n // 3 for n in documents], [0, 0, 1, 1] * 2, own)


def test_a_milder_judge_favours_nobody_and_a_favour_is_what_is_left_of_a_grade() -> None:
    assert favour([2, 2, 1, 2, 2, 1], [True, False])[:4] == (0, 0, 0, 1)
    # Documents of grade 1 have 2, 1, 1 and 1, 1, 1, on average 7/6, those of grade 0 have 0. Less
    # that, run 0 has (5/6 - 1/6) / 2 and -1/6, run 1 (-1/6 + 0) / 2 twice: 5/12 and -1/12 more.
    of = favour([2, 1, 0, 1, 1, 0], [True, False])
    assert of.favour == pytest.approx(1 / 6)
    assert (of.queries, of.p) == (2, pytest.approx(ttest_1samp([5 / 12, -1 / 12], 0).pvalue))
    assert favour([2, 1, 0, 1, 1, 0], [False, True]).favour == pytest.approx(-1 / 6)


def test_without_two_queries_on_which_both_sides_have_a_document_no_favour_is_known() -> None:
    of = group_favour([1, 1, 0], [1, 2, 0], [0, 0, 1], [0, 1, 0], [True, False])
    assert math.isnan(of.favour)
    assert (of.p, of.queries) == (1, 1)
    with pytest.raises(DataError, match="one length"):
        group_favour([1, 1], [1], [0, 0], [0, 1], [True, False])


@pytest.mark.parametrize(("planted", "least", "most"), [(0.4, 95, 100), (0.0, 0, 9)])
def test_a_planted_favour_is_found_and_none_is_where_there_is_none(
    planted: float, least: int, most: int
) -> None:
    """100 worlds of 40 queries; the family's three runs are better, and the model errs often."""
    random, found = np.random.default_rng(1), 0
    for _ in range(100):
        grade = random.choice(4, (40, 30), p=(0.6, 0.2, 0.12, 0.08))
        shared = random.normal(size=(2, 1, 40, 30))
        noise = random.normal(size=(2, 3, 40, 30)) + shared
        scores = (np.array([1.5, 1.0])[:, None, None, None] * grade + noise).reshape(6, 40, 30)
        top = np.argsort(-scores, axis=2)[:, :, :10]
        model = np.clip(
            np.rint(grade + random.normal(size=grade.shape) + planted * shared[0, 0]), 0, 3
        )
        run, query, _ = np.indices(top.shape)
        at = (query.ravel(), top.ravel())
        own = [True] * 3 + [False] * 3
        of = group_favour(grade[at], model[at], query.ravel(), run.ravel(), own)
        found += of.favour > 0 and of.p < 0.05
    assert least <= found <= most
