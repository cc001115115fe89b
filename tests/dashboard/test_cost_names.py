"""The names beside the marks of the Cost view, and the digits of its costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.leaderboard import cost

WIDTH, HEIGHT = 640, 390
SIZE = (float(WIDTH), float(HEIGHT))
MS, BYTES = cost.KINDS[0], cost.KINDS[2]


def points(*pixels: tuple[float, float]) -> cost.F64:
    return np.array(pixels, np.float64)


def test_a_name_with_room_stands_on_the_right_of_its_mark_and_of_the_front_above_it() -> None:
    one = points((300, 200))
    assert cost.label_places(one, {0: 10}, SIZE) == {0: "middle right"}
    assert cost.label_places(one, {0: 10}, SIZE, above=[0]) == {0: "top left"}


def test_names_of_marks_at_nearly_one_place_stand_on_different_sides() -> None:
    """As tfidf and name in the demo: on its right the one would lie below the other's mark."""
    near = points((500, 100), (512, 99), (500, 100))
    places = cost.label_places(near, {0: 5, 1: 4, 2: 6}, SIZE)
    assert len(set(places.values())) == 3


def test_a_name_stands_on_a_step_of_the_front_only_without_other_room() -> None:
    marks_ = points((100, 100), (300, 200), (250, 100))
    assert cost.label_places(marks_, {2: 10}, SIZE) == {2: "middle right"}
    assert cost.label_places(marks_, {2: 10}, SIZE, above=[0, 1]) == {2: "top center"}


def test_the_lowest_run_of_the_front_has_room_for_its_name_below_its_step() -> None:
    """As ql-stem-2026-09 in the demo: at its right the name would be struck through."""
    front = {0: ("the-lowest-of-all", 0), 1: ("next", 1), 2: ("best", 2)}
    costs = cost.Costs(MS, {0: 0.1, 1: 0.11, 2: 0.2}, {0: 0.24, 1: 0.28, 2: 0.39}, front, (), 0)
    ends = cost.axis_range([-1.0, -0.699]), cost.axis_range([0.24, 0.39])
    assert cost.name_places(costs, [0, 1, 2], *ends)[0] == "bottom right"


def test_a_name_stays_in_the_figure() -> None:
    corners = points((2, 50), (638, 340))
    places = cost.label_places(corners, {0: 5, 1: 5}, SIZE)
    assert places == {0: "middle right", 1: "middle left"}


def test_a_name_without_room_is_left_out() -> None:
    """Marks side by side in all directions."""
    grid = points(*((float(x), float(y)) for x in range(0, 640, 12) for y in range(0, 390, 12)))
    assert cost.label_places(grid, {100: 8}, SIZE) == {}


marks = st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT))


@given(st.lists(st.tuples(marks, st.integers(1, 24)), min_size=1, max_size=14))
def test_no_name_covers_another_one_or_a_mark(given: list[tuple[tuple[int, int], int]]) -> None:
    lengths = {row: length for row, (_, length) in enumerate(given)}
    where = [(float(x), float(y)) for (x, y), _ in given]
    places = cost.label_places(points(*where), lengths, SIZE)
    covered = np.zeros((HEIGHT + 1, WIDTH + 1), int)
    for row, place in places.items():
        up, along = place.split()
        x, y = where[row]
        wide = lengths[row] * 7  # a character is wider, so that a pixel of rounding is no overlap
        left = {"left": x - 8 - wide, "center": x - wide / 2, "right": x + 8}[along]
        bottom = {"top": y + 8, "middle": y - 6, "bottom": y - 20}[up]
        box = slice(round(bottom), round(bottom) + 12), slice(round(left), round(left) + wide)
        assert not covered[box].any()
        covered[box] = 1
    for x, y in where:
        assert not covered[round(y), round(x)]


@pytest.mark.parametrize(
    ("costs", "texts"),
    [
        ([20.0, 5.0], ["20.0 ms", "5.0 ms"]),
        ([0.1213, 0.1241], ["0.121 ms", "0.124 ms"]),
        ([0.12, 1234.5], ["0.12 ms", "1,234.50 ms"]),
        ([12.04, 12.01, 12.04], ["12.04 ms", "12.01 ms", "12.04 ms"]),
        ([0.5], ["0.50 ms"]),
        ([1.0, 1.0 + 1e-12], ["1.00000 ms", "1.00000 ms"]),
    ],
)
def test_different_costs_have_different_texts(costs: list[float], texts: list[str]) -> None:
    by_run = cost.cost_texts(dict(enumerate(costs)), MS)
    assert list(by_run.values()) == texts


def test_bytes_are_whole_numbers() -> None:
    assert cost.cost_texts({7: 1_833_569.0}, BYTES) == {7: "1,833,569 bytes"}


def test_an_axis_has_two_ticks_or_more_among_its_values() -> None:
    assert cost.log_ticks([0.4, 3.0])[:3] == pytest.approx([0.1, 0.2, 0.5])
    assert [tick for tick in cost.log_ticks([21.0, 99.0]) if 21 <= tick <= 99] == pytest.approx(
        [30, 40, 50, 60, 70, 80, 90]
    )
    close = [tick / 1e6 for tick in cost.log_ticks([1.45e6, 2.3e6]) if 1.45e6 <= tick <= 2.3e6]
    assert close == pytest.approx([1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3])
