"""The names beside the marks of the Cost view."""

from __future__ import annotations

from dashboard.board import cost


def test_a_name_that_would_cover_an_earlier_one_is_left_out() -> None:
    costs = {1: 1.0, 2: 1.01, 3: 100.0, 4: 100.0}
    values = {1: 0.5, 2: 0.5001, 3: 0.5, 4: 0.9}
    names = {run_id: (f"run{run_id}", 0) for run_id in costs}
    loaded = cost.Costs(cost.KINDS[0], costs, values, names, (), 0)
    assert cost.apart(loaded, [1, 2, 3, 4]) == [1, 3, 4]
    assert cost.apart(loaded, [2, 1, 3, 4]) == [2, 3, 4]
    assert cost.apart(loaded, [1]) == [1]
