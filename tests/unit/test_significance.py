"""The figures of a comparison: joined on ids, antisymmetric, corrected over what is shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from compared_runs import compared, numbered, run_values

from evalstore import stats
from evalstore.comparison.significance import TESTS, Compared, Pair, Settings
from evalstore.errors import DataError

A = numbered([0.5, 0.25, 1.0, 0.0, 0.75, 0.5, 0.3, 0.9])
B = numbered([0.6, 0.25, 0.8, 0.4, 0.95, 0.7, 0.2, 1.0])
C = numbered([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
VALUES = {name: np.array(list(values.values())) for name, values in (("A", A), ("B", B), ("C", C))}


def only(result: Compared) -> Pair:
    [pair] = result.pairs
    return pair


def raw(pair: Pair) -> tuple[object, ...]:
    """The figures that do not depend on other pairs."""
    figures = (pair.queries, pair.mean_a, pair.mean_b, pair.difference, pair.interval)
    return (*figures, dict(pair.p), pair.cohens_d, pair.wins, pair.ties, pair.losses)


def test_the_figures_are_those_of_the_statistics_over_the_aligned_values() -> None:
    pair = only(compared(run_values("A", A), run_values("B", B)))
    a, b = VALUES["A"], VALUES["B"]
    assert pair.queries == 8
    assert pair.difference == pytest.approx(0.7 / 8)  # 0.1 - 0.2 + 0.4 + 0.2 + 0.2 - 0.1 + 0.1
    assert (pair.mean_a, pair.mean_b) == (pytest.approx(4.2 / 8), pytest.approx(4.9 / 8))
    assert pair.interval == stats.t_interval(a, b)
    assert pair.p == {
        "t": stats.paired_t(a, b).p,
        "wilcoxon": stats.wilcoxon(a, b).p,
        "sign": stats.sign(a, b).p,
        "randomization": stats.randomization(a, b).p,
    }
    assert pair.cohens_d == stats.cohens_dz(a, b)
    assert (pair.wins, pair.ties, pair.losses) == (5, 1, 2)


@pytest.mark.parametrize("test", TESTS)
def test_the_interval_is_the_same_with_every_test_and_within_what_the_measure_can_be(
    test: str,
) -> None:
    pair = only(compared(run_values("A", A), run_values("B", B), test=test))
    assert pair.interval == stats.mean_interval(VALUES["A"], VALUES["B"], bounds=(-1, 1))


def test_the_order_of_the_queries_changes_nothing() -> None:
    turned = dict(reversed(B.items()))
    expected = compared(run_values("A", A), run_values("B", B)).pairs
    assert compared(run_values("A", A), run_values("B", turned)).pairs == expected


@pytest.mark.parametrize("test", TESTS)
def test_a_minus_b_is_the_negative_of_b_minus_a(test: str) -> None:
    one = only(compared(run_values("A", A), run_values("B", B), test=test))
    other = only(compared(run_values("B", B), run_values("A", A), test=test))
    assert other.difference == -one.difference
    assert other.interval == (-one.interval.high, -one.interval.low)
    assert other.cohens_d == -one.cohens_d
    assert other.p == one.p
    assert (other.wins, other.ties, other.losses) == (one.losses, one.ties, one.wins)
    assert (other.mean_a, other.mean_b) == (one.mean_b, one.mean_a)


@pytest.mark.parametrize("test", TESTS)
def test_a_figure_of_the_run_as_a_whole_is_one_observation(test: str) -> None:
    """However many queries it stands beside: nothing is shown with it."""
    small, large = (
        run_values(name, numbered([size] * 30), measure="IndexSize")
        for name, size in (("small", 1000.0), ("large", 3000.0))
    )
    pair = only(compared(small, large, measure="IndexSize", test=test))
    assert (pair.mean_a, pair.mean_b, pair.difference) == (1000.0, 3000.0, 2000.0)
    assert all(p > 0.3 for p in pair.p.values())
    assert pair.interval == (-math.inf, math.inf)


@pytest.mark.parametrize("test", TESTS)
def test_a_run_against_itself_is_all_zeros_with_p_1(test: str) -> None:
    pair = only(compared(run_values("A", A), run_values("again", A), test=test))
    assert (pair.difference, pair.cohens_d, pair.verdict) == (0, 0, "undecided")
    assert pair.interval.low == -pair.interval.high < 0  # other queries could differ
    assert (pair.wins, pair.ties, pair.losses) == (0, 8, 0)
    assert set(pair.p.values()) == set(pair.p_corrected.values()) == {1.0}


def test_a_third_run_changes_no_raw_figure_of_a_pair() -> None:
    alone = compared(run_values("A", A), run_values("B", B))
    third = run_values("C", C, missing=["q01", "q02"])
    with_third = compared(run_values("A", A), run_values("B", B), third)
    assert raw(only(alone)) == raw(with_third.pairs[0])


def test_the_correction_is_over_all_pairs_shown_for_each_test() -> None:
    runs = [run_values(name, values) for name, values in (("A", A), ("B", B), ("C", C))]
    for correction, function in (
        ("holm", stats.holm),
        ("bonferroni", stats.bonferroni),
        ("bh", stats.benjamini_hochberg),
    ):
        pairs = compared(*runs, correction=correction).pairs
        for test in TESTS:
            expected = function([pair.p[test] for pair in pairs]).tolist()
            assert [pair.p_corrected[test] for pair in pairs] == expected
    uncorrected = compared(*runs, correction="none").pairs
    assert all(pair.p_corrected == pair.p for pair in uncorrected)


def test_a_baseline_is_the_a_of_every_pair() -> None:
    runs = [run_values(name, values) for name, values in (("A", A), ("B", B), ("C", C))]
    pairs = [(pair.a, pair.b) for pair in compared(*runs, baseline=1).pairs]
    assert pairs == [("B", "A"), ("B", "C")]
    assert [(p.a, p.b) for p in compared(*runs).pairs] == [("A", "B"), ("A", "C"), ("B", "C")]


def test_a_query_wins_where_the_value_is_lower_if_lower_is_better() -> None:
    fast = run_values("fast", numbered([1.0, 1.0, 3.0]), measure="ResponseTime")
    slow = run_values("slow", numbered([2.0, 2.0, 2.0]), measure="ResponseTime")
    pair = only(compared(slow, fast, measure="ResponseTime"))
    assert (pair.wins, pair.losses, pair.direction) == (2, 1, -1)


def test_differences_within_the_tie_width_are_ties() -> None:
    pair = only(compared(run_values("A", A), run_values("B", B), tie_width=0.1))
    assert (pair.wins, pair.ties, pair.losses) == (3, 4, 1)


def test_what_one_query_can_not_tell_is_none_in_json() -> None:
    result = compared(run_values("A", {"q": 0.1}), run_values("B", {"q": 0.3}))
    assert math.isnan(only(result).cohens_d)
    document = only(result).to_dict()
    assert (document["interval"], document["cohens_d"]) == ([None, None], None)
    expected = {"t": 1, "wilcoxon": pytest.approx(0.3173, abs=1e-4), "sign": 1, "randomization": 1}
    assert document["p"] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "wilcoxn"}, "there is no test 'wilcoxn'; did you mean 'wilcoxon'?"),
        ({"correction": "hochberg"}, "there is no correction 'hochberg'"),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1"),
    ],
)
def test_settings_that_can_not_be_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        Settings(**arguments)  # type: ignore[arg-type]


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(DataError, match="two runs or more"):
        compared(run_values("A", A))


def test_only_the_tests_asked_for_are_computed_and_they_are_the_same() -> None:
    runs = (run_values("A", A), run_values("B", B), run_values("C", C))
    every, one = compared(*runs), compared(*runs, tests=("t",))
    for pair, few in zip(every.pairs, one.pairs, strict=True):
        assert few.p == {"t": pair.p["t"]}
        assert few.p_corrected == {"t": pair.p_corrected["t"]}
        assert few.interval == pair.interval
