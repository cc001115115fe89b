"""The Measures page: the meaning of each measure, from its descriptor, with a worked example."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import control_change, number, td, th, tr
from dashboard.components.files import csv_file
from dashboard.components.problems import PageProblem
from dashboard.page import Changes, File, Page, Rendered, View
from evalstore.errors import MeasureError
from evalstore.evaluation.measure_help import (
    EXAMPLE_EXTRAS,
    EXAMPLE_IN_WORDS,
    GRADES,
    cutoff_text,
    example_by_rank,
    example_values,
    facts,
    measure_named,
    parameter_text,
)
from evalstore.measures import Measure, registry
from evalstore.measures.registry import Descriptor
from evalstore.tables.table import Table

HEADLINE, LIST = "measure-headline", "measure-list"


def render(view: View) -> Rendered:
    """Render the list of all measures, or one of them."""
    name = view.address.name
    if name is None:
        find = view.address.one("find")
        return Rendered("Measures", _index(find), files=("measures.csv",))
    measure = _measure(name)
    files = ("example.csv",) if example_by_rank(measure) else ()
    return Rendered(measure.descriptor.name, _one(measure), files=files)


def _measure(name: str) -> Measure:
    try:
        return measure_named(name)
    except MeasureError as error:
        raise PageProblem(
            "There is no such measure",
            f"{wording.name(str(error), 300)}.",
            link=Address("measures").href,
            link_text="All measures",
        ) from error


def update(view: View, before: View) -> Changes | None:
    """Update the list for another search text; the page of a single measure has no updates."""
    if view.address.name is not None:
        return {}
    find = view.address.one("find")
    return {
        HEADLINE: {"children": _headline(find)},
        LIST: {"children": _families(find)},
        **control_change("find", value=find),
    }


def _index(find: str) -> Any:
    return html.Div(
        [
            html.H1(
                _headline(find), id=HEADLINE, className="claim headline", **{"aria-live": "polite"}
            ),
            controls.search("find", find, label="Find a measure"),
            html.Div(_families(find), id=LIST),
        ]
    )


def _headline(find: str) -> str:
    """The number of the measures that are listed."""
    chosen, every = len(_chosen(find)), wording.count(len(registry()), "measure")
    number = every if not find.strip() else f"{chosen:,} of {every}"
    return f"{number}, each with its formula; with ↑ higher values are better, with ↓ lower ones."


def _families(find: str) -> list[Any]:
    chosen = _chosen(find)
    if not chosen:
        return [html.P(f"No measure has “{wording.name(find)}” in its name or title.")]
    sections = []
    for family, members in groupby(chosen, key=lambda descriptor: descriptor.family):
        rows = [
            tr(
                [
                    th(html.A(d.name, href=Address("measures", None, d.name).href), scope="row"),
                    td(f"{d.title}{wording.ARROWS[d.higher_is_better]}"),
                    td(_times(d.formula)),
                ]
            )
            for d in members
        ]
        sections.append(
            html.Section(
                [
                    html.H2(family.capitalize()),
                    html.Table(
                        html.Tbody(rows),
                        className="plain-table measure-table",
                        **controls.roving("a"),
                    ),
                ],
                className="card",
            )
        )
    return sections


def _chosen(find: str) -> list[Descriptor]:
    """The measures with this text in a name or the title, or the one that a text with @ names."""
    wanted = find.strip().lower()
    if "@" in wanted:
        try:
            return [controls.understood(wanted).descriptor]
        except MeasureError:
            return []
    return [
        one
        for one in registry().values()
        if any(wanted in text.lower() for text in controls.names_of(one))
    ]


def _times(formula: str) -> str:
    """A formula with signs of multiplication, which are letters in files and terminals."""
    return formula.replace(" x ", " × ")


def _one(measure: Measure) -> Any:
    descriptor = measure.descriptor
    rows = [
        tr([th(label, scope="row"), td(_times(text) if label == "Formula" else text)])
        for label, text in facts(descriptor)
    ]
    for parameter in descriptor.accepted:
        text = parameter_text(parameter)
        rows.append(tr([th(html.Code(parameter.name), scope="row"), td(text)]))
    if descriptor.cutoff is not None:
        at = "@k" if descriptor.cutoff.kind == "rank" else "@r"
        rows.append(tr([th(html.Code(at)), td(cutoff_text(descriptor))]))
    return html.Div(
        [
            html.P(html.A("All measures", href=Address("measures").href)),
            shell.heading(
                f"{descriptor.name}{wording.ARROWS[descriptor.higher_is_better]}",
                html.P(f"{descriptor.title}. {descriptor.summary}", className="lead"),
            ),
            html.Section(
                elements.table((), rows, "plain-table facts-table measure-facts"), className="card"
            ),
            html.Section([html.H2("Example"), *_example(measure)], className="card"),
        ]
    )


def _example(measure: Measure) -> list[Any]:
    more = measure.descriptor.facts or measure.descriptor.family == "ratings"
    parts: list[Any] = [html.P(EXAMPLE_IN_WORDS + (f" {EXAMPLE_EXTRAS}" if more else ""))]
    values = [
        tr([th(html.Code(notation), scope="row"), number(value)])
        for notation, value in example_values(measure)
    ]
    parts.append(elements.table((), values))
    by_rank = example_by_rank(measure)
    if by_rank:
        counts = measure.descriptor.counts
        head = list(map(th, ("Rank", "Grade", f"{measure} if the ranking ended here")))
        rows = [
            tr(
                [
                    td(f"{rank}"),
                    td(controls.grade(grade)),
                    number(wording.value(value, counts=counts)),
                ]
            )
            for rank, (grade, value) in enumerate(zip(GRADES, by_rank, strict=True), 1)
        ]
        parts.append(elements.table(head, rows))
    return parts


def _csv(view: View) -> File:
    """The measures that the search finds, as in the list."""
    words = {True: "higher is better", False: "lower is better", None: None}
    rows = tuple(
        (d.name, d.title, d.family, words[d.higher_is_better], d.formula, ", ".join(d.aliases))
        for d in _chosen(view.address.one("find"))
    )
    names = ("measure", "title", "family", "direction", "formula", "aliases")
    return csv_file(Table.for_files(names, rows), "measures.csv")


def _example_csv(view: View) -> File:
    """The example of one measure: its value if the ranking ended at each rank."""
    measure = _measure(view.address.name or "")
    values = zip(GRADES, example_by_rank(measure), strict=False)
    rows = tuple((rank, grade, value) for rank, (grade, value) in enumerate(values, 1))
    return csv_file(Table.for_files(("rank", "grade", "value"), rows), "example.csv")


FILES = {"measures.csv": _csv, "example.csv": _example_csv}
PAGE = Page("measures", render, update, frozenset({"find"}), files=FILES)
