"""Which figures of a column are the best."""

from __future__ import annotations

from collections.abc import Sequence

SAME = 1e-12
"""Figures that differ by less are tied: sums of the same numbers in another order do."""


def best(numbers: Sequence[float | None], higher_is_better: bool | None) -> set[int]:
    """The positions of the best of some numbers: several where they are tied.

    None is best among fewer than two numbers, where all are the same, and of a measure that has no
    direction.
    """
    present = [number for number in numbers if number is not None]
    if higher_is_better is None or not present or max(present) - min(present) <= SAME:
        return set()
    extreme = max(present) if higher_is_better else min(present)
    return {
        position
        for position, number in enumerate(numbers)
        if number is not None and abs(number - extreme) <= SAME
    }
