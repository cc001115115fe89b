"""Compare: two or more runs side by side, in curves, differences and a table of the same values.

The address says what the page shows. `render` returns the complete page. When the user changes a
control, the parts that depend on it are drawn again, and one callback writes the address.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, html, no_update

from dashboard import data, figures, ids, shell, tables, theme, wording
from dashboard.links import COMPARE, QUERIES_CSV, CompareView, PageProblem, RunLink
from dashboard.measure_info import canonical, measure_info
from dashboard.page import Page, Rendered, callback, is_leaving
from dashboard.pages import compare_header as header
from dashboard.pages import compare_sections as sections
from dashboard.theme import Scheme
from evalstore.store import Store


def render(store: Store, search: str, scheme: Scheme) -> Rendered:
    """Return the page for a query string; raises PageProblem where there is nothing to compare."""
    compared = data.load_comparison(store, CompareView.parse(search))
    values = data.load_values(store, compared)
    curves = data.load_curves(store, compared)
    names = [wording.name(label, 24) for label in compared.labels.values()]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} more"]
    pairs = data.pair_values(compared, values)
    body = html.Div(
        [
            header.context(compared),
            shell.heading(header.title(compared), header.sentence(compared)),
            header.notes(compared),
            header.controls_card(compared),
            html.Section(
                sections.summary(compared, data.aggregates(compared)),
                id=ids.COMPARE_SUMMARY,
                className="summary",
                **{"aria-label": "Figures over all queries", "aria-live": "polite"},
            ),
            html.Div(
                [
                    sections.curves_card(
                        compared, figures.recall_precision(curves, compared.labels, scheme)
                    ),
                    sections.differences_card(
                        compared,
                        data.outcome(pairs),
                        sections.differences_figure(compared, pairs, scheme),
                    ),
                ],
                className="figures",
                style={"--legend-rows": sections.legend_rows(compared)},
            ),
            sections.queries_card(
                compared, tables.query_rows(values, pairs, measure_info(compared.measure))
            ),
        ]
    )
    return Rendered(f"Compare {', '.join(names)}", body, compared.comparison.collection)


def _view(
    context: dict[str, Any],
    *,
    measure: str | None = None,
    a: str | None = None,
    b: str | None = None,
    sort: str | None = None,
    query: str | None = None,
) -> CompareView:
    return CompareView(
        tuple(RunLink.parse(run) for run in context["runs"]),
        context["qrels"],
        measure,
        RunLink.parse(a) if a else None,
        RunLink.parse(b) if b else None,
        sort,
        query,
    )


def register(app: Dash, store: Store) -> None:
    """Add the page's callbacks."""
    context = State(ids.COMPARE_CONTEXT, "data")
    measure = Input(ids.COMPARE_MEASURE, "value")
    a, b = Input(ids.COMPARE_A, "value"), Input(ids.COMPARE_B, "value")
    sort = Input(ids.DIFFERENCES_ORDER, "value")
    query = Input(ids.CURVES_QUERY, "value")
    scheme = Input(ids.SCHEME, "data")

    @callback(
        app,
        output={
            "summary": Output(ids.COMPARE_SUMMARY, "children"),
            "figure": Output(ids.DIFFERENCES, "figure"),
            "outcome": Output(ids.DIFFERENCES_OUTCOME, "children"),
            "title": Output(ids.DIFFERENCES_TITLE, "children"),
            "columns": Output(ids.QUERIES_GRID, "columnDefs"),
            "rows": Output(ids.QUERIES_GRID, "rowData"),
            "csv": Output(ids.QUERIES_CSV, "href"),
            "caption": Output(ids.QUERIES_CAPTION, "children"),
        },
        inputs={"measure": measure, "a": a, "b": b, "sort": sort, "scheme": scheme},
        state={"context": context},
        prevent_initial_call=True,
    )
    def show_values(
        *, measure: str, a: str, b: str, sort: str, scheme: str | None, context: dict[str, Any]
    ) -> dict[str, Any]:
        colours = theme.as_scheme(scheme)
        try:
            compared = data.load_comparison(
                store, _view(context, measure=measure, a=a, b=b, sort=sort)
            )
            values = data.load_values(store, compared)
        except PageProblem as problem:
            return _failed_values(problem, colours)
        pairs = data.pair_values(compared, values)
        figure = sections.differences_figure(compared, pairs, colours)
        if set(ctx.triggered_prop_ids.values()) <= {ids.DIFFERENCES_ORDER, ids.SCHEME}:
            return dict.fromkeys(_PARTS, no_update) | {"figure": figure}
        info = measure_info(compared.measure)
        return {
            "summary": sections.summary(compared, data.aggregates(compared)),
            "figure": figure,
            "outcome": sections.outcome(compared, data.outcome(pairs)),
            "title": sections.differences_title(info),
            "columns": tables.query_columns(
                compared.labels, info, compared.pair, texts=compared.has_texts
            ),
            "rows": tables.query_rows(values, pairs, info),
            "csv": QUERIES_CSV + sections.table_view(compared).search(),
            "caption": sections.queries_caption(compared, info),
        }

    @callback(
        app,
        Output(ids.CURVES, "figure"),
        Output(ids.CURVES_CAPTION, "children"),
        query,
        scheme,
        context,
        prevent_initial_call=True,
    )
    def draw_curves(query: str | None, scheme: str | None, context: dict[str, Any]) -> Any:
        colours = theme.as_scheme(scheme)
        try:
            compared = data.load_comparison(store, _view(context, query=query))
            curves = data.load_curves(store, compared)
        except PageProblem as problem:
            return figures.message(problem.sentence, colours), ""
        return (
            figures.recall_precision(curves, compared.labels, colours),
            sections.curves_caption(compared),
        )

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Output(ids.RENDERED, "data", allow_duplicate=True),
        inputs={"measure": measure, "a": a, "b": b, "sort": sort, "query": query},
        state={
            "context": context,
            "path": State(ids.URL, "pathname"),
            "search": State(ids.URL, "search"),
            "rendered": State(ids.RENDERED, "data"),
        },
        prevent_initial_call=True,
    )
    def write_address(
        *,
        measure: str,
        a: str,
        b: str,
        sort: str,
        query: str | None,
        context: dict[str, Any],
        path: str | None,
        search: str | None,
        rendered: str | None,
    ) -> Any:
        if is_leaving(path, search, rendered):
            return no_update, no_update
        default = _view(
            context, measure=context["measure"], a=context["a"], b=context["b"], sort="query"
        )
        view = _view(context, measure=measure, a=a, b=b, sort=sort, query=query or None).without(
            default
        )
        # The controls also report their values when the page appears; its address is right then.
        if view == _view_of_address(search, default):
            return no_update, no_update
        return view.search(), f"{path}{view.search()}"

    _register_controls(app)


_PARTS = ("summary", "figure", "outcome", "title", "columns", "rows", "csv", "caption")


def _failed_values(problem: PageProblem, scheme: Scheme) -> dict[str, Any]:
    """Return what the parts of the page hold where their values can't be read: no old values."""
    return {
        "summary": sections.failed(problem),
        "figure": figures.message(problem.sentence, scheme),
        "outcome": "",
        "title": no_update,
        "columns": [],
        "rows": [],
        "csv": no_update,
        "caption": problem.sentence,
    }


def _view_of_address(search: str | None, default: CompareView) -> CompareView | None:
    """Return the view of an address, its runs with the hashes that old links lack."""
    try:
        view = CompareView.parse(search)
    except PageProblem:
        return None
    link_of = {run.id: run for run in default.runs}

    def complete(run: RunLink) -> RunLink:
        return link_of.get(run.id, run)

    return replace(
        view,
        runs=tuple(complete(run) for run in view.runs),
        measure=canonical(view.measure) if view.measure else None,
        a=complete(view.a) if view.a else None,
        b=complete(view.b) if view.b else None,
    ).without(default)


def _register_controls(app: Dash) -> None:
    @callback(
        app,
        Output(ids.COMPARE_A, "data"),
        Output(ids.COMPARE_B, "data"),
        Input(ids.COMPARE_A, "value"),
        Input(ids.COMPARE_B, "value"),
        State(ids.COMPARE_A, "data"),
        prevent_initial_call=True,
    )
    def keep_a_and_b_apart(a: str, b: str, choices: list[dict[str, Any]]) -> Any:
        return header.choices_without(choices, b), header.choices_without(choices, a)

    @callback(
        app,
        Output(ids.COMPARE_A, "value"),
        Output(ids.COMPARE_B, "value"),
        Input(ids.COMPARE_SWAP, "n_clicks"),
        State(ids.COMPARE_A, "value"),
        State(ids.COMPARE_B, "value"),
        prevent_initial_call=True,
    )
    def swap_a_and_b(clicks: int | None, a: str, b: str) -> Any:
        return (b, a) if clicks else (no_update, no_update)

    @callback(
        app,
        Output(ids.CURVES_QUERY, "value"),
        Input(ids.DIFFERENCES, "clickData"),
        prevent_initial_call=True,
    )
    def choose_query(click: dict[str, Any] | None) -> Any:
        points = (click or {}).get("points") or [{}]
        # The last entry is the qid itself; the others are texts for the hover box.
        texts = points[0].get("customdata") or []
        return texts[-1] if texts else no_update

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Input(ids.COMPARE_QRELS, "value"),
        State(ids.COMPARE_CONTEXT, "data"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def choose_qrels(qrels: str | None, context: dict[str, Any], search: str | None) -> Any:
        if not qrels or qrels == context["rendered_qrels"]:
            return no_update
        # The page is rendered anew: other qrels may hold other queries and measures.
        return replace(CompareView.parse(search), qrels=qrels, query=None).search()

    app.clientside_callback(
        ClientsideFunction("evalstore", "quickFilter"),
        Input(ids.QUERIES_FILTER, "value"),
        State(ids.QUERIES_GRID, "id"),
        prevent_initial_call=True,
    )


PAGE = Page(COMPARE, "Compare", render, register)
