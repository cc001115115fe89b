"""The queries on which a run loses, and the histogram of the differences."""

from __future__ import annotations

from compared_runs import compared, numbered, run_values

from evalstore.comparison.claims import Bin, histogram, regressions

A = numbered([0.5, 0.5, 0.5, 0.5])
B = numbered([0.4, 0.9, 0.1, 0.5])


def test_regressions_are_the_queries_where_b_is_worse_the_largest_loss_first() -> None:
    listed = regressions(compared(run_values("A", A), run_values("B", B)), 10)
    assert [(one.qid, one.value_a, one.value_b) for one in listed] == [
        ("q03", 0.5, 0.1),
        ("q01", 0.5, 0.4),
    ]
    assert [
        one.qid for one in regressions(compared(run_values("A", A), run_values("B", B)), 1)
    ] == ["q03"]


def test_where_lower_is_better_a_higher_value_is_a_regression() -> None:
    runs = [run_values(n, v, measure="ResponseTime") for n, v in (("A", A), ("B", B))]
    listed = regressions(compared(*runs, measure="ResponseTime"), 10)
    assert [one.qid for one in listed] == ["q02"]


def test_a_measure_that_says_nothing_of_better_has_no_regressions() -> None:
    runs = [run_values(n, v, measure="NumRet") for n, v in (("A", A), ("B", B))]
    assert regressions(compared(*runs, measure="NumRet"), 10) == []


def test_runs_that_are_not_comparable_have_no_regressions() -> None:
    other = run_values("B", B, collection="other")
    assert regressions(compared(run_values("A", A), other), 10) == []


def test_differences_of_0_have_a_bin_of_their_own() -> None:
    assert histogram([0.0, 0.1, 0.2, -0.1, 0.3 - 0.1 - 0.2]) == [
        Bin(-0.1, -0.05, 1),
        Bin(-0.05, 0.0, 0),
        Bin(0.0, 0.0, 2),
        Bin(0.0, 0.05, 0),
        Bin(0.05, 0.1, 1),
        Bin(0.1, 0.15, 0),
        Bin(0.15, 0.2, 1),
    ]


def test_every_difference_is_in_one_bin_and_at_most_five_are_on_a_side() -> None:
    for scale in (1e-9, 0.0037, 0.99, 1.0, 1234.5):
        differences = [scale * number / 20 for number in range(-20, 21)]
        bins = histogram(differences)
        assert sum(one.count for one in bins) == 41
        assert sum(one.high > 0 for one in bins) <= 5
        assert sum(one.low < 0 for one in bins) <= 5


def test_nothing_but_zeros_is_one_bin() -> None:
    assert histogram([0.0, 0.0]) == [Bin(0.0, 0.0, 2)]
