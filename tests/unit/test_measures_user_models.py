"""Readers who stop somewhere, by hand."""

from __future__ import annotations

from math import log2

import pytest
from measure_samples import Answer, by_hand, value

RANKING = (2, 0, None, 1)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("RBP(rel=1)", 0.2 * (1 + 0.8**3)),
        ("RBP(rel=2)", 0.2),
        ("RBP", 0.2 * (2 / 2 + 0.5 * 0.8**3)),  # graded: the highest grade of the query is 2
        ("RBP@1", 0.2),
        ("RBP(max_rel=4)", 0.2 * (2 / 4 + 1 / 4 * 0.8**3)),
        ("RBP(p=0.5,rel=1)", 0.5 * (1 + 0.5**3)),
        ("rbp", 0.1 * (1 + 0.5 * 0.9**3)),
        # One unjudged, and all that lies beyond rank 4.
        ("RBPResidual", 0.8**4 + 0.2 * 0.8**2),
        ("ERR", 3 / 4 + 1 / 4 * (1 / 4) / 4),
        ("ERR@3", 3 / 4),
        ("ERR(max_rel=4)", 3 / 16 + 13 / 16 * (1 / 16) / 4),
        ("ERR(p=0.5)", 3 / 4 + 0.5**3 * (1 / 4) * (1 / 4) / 4),
        ("SDCG@4", (1 + 0.5 / log2(5)) / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5))),
        ("SDCG(max_rel=4)@1", 0.5),
        ("SDCG(min_rel=1)@4", 1 / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5))),
        ("BPM@4", 1.0),  # content after the first
        ("BPM(T=2)@4", 1.5 / 4),
        ("BPM(T=1.5)@10", 1.5 / 4),
        ("BPM(T=2)@10", 1.5 / 10),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert value(measure, *RANKING) == pytest.approx(expected, abs=1e-12)


def test_the_residual_is_what_judging_could_add() -> None:
    best = value("RBP(rel=1)", 1, 0, 1, 1)
    known = value("RBP(rel=1)", 1, 0, None, None)
    beyond = 0.8**4
    assert known + value("RBPResidual", 1, 0, None, None) == pytest.approx(best + beyond)
    assert value("RBPResidual", 1, 0, 1, 1) == 0.0


def test_insq_weighs_by_rank_alone() -> None:
    weights = [(2 / (2 + i)) ** 2 for i in range(1000)]
    expected = (weights[0] + weights[3] / 2) / sum(weights)
    assert value("INSQ", *RANKING) == pytest.approx(expected, abs=1e-12)


def test_inst_grows_content() -> None:
    weights, weight, wanted = [], 1.0, 1.0
    for rank in range(1, 1001):
        weights.append(weight)
        wanted -= {1: 1.0, 4: 0.5}.get(rank, 0.0)
        here = rank + 1 + wanted
        weight *= ((here - 1) / here) ** 2
    expected = (weights[0] + weights[3] / 2) / sum(weights)
    assert value("INST", *RANKING) == pytest.approx(expected, abs=1e-12)


def test_many_queries_at_once_are_as_one_alone() -> None:
    from measure_samples import values

    answers = [Answer((i % 3, 0, 2, None, i % 2)) for i in range(2500)]
    together = values(by_hand(*answers), "INST")
    assert together[:6] == pytest.approx(together[6:12], abs=0)
    assert together[2499] == pytest.approx(value("INST", 0, 0, 2, None, 1))
