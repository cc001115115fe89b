"""The measure that an address names, for pages that show one, and the choice of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dash import html

from dashboard.address import MEASURES, Address
from dashboard.components import controls, ids, wording
from dashboard.components.measure_info import canonical, leaderboard_default
from dashboard.components.problems import PageProblem
from evalstore.errors import MeasureError
from evalstore.measures import Measure, parse


def usual_measure(stored: tuple[str, ...]) -> str:
    """The measure of a page unless another is chosen: the first that the leaderboard shows."""
    return next(iter(leaderboard_default(stored)), "AP")


def chosen_measure(
    address: Address,
    stored: tuple[str, ...],
    usual: Callable[[tuple[str, ...]], str] = usual_measure,
) -> tuple[str, Measure]:
    """The measure of an address, by its canonical name: the first, where it names several.

    Args:
        address: of the page.
        stored: the names of the measures that are stored.
        usual: which of these is shown unless another is chosen.

    Raises:
        PageProblem: it is not understood.
    """
    name = canonical(next(iter(address.all(MEASURES)), "")) or usual(stored)
    try:
        return name, parse(name)
    except MeasureError as error:
        raise PageProblem(
            "This measure is not understood",
            f"{wording.name(str(error), 300)}.",
            link=address.changed(m=None).href,
            link_text="Show the usual measure",
        ) from error


def kept_measure(address: Address, defaults: Mapping[str, str | Sequence[str]]) -> str | None:
    """The one measure of the page at an address, which goes along to other pages.

    Of several it is the one that the page is sorted by, else the first: the leading one.

    Args:
        address: of the page.
        defaults: what stands for parameters that the address leaves out.
    """
    usual = defaults.get(MEASURES, ())
    asked = address.all(MEASURES) or ((usual,) if isinstance(usual, str) else usual)
    names = [str(measure) for measure in map(_understood, asked) if measure is not None]
    sorted_by = canonical(address.one("sort").removeprefix("-"))
    return sorted_by if sorted_by in names else next(iter(names), None)


def _understood(name: str) -> Measure | None:
    try:
        return parse(name)
    except MeasureError:
        return None


def best_first(name: str) -> str:
    """The order of a leaderboard by a measure, the best run first, as addresses write it."""
    return name if parse(name).descriptor.higher_is_better is False else f"-{name}"


def measure_choice(chosen: str, stored: Iterable[str]) -> Any:
    """The choice of a page's measure: the chosen one, those that are stored, or any that is typed.

    Why what was typed is none stands behind it (assets/selects.js).
    """
    choice = controls.select(
        ids.control(MEASURES),
        measure_choices(chosen, stored),
        chosen,
        label="Measure",
        placeholder="type any",
        class_name="select-measure takes-measure",
    )
    problem = html.Span(className="measure-problem", role="alert")
    label = html.Span("measure", className="context-label")
    return html.Span([label, choice, problem], className="labelled")


def measure_choices(chosen: str, stored: Iterable[str]) -> list[dict[str, str]]:
    """The options of a page's measure."""
    return controls.measure_options(dict.fromkeys([chosen, *stored]))
