"""Precision, recall and average precision, by hand."""

from __future__ import annotations

from math import exp, log

import pytest
from measure_samples import Answer, by_hand, overall, value, values

# Relevant at 1, 3 and 6; a fourth is missed.
RANKING = (1, 0, 2, None, 0, 1, 0, 0)
MISSED = (1.0,)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("P@1", 1.0),
        ("P@5", 2 / 5),
        ("P(rel=2)@5", 1 / 5),
        ("P@10", 3 / 10),  # always divided by k
        ("R@5", 2 / 4),
        ("R@6", 3 / 4),
        ("RelP@3", 2 / 3),
        ("RelP@10", 3 / 4),  # no more than 4 are to be had
        ("Success@1", 1.0),
        ("Success(rel=2)@2", 0.0),
        ("Success(rel=2)@3", 1.0),
        ("Rprec", 2 / 4),
        ("Rprec(mult=0.5)", 1 / 2),
        ("Rprec(mult=1.5)", 3 / 6),
        ("Rprec(mult=0.6)", 2 / 3),  # 2.4 documents are 3
        ("F@5", 2 * 0.4 * 0.5 / 0.9),
        ("F(beta=2)@5", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("E@5", 1 - 2 * 0.4 * 0.5 / 0.9),
        ("E(b=2)@5", 1 - 5 / (4 / 0.5 + 1 / 0.4)),
        ("IPrec@0.0", 1.0),
        ("IPrec@0.25", 1.0),
        ("IPrec@0.3", 2 / 3),
        ("IPrec@0.75", 3 / 6),
        ("IPrec@0.8", 0.0),
        ("11ptAP", (3 * 1.0 + 3 * 2 / 3 + 2 * 0.5) / 11),
        ("11ptAP(levels=(0.25,0.5))", (1 + 2 / 3) / 2),
        ("AP", (1 + 2 / 3 + 3 / 6) / 4),
        ("AP@3", (1 + 2 / 3) / 4),
        ("AP(norm='min')@3", (1 + 2 / 3) / 3),
        ("AP(norm='found')@3", (1 + 2 / 3) / 2),
        ("AP(norm='min')", (1 + 2 / 3 + 3 / 6) / 4),
        ("AP(norm='found')", (1 + 2 / 3 + 3 / 6) / 3),
        ("AP(rel=2)", 1 / 3),
        ("APseen", (1 + 2 / 3 + 3 / 6) / 3),
        ("APseen@2", (1 + 2 / 3) / 2),
        ("AP(judged_only=True)", (1 + 2 / 3 + 3 / 5) / 4),
        ("P(judged_only=True)@5", 3 / 5),
        ("RR", 1.0),
        ("RR(rel=2)", 1 / 3),
        ("RR(rel=2)@2", 0.0),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert value(measure, *RANKING, missed=MISSED) == pytest.approx(expected, abs=1e-12)


def test_no_recall_is_all_that_e_has_to_wish_for() -> None:
    assert value("E@5", 0, 0, missed=(1.0,)) == 1.0


@pytest.mark.parametrize(
    ("compat", "expected"), [("exact", 1 / 3), ("trec_eval-9", 1 / 2), ("trec_eval-10", 1 / 2)]
)
def test_seven_tenths_of_three_relevant_documents(compat: str, expected: float) -> None:
    # 2.1 documents: 3 in decimal arithmetic, 2 in trec_eval 9's doubles, 2 rounded to the nearest.
    judged = by_hand(Answer((0, 1, 0, 1, 0, 0, 0, 0, 1)), compat=compat)  # type: ignore[arg-type]
    assert values(judged, "IPrec@0.7") == pytest.approx([expected])


def test_interpolated_precision_of_trec_eval_10_rounds() -> None:
    # 0.3 of 4 is 1.2: two documents by both older rules, one by rounding.
    ranking = Answer((1, 0, 1, 1, 1))
    assert values(by_hand(ranking, compat="trec_eval-10"), "IPrec@0.3") == [1.0]
    assert values(by_hand(ranking, compat="trec_eval-9"), "IPrec@0.3") == [4 / 5]
    assert values(by_hand(ranking), "IPrec@0.3") == [4 / 5]


def test_inferred_ap_takes_the_unjudged_pool_to_be_like_the_judged() -> None:
    # At rank 4: three documents above, two of them in the pool, one of these judged and relevant.
    figure = value("infAP", 1, -1, None, 1)
    at_4 = 1 / 4 + 3 / 4 * (2 / 3) * ((1 + 1e-5) / (1 + 2e-5))
    assert figure == pytest.approx((1 + at_4) / 2, abs=1e-12)


def test_inferred_ap_of_a_complete_pool_is_ap_but_for_a_trace() -> None:
    assert value("infAP", 1, 0, 1) == pytest.approx(value("AP", 1, 0, 1), abs=1e-4)


def test_the_geometric_mean_has_a_floor() -> None:
    judged = by_hand(Answer((1,)), Answer((0, 1)), Answer((0,), (1.0,)))
    assert values(judged, "GMAP") == [1.0, 0.5, 0.0]
    assert overall(judged, "GMAP") == pytest.approx(exp((log(1) + log(0.5) + log(1e-5)) / 3))


def test_binary_preference() -> None:
    # R = 3, N = 2; above the hits at ranks 1, 4, 6: 0, 1, 2 judged nonrelevant.
    ranking = (1, 0, None, 1, 0, 1)
    assert value("Bpref", *ranking) == pytest.approx((1 + (1 - 1 / 2) + (1 - 2 / 2)) / 3)
    assert value("GM-Bpref", *ranking) == value("Bpref", *ranking)


def test_binary_preference_counts_no_more_than_r_nonrelevant_documents() -> None:
    # R = 1, N = 3, and three above: no preference is kept.
    assert value("Bpref", 0, 0, 0, 1) == 0.0
    assert value("Bpref", -1, None, 1, 0) == 1.0  # in the pool, not judged: passed over


def test_without_judged_nonrelevant_documents_bpref_is_recall() -> None:
    assert value("Bpref", 1, None, 1, missed=(1.0, 1.0)) == 0.5
