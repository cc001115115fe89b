"""Compare: two or more runs side by side, in three pictures of the same values.

The address says what is shown. Its controls start from it (`render`), every control that moves
redraws what depends on it (`register`), and one callback writes the address back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update

from dashboard import data, figures, ids, shell, tables, theme, wording
from dashboard.data import Compared
from dashboard.links import COMPARE, QUERIES_CSV, CompareView, PageProblem
from dashboard.measure_info import canonical, measure_info
from dashboard.page import Page, Rendered, callback, is_leaving
from dashboard.pages import compare_head as head
from dashboard.pages import compare_sections as sections
from evalstore.store import Store


def render(store: Store, search: str) -> Rendered:
    """Return the page for a query string; raises PageProblem where there is nothing to compare."""
    found = data.compared(store, CompareView.parse(search))
    names = [wording.name(label, 24) for label in found.labels.values()]
    shown = names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"]
    return Rendered(f"Compare {', '.join(shown)}", _page(found), found.comparison.collection)


def _page(found: Compared) -> Any:
    return html.Div(
        [
            head.context(found),
            shell.heading(head.title(found), head.sentence(found)),
            head.notes(found),
            head.controls_card(found),
            html.Section(
                id=ids.COMPARE_SUMMARY,
                className="summary",
                **{"aria-label": "Means", "aria-live": "polite"},
            ),
            html.Div(
                [sections.curves_card(found), sections.differences_card(found)],
                className="pictures",
                style={"--legend-rows": sections.legend_rows(found)},
            ),
            sections.queries_card(found),
        ]
    )


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
        tuple(context["runs"]),
        context["qrels"],
        measure,
        int(a) if a else None,
        int(b) if b else None,
        sort,
        query,
    )


def register(app: Dash, store: Store) -> None:
    """Add the page's callbacks."""
    context = State(ids.COMPARE_CONTEXT, "data")
    measure = Input(ids.COMPARE_MEASURE, "value")
    sides = (Input(ids.COMPARE_A, "value"), Input(ids.COMPARE_B, "value"))
    sort = Input(ids.DIFFERENCES_ORDER, "value")
    query = Input(ids.CURVES_QUERY, "value")
    scheme = Input(ids.SCHEME, "data")

    @callback(app, Output(ids.COMPARE_SUMMARY, "children"), measure, *sides, context)
    def summarise(measure: str, a: str, b: str, context: dict[str, Any]) -> Any:
        try:
            found = data.compared(store, _view(context, measure=measure, a=a, b=b))
            return sections.summary(found, data.per_query(store, found))
        except PageProblem as problem:
            return sections.failed(problem)

    @callback(
        app,
        Output(ids.CURVES, "figure"),
        Output(ids.CURVES_CAPTION, "children"),
        query,
        scheme,
        context,
    )
    def draw_curves(query: str | None, scheme: str | None, context: dict[str, Any]) -> Any:
        colours = theme.as_scheme(scheme)
        try:
            found = data.compared(store, _view(context, query=query))
            curves = data.curves(store, found)
        except PageProblem as problem:
            return figures.message(problem.sentence, colours), ""
        return (
            figures.recall_precision(curves, found.labels, colours),
            sections.curves_caption(found),
        )

    @callback(
        app,
        Output(ids.DIFFERENCES, "figure"),
        Output(ids.DIFFERENCES_OUTCOME, "children"),
        Output(ids.DIFFERENCES_TITLE, "children"),
        inputs={"measure": measure, "a": sides[0], "b": sides[1], "sort": sort, "scheme": scheme},
        state={"context": context},
    )
    def draw_differences(
        *, measure: str, a: str, b: str, sort: str, scheme: str | None, context: dict[str, Any]
    ) -> Any:
        colours = theme.as_scheme(scheme)
        try:
            found = data.compared(store, _view(context, measure=measure, a=a, b=b, sort=sort))
            pairs = data.paired(found, data.per_query(store, found))
        except PageProblem as problem:
            return figures.message(problem.sentence, colours), "", no_update
        info = measure_info(found.measure)
        order: figures.Order = "difference" if sort == "difference" else "query"
        figure = figures.differences(
            pairs, info, found.sides, places=found.places, order=order, scheme=colours
        )
        return (
            figure,
            sections.outcome(found, data.outcome(pairs)),
            sections.differences_title(info),
        )

    @callback(
        app,
        Output(ids.QUERIES_GRID, "columnDefs"),
        Output(ids.QUERIES_GRID, "rowData"),
        Output(ids.QUERIES_CSV, "href"),
        Output(ids.QUERIES_CAPTION, "children"),
        measure,
        *sides,
        context,
    )
    def list_queries(measure: str, a: str, b: str, context: dict[str, Any]) -> Any:
        view = _view(context, measure=measure, a=a, b=b)
        try:
            found = data.compared(store, view)
            values = data.per_query(store, found)
        except PageProblem as problem:
            return [], [], no_update, problem.sentence
        info = measure_info(found.measure)
        return (
            tables.query_columns(found.labels, info, found.sides, texts=found.has_texts),
            tables.query_rows(values, data.paired(found, values), info),
            QUERIES_CSV + view.search(),
            sections.queries_caption(found, info),
        )

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Output(ids.SHOWN, "data", allow_duplicate=True),
        inputs={"measure": measure, "a": sides[0], "b": sides[1], "sort": sort, "query": query},
        state={
            "context": context,
            "path": State(ids.URL, "pathname"),
            "search": State(ids.URL, "search"),
            "shown": State(ids.SHOWN, "data"),
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
        shown: str | None,
    ) -> Any:
        if is_leaving(path, search, shown):
            return no_update, no_update
        default = CompareView(
            tuple(context["runs"]), measure=context["measure"], a=context["a"], b=context["b"],
            sort="query",
        )  # fmt: skip
        view = _view(context, measure=measure, a=a, b=b, sort=sort, query=query or None).without(
            default
        )
        # As the page is put up its controls "move" too: then the address says it all already.
        if view == _asked(search, default):
            return no_update, no_update
        return view.search(), f"{path}{view.search()}"

    _register_controls(app)


def _asked(search: str | None, default: CompareView) -> CompareView | None:
    try:
        view = CompareView.parse(search)
    except PageProblem:
        return None
    if view.measure:
        view = replace(view, measure=canonical(view.measure))
    return view.without(default)


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
    def keep_sides_apart(a: str, b: str, choices: list[dict[str, Any]]) -> Any:
        return head.choices_without(choices, b), head.choices_without(choices, a)

    @callback(
        app,
        Output(ids.COMPARE_A, "value"),
        Output(ids.COMPARE_B, "value"),
        Input(ids.COMPARE_SWAP, "n_clicks"),
        State(ids.COMPARE_A, "value"),
        State(ids.COMPARE_B, "value"),
        prevent_initial_call=True,
    )
    def swap_sides(clicks: int | None, a: str, b: str) -> Any:
        return (b, a) if clicks else (no_update, no_update)

    @callback(
        app,
        Output(ids.CURVES_QUERY, "value"),
        Input(ids.DIFFERENCES, "clickData"),
        prevent_initial_call=True,
    )
    def choose_query(click: dict[str, Any] | None) -> Any:
        # customdata carries what is shown; the qid as it is stands last.
        points = (click or {}).get("points") or [{}]
        shown = points[0].get("customdata") or []
        return shown[-1] if shown else no_update

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Input(ids.COMPARE_QRELS, "value"),
        State(ids.COMPARE_CONTEXT, "data"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def choose_qrels(qrels: str | None, context: dict[str, Any], search: str | None) -> Any:
        if not qrels or qrels == context["shown_qrels"]:
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
