"""The Compare page: is a run better, where, and why."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
from dash import html

from dashboard import controls, figures, files, graphs, ids, shell, wording
from dashboard.comparison import parts, table
from dashboard.comparison.load import Comparison, default_order, load
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.plots import frames, interactive
from dashboard.plots.captions import mean_over, outcome
from dashboard.store_problems import read
from evalstore.usecases.linked_runs import run_names

CURVES = "curves"
HISTOGRAM = "histogram"
QUERIES = "queries-grid"
UPDATED = frozenset({"pair", "order", "text"})
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    comparison = load(view)
    title = "Compare " + ", ".join(wording.name(name, 24) for name in comparison.names[:4])
    collection = view.address.collection
    if not comparison.compared.pairs:
        return Rendered(title, parts.not_comparable(comparison), collection)
    others = _others(view, comparison)
    body = html.Div(
        [
            html.H1("Compare", className="visually-hidden"),
            parts.banner(comparison),
            parts.runs_and_choices(comparison, others),
            html.P(parts.claim(comparison), id="claim", className="claim", dir="auto"),
            html.Div(parts.run_table(comparison), id="run-table", className="card"),
            html.Div(
                [_curves_card(comparison, view), _histogram_card(comparison, view)],
                className="figures",
            ),
            _queries_card(comparison),
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
        },
    )


def update(view: View, before: View) -> Changes | None:
    """The parts that another pair, order or scheme changes."""
    now, then = view.address.parameters, before.address.parameters
    changed = {name for name in {*now, *then} if now.get(name) != then.get(name)}
    if not changed <= UPDATED:
        return None
    comparison = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if view.scheme != before.scheme:
        changes.update([graphs.figure_change(CURVES, _curves(comparison, view))])
    if "pair" in changed:
        changes["claim"] = {"children": parts.claim(comparison)}
        changes["run-table"] = {"children": parts.run_table(comparison)}
        changes[QUERIES] = {
            "columnDefs": table.columns(comparison),
            "rowData": table.rows(comparison),
        }
        changes["histogram-title"] = {"children": _histogram_title(comparison)}
        changes["histogram-caption"] = {"children": _outcome(comparison)}
    if changed or view.scheme != before.scheme:
        changes.update([graphs.figure_change(HISTOGRAM, _histogram(comparison, view))])
        key = tuple(ids.control("order").items())
        changes[key] = {"value": comparison.order}
    return changes


def _others(view: View, comparison: Comparison) -> list[str]:
    collection = view.address.collection or ""
    names = read(view.store, lambda: run_names(view.store, collection))
    return [name for name in names if name not in comparison.names]


def _curves(comparison: Comparison, view: View) -> Any:
    slots = [comparison.slots[run.name] for run in comparison.loaded.runs]
    curves = frames.recall_curves(comparison.loaded.runs)
    curves["run_id"] = [slots[number] for number in curves["run_id"]]
    labels = dict(zip(slots, comparison.names, strict=True))
    return figures.recall_precision(curves, labels, view.scheme)


def _curves_card(comparison: Comparison, view: View) -> Any:
    return parts.card(
        "Recall-precision",
        html.P(mean_over(comparison.loaded.runs), className="caption"),
        graphs.graph(
            CURVES, _curves(comparison, view), label="Recall-precision curves, a line a run"
        ),
    )


def _histogram(comparison: Comparison, view: View) -> Any:
    slots = comparison.slots
    order = comparison.order
    return interactive.differences(
        table.pair_frame(comparison),
        comparison.measure,
        (comparison.run, comparison.baseline),
        positions=(slots[comparison.run], slots[comparison.baseline]),
        order="query" if order == "query" else "difference",
        scheme=view.scheme,
    )


def _histogram_title(comparison: Comparison) -> str:
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    return f"{comparison.measure.label}, {run} − {base}"


def _outcome(comparison: Comparison) -> str:
    pairs = table.pair_frame(comparison)
    names = (comparison.run, comparison.baseline)
    return outcome(pairs["difference"].tolist(), comparison.measure, names)


def _histogram_card(comparison: Comparison, view: View) -> Any:
    return parts.card(
        html.Span(_histogram_title(comparison), id="histogram-title"),
        html.P(_outcome(comparison), id="histogram-caption", className="caption", dir="auto"),
        graphs.graph(
            HISTOGRAM,
            _histogram(comparison, view),
            label="Differences between the two runs by query",
        ),
        aside=parts.order_choice(comparison),
    )


def _queries_card(comparison: Comparison) -> Any:
    rows = table.rows(comparison)
    grid = dag.AgGrid(
        id=QUERIES,
        columnDefs=table.columns(comparison),
        rowData=rows,
        getRowId="params.data.id",
        className="grid",
        dashGridOptions=controls.grid_options(len(rows)),
        style=controls.grid_size(len(rows)),
    )
    csv = files.href(comparison.address, "queries.csv")
    return shell.card("Query by query", grid, aside=controls.csv_link("queries-csv", csv))


def _csv(view: View) -> File:
    comparison = load(view)
    names = comparison.names[:4]
    name = files.file_name(
        view.address.collection or "", comparison.measure.name, *names, suffix=".csv"
    )
    return File(name, table.wide_csv(comparison))


PAGE = Page("compare", render, update, {"queries.csv": _csv})
