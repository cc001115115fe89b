"""Which figures are the best: ties together, and none where nothing stands out."""

from __future__ import annotations

import pytest

from evalstore.tables.table import best


@pytest.mark.parametrize(
    ("numbers", "positions"),
    [
        ([0.0, 0.0, 0.0], set()),
        ([0.5, 0.5], set()),
        ([0.1 + 0.2, 0.3], set()),
        ([0.5], set()),
        ([0.5, None, None], set()),
        ([None, None], set()),
        ([], set()),
        ([0.5, None, 0.2], {0}),
        ([0.5, 0.5, 0.2], {0, 1}),
    ],
)
def test_nothing_is_best_that_is_alone_or_the_same_as_all_others(
    numbers: list[float | None], positions: set[int]
) -> None:
    assert best(numbers, higher_is_better=True) == positions


@pytest.mark.parametrize(
    ("higher_is_better", "positions"), [(True, {0}), (False, {1, 2}), (None, set())]
)
def test_the_best_is_the_highest_or_the_lowest_as_the_measure_says(
    higher_is_better: bool | None, positions: set[int]
) -> None:
    assert best([0.5, 0.1, 0.1], higher_is_better) == positions
