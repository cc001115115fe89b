"""The rank groups of a leaderboard, drawn as lines."""

from __future__ import annotations

from dashboard.pages.leaderboard.load import MOST_LANES, lines


def drawn(*letters: str) -> list[str]:
    return list(lines(list(enumerate(letters))).parts.values())


def test_a_line_goes_from_the_first_to_the_last_run_of_its_group() -> None:
    assert drawn("a", "ab", "b") == ["| ", "||", " |"]


def test_a_line_is_dotted_beside_a_run_that_is_not_in_the_group() -> None:
    assert drawn("ab", "a", "b") == ["||", "|:", " |"]


def test_each_group_has_a_lane_and_of_many_one_after_a_gap_shares_it() -> None:
    assert drawn("a", "ab", "b", "c") == ["|  ", "|| ", " | ", "  |"]
    many = [chr(ord("a") + number) for number in range(MOST_LANES + 1)]
    assert drawn(*many)[-1] == "|" + " " * (MOST_LANES - 1)


def test_groups_without_a_lane_are_counted() -> None:
    letters = "".join(chr(ord("a") + number) for number in range(MOST_LANES + 2))
    every = lines([(7, letters), (8, letters)])
    assert (every.lanes, every.left_out) == (MOST_LANES, 2)
    assert set(every.parts.values()) == {"|" * MOST_LANES}


def test_without_groups_nothing_is_drawn() -> None:
    assert drawn("", "") == ["", ""]
