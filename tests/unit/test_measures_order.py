"""The order of grades, ratings, coverage, what users know, and costs: by hand."""

from __future__ import annotations

import itertools
import random
from math import sqrt

import pytest
from measure_samples import Answer, by_hand, overall, value, values

from evalstore.errors import MeasureError
from evalstore.measures import aggregate, evaluate, parse


def test_inversions_are_pairs_the_wrong_way_round() -> None:
    # 0 before 2, 1, 3; 2 before 3; 1 before 3. The unjudged one counts in no pair.
    assert value("Inversions", 0, 2, None, 1, 3, -1) == 5
    assert value("Inversions", 3, 2, 1, 0) == 0


def test_inversions_as_counted_pair_by_pair() -> None:
    draw = random.Random(4)
    answers = [
        Answer([draw.choice([0, 0.5, 1, 2, 3, 7, -1, None]) for _ in range(draw.randrange(40))])
        for _ in range(30)
    ]
    by_pairs = [
        sum(
            a < b
            for a, b in itertools.combinations(
                [g for g in answer.ranking if g is not None and g >= 0], 2
            )
        )
        for answer in answers
    ]
    assert values(by_hand(*answers), "Inversions") == by_pairs


def test_kendalls_tau() -> None:
    assert value("KendallTau", 3, 2, 2, 0) == 1.0
    assert value("KendallTau", 0, 2, 2, 3) == -1.0
    assert value("KendallTau", 2, 0, 1, 1) == pytest.approx((3 - 2) / 5)
    assert value("KendallTau", 1, 1) == 0.0


def test_rank_score_halves() -> None:
    gained = 1 + 2 ** -(5 / 5)
    best = 1 + 2 ** -(1 / 5) + 2 ** -(2 / 5)
    ranking = (1, 0, 0, 0, 0, 1)
    assert value("RankScore", *ranking, missed=(1.0,)) == pytest.approx(gained / best)
    assert value("RankScore(half_life=1)", 0, 1) == 0.5


def test_errors_of_ratings_are_pooled_over_all_ratings() -> None:
    judged = by_hand(
        Answer((5, 3, None), scores=(4.0, 3.5, 9.0)),  # errors -1 and 0.5; one is not rated
        Answer((-2,), scores=(0.0,)),  # a negative rating is a rating
        Answer((None,), scores=(1.0,)),
    )
    assert values(judged, "MAE") == [0.75, 2.0, 0.0]
    assert values(judged, "MSE") == [1.25 / 2, 4.0, 0.0]
    assert values(judged, "RMSE") == pytest.approx([sqrt(1.25 / 2), 2.0, 0.0])
    assert overall(judged, "MAE") == pytest.approx(3.5 / 3)
    assert overall(judged, "MSE") == pytest.approx(5.25 / 3)
    assert overall(judged, "RMSE") == pytest.approx(sqrt(5.25 / 3))


def test_the_coverage_of_predictions_is_of_all_ratings() -> None:
    judged = by_hand(
        Answer((5, 3, None), missed=(4.0,)),  # two of three ratings are predicted
        Answer((-2,)),
        Answer((), missed=(1.0,), answered=False),
    )
    assert values(judged, "PredictionCoverage") == [2 / 3, 1.0, 0.0]
    assert overall(judged, "PredictionCoverage") == 3 / 5


def test_a_pooled_figure_can_not_be_told_from_the_values() -> None:
    judged = by_hand(Answer((5,), scores=(4.0,)))
    mae = parse("MAE")
    with pytest.raises(MeasureError, match="MAE"):
        aggregate(mae, evaluate(judged, [mae])[mae])


def test_coverage_of_the_collection() -> None:
    judged = by_hand(Answer((1, 0, 0)), Answer((1, 0)), collection_size=10, distinct=4)
    assert values(judged, "ItemCoverage") == [0.3, 0.2]
    assert overall(judged, "ItemCoverage") == 0.4


def test_what_the_user_knew() -> None:
    # Relevant at 1, 2, 4, one missed; known are the documents at 1 and 3 and the one missed.
    judged = by_hand(Answer((1, 1, 0, 1), (1.0,), known=(1, 3, 5)))
    assert values(judged, "CoverageRatio") == [1 / 2]
    assert values(judged, "NoveltyRatio") == [2 / 3]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("RelativeRecall(expected=2)", 1.0),
        ("RelativeRecall(expected=6)", 0.5),
        ("RecallEffort(expected=1)", 1.0),
        ("RecallEffort(expected=3)", 3 / 4),
        ("RecallEffort(expected=4)", 0.0),
    ],
)
def test_what_the_user_expected(measure: str, expected: float) -> None:
    assert value(measure, 1, 1, 0, 1, missed=(1.0,)) == expected


def test_costs() -> None:
    judged = by_hand(
        *(Answer((1,), time=float(t)) for t in (10, 20, 30, 100)), Answer((1,)), index_bytes=2048
    )
    assert values(judged, "ResponseTime") == [10, 20, 30, 100, 0]
    assert overall(judged, "ResponseTime") == 40  # the query without a time is left out
    assert overall(judged, "ResponseTime(percentile=50)") == 25
    assert overall(judged, "ResponseTime(percentile=95)") == pytest.approx(89.5)
    assert overall(judged, "IndexSize") == 2048


def test_costs_of_a_run_are_shared_by_all_its_queries() -> None:
    judged = by_hand(
        *(Answer((1,)) for _ in range(3)),
        **{"memory_bytes": 2048, "money": 0.5, "currency": "EUR", "energy_joules": 20.0},
        run_queries=5,  # two of them without judgments
    )
    assert values(judged, "PeakMemory") == [2048, 2048, 2048]
    assert overall(judged, "PeakMemory") == 2048
    assert values(judged, "CostPerQuery(currency='EUR')") == [0.1, 0.1, 0.1]
    assert overall(judged, "CostPerQuery(currency='EUR')") == 0.1
    assert overall(judged, "EnergyPerQuery") == 4.0


def test_money_of_another_currency_has_no_value() -> None:
    judged = by_hand(Answer((1,)), money=0.5, currency="USD", run_queries=1)
    with pytest.raises(MeasureError, match="needs the cost in EUR: that of the run is in USD$"):
        overall(judged, "CostPerQuery(currency='EUR')")


@pytest.mark.parametrize("currency", ["''", "'E R'", "'<b>'", "3", "'" + "A" * 13 + "'"])
def test_a_currency_is_written_in_letters(currency: str) -> None:
    with pytest.raises(MeasureError, match="must be the currency in letters, like 'EUR'"):
        parse(f"CostPerQuery(currency={currency})")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # The ideal ranking most like this one: its document of grade 2 (rank 2), the one of grade
        # 1 at rank 1, the missed one of grade 1. Common at depths 1, 2, 3: 0, 2, 2 of at most
        # 1, 2, 3.
        ("Compat(p=0.5)", (0 + 2 / 2 / 2 + 2 / 3 / 4) / (1 + 1 / 2 + 1 / 4)),
        ("Compat(normalize=False,p=0.5)", (2 / 2 / 2 + 2 / 3 / 4) / (1 + 1 / 2 + 1 / 4)),
    ],
)
def test_compatibility_by_hand(measure: str, expected: float) -> None:
    assert value(measure, 1, 2, missed=(1,)) == pytest.approx(expected, abs=1e-12)


def test_compatibility_goes_on_to_the_end_of_the_longer_ranking() -> None:
    # One relevant document, at rank 3 of 4: common from depth 3 on, of 1 from depth 1 on.
    ideal = 1 + 0.5 / 2 + 0.25 / 3 + 0.125 / 4
    expected = (0.25 / 3 + 0.125 / 4) / ideal
    assert value("Compat(p=0.5)", 0, None, 1, 0) == pytest.approx(expected, abs=1e-12)
    # Without normalising, over all the weight: even the ideal ranking of one document loses.
    expected = ideal / (1 + 0.5 + 0.25 + 0.125)
    unnormalised = value("Compat(p=0.5,normalize=False)", 1, 0, None, 0)
    assert unnormalised == pytest.approx(expected, abs=1e-12)


def test_equal_grades_are_ideal_in_any_order() -> None:
    judged = by_hand(Answer([2, 2, 1, 1]), Answer([2, 1, 1], missed=[2]), Answer([], missed=[1]))
    whole, partly, nothing = values(judged, "Compat")
    assert whole == pytest.approx(1)
    assert 0 < partly < 1
    assert nothing == 0
