"""The sections of the Compare page: each a function from the comparison to components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import pandas as pd
import plotly.graph_objects as go
from dash import dcc, html

from dashboard import controls, figures, ids, shell, tables, wording
from dashboard.data import Compared
from dashboard.links import QUERIES_CSV, CompareView, PageProblem
from dashboard.measure_info import MeasureInfo, measure_info
from dashboard.pages.compare_header import engine
from dashboard.theme import Scheme, series_variable
from evalstore.exports.best import best
from evalstore.usecases.compare import Outcome

_LEVELS = "at the 11 recall levels 0.0, 0.1, … 1.0"
_GRAPH = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"scale": 2},
    "responsive": True,
    "showTips": False,
}


def summary(compared: Compared, aggregates: Mapping[int, float]) -> list[Any]:
    """Return the stored aggregate of each engine, with its difference to A."""
    info = measure_info(compared.measure)
    best_runs = best(list(aggregates.values()), info.higher_is_better)
    return [
        html.H2(
            [
                html.Abbr(info.name, title=info.help),
                f", {info.aggregate_words(len(compared.comparison.queries))}",
            ]
        ),
        html.Div(
            [
                _aggregate(compared, run_id, aggregates, info, is_best=position in best_runs)
                for position, run_id in enumerate(compared.labels)
            ],
            className="aggregates",
        ),
    ]


def _aggregate(
    compared: Compared,
    run_id: int,
    aggregates: Mapping[int, float],
    info: MeasureInfo,
    *,
    is_best: bool,
) -> Any:
    value = aggregates[run_id]
    if run_id == compared.a:
        below: list[Any] = ["engine A"]
    else:
        change = wording.difference(value - aggregates[compared.a], counts=info.counts)
        below = [
            html.Span(change, className="aggregate-difference"),
            " to A · engine B" if run_id == compared.b else " to A",
        ]
    return html.Div(
        [
            html.Div(engine(compared, run_id, 32), className="aggregate-engine"),
            html.Div(
                [
                    html.Span(
                        wording.value(value, counts=info.counts), className="aggregate-value"
                    ),
                    html.Span("best", className="badge") if is_best else None,
                ],
                className="aggregate-row",
            ),
            html.Div(below, className="aggregate-note"),
        ],
        className="aggregate best" if is_best else "aggregate",
        style={"borderTopColor": series_variable(list(compared.labels).index(run_id))},
    )


def failed(problem: PageProblem) -> Any:
    """Return what a section holds when its values could not be read."""
    return html.P(problem.sentence, role="alert", className="hint")


def curves_card(compared: Compared, figure: go.Figure) -> Any:
    """Return the section of the recall-precision curves."""
    queries = [
        {"value": str(qid), "label": _query_label(qid, text)}
        for qid, text in zip(
            compared.comparison.queries["qid"], compared.comparison.queries["text"], strict=True
        )
    ]
    choice = dmc.Select(
        id=ids.CURVES_QUERY,
        data=queries,
        value=compared.view.query,
        placeholder="All queries (average)",
        searchable=True,
        clearable=True,
        limit=200,
        nothingFoundMessage="No such query",
        className="control-inline",
        **{"aria-label": "Query of the curves"},
    )
    return shell.card(
        "Recall-precision curves",
        html.P(
            curves_caption(compared),
            id=ids.CURVES_CAPTION,
            className="caption",
            **{"aria-live": "polite"},
        ),
        _graph(ids.CURVES, "Recall-precision curves, a line per engine", figure),
        aside=choice,
    )


def legend_rows(compared: Compared) -> int:
    """Return about how many rows the curves' legend takes, so that it doesn't take the curves'."""
    longest = max(len(label) for label in compared.labels.values())
    per_row = 1 if longest > 18 else 2
    return min(16, -(-len(compared.labels) // per_row))


def _query_label(qid: object, text: Any) -> str:
    name = wording.name(str(qid), 32)
    return name if pd.isna(text) else f"{name} · {wording.name(str(text), 80)}"


def curves_caption(compared: Compared) -> Any:
    """Return which values the curves show."""
    query = compared.view.query
    if query is None:
        number = wording.count(len(compared.comparison.queries), "query", "queries")
        return f"Interpolated precision {_LEVELS}, averaged over {number}."
    texts = compared.comparison.queries.set_index("qid")["text"]
    text = texts.get(query)
    is_known = isinstance(text, str) and text
    return [
        "Interpolated precision ",
        f"{_LEVELS}, for query ",
        html.Strong(wording.name(query), dir="auto"),
        html.Span([": ", html.Q(wording.name(str(text), 160), dir="auto")]) if is_known else "",
        ".",
    ]


def differences_card(compared: Compared, counted: Outcome, figure: go.Figure) -> Any:
    """Return the section of the per-query differences."""
    order = dmc.SegmentedControl(
        id=ids.DIFFERENCES_ORDER,
        data=[
            {"value": "query", "label": "By query"},
            {"value": "difference", "label": "By difference"},
        ],
        value=compared.view.sort,
        size="xs",
        **{"aria-label": "Order of the bars"},
    )
    return shell.card(
        html.Span(differences_title(measure_info(compared.measure)), id=ids.DIFFERENCES_TITLE),
        html.Div(
            outcome(compared, counted),
            id=ids.DIFFERENCES_OUTCOME,
            className="outcome",
            **{"aria-live": "polite"},
        ),
        _graph(ids.DIFFERENCES, "Differences between A and B, a bar per query", figure),
        aside=order,
    )


def differences_figure(compared: Compared, pairs: pd.DataFrame, scheme: Scheme) -> go.Figure:
    """Return the figure of the differences A − B, in the order that the view asks for."""
    return figures.differences(
        pairs,
        measure_info(compared.measure),
        compared.pair,
        positions=compared.pair_positions,
        order="difference" if compared.view.sort == "difference" else "query",
        scheme=scheme,
    )


def differences_title(info: MeasureInfo) -> str:
    """Return the section's title."""
    return f"{info.label} difference, query by query"


def outcome(compared: Compared, counted: Outcome) -> list[Any]:
    """Return who wins how often, and the mean difference."""
    info = measure_info(compared.measure)
    # Of a measure where less is better, A wins where its value is the lower.
    downwards = info.higher_is_better is False
    for_a, for_b = (counted.losses, counted.wins) if downwards else (counted.wins, counted.losses)
    verb = "higher" if info.higher_is_better is None else "better"
    return [
        _count(for_a, [engine(compared, compared.a, 20), f" {verb}"]),
        _count(counted.ties, ["ties" if counted.ties != 1 else "tie"]),
        _count(for_b, [engine(compared, compared.b, 20), f" {verb}"]),
        _count(
            wording.difference(float(counted.mean), counts=info.counts),
            ["mean difference (A − B)"],
        ),
    ]


def _count(number: int | str, words: list[Any]) -> Any:
    text = f"{number:,}" if isinstance(number, int) else number
    return html.Div(
        [html.Span(text, className="count"), html.Span(words, className="count-words")],
        className="count-box",
    )


def queries_card(compared: Compared, rows: list[tables.Row]) -> Any:
    """Return the section of the per-query table."""
    info = measure_info(compared.measure)
    grid = dag.AgGrid(
        id=ids.QUERIES_GRID,
        columnDefs=tables.query_columns(
            compared.labels, info, compared.pair, texts=compared.has_texts
        ),
        rowData=rows,
        getRowId="params.data.id",
        className="grid",
        dashGridOptions=controls.grid_options(len(rows)),
        style=controls.grid_size(len(rows)),
    )
    aside = [
        dmc.TextInput(
            id=ids.QUERIES_FILTER,
            placeholder="Filter queries",
            className="quick-filter",
            **{"aria-label": "Filter queries"},
        ),
        controls.csv_link(ids.QUERIES_CSV, QUERIES_CSV + table_view(compared).search()),
    ]
    return shell.card(
        "Query by query",
        html.P(queries_caption(compared, info), id=ids.QUERIES_CAPTION, className="caption"),
        grid,
        aside=aside,
    )


def table_view(compared: Compared) -> CompareView:
    """Return the part of the view that the table, and so its CSV, depends on."""
    a, b = compared.links[compared.a], compared.links[compared.b]
    return CompareView(compared.view.runs, compared.view.qrels, compared.measure, a, b)


def queries_caption(compared: Compared, info: MeasureInfo) -> Any:
    """Return what the columns of the table are."""
    a, b = compared.pair
    return [
        html.Abbr(info.name, title=info.help),
        f" of every engine; the last column is {wording.name(a, 24)} − {wording.name(b, 24)}.",
    ]


def _graph(component_id: str, label: str, figure: go.Figure) -> Any:
    return html.Div(
        dcc.Loading(
            dcc.Graph(
                id=component_id, figure=figure, config=_GRAPH, responsive=True, className="graph"
            ),
            delay_show=300,
            overlay_style={"visibility": "visible", "opacity": 0.5},
            type="circle",
            color="var(--accent)",
        ),
        role="figure",
        className="figure",
        **{"aria-label": label},
    )
