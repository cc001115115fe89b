"""Runs: the leaderboard of a collection, from which runs are chosen to be compared."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update

from dashboard import controls, data, ids, shell, tables, wording
from dashboard.data import Board
from dashboard.links import (
    COMPARE,
    RUNS,
    RUNS_CSV,
    CompareView,
    PageProblem,
    RunLink,
    RunsView,
)
from dashboard.measure_info import canonical, leaderboard_default, measure_info
from dashboard.page import Page, Rendered, callback, is_leaving
from dashboard.theme import Scheme
from evalstore.store import Store

# Where commands find the store unless they are told otherwise.
_DEFAULT_FILE = "evalstore.db"


def render(store: Store, search: str, _scheme: Scheme) -> Rendered:
    """Return the page for a query string."""
    board = data.load_board(store, RunsView.parse(search))
    if board is None:
        return Rendered("Runs", _nothing_stored(_program(store)))
    collection = board.leaderboard.collection
    body = _no_runs(board, _program(store)) if board.leaderboard.runs.empty else _page(board)
    return Rendered("Runs", body, collection)


def _program(store: Store) -> str:
    """Return how a command on this store begins: with its `--db`, unless that is the default.

    The page is for everyone who reaches it: it names no host, user or folder.
    """
    if store.file is None:
        return "evalstore --db URL"
    if store.file.resolve() == Path(_DEFAULT_FILE).resolve():
        return "evalstore"
    return f"evalstore --db {shlex.quote(f'sqlite:///{wording.clean(store.file.name)}')}"


def _page(board: Board) -> Any:
    leaderboard = board.leaderboard
    columns, rows = _columns_and_rows(board)
    return html.Div(
        [
            dcc.Store(
                id=ids.RUNS_CONTEXT,
                data={
                    "collection": leaderboard.collection,
                    "qrels": leaderboard.qrels,
                    "default": list(leaderboard_default(leaderboard.measures)),
                },
            ),
            shell.heading("Runs", _sentence(board)),
            _controls(board),
            html.Div(id=ids.RUNS_PROBLEM, role="alert"),
            _grid(columns, rows),
        ]
    )


def _grid(columns: list[tables.Column], rows: list[tables.Row]) -> Any:
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
    leaderboard = board.leaderboard
    return html.P(
        [
            f"{wording.count(len(leaderboard.runs), 'run')} · "
            f"{wording.count(leaderboard.queries, 'query', 'queries')} · judged by qrels ",
            html.Strong(wording.name(leaderboard.qrels), dir="auto"),
        ],
        className="lead",
    )


def _controls(board: Board) -> Any:
    leaderboard = board.leaderboard
    choices = []
    if len(board.collections) > 1:
        choices.append(
            dmc.Select(
                id=ids.RUNS_COLLECTION,
                label="Collection",
                data=controls.options(board.collections),
                value=leaderboard.collection,
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
                value=leaderboard.qrels,
                allowDeselect=False,
                className="control",
            )
        )
    choices.append(
        dmc.MultiSelect(
            id=ids.RUNS_MEASURES,
            label="Measures",
            data=controls.measure_options(leaderboard.measures),
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


def _columns_and_rows(board: Board) -> tuple[list[tables.Column], list[tables.Row]]:
    leaderboard = board.leaderboard
    measures = [measure_info(name) for name in board.measures]
    rows = tables.leaderboard_rows(leaderboard.runs, leaderboard.values, measures)
    unjudged = any(row["unjudged"] for row in rows)
    return tables.leaderboard_columns(measures, leaderboard.queries, unjudged=unjudged), rows


def _csv_link(board: Board) -> str:
    leaderboard = board.leaderboard
    view = RunsView(leaderboard.collection, leaderboard.qrels, board.measures)
    return RUNS_CSV + view.search()


def _action(runs: list[RunLink], qrels: str | None = None) -> list[Any]:
    """Return the button that opens the comparison of the selected runs."""
    if len(runs) < 2:
        missing = "two or more runs" if not runs else "one more run"
        return [
            dmc.Button("Compare", disabled=True, **{"aria-describedby": "compare-hint"}),
            html.Span(f"Select {missing} to compare", id="compare-hint", className="hint"),
        ]
    link = COMPARE + CompareView(tuple(runs), qrels).search()
    return [dcc.Link(f"Compare {len(runs)} runs", href=link, className="action")]


def _nothing_stored(program: str) -> Any:
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
            shell.commands(f"{program} demo"),
            html.H2("Or bring your own"),
            html.P("A qrels file, and the run files it judges:"),
            shell.commands(f"{program} ingest --collection NAME --qrels QRELS RUN..."),
            html.P(dcc.Link("Look again", href=RUNS, className="action", refresh=True)),
        ],
        className="problem",
    )


def _no_runs(board: Board, program: str) -> Any:
    name = board.leaderboard.collection
    others = [other for other in board.collections if other != name]
    return html.Div(
        [
            html.H1("No runs yet"),
            html.P(
                ["The collection ", html.Strong(wording.name(name)), " has judgments but no runs."],
                className="lead",
            ),
            shell.commands(f"{program} ingest --collection NAME RUN..."),
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
        Output(ids.RUNS_PROBLEM, "children"),
        Input(ids.RUNS_MEASURES, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        prevent_initial_call=True,
    )
    def show_measures(measures: list[str] | None, context: dict[str, Any]) -> Any:
        view = RunsView(context["collection"], context["qrels"], tuple(measures or ()))
        try:
            board = data.load_board(store, view)
        except PageProblem as problem:
            return [], [], no_update, shell.problem(problem)
        if board is None:
            empty = PageProblem("Nothing is stored any more", "The store is empty now.", link="")
            return [], [], no_update, shell.problem(empty)
        return *_columns_and_rows(board), _csv_link(board), None

    @callback(
        app,
        Output(ids.RUNS_ACTION, "children"),
        Input(ids.RUNS_GRID, "selectedRows"),
        State(ids.URL, "search"),
        prevent_initial_call=True,
    )
    def offer_comparison(selected: list[tables.Row] | None, search: str | None) -> Any:
        runs = [RunLink.parse(str(row["link"])) for row in selected or []]
        return _action(runs, _view_of_address(search).qrels)

    @callback(
        app,
        Output(ids.URL, "search", allow_duplicate=True),
        Output(ids.RENDERED, "data", allow_duplicate=True),
        Input(ids.RUNS_MEASURES, "value"),
        State(ids.RUNS_CONTEXT, "data"),
        State(ids.URL, "search"),
        State(ids.URL, "pathname"),
        State(ids.RENDERED, "data"),
        prevent_initial_call=True,
    )
    def write_measures(
        measures: list[str] | None,
        context: dict[str, Any],
        search: str | None,
        path: str | None,
        rendered: str | None,
    ) -> Any:
        if is_leaving(path, search, rendered):
            return no_update, no_update
        before = _view_of_address(search)
        default = tuple(context["default"])
        chosen = tuple(measures or ())
        if (chosen or default) == (tuple(map(canonical, before.measures)) or default):
            return no_update, no_update
        view = replace(before, measures=() if chosen == default else chosen)
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
        return replace(
            _view_of_address(search), collection=context["collection"], qrels=qrels
        ).search()

    app.clientside_callback(
        ClientsideFunction("evalstore", "quickFilter"),
        Input(ids.RUNS_FILTER, "value"),
        State(ids.RUNS_GRID, "id"),
        prevent_initial_call=True,
    )


def _view_of_address(search: str | None) -> RunsView:
    try:
        return RunsView.parse(search)
    except PageProblem:
        return RunsView()


PAGE = Page(RUNS, "Runs", render, register)
