"""Rank groups (letters) and intervals of ranks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from drawn_values import F64
from hypothesis import given
from hypothesis import strategies as st

from evalstore import stats
from evalstore.errors import DataError


def matrix(runs: int, separated: list[tuple[int, int]]) -> F64:
    """p of 0.01 for the pairs that are separated, else 0.5."""
    p = np.full((runs, runs), 0.5)
    for i, j in separated:
        p[i, j] = p[j, i] = 0.01
    return p


@st.composite
def families(draw: st.DrawFn) -> tuple[list[float], F64]:
    """Means and any symmetric matrix of p."""
    runs = draw(st.integers(1, 9))
    every = list(itertools.combinations(range(runs), 2))
    separated = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    means = draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=runs, max_size=runs))
    return means, matrix(runs, separated)


@pytest.mark.parametrize(
    ("separated", "letters"),
    [
        ([], ("a", "a", "a", "a")),
        ([(0, 3)], ("a", "ab", "ab", "b")),
        ([(0, 2), (0, 3), (1, 3)], ("a", "ab", "bc", "c")),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], ("a", "b", "c", "d")),
        ([(0, 1), (1, 2), (2, 3)], ("ab", "c", "a", "bc")),  # not in the order of the means
    ],
)
def test_letters_by_hand(separated: list[tuple[int, int]], letters: tuple[str, ...]) -> None:
    assert stats.rank_groups([0.4, 0.3, 0.2, 0.1], matrix(4, separated)) == letters


def test_a_is_the_best_whatever_the_order_given() -> None:
    assert stats.rank_groups([0.1, 0.9], matrix(2, [(0, 1)])) == ("b", "a")


@given(families())
def test_two_engines_share_a_letter_exactly_if_they_are_not_separated(
    family: tuple[list[float], F64],
) -> None:
    means, p = family
    letters = stats.rank_groups(means, p)
    for i, j in itertools.combinations(range(len(means)), 2):
        assert bool(set(letters[i]) & set(letters[j])) == bool(p[i, j] >= 0.05)
    assert "a" in letters[int(np.argmax(means))]


@given(families())
def test_no_group_lies_inside_another(family: tuple[list[float], F64]) -> None:
    letters = stats.rank_groups(*family)
    groups = [{i for i, own in enumerate(letters) if c in own} for c in set("".join(letters))]
    assert not [1 for one, other in itertools.permutations(groups, 2) if one <= other]


def test_p_of_exactly_alpha_separates_nothing() -> None:
    p = [[1, 0.05], [0.05, 1]]
    assert stats.rank_groups([2, 1], p) == ("a", "a")
    assert stats.rank_groups([2, 1], p, alpha=0.051) == ("a", "b")


def test_more_groups_than_letters_have_one_character_each() -> None:
    runs = 120
    letters = stats.rank_groups(range(runs, 0, -1), np.eye(runs))
    assert letters[0] == "a"
    assert letters[26] == "A"
    assert len(set(letters)) == runs
    assert {len(letter) for letter in letters} == {1}


def test_an_odd_matrix_is_refused() -> None:
    for p in ([[1.0]], [[1, 0.1], [0.2, 1]]):
        with pytest.raises(DataError, match="symmetric matrix"):
            stats.rank_groups([1, 2], p)
    with pytest.raises(DataError, match="p values must be finite"):
        stats.rank_groups([1, 2], [[1, float("nan")], [float("nan"), 1]])
    with pytest.raises(DataError, match="means must be finite"):
        stats.rank_groups([1, float("nan")], np.ones((2, 2)))
    with pytest.raises(DataError, match="one number an engine"):
        stats.rank_groups([[1, 2]], np.ones((2, 2)))


def test_pairs_separated_here_and_there_need_few_groups() -> None:
    # 2^30 largest sets of engines that are not separated; few of them say all that is to be said.
    separated = [(i, i + 1) for i in range(0, 60, 2)]
    letters = stats.rank_groups(range(60, 0, -1), matrix(60, separated))
    assert len(set("".join(letters))) <= 2 * 60
    for i, j in itertools.combinations(range(60), 2):
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in separated)


# --- intervals of ranks from the tests of pairs --------------------------------------------------


def test_ranks_from_pairs_by_hand() -> None:
    # a > c, a > d and b > d are shown.
    low, high = stats.rank_intervals_from_pairs(
        [0.4, 0.3, 0.2, 0.1], matrix(4, [(0, 2), (0, 3), (1, 3)])
    )
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


def test_nothing_shown_bounds_nothing_and_everything_shown_is_the_order() -> None:
    low, high = stats.rank_intervals_from_pairs([3, 1, 2], np.ones((3, 3)))
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [3, 3, 3])
    low, high = stats.rank_intervals_from_pairs([3, 1, 2], np.zeros((3, 3)))
    assert low.tolist() == high.tolist() == [1, 3, 2]
    assert stats.rank_intervals_from_pairs([0.5], [[1.0]]) == ([1], [1])


def test_equal_means_are_not_put_in_an_order() -> None:
    low, high = stats.rank_intervals_from_pairs([0.3, 0.1 + 0.2, 0.1], np.zeros((3, 3)))
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


@given(families(), st.data())
def test_intervals_from_pairs_hold_the_rank_and_meet_where_a_letter_is_shared(
    family: tuple[list[float], F64], data: st.DataObject
) -> None:
    means, p = family
    low, high = stats.rank_intervals_from_pairs(means, p)
    letters = stats.rank_groups(means, p)
    for i, mean in enumerate(means):
        above, below = sum(other > mean for other in means), sum(other < mean for other in means)
        assert low[i] <= 1 + above
        assert high[i] >= len(means) - below
    for i, j in itertools.combinations(range(len(means)), 2):
        if set(letters[i]) & set(letters[j]):
            assert max(low[i], low[j]) <= min(high[i], high[j])
    order = data.draw(st.permutations(range(len(means))))
    moved = stats.rank_intervals_from_pairs(np.array(means)[order], p[np.ix_(order, order)])
    assert (moved.low.tolist(), moved.high.tolist()) == (low[order].tolist(), high[order].tolist())


def test_engines_parted_only_by_way_of_others_keep_a_rank_in_common() -> None:
    # a > b > d and a > c > d are shown, a > d is not: alone, rank 1 to 2 and rank 3 to 4.
    means, p = [0.4, 0.3, 0.2, 0.1], matrix(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    low, high = stats.rank_intervals_from_pairs(means, p)
    assert (low[0], high[0]) == (1, 3)
    assert (low[3], high[3]) == (2, 4)


@pytest.mark.slow
def test_all_intervals_from_pairs_hold_the_true_ranks_at_once() -> None:
    random = np.random.default_rng(4)
    true = np.array([0.0, 0.0, 0.0, 0.3, 0.3, 1.0])
    best, worst = np.array([4, 4, 4, 2, 2, 1]), np.array([6, 6, 6, 3, 3, 1])
    experiments, missed = 300, 0
    for _ in range(experiments):
        values = random.exponential(1, (25, 1)) + random.exponential(1, (25, 6)) + true
        p = stats.p_matrix(stats.holm(stats.paired_t_all(values).p), 6)
        low, high = stats.rank_intervals_from_pairs(values.mean(axis=0), p)
        missed += bool(((low > best) | (high < worst)).any())
    assert missed / experiments <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / experiments)


def test_intervals_from_pairs_refuse_an_odd_matrix() -> None:
    with pytest.raises(DataError, match="symmetric matrix"):
        stats.rank_intervals_from_pairs([1, 2], [[1, 0.1], [0.2, 1]])
