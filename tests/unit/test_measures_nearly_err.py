"""NERR8 to NERR11 by hand, and beside the definition of a C/W/L measure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_samples import value

RANKING = (1, 0, None, 2)  # of gains 1/2, 0, 0, 1 where the highest grade is 2


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Read with 1, 1/2, 1/2, 1/2: the first document satisfies half of the readers.
        ("NERR8@4", (1 / 2 + 1 / 2) / (1 + 3 / 2)),
        ("NERR8@1", 1 / 2),
        ("NERR8(max_rel=4)@4", (1 / 4 + 3 / 4 * 2 / 4) / (1 + 3 * 3 / 4)),
        ("NERR8(min_rel=1)@4", (0 + 1) / 4),
        # Times 1/2, 2/3 and 3/4: read with 1, 1/4, 1/6, 1/8.
        ("NERR9@4", (1 / 2 + 1 / 8) / (1 + 1 / 4 + 1 / 6 + 1 / 8)),
        ("NERR9@2", (1 / 2) / (1 + 1 / 4)),
        # Times 1/2 each: 1, 1/4, 1/8, 1/16; the last satisfies everybody.
        ("NERR10(p=0.5)", (1 / 2 + 1 / 16) / (1 + 1 / 4 + 1 / 8 + 1 / 16)),
        # Times (2/3)^2, (3/4)^2, (4/5)^2: 1, 2/9, 1/8, 2/25.
        ("NERR11", (1 / 2 + 2 / 25) / (1 + 2 / 9 + 1 / 8 + 2 / 25)),
    ],
)
def test_value(measure: str, expected: float) -> None:
    assert value(measure, *RANKING) == pytest.approx(expected, abs=1e-12)


def by_definition(gains: list[float], rates: list[float]) -> float:
    """The gain per document: rates[i] is the chance to go on from a document without gain."""
    reads, gained, chance = 0.0, 0.0, 1.0
    for gain, rate in zip(gains, rates, strict=True):
        reads += chance
        gained += chance * gain
        chance *= rate * (1 - gain)
    return gained / reads


@given(st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=1, max_size=8))
def test_readers_go_on_as_each_equation_says(grades: list[float]) -> None:
    gains = [grade / 4 for grade in grades] + [0.0] * (1000 - len(grades))
    rank = range(1, 1001)
    expected = {
        "NERR8(max_rel=4)@6": by_definition(gains[:6], [1.0] * 6),
        "NERR9(max_rel=4)@6": by_definition(gains[:6], [i / (i + 1) for i in rank[:6]]),
        "NERR10(max_rel=4)": by_definition(gains, [0.9] * 1000),
        "NERR11(max_rel=4,T=3)": by_definition(gains, [((i + 5) / (i + 6)) ** 2 for i in rank]),
    }
    computed = {measure: value(measure, *grades) for measure in expected}
    assert computed == pytest.approx(expected, abs=1e-12)


def test_a_cutoff_beyond_the_depth_of_1000_is_that_depth() -> None:
    assert value("NERR8@1000000", *RANKING) == value("NERR8@1000", *RANKING)
