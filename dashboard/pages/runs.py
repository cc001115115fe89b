"""Runs: the leaderboard of a collection, from which runs are chosen to be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update

from dashboard import controls, data, ids, shell, tables, wording
from dashboard.data import Board
from dashboard.links import COMPARE, RUNS, RUNS_CSV, CompareView, PageProblem, RunsView
from dashboard.measure_info import canonical, leaderboard_default, measure_info
from dashboard.page import Page, Rendered, callback, is_leaving
from evalstore.store import Store


def render(store: Store, search: str) -> Rendered:
    """Return the page for a query string."""
    board = data.board(store, RunsView.parse(search))
    if board is None:
        return Rendered("Runs", _nothing_stored())
    shown = board.leaderboard
    if shown.runs.empty:
        return Rendered("Runs", _no_runs(board), shown.collection)
    return Rendered("Runs", _page(board), shown.collection)


def _page(board: Board) -> Any:
    shown = board.leaderboard
    columns, rows = _grid(board)
    return html.Div(
        [
            dcc.Store(
                id=ids.RUNS_CONTEXT,
                data={
                    "collection": shown.collection,
                    "qrels": shown.qrels,
                    "default": list(leaderboard_default(shown.measures)),
                },
            ),
            shell.heading("Runs", _sentence(board)),
            _controls(board),
            _leaderboard(columns, rows),
        ]
    )


def _leaderboard(columns: list[tables.Column], rows: list[tables.Row]) -> Any:
    return html.Section(
        dag.AgGrid(
            id=ids.RUNS_GRID,
            columnDefs=columns,
            rowData=rows,
            getRowId="params.data.id",
            className="grid",
            dashGridOptions={
                **controls.grid_options(len(rows)),
                "rowSelection": {
                    "mode": "multiRow",
                    "checkboxes": True,
                    "headerCheckbox": True,
                    "selectAll": "filtered",
                },
                "selectionColumnDef": {"pinned": "left", "width": 44},
            },
            style=controls.grid_size(len(rows)),
        ),
        **{"aria-label": "Leaderboard"},
    )


def _sentence(board: Board) -> Any:
    shown = board.leaderboard
    return html.P(
        [
            f"{wording.count(len(shown.runs), 'run')} · "
            f"{wording.count(shown.queries, 'query', 'queries')} · judged by qrels ",
            html.Strong(wording.name(shown.qrels), dir="auto"),
        ],
        className="lead",
    )


def _controls(board: Board) -> Any:
    shown = board.leaderboard
    choices = []
    if len(board.collections) > 1:
        choices.append(
            dmc.Select(
                id=ids.RUNS_COLLECTION,
                label="Collection",
                data=controls.options(board.collections),
                value=shown.collection,
                allowDeselect=False,
                searchable=len(board.collections) > 8,
                className="control",
            )
        )
    if len(board.qrels) > 1:
        choices.append(
            dmc.Select(
                id=ids.RUNS_QRELS,
                label="Qrels",
                data=controls.options(board.qrels),
                value=shown.qrels,
                allowDeselect=False,
                className="control",
            )
        )
    choices.append(
        dmc.MultiSelect(
            id=ids.RUNS_MEASURES,
            label="Measures",
            data=controls.measure_options(shown.measures),
            value=list(board.measures),
            searchable=True,
            hidePickedOptions=True,
            nothingFoundMessage="No such measure is stored",
            renderOption={"function": "measureOption"},
            maxDropdownHeight=320,
            className="control control-wide",
        )
    )
    return html.Div(
        [
            html.Div(choices, className="controls"),
            html.Div(
                [
                    html.Div(_action([]), id=ids.RUNS_ACTION, className="compare-action"),
                    html.Div(
                        [
                            dmc.TextInput(
                                id=ids.RUNS_FILTER,
                                placeholder="Filter runs",
                                className="quick-filter",
                                **{"aria-label": "Filter runs"},
                            ),
                            controls.csv_link(ids.RUNS_CSV, _csv_link(board)),
                        ],
                        className="toolbar-end",
                    ),
                ],
                className="toolbar",
            ),
        ],
        className="card controls-card",
    )


def _grid(board: Board) -> tuple[list[tables.Column], list[tables.Row]]:
    shown = board.leaderboard
    measures = [measure_info(name) for name in board.measures]
    return (
        tables.leaderboard_columns(measures, shown.queries),
        tables.leaderboard_rows(shown.runs, shown.values, measures),
    )


def _csv_link(board: Board) -> str:
    shown = board.leaderboard
    return RUNS_CSV + RunsView(shown.collection, shown.qrels, board.measures).search()


def _action(run_ids: list[int], qrels: str | None = None) -> list[Any]:
    """Return the button that carries the selection to the comparison."""
    if len(run_ids) < 2:
        missing = "two or more runs" if not run_ids else "one more run"
        return [
            dmc.Button("Compare", disabled=True, **{"aria-describedby": "compare-hint"}),
            html.Span(f"Select {missing} to compare", id="compare-hint", className="hint"),
        ]
    link = COMPARE + CompareView(tuple(run_ids), qrels).search()
    return [dcc.Link(f"Compare {len(run_ids)} runs", href=link, className="action")]


def _nothing_stored() -> Any:
    return html.Div(
        [
            html.H1("Nothing is stored yet"),
            html.P(
                "evalstore turns TREC run files and their qrels into per-query measures, and shows "
                "which engine is better, and on which queries.",
                className="lead",
            ),
            html.H2("Look around first"),
            html.P(
                "A small experiment comes with evalstore: questions about Python, several engines."
            ),
            shell.commands("evalstore demo"),
            html.H2("Or bring your own"),
            html.P("A qrels file, and the run files it judges:"),
            shell.commands("evalstore ingest --collection NAME --qrels QRELS RUN..."),
            html.P(dcc.Link("Look again", href=RUNS, className="action", refresh=True)),
        ],
        className="problem",
    )


def _no_runs(board: Board) -> Any:
    name = board.leaderboard.collection
    others = [other for other in board.collections if other != name]
    return html.Div(
        [
            html.H1("No runs yet"),
            html.P(
                ["The collection ", html.Strong(wording.name(name)), " has judgments but no runs."],
                className="lead",
            ),
            shell.commands("evalstore ingest --collection NAME RUN..."),
            *(
                html.P(dcc.Link(wording.name(other), href=RUNS + RunsView(other).search()))
                for other in others
            ),
        ],
        className="problem",
    )


def register(app: Dash, store: Store) -> None:
    """Add the page's callbacks."""

    @callback(
        app,
        Output(ids.RUNS_GRID, "columnDefs"),
        Output(ids.RUNS_GRID, "rowData"),
        Output(ids.RUNS_CSV, "href"),
        Input(ids.RUNS_MEASURES, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        prevent_initial_call=True,
    )
    def show_measures(measures: list[str] | None, context: dict[str, Any]) -> Any:
        view = RunsView(context["collection"], context["qrels"], tuple(measures or ()))
        try:
            board = data.board(store, view)
        except PageProblem:
            # What the page shows is gone from the store: reloading it says so.
            board = None
        if board is None:
            return no_update, no_update, no_update
        return *_grid(board), _csv_link(board)

    @callback(
        app,
        Output(ids.RUNS_ACTION, "children"),
        Input(ids.RUNS_GRID, "selectedRows"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def offer_comparison(selected: list[tables.Row] | None, search: str | None) -> Any:
        return _action([int(row["run_id"]) for row in selected or []], _asked(search).qrels)

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Output(ids.SHOWN, "data", allow_duplicate=True),
        Input(ids.RUNS_MEASURES, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        State(ids.URL, "search"),
        State(ids.URL, "pathname"),
        State(ids.SHOWN, "data"),
        prevent_initial_call=True,
    )
    def write_measures(
        measures: list[str] | None,
        context: dict[str, Any],
        search: str | None,
        path: str | None,
        shown: str | None,
    ) -> Any:
        if is_leaving(path, search, shown):
            return no_update, no_update
        asked = _asked(search)
        default = tuple(context["default"])
        chosen = tuple(measures or ())
        was = tuple(canonical(name) for name in asked.measures) or default
        if (chosen or default) == was:
            return no_update, no_update
        view = replace(asked, measures=() if chosen == default else chosen)
        return view.search(), f"{path}{view.search()}"

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Input(ids.RUNS_COLLECTION, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        prevent_initial_call=True,
    )
    def choose_collection(collection: str | None, context: dict[str, Any]) -> Any:
        if not collection or collection == context["collection"]:
            return no_update
        return RunsView(collection).search()

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Input(ids.RUNS_QRELS, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def choose_qrels(qrels: str | None, context: dict[str, Any], search: str | None) -> Any:
        if not qrels or qrels == context["qrels"]:
            return no_update
        return replace(_asked(search), collection=context["collection"], qrels=qrels).search()

    app.clientside_callback(
        ClientsideFunction("evalstore", "quickFilter"),
        Input(ids.RUNS_FILTER, "value"),
        State(ids.RUNS_GRID, "id"),
        prevent_initial_call=True,
    )


def _asked(search: str | None) -> RunsView:
    try:
        return RunsView.parse(search)
    except PageProblem:
        return RunsView()


PAGE = Page(RUNS, "Runs", render, register)
