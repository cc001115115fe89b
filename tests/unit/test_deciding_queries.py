"""Queries that all fail, that runs disagree on, and that decide which of two runs is ahead."""

from __future__ import annotations

import numpy as np
import pytest

from evalstore.comparison.ranked_query import all_fail, deciding, runs_disagree


def decided(*differences: float) -> list[int]:
    return np.flatnonzero(deciding(np.array(differences))).tolist()


def test_a_query_fails_where_every_run_has_nothing() -> None:
    values = np.array([[0.0, 0.0], [0.0, 0.1]])
    assert all_fail(values, True).tolist() == [True, False]


@pytest.mark.parametrize("higher_is_better", [False, None])
def test_no_query_fails_where_high_values_are_not_better(higher_is_better: bool | None) -> None:
    assert all_fail(np.zeros((2, 2)), higher_is_better).tolist() == [False, False]


def test_runs_disagree_where_they_differ_by_three_tenths_of_the_range_of_the_measure() -> None:
    # 0.7 - 0.4 is a little less than 0.3 in binary; one wide query changes no other.
    values = np.array([[0.0, 1.0], [0.4, 0.7], [0.5, 0.79], [0.3, 0.3]])
    assert runs_disagree(values, (0, 1)).tolist() == [True, True, False, False]
    assert runs_disagree(values, (-1, 1)).tolist() == [True, False, False, False]


def test_without_a_finite_range_runs_disagree_where_they_differ_by_half_of_the_larger() -> None:
    values = np.array([[5.0, 10.0], [6.0, 10.0], [-4.0, -1.0], [0.0, 0.0]])
    assert runs_disagree(values, (0, np.inf)).tolist() == [True, False, True, False]


def test_runs_that_are_the_same_everywhere_disagree_nowhere() -> None:
    assert runs_disagree(np.full((2, 3), 0.5), (0, 1)).tolist() == [False, False]
    assert runs_disagree(np.zeros((0, 3)), (0, 1)).tolist() == []


def test_the_fewest_queries_decide_without_which_the_side_that_is_ahead_would_not_be() -> None:
    # 0.5 + 0.2 - 0.3 = 0.4 ahead: without the first query it is -0.1.
    assert decided(0.2, 0.5, -0.3) == [1]
    # The same where the baseline is ahead.
    assert decided(-0.2, -0.5, 0.3) == [1]


def test_without_any_loss_all_queries_that_are_won_decide() -> None:
    assert decided(0.1, 0.0, 0.2) == [0, 2]


def test_no_query_decides_a_tie() -> None:
    assert decided(0.3 - 0.1, -(0.4 - 0.2)) == []  # which differ in the last bit
    assert decided() == []
