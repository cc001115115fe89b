"""The order of names for people: `run2` before `run10`."""

from __future__ import annotations

import re

NUMBERS = re.compile("([0-9]+)")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in natural order: numbers in names by value, so `run2` comes before `run10`.

    Of names that differ only in leading zeros, the longer one comes last.
    """
    if name.isascii() and name.isdigit():  # most query ids
        return _natural_part(name), (-1, len(name), name)
    parts = [part for part in NUMBERS.split(name.casefold()) if part]
    return (*map(_natural_part, parts), (-1, len(name), name))


def _natural_part(part: str) -> tuple[int, int, str]:
    """The key of a number (its digits, by their count first) or of what is between numbers."""
    digits = part.lstrip("0")
    return (1, len(digits), digits) if "0" <= part[0] <= "9" else (0, 0, part)
