"""Measures as objects: what is written in Python is what the notation says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure_samples import Answer, by_hand, values

import evalstore.measures
from evalstore.errors import MeasureError
from evalstore.measures import (
    AP,
    RBP,
    GM_Bpref,
    IPrec,
    Judged,
    Measure,
    NumRet,
    P,
    RelativeRecall,
    alpha_nDCG,
    evaluate,
    named_measures,
    nDCG,
    parse,
    registry,
)
from evalstore.measures.precision import precision


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (AP, "AP"),
        (nDCG @ 10, "nDCG@10"),
        (P(rel=2) @ 5, "P(rel=2)@5"),
        (P(rel=2.0) @ np.int64(5), "P(rel=2)@5"),
        (P(rel=np.float64(2)) @ 5, "P(rel=2)@5"),
        ((P @ 5)(rel=2), "P(rel=2)@5"),
        (P(rel=2)(judged_only=True) @ 5, "P(judged_only=True,rel=2)@5"),
        (P(rel=2)(rel=3) @ 5 @ 7, "P(rel=3)@7"),
        (RBP(p=0.8), "RBP"),
        (RBP(p=0.5), "RBP(p=0.5)"),
        (nDCG(dcg="exp-log2") @ 20, "nDCG(dcg='exp-log2')@20"),
        (nDCG(gains={0: 1, 1: 3}) @ 4, "nDCG(gains={0:1,1:3})@4"),
        (IPrec @ 0.1, "IPrec@0.1"),
        (IPrec @ 1, "IPrec@1.0"),
        (NumRet(rel=2), "NumRelRet(rel=2)"),
        (GM_Bpref, "GM-Bpref"),
        (Judged @ 10, "Judged@10"),
        (alpha_nDCG @ 5, "alpha_nDCG@5"),
        (RelativeRecall(expected=3), "RelativeRecall(expected=3)"),
        (evalstore.measures.MRR, "RR"),
    ],
    ids=str,
)
def test_an_object_is_what_its_text_says(measure: Measure, text: str) -> None:
    assert str(measure) == repr(measure) == text
    assert measure == parse(text)
    assert hash(measure) == hash(parse(text))
    assert parse(measure) is measure


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AP @ 0, "AP@0: what follows the @ is a whole number from 1"),
        (lambda: AP @ 1.5, "not '1.5'"),
        (lambda: AP @ True, "not 'True'"),
        (lambda: AP @ "all", "not 'all'"),
        (lambda: NumRet @ 5, "NumRet@5: NumRet takes no @"),
        (lambda: P(depth=3), "P has no parameter 'depth'; it has: rel, judged_only"),
        (lambda: P(rel=0), "rel=0: must be more than 0"),
        (lambda: RBP(p=float("nan")), "p=nan: must be more than 0"),
        (lambda: RBP(p=float("inf")), "p=inf: must be more than 0"),
        (lambda: P(rel="two"), "rel='two': must be a number"),
        (lambda: P(rel=None), "must be more than 0"),
        (lambda: nDCG(dcg="ln"), "dcg='ln': must be one of"),
        (lambda: nDCG(gains=[1]), "gains"),
        (lambda: nDCG(gains={0: "x"}), "a gain is a number from 0"),
        (lambda: named_measures([P]), "P: the @ is missing"),
        (lambda: named_measures([RelativeRecall]), "RelativeRecall: expected= is missing"),
        (lambda: named_measures([]), "no measure is asked for"),
        (lambda: named_measures([5]), "a measure or its name is expected, not int"),  # type: ignore[list-item]
        (lambda: evaluate(by_hand(Answer([1])), [P]), "P: the @ is missing"),
    ],
)
def test_what_the_notation_refuses_is_refused_in_python_too(make: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        make()
    assert message in str(caught.value)


def test_every_measure_of_the_registry_is_an_attribute() -> None:
    attributes = {name: name.replace("-", "_") for name in registry()}
    for name, attribute in attributes.items():
        if attribute.isidentifier():
            assert getattr(evalstore.measures, attribute) == Measure(name)
            assert attribute in dir(evalstore.measures)


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'NDGC'"):
        _ = evalstore.measures.NDGC
    assert not hasattr(evalstore.measures, "__path_of_nothing__")


def test_measures_are_named_as_they_were_asked_for() -> None:
    asked = named_measures(["map", nDCG @ 10, "ndcg_cut_10", "P.5,10", "P(rel=1)@5"])
    assert {name: str(measure) for name, measure in asked.items()} == {
        "map": "AP",
        "nDCG@10": "nDCG@10",
        "ndcg_cut_10": "nDCG@10",
        "P_5": "P@5",
        "P_10": "P@10",
        "P(rel=1)@5": "P@5",
    }
    assert list(named_measures("AP")) == list(named_measures(AP)) == ["AP"]


def test_the_function_under_a_measure_stays_a_function() -> None:
    judged = by_hand(Answer([1, 0, 2]))
    assert precision(judged, cutoff=2, rel=1).tolist() == values(judged, "P@2") == [0.5]
    assert registry()["P"].function is precision
