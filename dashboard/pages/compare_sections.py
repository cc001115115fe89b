"""The sections of the Compare page: each a function from what was found to components."""

from __future__ import annotations

import math
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
import pandas as pd
from dash import dcc, html

from dashboard import controls, ids, shell, tables, wording
from dashboard.data import Compared
from dashboard.links import QUERIES_CSV, CompareView, PageProblem
from dashboard.measure_info import MeasureInfo, measure_info
from dashboard.pages.compare_head import engine
from dashboard.theme import series_variable
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
# What stands in a picture's place until the first one is drawn: nothing, on no ground.
_BLANK = {
    "data": [],
    "layout": {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {"visible": False},
        "yaxis": {"visible": False},
    },
}


def summary(found: Compared, values: pd.DataFrame) -> list[Any]:
    """Return the mean of each engine, with its difference to A."""
    info = measure_info(found.measure)
    means = {run_id: float(values[run_id].mean()) for run_id in found.labels}
    known = [mean for mean in means.values() if not math.isnan(mean)]
    best = None
    if known and info.higher_is_better is not None:
        best = max(known) if info.higher_is_better else min(known)
    number = wording.count(len(values), "query", "queries")
    return [
        html.H2(["Mean ", html.Abbr(info.name, title=info.help), f" over {number}"]),
        html.Div(
            [_mean(found, run_id, means, best, info) for run_id in found.labels],
            className="means",
        ),
    ]


def _mean(
    found: Compared, run_id: int, means: dict[int, float], best: float | None, info: MeasureInfo
) -> Any:
    mean = means[run_id]
    is_best = best is not None and abs(mean - best) <= 1e-12
    if run_id == found.a:
        below: list[Any] = ["engine A"]
    else:
        change = wording.difference(mean - means[found.a], counts=info.counts)
        below = [
            html.Span(change, className="mean-difference"),
            " to A · engine B" if run_id == found.b else " to A",
        ]
    return html.Div(
        [
            html.Div(engine(found, run_id, 32), className="mean-engine"),
            html.Div(
                [
                    html.Span(wording.value(mean, counts=info.counts), className="mean-value"),
                    html.Span("best", className="badge") if is_best else None,
                ],
                className="mean-row",
            ),
            html.Div(below, className="mean-note"),
        ],
        className="mean best" if is_best else "mean",
        style={"borderTopColor": series_variable(list(found.labels).index(run_id))},
    )


def failed(problem: PageProblem) -> Any:
    """Return what stands in a part's place when it could not be made."""
    return html.P(problem.sentence, role="alert", className="hint")


def curves_card(found: Compared) -> Any:
    """Return the section of the recall-precision curves."""
    queries = [
        {"value": str(qid), "label": _query_label(qid, text)}
        for qid, text in zip(
            found.comparison.queries["qid"], found.comparison.queries["text"], strict=True
        )
    ]
    choice = dmc.Select(
        id=ids.CURVES_QUERY,
        data=queries,
        value=found.view.query,
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
        html.P(id=ids.CURVES_CAPTION, className="caption", **{"aria-live": "polite"}),
        _picture(ids.CURVES, "Recall-precision curves, a line per engine"),
        aside=choice,
    )


def legend_rows(found: Compared) -> int:
    """Return about how many rows the curves' legend takes, so that it doesn't take the curves'."""
    longest = max(len(label) for label in found.labels.values())
    per_row = 1 if longest > 18 else 2
    return min(16, -(-len(found.labels) // per_row))


def _query_label(qid: object, text: Any) -> str:
    shown = wording.name(str(qid), 32)
    return shown if pd.isna(text) else f"{shown} · {wording.name(str(text), 80)}"


def curves_caption(found: Compared) -> Any:
    """Return what the curves are made of."""
    query = found.view.query
    if query is None:
        number = wording.count(len(found.comparison.queries), "query", "queries")
        return f"Interpolated precision {_LEVELS}, averaged over {number}."
    texts = found.comparison.queries.set_index("qid")["text"]
    text = texts.get(query)
    known = isinstance(text, str) and text
    return [
        "Interpolated precision ",
        f"{_LEVELS}, for query ",
        html.Strong(wording.name(query), dir="auto"),
        html.Span([": ", html.Q(wording.name(str(text), 160), dir="auto")]) if known else "",
        ".",
    ]


def differences_card(found: Compared) -> Any:
    """Return the section of the per-query differences."""
    order = dmc.SegmentedControl(
        id=ids.DIFFERENCES_ORDER,
        data=[
            {"value": "query", "label": "By query"},
            {"value": "difference", "label": "By difference"},
        ],
        value=found.view.sort,
        size="xs",
        **{"aria-label": "Order of the bars"},
    )
    return shell.card(
        html.Span(differences_title(measure_info(found.measure)), id=ids.DIFFERENCES_TITLE),
        html.Div(id=ids.DIFFERENCES_OUTCOME, className="outcome", **{"aria-live": "polite"}),
        _picture(ids.DIFFERENCES, "Differences between A and B, a bar per query"),
        aside=order,
    )


def differences_title(info: MeasureInfo) -> str:
    """Return the section's title."""
    return f"{info.label} difference, query by query"


def outcome(found: Compared, counted: Outcome) -> list[Any]:
    """Return who wins how often, and the mean difference."""
    info = measure_info(found.measure)
    # Of a measure where less is better, A wins where its value is the lower.
    downwards = info.higher_is_better is False
    for_a, for_b = (counted.losses, counted.wins) if downwards else (counted.wins, counted.losses)
    verb = "higher" if info.higher_is_better is None else "better"
    return [
        _count(for_a, [engine(found, found.a, 20), f" {verb}"]),
        _count(counted.ties, ["ties" if counted.ties != 1 else "tie"]),
        _count(for_b, [engine(found, found.b, 20), f" {verb}"]),
        _count(
            wording.difference(float(counted.mean), counts=info.counts),
            ["mean difference (A − B)"],
        ),
    ]


def _count(number: int | str, words: list[Any]) -> Any:
    shown = f"{number:,}" if isinstance(number, int) else number
    return html.Div(
        [html.Span(shown, className="count"), html.Span(words, className="count-words")],
        className="count-box",
    )


def queries_card(found: Compared) -> Any:
    """Return the section of the per-query table."""
    rows = len(found.comparison.queries)
    info = measure_info(found.measure)
    grid = dag.AgGrid(
        id=ids.QUERIES_GRID,
        columnDefs=tables.query_columns(found.labels, info, found.sides, texts=found.has_texts),
        getRowId="params.data.id",
        className="grid",
        dashGridOptions=controls.grid_options(rows),
        style=controls.grid_size(rows),
    )
    aside = [
        dmc.TextInput(
            id=ids.QUERIES_FILTER,
            placeholder="Filter queries",
            className="quick-filter",
            **{"aria-label": "Filter queries"},
        ),
        controls.csv_link(ids.QUERIES_CSV, QUERIES_CSV + _table_view(found).search()),
    ]
    return shell.card(
        "Query by query",
        html.P(id=ids.QUERIES_CAPTION, className="caption"),
        grid,
        aside=aside,
    )


def _table_view(found: Compared) -> CompareView:
    return CompareView(found.view.runs, found.view.qrels, found.measure, found.a, found.b)


def queries_caption(found: Compared, info: MeasureInfo) -> Any:
    """Return what the table shows."""
    a, b = found.sides
    return [
        html.Abbr(info.name, title=info.help),
        f" of every engine; the last column is {wording.name(a, 24)} − {wording.name(b, 24)}.",
    ]


def _picture(component_id: str, label: str) -> Any:
    return html.Div(
        dcc.Loading(
            dcc.Graph(
                id=component_id, figure=_BLANK, config=_GRAPH, responsive=True, className="graph"
            ),
            delay_show=300,
            overlay_style={"visibility": "visible", "opacity": 0.5},
            type="circle",
            color="var(--accent)",
        ),
        role="figure",
        className="picture",
        **{"aria-label": label},
    )
