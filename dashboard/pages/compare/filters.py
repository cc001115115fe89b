"""Which queries the table shows, and in which order: as its controls and its files have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.address import Address
from dashboard.components.grids import Row, in_order

DIFFERENCE = "difference"
SORTS = ("query", "worst", "best")
OF_TEXT = ("query", "text")
RUN = "run:"
"""Before the name of a run, in the order by its values."""
PARAMETERS = frozenset({"find", "least", "most", "of", "sort"})


@dataclass(frozen=True)
class Filters:
    """What the table is narrowed to.

    Attributes:
        text: that query id or text holds, whatever its case.
        least, most: bounds of the values as they are shown; None for none.
        of: whose values: the name of a run, or "difference".
        sort: one of `SORTS`: in query order, or by what the difference means for the run; or by
            another column, `text` or `run:` and a name. A `-` in front: the greatest first.
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
    of = address.one("of")
    return Filters(
        address.one("find"),
        _number(address.one("least")),
        _number(address.one("most")),
        of if of in runs else DIFFERENCE,
        _order(address.one("sort"), runs),
    )


def _order(sort: str, runs: Sequence[str]) -> str:
    column = sort.removeprefix("-")
    of_run = column.startswith(RUN) and column.removeprefix(RUN) in runs
    return sort if sort in SORTS or column in OF_TEXT or of_run else SORTS[0]


def orders_by_difference(higher_is_better: bool | None) -> tuple[str, str]:
    """The names of the orders by ascending and by descending difference.

    The worst are the lowest differences, unless lower is better.
    """
    return ("best", "worst") if higher_is_better is False else ("worst", "best")


def filtered(
    rows: Sequence[Row], filters: Filters, runs: Sequence[str], *, higher_is_better: bool | None
) -> list[Row]:
    """The rows that the filters leave, in their order; those without a value for it last.

    Queries that a run does not answer have no value: no bound holds for them.
    """
    field = DIFFERENCE if filters.of == DIFFERENCE else _field(filters.of, runs)
    kept = [row for row in rows if _holds(row, filters, field)]
    column, descending = filters.sort.removeprefix("-"), filters.sort.startswith("-")
    if column == "query":
        return kept[::-1] if descending else kept
    if column in SORTS:
        by = DIFFERENCE
        descending = column == orders_by_difference(higher_is_better)[1]
    else:
        by = column if column in OF_TEXT else _field(column.removeprefix(RUN), runs)
    return in_order(kept, lambda row: row[by], descending=descending)


def _field(run: str, runs: Sequence[str]) -> str:
    return f"run_{runs.index(run)}"


def _holds(row: Row, filters: Filters, field: str) -> bool:
    wanted = filters.text.casefold()
    if wanted and not any(wanted in str(row[name] or "").casefold() for name in ("qid", "text")):
        return False
    value: Any = row[field]
    if value is None:
        return filters.least is None and filters.most is None
    rounded = round(value, 4)
    above = filters.least is None or rounded >= filters.least
    return above and (filters.most is None or rounded <= filters.most)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
