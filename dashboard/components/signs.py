"""The signs of a difference: filled after the correction, empty where it is shown only before."""

from __future__ import annotations

from evalstore.comparison.claims import LEAST_TESTED
from evalstore.comparison.significance import Pair, Test
from evalstore.tables.table import written_value

ALONE = 0.05
"""Below it an uncorrected p is marked: shown before the correction only."""


def better_or_worse(pair: Pair, *, shown: bool, test: Test = "t") -> tuple[str, str]:
    """The sign of a difference, and what it means; both empty where nothing is shown.

    Args:
        pair: the figures.
        shown: whether the test shows the difference after correction.
        test: which test that is.
    """
    towards = pair.difference * (pair.direction or 1)
    if towards == 0 or not pair.direction:
        return "", ""
    if shown:
        sign, word = ("▲", "better") if towards > 0 else ("▼", "worse")
        return sign, f"{word}, shown by the test after correction"
    if pair.p[test] < ALONE and pair.test_points_to * pair.difference > 0:
        sign, word = ("△", "ahead") if towards > 0 else ("▽", "behind")
        return sign, f"{word}; not shown after correction"
    return "", ""


def tint(sign: str) -> str:
    """The class of a cell with this sign."""
    return {"▲": "better", "▼": "worse"}.get(sign, "")


def corrected_p(pair: Pair, test: Test) -> str:
    """The corrected p of a test, for a table; a dash for one query, which allows no test."""
    if pair.queries < LEAST_TESTED:
        return "–"
    return written_value(pair.p_corrected[test], "p", 4)
