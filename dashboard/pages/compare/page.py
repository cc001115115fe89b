"""The Compare page: is a run better, where, and why."""

from __future__ import annotations

from typing import Any

from dash import html

from dashboard.components import controls, elements, shell, wording
from dashboard.components.problems import read
from dashboard.figures.recall import MOST_BANDS
from dashboard.page import Changes, Page, Rendered, View
from dashboard.pages.compare import curves, files, parts, queries, sections
from dashboard.pages.compare.curves import KINDS
from dashboard.pages.compare.load import RANK_MEASURES, SECTIONS, Comparison, default_order, load
from dashboard.pages.compare.queries import DIFFERENCE, PARAMETERS, SORTS
from evalstore.catalog.links import run_names

CURVES = "curves"
HISTOGRAM = "histogram"
BYTES_OF_CHOICE = 400
"""About what a choice takes in memory beside the letters of its name."""
NO_FIGURES = ("comparison.csv", "report.html")
"""The files of runs that can't be compared: these say why."""
UPDATED = PARAMETERS | {"pair", "order", "query", "curves", "open", "rank", "slice"}
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    comparison = load(view)
    title = "Compare " + ", ".join(wording.name(name, 24) for name in comparison.names[:4])
    collection = view.address.collection
    if not comparison.compared.pairs:
        return Rendered(title, parts.not_comparable(comparison), collection, files=NO_FIGURES)
    body = html.Div(
        [
            html.H1("Compare", className="visually-hidden"),
            parts.banner(comparison),
            parts.runs_and_choices(comparison, _others(view, comparison)),
            html.P(parts.claim(comparison, view), id="claim", className="claim", dir="auto"),
            html.Div(parts.run_table(comparison), id="run-table", className="card"),
            html.Div(
                [_curves_card(comparison, view), _histogram_card(comparison, view)],
                className="figures",
            ),
            sections.choice(comparison),
            *(
                html.Div(sections.section(name, comparison, view), id=sections.section_id(name))
                for name in SECTIONS
            ),
            queries.card(comparison),
        ]
    )
    return Rendered(
        title,
        body,
        collection,
        comparison.qrels[0] if comparison.qrels else None,
        comparison.qrels,
        {
            "m": comparison.usual_measure,
            "order": default_order(len(comparison.compared.qids)),
            "pair": comparison.names[1],
            "curves": KINDS[0],
            "rank": RANK_MEASURES[0],
            "sort": SORTS[0],
            "of": DIFFERENCE,
        },
    )


def update(view: View, before: View) -> Changes | None:
    """The parts that another pair, query, order, filter, section or scheme changes."""
    changed = view.address.differences(before.address)
    comparison = load(view)
    if not comparison.compared.pairs:
        return None
    changes: dict[Any, dict[str, Any]] = {}
    if view.scheme != before.scheme:
        changed.add("scheme")
    if "pair" in changed:
        changes["claim"] = {"children": parts.claim(comparison, view)}
        changes["run-table"] = {"children": parts.run_table(comparison)}
    emphasis = "pair" in changed and len(comparison.names) > MOST_BANDS
    if emphasis or changed & {"scheme", "query", "curves"}:
        changes |= _figure(
            CURVES, curves.curves_figure(comparison, view), curves.curves_words(comparison)
        )
        changes["curves-caption"] = {"children": curves.curves_caption(comparison)}
        changes["curves-table"] = {"children": curves.table(comparison)}
    if changed & {"scheme", "query", "pair", "order"}:
        changes |= _figure(
            HISTOGRAM, curves.histogram_figure(comparison, view), curves.histogram_words(comparison)
        )
        changes["histogram-title"] = {"children": curves.title(comparison)}
        changes["histogram-caption"] = {"children": curves.histogram_caption(comparison)}
    if changed & {"query", "pair", *PARAMETERS}:
        changes |= queries.changes(comparison, columns=bool(changed & {"pair", "sort"}))
    opened_before = {name for name in SECTIONS if name in before.address.all("open")}
    for name in SECTIONS:
        toggled = (name in opened_before) != (name in comparison.opened)
        stays = name in comparison.opened and changed & sections.DEPEND_ON[name]
        if toggled or stays:
            content = sections.section(name, comparison, view)
            changes[sections.section_id(name)] = {"children": content}
    return changes


def _figure(name: str, figure: Any, words: str) -> dict[Any, dict[str, Any]]:
    component, properties = elements.figure_change(name, figure)
    return {component: properties, elements.described(name): {"aria-label": words}}


def _others(view: View, comparison: Comparison) -> controls.Options:
    """The choices of the runs that can be added."""
    store, collection = view.store, view.address.collection or ""

    def every() -> controls.Options:
        return controls.options(run_names(store, collection))

    choices = read(store, lambda: store.keep(("run choices", collection), every, _size_of_choices))
    names = frozenset(comparison.names)
    return [choice for choice in choices if choice["value"] not in names]


def _size_of_choices(choices: controls.Options) -> int:
    return sum(BYTES_OF_CHOICE + 2 * len(choice["label"]) for choice in choices)


def _curves_card(comparison: Comparison, view: View) -> Any:
    return shell.card(
        "Recall-precision",
        html.P(
            curves.curves_caption(comparison), id="curves-caption", className="caption", dir="auto"
        ),
        elements.graph(
            CURVES, curves.curves_figure(comparison, view), label=curves.curves_words(comparison)
        ),
        html.Div(curves.table(comparison), id="curves-table"),
        aside=curves.kind_choice(comparison),
    )


def _histogram_card(comparison: Comparison, view: View) -> Any:
    return shell.card(
        html.Span(curves.title(comparison), id="histogram-title"),
        html.P(
            curves.histogram_caption(comparison),
            id="histogram-caption",
            className="caption",
            dir="auto",
        ),
        elements.graph(
            HISTOGRAM,
            curves.histogram_figure(comparison, view),
            label=curves.histogram_words(comparison),
        ),
        aside=curves.order_choice(comparison),
    )


PAGE = Page("compare", render, update, UPDATED, files.FILES, files.CONTENTS)
"""What the Compare page is made of: its data, its tables and its figures."""
