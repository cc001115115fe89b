"""Sets and counts, by hand."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest
from measure_samples import Answer, by_hand, overall, value, values

from evalstore.errors import MeasureError
from evalstore.measures import evaluate, parse

RANKING = (1, 0, 2, None, -1)
MISSED = (1.0, 0.0)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("SetP", 2 / 5),
        ("SetP(judged_only=True)", 2 / 3),
        ("SetR", 2 / 3),
        ("SetRelP", 2 / 3),
        ("SetAP", 2 / 5 * 2 / 3),
        ("SetF", 2 * 2 / 5 * 2 / 3 / (2 / 5 + 2 / 3)),
        ("SetF(beta=2)", 5 * 2 / 5 * 2 / 3 / (4 * 2 / 5 + 2 / 3)),
        ("set_F.4", 5 * 2 / 5 * 2 / 3 / (4 * 2 / 5 + 2 / 3)),
        ("Utility", 2 - 3),
        ("Utility(p1=3,p2=-2,p3=-1)", 3 * 2 - 2 * 3 - 1),
        ("NumRet", 5),
        ("NumRel", 3),
        ("NumRelRet", 2),
        ("NumRelRet(rel=2)", 1),
        ("NumNonrelRet", 1),
        ("NumQ", 1),
        ("Judged@3", 1.0),
        ("Judged@5", 3 / 5),
        ("Judged@10", 3 / 10),
        ("Judged", 3 / 5),
        ("Unjudged@3", 0.0),
        ("Unjudged@5", 2 / 5),
        ("Unjudged@10", 2 / 10),  # what is not there counts as judged
        ("Unjudged", 2 / 5),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert value(measure, *RANKING, missed=MISSED) == pytest.approx(expected, abs=1e-12)


def test_accuracy_and_utility_look_at_the_whole_collection() -> None:
    judged = by_hand(Answer(RANKING, MISSED), collection_size=20, distinct=5)
    # Wrong: three retrieved, one missed.
    assert values(judged, "Accuracy") == [16 / 20]
    assert values(judged, "Accuracy@1") == [18 / 20]
    # Left out: 20 - 5 retrieved - 1 missed.
    assert values(judged, "Utility(p4=0.5)") == [2 - 3 + 0.5 * 14]


@pytest.mark.parametrize(
    ("measure", "needs", "words"),
    [
        ("Accuracy", "collection_size", "the size of the collection"),
        ("ItemCoverage", "collection_size", "the size of the collection"),
        ("Utility(p4=1)", "collection_size", "the size of the collection"),
        ("CoverageRatio", "known", "the documents known to the user"),
        ("ResponseTime", "times", "the time each query took"),
        ("IndexSize", "index_bytes", "the size of the index"),
        ("PeakMemory", "memory_bytes", "the memory that the engine used"),
        ("CostPerQuery(currency='EUR')", "money", "what the run cost"),
        ("EnergyPerQuery", "energy_joules", "the energy that the run took"),
        ("alpha_nDCG@5", "subtopics", "judgments by subtopic"),
    ],
)
def test_what_a_measure_lacks_is_named(measure: str, needs: str, words: str) -> None:
    judged = by_hand(Answer(RANKING))
    bare = replace(judged, known=None, pool_known=None, times=None, subtopics=None)
    with pytest.raises(MeasureError, match=f" needs {words}$") as caught:
        evaluate(bare, [parse(measure)])
    assert caught.value.needs == needs
    assert copy(caught.value).needs == needs  # as it goes from process to process


def test_counts_are_added_up() -> None:
    judged = by_hand(Answer((1, 0)), Answer((1,), (1.0,)), Answer((), (2.0,), answered=False))
    assert [overall(judged, m) for m in ("NumQ", "NumRet", "NumRel", "NumRelRet")] == [3, 3, 4, 2]
    assert overall(judged, "UserCoverage") == pytest.approx(2 / 3)


def test_no_queries_give_no_figure_but_zero() -> None:
    assert overall(by_hand(), "AP") == 0.0
    assert overall(by_hand(), "MAE") == 0.0
    assert overall(by_hand(), "GMAP") == 0.0
