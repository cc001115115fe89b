"""The filters of the headers of the Queries page, as its address has them.

    least=median~0.5,rel~3&most=median~0.9

A column's name, `~`, and the bound. The grid shows them as its own filters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.address import Address

COLUMNS: Mapping[str, str] = {"rel": "Rel", "median": "Median", "spread": "Spread"}
"""The columns that can always be filtered, with their headers."""
DIFFERENCE = "difference"
PARAMETERS = frozenset({"least", "most"})


@dataclass(frozen=True)
class Bounds:
    """What values of columns have to lie in, by the column: as the values are shown.

    Attributes:
        least, most: both bounds belong to what is left.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns that have a bound."""
        return list(dict.fromkeys([*self.least, *self.most]))

    def hold(self, column: str, value: float) -> bool:
        """Whether a value of a column lies in its bounds."""
        low, high = self.least.get(column, -math.inf), self.most.get(column, math.inf)
        return low <= value <= high

    def words(self, headers: Mapping[str, str]) -> str:
        """`Median at least 0.5 and at most 0.9, Rel at least 3`."""
        parts = []
        for column in self.columns:
            ends = [
                f"{words} {given[column]:g}"
                for words, given in (("at least", self.least), ("at most", self.most))
                if column in given
            ]
            parts.append(f"{headers[column]} {' and '.join(ends)}")
        return ", ".join(parts)

    @property
    def filter_model(self) -> dict[str, dict[str, Any]]:
        """The filters as AG Grid has them."""
        return {column: self._filter(column) for column in self.columns}

    def _filter(self, column: str) -> dict[str, Any]:
        low, high = self.least.get(column), self.most.get(column)
        number: dict[str, Any] = {"filterType": "number"}
        if low is not None and high is not None:
            return {**number, "type": "inRange", "filter": low, "filterTo": high}
        if low is not None:
            return {**number, "type": "greaterThanOrEqual", "filter": low}
        return {**number, "type": "lessThanOrEqual", "filter": high}


def bounds_of(address: Address, columns: Sequence[str]) -> Bounds:
    """The bounds of an address for these columns; what it does not understand is left out."""
    return Bounds(*(_bounds(address.all(name), columns) for name in ("least", "most")))


def _bounds(texts: Sequence[str], columns: Sequence[str]) -> dict[str, float]:
    bounds = {}
    for text in texts:
        column, _, bound = text.rpartition("~")
        try:
            number = float(bound)
        except ValueError:
            continue
        if column in columns and math.isfinite(number):
            bounds[column] = number
    return bounds
