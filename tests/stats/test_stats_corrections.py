"""Corrections for several tests: worked by hand, against SciPy, and their properties."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evalstore import stats
from evalstore.errors import DataError

P = st.lists(st.floats(0, 1), max_size=30)
Correction = Callable[[npt.ArrayLike], npt.NDArray[np.float64]]
CORRECTIONS: tuple[Correction, ...] = (stats.bonferroni, stats.holm, stats.benjamini_hochberg)

# Benjamini and Hochberg 1995, 3.2: 15 tests of thrombolysis trials.
THROMBOLYSIS = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]


def test_as_many_of_benjamini_and_hochbergs_example_are_rejected_as_they_say() -> None:
    # They reject the first three by Bonferroni, the first four by their own procedure.
    assert (stats.bonferroni(THROMBOLYSIS) <= 0.05).sum() == 3
    assert (stats.holm(THROMBOLYSIS) <= 0.05).sum() == 3
    assert (stats.benjamini_hochberg(THROMBOLYSIS) <= 0.05).sum() == 4


def test_by_hand() -> None:
    p = [0.04, 0.01, 0.03]
    assert stats.bonferroni(p) == pytest.approx([0.12, 0.03, 0.09])
    # Ascending: 3 x 0.01, 2 x 0.03, then 1 x 0.04, which may not fall below the one before.
    assert stats.holm(p) == pytest.approx([0.06, 0.03, 0.06])
    # Descending: 3/3 x 0.04, then 3/2 x 0.03, which may not be above the one after, 3/1 x 0.01.
    assert stats.benjamini_hochberg(p) == pytest.approx([0.04, 0.03, 0.04])


@given(P.filter(bool))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    expected = scipy_stats.false_discovery_control(p, method="bh")
    assert stats.benjamini_hochberg(p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("correct", CORRECTIONS)
@given(p=P)
def test_corrections_keep_the_order_and_never_lower_p(correct: Correction, p: list[float]) -> None:
    corrected = correct(p)
    assert (corrected >= np.array(p) * (1 - 1e-12)).all()
    assert (corrected <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()


@given(P)
def test_holm_lies_between_benjamini_hochberg_and_bonferroni(p: list[float]) -> None:
    rounding = 1 + 1e-12
    assert (stats.benjamini_hochberg(p) <= stats.holm(p) * rounding).all()
    assert (stats.holm(p) <= stats.bonferroni(p) * rounding).all()


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_the_shape_stays(correct: Correction) -> None:
    p = np.array([[0.01, 0.5, 0.02], [0.03, 0.04, 1.0]])
    assert correct(p).shape == (2, 3)
    assert correct(p).ravel().tolist() == correct(p.ravel()).tolist()
    assert correct([]).shape == (0,)
    assert correct(0.2) == pytest.approx(0.2)


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_a_p_of_1_stays_in_the_family(correct: Correction) -> None:
    assert correct([0.01, 1.0])[0] == pytest.approx(0.02)


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("p", [[0.1, float("nan")], [-0.1], [1.1], ["x"]])
def test_what_is_no_probability_is_refused(correct: Correction, p: list[float]) -> None:
    with pytest.raises(DataError, match="p values must"):
        correct(p)
