"""The controls that several pages have: selects, searches, grids, links to files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import dash_mantine_components as dmc
from dash import html
from flask import Flask, Response, jsonify, request

from dashboard import theme
from dashboard.address import MEASURES, Address
from dashboard.components import ids, wording
from dashboard.components.problems import PageProblem
from dashboard.components.wording import canonical, leaderboard_default, measure_info
from evalstore.errors import MeasureError
from evalstore.measures import Measure, parse
from evalstore.measures.notation import OTHERS
from evalstore.measures.registry import Descriptor, names

# A grid with up to this many rows shows them all; a longer one scrolls.
_ALL_ROWS = 14

Options = Sequence[dict[str, str]]


def options(names: Iterable[str]) -> list[dict[str, str]]:
    """Return the options of a select, by name; long names are shortened where they are alike."""
    return [{"value": name, "label": label} for name, label in wording.labels(names).items()]


def measure_options(measures: Iterable[str]) -> list[dict[str, str]]:
    """Return the measures as options, each with its title and meaning."""
    infos = [measure_info(name) for name in measures]
    return [
        {"value": info.name, "label": info.name, "title": info.title, "help": info.help}
        for info in infos
    ]


def select(
    parameter: str | None,
    data: Options,
    value: str | None,
    *,
    label: str,
    placeholder: str = "",
    class_name: str = "",
    clearable: bool = False,
) -> Any:
    """Return a select for one value: typing searches, best match first; Enter accepts it.

    `label` is its name for screen readers. The select for the collection has no parameter.
    """
    return dmc.Select(
        id=ids.COLLECTION if parameter is None else ids.control(parameter),
        data=list(data),
        value=value,
        placeholder=placeholder,
        allowDeselect=False,
        clearable=clearable,
        **_searching(data),
        className=f"select {class_name}".strip(),
        **{"aria-label": label},
    )


def multi_select(
    parameter: str,
    data: Options,
    value: Sequence[str],
    *,
    label: str,
    placeholder: str = "",
    most: int | None = None,
    class_name: str = "",
) -> Any:
    """Return a select for several values, in the order in which they were added."""
    return dmc.MultiSelect(
        id=ids.control(parameter),
        data=list(data),
        value=list(value),
        placeholder=placeholder,
        maxValues=most,
        **_searching(data),
        hidePickedOptions=True,
        className=f"multi-select {class_name}".strip(),
        **{"aria-label": label},
    )


def _searching(data: Options) -> dict[str, Any]:
    has_titles = any("title" in option for option in data)
    render_option = {"renderOption": {"function": "measureOption"}} if has_titles else {}
    return {
        "searchable": True,
        "selectFirstOptionOnChange": True,
        "filter": {"function": "exactFirst"},
        "limit": 200,
        "nothingFoundMessage": "Nothing of that name",
        "size": "xs",
        "comboboxProps": {"width": "max-content", "position": "bottom-start"},
        **render_option,
    }


def labelled(words: str, *children: Any, class_name: str = "labelled") -> Any:
    """Controls with a label before them."""
    return html.Span([html.Span(words, className="context-label"), *children], className=class_name)


def search(parameter: str, value: str, *, label: str) -> Any:
    """Return a search field; its text becomes a parameter when the user stops typing."""
    return dmc.TextInput(
        id=ids.control(parameter),
        value=value,
        placeholder=label,
        debounce=250,
        size="xs",
        className="search",
        **{"aria-label": label},
    )


def segments(parameter: str, choices: Sequence[tuple[str, str]], value: str, *, label: str) -> Any:
    """Return a segmented control for a few choices: pairs of value and text."""
    return dmc.SegmentedControl(
        id=ids.control(parameter),
        data=[{"value": choice, "label": text} for choice, text in choices],
        value=value,
        size="xs",
        **{"aria-label": label},
    )


def close_button() -> Any:
    """Return the button that closes the dialog around it (assets/search.js)."""
    return html.Button("Close", type="button", className="quiet-action dialog-close")


def mark(slot: int) -> Any:
    """Return the mark of a slot in its colour; a name must be shown beside it."""
    return html.Span(className=theme.mark_class(slot), **{"aria-hidden": "true"})


def engine(
    slot: int, label: str, short: str | None = None, *, href: str | None = None, limit: int = 28
) -> Any:
    """A run's label (or its `short` one) with its mark; a link if `href` is given."""
    text = html.Bdi(breakable(short or wording.name(label, limit)))
    whole = wording.name(label, 400)
    parts = [mark(slot), html.A(text, href=href, title=whole) if href else text]
    return html.Span(parts, className="engine", title=whole)


def breakable(label: str) -> list[Any]:
    """A label that a phone may break behind its separators: browsers do behind hyphens only.

    A point within a number separates nothing.
    """
    words = re.split(r"(?<=[_/])(?=\w)|(?<=[^\d]\.)(?=\w)", label)
    return [words[0], *chain(*((html.Wbr(), w) for w in words[1:]))]


def grade(value: float | None, unjudged: Any = None) -> Any:
    """A judgment's grade in its colour and as a number; ? if the document was not judged.

    `unjudged` replaces the ?, as `judging.unjudged` does.
    """
    if value is None or value < 0:
        return unjudged or html.Span("?", className="grade grade-none", title="not judged")
    step = min(int(value), 3) if value >= 1 else 0
    text = f"{value:g}"
    return html.Span(text, className=f"grade grade-{step}", title=f"grade {text}")


def choice(children: Any, address: Address, class_name: str = "", **parameters: Any) -> Any:
    """Return a link that changes parameters of the current page.

    If it is opened in another tab, it leads to `address` with these parameters.
    """
    own = ("title", "aria-label", "tabIndex")
    more = {key: parameters.pop(key) for key in own if key in parameters}
    return html.A(
        children,
        href=address.changed(**parameters).href,
        className=class_name,
        **{"data-choose": json.dumps(parameters)},
        **more,
    )


def leave_out(address: Address, names: Iterable[str], name: str) -> Any:
    """The link of a page of several runs that leaves one of them out."""
    return choice(
        "×",
        address,
        "chip-remove",
        runs=[other for other in names if other != name],
        base="" if address.one("base") == name else address.one("base"),
        pair=[other for other in address.all("pair") if other != name],
        **{"aria-label": f"Leave {wording.name(name)} out"},
    )


def add_run(others: Iterable[str]) -> Any:
    """The select that adds one of the other runs to a page of several."""
    return select(
        "add",
        options(others),
        None,
        label="Add a run",
        placeholder="+ run",
        class_name="select-add",
    )


def roving(members: str) -> dict[str, str]:
    """The attribute of a component whose members are a single stop of the Tab key.

    The arrow keys move between the members (assets/roving.js). `members` is a CSS selector.
    """
    return {"data-roving": members}


def grid_options(rows: int) -> dict[str, Any]:
    """Return the options that all grids share."""
    return {
        "theme": theme.grid_theme(),
        "domLayout": "autoHeight" if rows <= _ALL_ROWS else "normal",
        # Otherwise a dot in a field would be read as a path.
        "suppressFieldDotNotation": True,
        # Texts are made selectable by a rule in evalstore.css: the grid's own option for it adds
        # two elements to every cell.
        "rowBuffer": 4,
        "ensureDomOrder": True,
        "tooltipShowDelay": 300,
        "suppressColumnVirtualisation": True,
        "rowHeight": 32,
        "headerHeight": 34,
        # Tab leaves the grid at once; the arrow keys move inside it.
        "tabToNextCell": {"function": "leaveGrid()"},
        "tabToNextHeader": {"function": "leaveGrid()"},
        # An arrow after the name of a measure says which values are better.
        "icons": {"sortAscending": "<span>▴</span>", "sortDescending": "<span>▾</span>"},
        "localeText": {"greaterThanOrEqual": "At least", "lessThanOrEqual": "At most"},
    }


def linked_grid_options(rows: int) -> dict[str, Any]:
    """Return the options of a grid whose order and filters are in the address of its page."""
    return {
        **grid_options(rows),
        "suppressMultiSort": True,
        # New columns come with every order; columns that users have moved stay where they are.
        "maintainColumnOrder": True,
        # The page shows its own sentence for that, with advice.
        "suppressOverlays": ["noRows", "noMatchingRows"],
    }


def grid_size(rows: int) -> dict[str, str]:
    """Return the size of a grid with this many rows."""
    return {"height": "auto" if rows <= _ALL_ROWS else "34rem", "width": "100%"}


def file_link(text: str, address: str, *, title: str = "", component_id: str = "") -> Any:
    """Return a link that downloads a file."""
    more = {"id": component_id} if component_id else {}
    return html.A(
        [html.Span(className="icon icon-download"), text],
        href=address,
        className="quiet-action",
        title=title,
        download="",
        **more,
    )


def csv_link(component_id: str, address: str) -> Any:
    """Return the link that downloads a table."""
    return file_link(
        "CSV",
        address,
        title="The rows, with full precision. Texts that a spreadsheet would take for a formula "
        "get an apostrophe in front.",
        component_id=component_id,
    )


# The measure that an address names (for pages that show one), and the control for it


def usual_measure(stored: tuple[str, ...]) -> str:
    """The default measure of a page: the first one that the leaderboard shows."""
    return next(iter(leaderboard_default(stored)), "AP")


def chosen_measure(address: Address, stored: tuple[str, ...]) -> tuple[str, Measure]:
    """The measure that an address names, with its canonical name; else the usual stored one.

    Raises PageProblem for a measure that can't be parsed.
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


def kept_measure(address: Address, defaults: Mapping[str, str | Sequence[str]]) -> str | None:
    """The one measure of a page that is carried along to other pages.

    If there are several, it is the one by which the page is sorted, else the first. `defaults` fill
    in parameters that the address leaves out.
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
    """The order of a leaderboard by a measure, the best run first, in the notation of addresses."""
    return name if parse(name).descriptor.higher_is_better is False else f"-{name}"


def measure_choice(chosen: str, stored: Iterable[str]) -> Any:
    """The select for a page's measure, in which any measure can be typed.

    assets/selects.js shows an error behind it if a text is not a measure.
    """
    choice = select(
        MEASURES,
        measure_choices(chosen, stored),
        chosen,
        label="Measure",
        placeholder="type any",
        class_name="select-measure takes-measure",
    )
    problem = html.Span(className="measure-problem", role="alert")
    return labelled("measure", choice, problem)


def measure_choices(chosen: str, stored: Iterable[str]) -> list[dict[str, str]]:
    """The options of the select for a page's measure."""
    return measure_options(dict.fromkeys([chosen, *stored]))


# The measure named by a text that is typed into the select

PATH = "/typed-measure"
NAME = re.compile(r"[^@(]*")
"""The part of a measure's name before the parameters and the cutoff."""


def register(server: Flask) -> None:
    """Add the path that assets/selects.js requests to find the measure of a text.

    The answer is an option for the select, or `{"problem": ...}`.
    """

    @server.get(PATH)
    def typed_measure() -> Response:
        try:
            measure = understood(request.args.get("text", ""))
        except MeasureError as error:
            return jsonify(problem=f"{wording.name(str(error), 300)}.".replace("?.", "?"))
        return jsonify(measure_options([str(measure)])[0])


def names_of(one: Descriptor) -> tuple[str, ...]:
    """The names by which a measure is found: its own, its title, and those in other libraries."""
    others = [other for other, (name, _) in OTHERS.items() if name == one.name]
    known = (one.name, one.title, *one.aliases, *(trec.name for trec in one.trec), *others)
    return (*known, *(name.replace("_", " ") for name in known if "_" in name))


def understood(text: str) -> Measure:
    """Find the measure that a text names, ignoring case in its name; else raise MeasureError."""
    try:
        return parse(text)
    except MeasureError:
        for other in _in_other_case(text.strip()):
            try:
                return parse(other)
            except MeasureError:
                pass
        raise


def _in_other_case(text: str) -> list[str]:
    """The text with its name in the case of known names; those of trec_eval are lower case."""
    match = NAME.match(text)
    name = match[0] if match else ""
    known = [one for one in names() if one.casefold() == name.casefold()]
    return [*(one + text[len(name) :] for one in known), text.lower()]
