"""The leaderboard: which runs lead, and which can be told apart."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, html, no_update

from dashboard import address
from dashboard.components import ids, wording
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import Selection, select_runs
from dashboard.page import Changes, File, Page, Rendered, StoreOfRequest, View, callback
from dashboard.pages import upload
from dashboard.pages.home.page import program
from dashboard.pages.leaderboard import agreement, cost, grid, parts
from dashboard.pages.leaderboard.load import (
    Shown,
    claims_of,
    default_measures,
    has_claims,
    load,
    load_rows,
    placed_runs,
)
from evalstore.catalog.links import run_names
from evalstore.leaderboard.table import Details, leaderboard_export
from evalstore.store import Store
from evalstore.tables.renderers import export_text

UPDATED = frozenset({"runs", "sort", "find", "m", "base"})
"""The parameters that change parts of the table; all others render the page anew."""
MOST_IN_LATEX = 500


def render(view: View) -> Rendered:
    """Render the page."""
    shown = load(view)
    board = shown.board
    title = f"Leaderboard of {wording.name(board.collection, 40)}"
    may_write = view.may_write(board.collection)
    if not board.runs:
        add = upload.link(board.collection, "action") if may_write else None
        body = parts.empty(shown, program(view), add)
        return Rendered(title, body, board.collection, board.qrels, board.all_qrels)
    body = html.Div(
        [
            parts.heading(shown, _names(view, shown)),
            html.Div(parts.problems(shown), id=parts.PROBLEMS, role="alert"),
            parts.tools(
                shown, upload.link(board.collection, "quiet-action") if may_write else None
            ),
            *_body(view, shown),
        ]
    )
    return Rendered(title, body, board.collection, board.qrels, board.all_qrels, _defaults(shown))


def _defaults(shown: Shown) -> dict[str, Any]:
    board = shown.board
    defaults: dict[str, Any] = {
        "m": default_measures(board),
        "qrels": board.all_qrels[0],
        "view": "table",
    }
    if not shown.address.one("base") and shown.baseline is not None:
        defaults["base"] = shown.baseline
    return defaults


def _names(view: View, shown: Shown) -> tuple[str, ...]:
    """The runs that the baseline can be chosen from; none where they are too many for a list."""
    if shown.board.runs > parts.MOST_IN_LIST:
        return ()
    return read(view.store, lambda: run_names(view.store, shown.board.collection))


def _ticked(view: View) -> Selection:
    return select_runs(view, view.address.all("runs"))


def _body(view: View, shown: Shown) -> list[Any]:
    match shown.view:
        case "agreement":
            return agreement.view_body(view, shown, _ticked(view))
        case "cost":
            return cost.view_body(view, shown, program(view))
        case _:
            return _table(view, shown, _ticked(view))


def _table(view: View, shown: Shown, ticked: Selection) -> list[Any]:
    return [
        html.Div(
            [
                html.Span(parts.action(shown, ticked), id=parts.ACTION, className="board-action"),
                html.Span(_count(view, shown), id=parts.COUNT, className="hint"),
            ],
            className="choices",
        ),
        html.Div(id=parts.LOST, role="alert"),
        html.Section(parts.grid(shown), **{"aria-label": "Runs, the best first"}),
        html.Div(id=parts.NOTES, className="board-notes"),
        *parts.stores(shown),
    ]


def _count(view: View, shown: Shown) -> Any:
    if not shown.address.one("find"):
        return ""
    return parts.count(shown, read(view.store, lambda: len(placed_runs(view.store, shown))))


def update(view: View, before: View) -> Changes | None:
    """What another order, search, measure, baseline or tick changes."""
    changed = view.address.differences(before.address)
    if view.address.one("view", "table") != "table":
        return None
    if not changed:
        return {}  # another scheme: the grid's colours follow by themselves
    shown = load(view)
    ticked = _ticked(view)
    changes: dict[Any, dict[str, Any]] = {
        parts.ACTION: {"children": parts.action(shown, ticked)},
    }
    if changed == {"runs"}:
        return changes
    changes |= {
        parts.GRID: {"columnDefs": grid.columns(shown)},
        parts.ROWS: {"data": parts.rows_key(shown)},
        parts.COUNT: {"children": _count(view, shown)},
        parts.PROBLEMS: {"children": parts.problems(shown)},
        _control("m"): {"value": list(shown.asked)},
    }
    if shown.board.runs <= parts.MOST_IN_LIST:
        changes[_control("base")] = {"value": shown.baseline}
    else:
        changes["board-baseline"] = {"children": parts.baseline(shown, ())}
    if changed != {"find"}:  # else it is being typed
        changes[_control("find")] = {"value": view.address.one("find")}
    return changes


def _control(name: str) -> tuple[tuple[str, str], ...]:
    return tuple(ids.control(name).items())


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add what loads the rows as one scrolls, and what may be claimed of them."""

    @callback(
        app,
        Output(parts.GRID, "getRowsResponse"),
        Output(parts.LOST, "children"),
        Input(parts.GRID, "getRowsRequest"),
        State(parts.ROWS, "data"),
        State(parts.CLAIMS, "data"),
        prevent_initial_call=True,
    )
    def show_rows(
        request: dict[str, Any] | None, key: dict[str, str] | None, claims: dict[str, Any] | None
    ) -> Any:
        if not request or not key:
            return no_update, no_update
        store = store_of_request()
        try:
            shown = _shown(store, key)
            start, end = int(request["startRow"]), int(request["endRow"])
            claimed = claims is not None and claims["href"] == key["href"]
            with_claims = claimed or has_claims(store, shown)
            loaded = load_rows(store, shown, start, end, with_claims=with_claims)
        except PageProblem as problem:
            return {"rowData": [], "rowCount": 0}, _lost(problem)
        answer = {"rowData": grid.grid_rows(shown, loaded), "rowCount": loaded.found}
        return answer, None

    @callback(
        app,
        Output(parts.CLAIMS, "data"),
        Output(parts.NOTES, "children"),
        Input(parts.ROWS, "data"),
    )
    def show_claims(key: dict[str, str] | None) -> Any:
        if not key:
            return no_update, no_update
        store = store_of_request()
        try:
            shown = _shown(store, key)
            claims = read(store, lambda: claims_of(store, shown))
            loaded = load_rows(store, shown, 0, 0)
        except PageProblem:
            return no_update, no_update  # the rows tell
        data = {
            "href": key["href"],
            "claims": grid.claims_key(claims),
            "reach": grid.reach(claims),
            "pinned": grid.baseline_rows(shown, loaded),
        }
        return data, parts.notes(shown, claims)

    for function, component in (("rows", parts.ROWS), ("claims", parts.CLAIMS)):
        app.clientside_callback(ClientsideFunction("board", function), Input(component, "data"))


def _shown(store: Store, key: dict[str, str]) -> Shown:
    return load(View(store, address.parse_href(str(key["href"]))))


def _lost(problem: PageProblem) -> Any:
    return html.P([problem.sentence, " ", problem.advice], className="board-problem", dir="auto")


def _csv(view: View, *, every: bool, long: bool) -> File:
    """The runs that the search finds, or all; a row for each run, or for each run and measure."""
    address = view.address.changed(find=None) if every else view.address
    shown = load(View(view.store, address))
    loaded = load_rows(view.store, shown)
    return File("leaderboard.csv", (grid.long_csv if long else grid.wide_csv)(shown, loaded))


def _latex(view: View) -> File:
    shown = load(view)
    board = shown.board
    if board.runs > MOST_IN_LATEX:
        raise PageProblem(
            "This table is too long",
            f"A table for a paper has at most {MOST_IN_LATEX:,} runs; the CSV file has all "
            f"{board.runs:,}.",
        )
    measures = {info.name: shown.measures[info.name] for info in shown.columns}
    details = Details(baseline=shown.baseline, no_baseline=shown.baseline is None)
    exported = read(
        view.store,
        lambda: leaderboard_export(
            view.store, board.collection, measures, board.qrels, details=details
        ),
    )
    return File("leaderboard.tex", export_text(exported, "latex"), "application/x-tex")


PAGE = Page(
    "leaderboard",
    render,
    update,
    UPDATED,
    {
        "leaderboard.csv": lambda view: _csv(view, every=False, long=False),
        "leaderboard-long.csv": lambda view: _csv(view, every=False, long=True),
        "all-runs.csv": lambda view: _csv(view, every=True, long=False),
        "all-runs-long.csv": lambda view: _csv(view, every=True, long=True),
        "leaderboard.tex": _latex,
    },
    {
        "leaderboard.csv": "the runs that the search finds, a row a run",
        "leaderboard-long.csv": "the same, a row for each run and measure",
        "all-runs.csv": "all runs, a row a run",
        "all-runs-long.csv": "all runs, a row for each run and measure",
        "leaderboard.tex": "all runs, for LaTeX, with what the tests show",
    },
    register,
)
