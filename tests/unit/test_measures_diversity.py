"""Diversity, by hand."""

from __future__ import annotations

from math import log2

import pytest
from measure_samples import Answer, by_hand, values

# Subtopics a, b, c; the document for c is missed.
ANSWER = Answer((1, 1, 0, 1), (1.0,), aspects=(("a", "b"), ("a",), (), ("b",), ("a", "c")))
GAINED = 2 + 0.5 / log2(3) + 0.5 / log2(5)
# The best: the pair with the higher docno first (a, c), then a, b at 0.5 + 1, then b at 0.5, ...
IDEAL = 2 + 1.5 / log2(3)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("alpha_nDCG@2", (2 + 0.5 / log2(3)) / IDEAL),
        ("alpha_nDCG(alpha=0)@2", (2 + 1 / log2(3)) / (2 + 2 / log2(3))),
        ("alpha_DCG@2", (2 + 0.5 / log2(3)) / (3 + 1.5 / log2(3))),
        ("alpha_nDCG@4", GAINED / (IDEAL + 0.5 / 2 + 0.25 / log2(5))),
        ("ERR_IA@1", 2 / 3),
        ("ERR_IA@2", (2 + 0.5 / 2) / (3 + 1.5 / 2)),
        ("nERR_IA@2", (2 + 0.5 / 2) / (2 + 1.5 / 2)),
        ("NRBP", 0.75 / 3 * (2 + 0.5 * 0.5 + 0.5 * 0.125)),
        ("nNRBP", (2 + 0.25 + 0.0625) / (2 + 1.5 / 2 + 0.5 / 4 + 0.25 / 8)),
        ("P_IA@2", 3 / 6),
        ("StRecall@1", 2 / 3),
        ("StRecall@10", 2 / 3),
        ("AP_IA", (2 / 3 + (1 + 2 / 4) / 2 + 0) / 3),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert values(by_hand(ANSWER), measure) == pytest.approx([expected], abs=1e-12)


def test_queries_do_not_touch_each_other() -> None:
    other = Answer((1,), aspects=(("z",),))
    nothing = Answer((0, 0), aspects=())
    for measure in ("alpha_nDCG@3", "ERR_IA@3", "nNRBP", "AP_IA", "StRecall@2", "P_IA@1"):
        alone = values(by_hand(ANSWER), measure) + values(by_hand(other), measure) + [0.0]
        assert values(by_hand(ANSWER, other, nothing), measure) == pytest.approx(alone)


def test_without_any_relevant_document() -> None:
    judged = by_hand(Answer((0, None)), Answer(()))
    for measure in ("alpha_nDCG@3", "alpha_DCG@3", "nERR_IA@3", "NRBP", "nNRBP", "AP_IA"):
        assert values(judged, measure) == [0.0, 0.0]


def test_condensed_rankings_take_their_subtopics_along() -> None:
    answer = Answer((None, 1), aspects=((), ("a",)))
    assert values(by_hand(answer), "ERR_IA@2") == [0.5 / (1 + 0.25)]
    assert values(by_hand(answer), "ERR_IA(judged_only=True)@2") == [1 / (1 + 0.25)]
