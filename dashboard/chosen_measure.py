"""The measure that an address names, for pages that show one."""

from __future__ import annotations

from dashboard import wording
from dashboard.address import MEASURES, Address
from dashboard.measure_info import canonical, leaderboard_default
from dashboard.problems import PageProblem
from evalstore.errors import MeasureError
from evalstore.measures import Measure, parse


def usual_measure(stored: tuple[str, ...]) -> str:
    """The measure of a page unless another is chosen: the first that the leaderboard shows."""
    return next(iter(leaderboard_default(stored)), "AP")


def chosen_measure(address: Address, stored: tuple[str, ...]) -> tuple[str, Measure]:
    """The measure of an address, by its canonical name: the first, where it names several.

    Raises:
        PageProblem: it is not understood.
    """
    name = canonical(next(iter(address.all(MEASURES)), "")) or usual_measure(stored)
    try:
        return name, parse(name)
    except MeasureError as error:
        raise PageProblem(
            "This measure is not understood",
            f"{wording.name(str(error), 300)}.",
            link=address.changed(m=None).href,
            link_text="Show the usual measure",
        ) from error
