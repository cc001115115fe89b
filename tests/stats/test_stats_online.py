"""Levels of tests that come one after another."""

from __future__ import annotations

import pytest

from evalstore.errors import DataError
from evalstore.stats import online_level


def test_by_hand() -> None:
    # 0.05 x 10 / (10 x 11), then / (11 x 12)
    assert [online_level(tests) for tests in (0, 1)] == pytest.approx([0.5 / 110, 0.5 / 132])
    assert online_level(3, alpha=0.2) == pytest.approx(2 / (13 * 14))


@pytest.mark.parametrize("tests", [1, 10, 199, 5000])
def test_the_levels_of_tests_without_a_discovery_add_up_to_less_than_alpha(tests: int) -> None:
    spent = sum(online_level(number, 0.05) for number in range(tests))
    assert spent == pytest.approx(0.05 * tests / (tests + 10))


def test_each_level_is_below_the_one_before() -> None:
    levels = [online_level(tests) for tests in range(300)]
    assert levels == sorted(set(levels), reverse=True)


def test_what_is_no_count_or_share_is_refused() -> None:
    with pytest.raises(DataError, match="tests can't be below 0; got -1"):
        online_level(-1)
    with pytest.raises(DataError, match="alpha must lie between 0 and 1"):
        online_level(0, 1.0)
