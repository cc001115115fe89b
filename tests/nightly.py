"""Cases of which some run by day, and all each night (`pytest --nightly`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """The first of each `number` cases as it is, the others with the mark `nightly`."""
    return [
        case if place % number == 0 else pytest.param(case, marks=pytest.mark.nightly)
        for place, case in enumerate(cases)
    ]
