"""The order in which people read names that hold numbers."""

from __future__ import annotations

import re


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in natural order: numbers in names by value, so `run2` comes before `run10`.

    Of names that differ only in leading zeros, the longer one comes last.
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    keys = [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts if part]
    return (*keys, (-1, len(name), name))
