"""Which queries the table shows, and in which order: as its controls and its files have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.address import Address
from dashboard.grids import Row

DIFFERENCE = "difference"
SORTS = ("query", "worst", "best")
PARAMETERS = frozenset({"find", "least", "most", "of", "sort"})


@dataclass(frozen=True)
class Filters:
    """What the table is narrowed to.

    Attributes:
        text: that query id or text holds, whatever its case.
        least, most: bounds of the values as they are shown; None for none.
        of: whose values: the name of a run, or "difference".
        sort: one of `SORTS`: in query order, or by what the difference means for the run.
    """

    text: str = ""
    least: float | None = None
    most: float | None = None
    of: str = DIFFERENCE
    sort: str = SORTS[0]

    @property
    def narrow(self) -> bool:
        """Whether they may leave a query out."""
        return bool(self.text) or self.least is not None or self.most is not None


def filters_of(address: Address, runs: Sequence[str]) -> Filters:
    """The filters of an address; what it does not understand is left out."""
    of, sort = address.one("of"), address.one("sort")
    return Filters(
        address.one("find"),
        _number(address.one("least")),
        _number(address.one("most")),
        of if of in runs else DIFFERENCE,
        sort if sort in SORTS else SORTS[0],
    )


def filtered(
    rows: Sequence[Row], filters: Filters, runs: Sequence[str], *, higher_is_better: bool | None
) -> list[Row]:
    """The rows that the filters leave, in their order.

    Queries that a run does not answer have no value: no bound holds for them, and by difference
    they come last.
    """
    field = DIFFERENCE if filters.of == DIFFERENCE else f"run_{runs.index(filters.of)}"
    kept = [row for row in rows if _holds(row, filters, field)]
    if filters.sort == "query":
        return kept
    # The worst are the lowest differences, unless lower is better.
    turned = (filters.sort == "best") == (higher_is_better is not False)
    sign = -1 if turned else 1
    return sorted(kept, key=lambda row: _last(row[DIFFERENCE], sign))


def _last(value: float | None, sign: int) -> tuple[bool, float]:
    return (True, 0.0) if value is None else (False, sign * value)


def _holds(row: Row, filters: Filters, field: str) -> bool:
    wanted = filters.text.casefold()
    if wanted and not any(wanted in str(row[name] or "").casefold() for name in ("qid", "text")):
        return False
    value: Any = row[field]
    if value is None:
        return filters.least is None and filters.most is None
    shown = round(value, 4)
    above = filters.least is None or shown >= filters.least
    return above and (filters.most is None or shown <= filters.most)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
