"""The Run page: what a run is, how good it is, and on which queries."""

from __future__ import annotations

import platform
import shlex
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, files, ids, shell, wording
from dashboard.components.controls import measure_choice, measure_choices, usual_measure
from dashboard.components.files import FORMS, Form, figure_file
from dashboard.components.measure_info import LEADERBOARD
from dashboard.components.problems import read
from dashboard.figures.figures import Order
from dashboard.figures.frames import FOR_REPORTS
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.run import parts as facts
from dashboard.pages.run import parts as values
from dashboard.pages.run.load import OneRun, default_order, load
from dashboard.report.page import Origin
from dashboard.report.run import AGAINST_MEDIAN, run_report
from dashboard.theme import NO_ENGINE
from evalstore import __version__
from evalstore.comparison.collection_values import medians_of_collection
from evalstore.comparison.loading import load_stored_runs
from evalstore.measures import named_measures, parse
from evalstore.transfer.export import run_file

FIGURE = "median"
EXTREMES = "run-extremes"
CAPTION = "median-caption"
TITLE = "median-title"
SIZE = (9.0, 4.0)
"""Of the figure as a file, in inches."""
UPDATED = frozenset({"m", "order"})
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    one = load(view)
    body = html.Div(
        [
            _heading(one),
            _links(one),
            html.Div(
                [
                    html.Div([facts.facts_card(one), facts.parameters_card(one)]),
                    html.Div([_measures_card(one), facts.lineage_card(one), facts.note_card(one)]),
                ],
                className="run-columns",
            ),
            *_by_query(one, view),
            facts.events_card(one),
        ]
    )
    of = one.by_query
    return Rendered(
        f"Run {wording.name(one.run.name, 40)}",
        body,
        view.address.collection,
        None if of is None else of.run.qrels,
        one.qrels,
        {
            "m": usual_measure(one.measures),
            "qrels": one.qrels[:1],
            "order": default_order(0 if of is None else len(of.run.qids)),
        },
    )


def update(view: View, before: View) -> Changes | None:
    """What another measure, order or scheme changes."""
    changed = view.address.differences(before.address)
    one = load(view)
    if one.by_query is None:
        return {}
    changes: dict[Any, dict[str, Any]] = dict(
        [elements.figure_change(FIGURE, values.histogram(one, view.scheme))]
    )
    if "m" in changed:
        changes[TITLE] = {"children": _title(one)}
        changes[CAPTION] = {"children": values.histogram_caption(one)}
        changes[EXTREMES] = {"children": values.extreme_tables(one)}
    changes[tuple(ids.control("m").items())] = {
        "value": one.measure.name,
        "data": measure_choices(one.measure.name, one.measures),
    }
    changes[tuple(ids.control("order").items())] = {"value": one.order}
    return changes


def _heading(one: OneRun) -> Any:
    about = one.overview.facts
    parts: list[Any] = [
        ["engine ", html.Bdi(wording.name(about.engine, 40))]
        if about.engine != one.run.name
        else None,
        ["experiment ", html.Bdi(wording.name(about.experiment, 40))] if about.experiment else None,
        [f"stored {about.created_at:%Y-%m-%d %H:%M} UTC"],
        ["commit ", html.Code(wording.clean(about.commit)[:10])] if about.commit else None,
    ]
    line: list[Any] = []
    for part in parts:
        if part is not None:
            line += [" · ", *part] if line else part
    if about.commit and about.commit_dirty:
        line += [" ", html.Span("changed files", className="warn")]
    if about.values_only:
        title = "It came as values of measures of 4 decimals: there are no lists to look at"
        line += [" · ", html.Span("values only, without rankings", className="warn", title=title)]
    slot = one.selection.slots[one.run.id]
    label = controls.engine(slot, one.run.name, limit=80)
    return shell.heading(label, html.P(line, className="lead"))


def _links(one: OneRun) -> Any:
    address, run = one.address, one.run.name
    links: list[Any] = []
    parent = one.overview.parent
    for other, role in (
        (None if one.baseline is None else one.baseline.name, "baseline"),
        (None if parent is None else parent.name, "parent"),
    ):
        if other is None:
            continue
        chosen = {"runs": (other, run), "base": (other,), "qrels": address.all("qrels")}
        href = Address("compare", address.collection, None, chosen).href
        text = f"Compare with the {role} {wording.name(other, 24)}"
        links.append(html.A(text, href=href, className="action" if not links else "quiet-action"))
    history = Address("history", address.collection, None, {"engine": (one.run.engine,)})
    links.append(html.A("History of the engine", href=history.href, className="quiet-action"))
    if not one.overview.facts.values_only:
        title = "The run as a run file: same documents, order and scores"
        links.append(controls.file_link("Run file", files.href(address, "run.txt"), title=title))
    if one.by_query is not None:
        links.append(controls.file_link("HTML report", files.href(address, "report.html")))
    return html.Div(links, className="choices")


def _measures_card(one: OneRun) -> Any:
    if one.by_query is None:
        advice = (
            "This run was not evaluated under these judgments, and so it has no figures. "
            "`evalstore reevaluate` evaluates it."
        )
        return shell.card("Measures", html.P(advice, className="hint"))
    over = wording.count(len(one.by_query.run.qids), "judged query", "judged queries")
    caption = f"Over {over}; the rank is among the runs of the collection."
    if one.baseline is None:
        caption += " Without a baseline beside it there are no differences."
    return shell.card("Measures", html.P(caption, className="caption"), *values.measures_table(one))


def _by_query(one: OneRun, view: View) -> list[Any]:
    if one.by_query is None:
        return []
    aside = [
        measure_choice(one.measure.name, one.measures),
        controls.segments(
            ids.control("order"),
            (("difference", "Sorted"), ("query", "By query")),
            one.order,
            label="Order of the bars",
        ),
        controls.csv_link("run-queries-csv", files.href(one.address, "queries.csv")),
        *(
            controls.file_link(form.upper(), files.href(one.address, f"median.{form}"))
            for form in ("svg", "png")
        ),
    ]
    return [
        shell.card(
            html.Span(_title(one), id=TITLE),
            html.P(values.histogram_caption(one), id=CAPTION, className="caption", dir="auto"),
            html.Div(
                elements.graph(
                    FIGURE,
                    values.histogram(one, view.scheme),
                    label="Differences of the run to the median of the collection's runs, by query",
                ),
                className="leads-to-queries",
                **values.query_link(one),
            ),
            aside=aside,
        ),
        html.Div(values.extreme_tables(one), id=EXTREMES, className="run-columns even"),
    ]


def _title(one: OneRun) -> str:
    return f"{one.measure.label}, {wording.name(one.run.name, 30)} − {one.median_name}"


def _csv(view: View) -> File:
    one = load(view)
    name = files.file_name(one.run.name, one.measure.name, suffix=".csv")
    return File(name, values.queries_csv(one))


def _run_file(view: View) -> File:
    one = load(view)
    content = read(view.store, lambda: run_file(view.store, one.run.name, one.selection.collection))
    name = files.file_name(one.run.name, suffix=".run")
    return File(name, content, "text/plain")


def _median(view: View, form: Form) -> File:
    from dashboard.figures import drawings  # noqa: PLC0415  (matplotlib loads slowly)

    one = load(view)
    of, name = one.evaluated, one.measure.name
    order: Order = "query" if one.order == "query" else "difference"
    positions = (one.selection.slots[one.run.id], NO_ENGINE)
    drawing = drawings.median(of.loaded, (name, parse(name)), of.medians, order, positions)
    return figure_file(drawing.static(SIZE), files.file_name(one.run.name, name, suffix=""), form)


def _report(view: View) -> File:
    one, store = load(view), view.store
    usual = [name for name in LEADERBOARD if name in one.measures]
    asked = named_measures(usual or one.measure.name)
    loaded = read(
        store,
        lambda: load_stored_runs(
            store,
            [one.run.name],
            {**named_measures(FOR_REPORTS), **asked},
            collection=one.selection.collection,
            qrels=one.evaluated.run.qrels,
        ),
    )
    medians = read(
        store,
        lambda: medians_of_collection(store, loaded.runs[0], named_measures([AGAINST_MEDIAN])),
    )
    packages = {"evalstore": __version__, "Python": platform.python_version()}
    packages |= {name: version(name.lower()) for name in ("NumPy", "SciPy")}
    command = f"evalstore report {shlex.quote(one.run.name)} --html FILE"
    page = run_report(loaded, asked, medians, Origin(command, datetime.now(UTC), packages))
    return File(files.file_name(one.run.name, suffix=".html"), page, "text/html")


PAGE = Page(
    "run",
    render,
    update,
    UPDATED,
    {
        "queries.csv": _csv,
        "run.txt": _run_file,
        **{f"median.{form}": partial(_median, form=form) for form in FORMS},
        "report.html": _report,
    },
)
