"""Gain, discounted and normalised, by hand."""

from __future__ import annotations

from math import log2

import pytest
from measure_samples import value

RANKING = (2, 0, 3, None, 1)
MISSED = (2.0,)
IDEAL = 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)
REACHED = 2 + 3 / 2 + 1 / log2(6)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("CG", 6),
        ("CG@3", 5),
        ("CG(gains={2:10})@3", 13),
        ("DCG", REACHED),
        ("DCG@2", 2),
        ("DCG(dcg='jk')", 2 + 3 / log2(3) + 1 / log2(5)),
        ("DCG(dcg='exp-log2')@3", 3 + 7 / 2),
        ("DCG(rel=2)", 3.5),
        ("nDCG", REACHED / IDEAL),
        ("nDCG@3", 3.5 / (3 + 2 / log2(3) + 2 / 2)),
        ("nDCG(dcg='exp-log2')@2", 3 / (7 + 3 / log2(3))),
        ("nDCG(dcg='jk')@3", (2 + 3 / log2(3)) / (3 + 2 + 2 / log2(3))),
        ("nDCG(gains={1:9,3:0})@1", 2 / 9),  # the ideal follows the gains, not the grades
        ("nDCG(gains={1:0.5,2:0.9,3:1})@1", 0.9),
        # Ideal gains 3 2 2 1: they change after ranks 1, 3 and 4, and two ranks or more follow.
        ("Rndcg", (2 / 3 + 3.5 / (4 + 2 / log2(3)) + 3.5 / IDEAL) / 3),
        (
            "nDCGrel",
            (2 / 3 + 3.5 / (4 + 2 / log2(3)) + 2 * REACHED / IDEAL) / 4,
        ),
        # Cost so far 3 5 7 8 9, gain so far 2 2 5 5 6.
        ("G", (2 / log2(3) + 3 / log2(4) + 1 / log2(5)) / 8),
        ("binG", (1 + 1 / log2(3) + 1 / log2(4)) / 4),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert value(measure, *RANKING, missed=MISSED) == pytest.approx(expected, abs=1e-12)


def test_rndcg_adds_the_end_of_a_ranking_that_goes_on() -> None:
    # As trec_eval: one document after the last relevant place is not yet an end.
    assert value("Rndcg", 0, 1) == 0.0
    assert value("Rndcg", 0, 0, 1) == pytest.approx((0 + 1 / 2) / 2)


def test_a_negative_grade_gains_nothing() -> None:
    assert value("nDCG", -3, 1) == pytest.approx(1 / log2(3))
    assert value("CG(gains={-3:7})", -3, 1) == 1


def test_decimal_grades() -> None:
    assert value("nDCG", 0.5, 1.5) == pytest.approx((0.5 + 1.5 / log2(3)) / (1.5 + 0.5 / log2(3)))


def test_a_steep_scale_stays_a_number() -> None:
    assert value("nDCG(dcg='exp-log2')", 0, 2e9) == pytest.approx(1 / log2(3))
    assert value("DCG(dcg='exp-log2')", 2e9, 2e9) < float("inf")
    assert value("ERR", 2e9, 1) == pytest.approx(1.0)
