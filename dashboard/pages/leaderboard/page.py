"""The leaderboard: which runs lead, and which of them can be told apart.

The module has the page, its updates, callbacks and files, then the parts around the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from flask import abort

from dashboard import address
from dashboard.address import Address
from dashboard.components import controls, ids, saved_views, shell, wording
from dashboard.components.elements import control_change
from dashboard.components.files import csv_file, file_name
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.components.selection import MOST_RUNS, Selection, select_runs
from dashboard.page import Changes, File, Page, Rendered, StoreOfRequest, View, callback
from dashboard.pages import upload
from dashboard.pages.home.page import program
from dashboard.pages.judgments import page as judgments
from dashboard.pages.leaderboard import agreement, columns, cost, filters, sweep
from dashboard.pages.leaderboard.load import (
    MOST_PARAMETERS,
    VIEWS,
    Shown,
    claims_of,
    default_measures,
    has_claims,
    load,
    load_rows,
    names_of_parameters,
    placed_runs,
)
from evalstore.catalog.links import run_names
from evalstore.catalog.names import listed
from evalstore.comparison.comparability import differing_lengths
from evalstore.leaderboard.ranks import MeasureRanks, headline
from evalstore.leaderboard.table import Details, leaderboard_export
from evalstore.store import Store
from evalstore.tables.renderers import export_text

UPDATED = frozenset({"runs", "sort", "find", "m", "base", "cols", *filters.NAMES})
"""The parameters that change parts of the table; all others render the page anew."""
MOST_IN_LATEX = 500


def render(view: View) -> Rendered:
    """Render the page."""
    shown = load(view)
    board = shown.board
    title = f"Leaderboard of {wording.name(board.collection, 40)}"
    may_send = view.may_send(board.collection)
    names = read(view.store, lambda: run_names(view.store, board.collection))
    if not board.runs:
        add = upload.link(board.collection, "action") if may_send else None
        body = empty(shown, program(view), add)
        return Rendered(title, body, board.collection, board.qrels, board.all_qrels)
    add = upload.link(board.collection, "quiet-action") if may_send else None
    headline, parts = _body(view, shown)
    body = html.Div(
        [
            headline,
            html.Details(html.Summary(CONTROLS), className="board-controls folded"),
            heading(shown, names),
            html.Div(problems(shown), id=PROBLEMS, role="alert"),
            tools(shown, names_of_parameters(shown), saved_views.menu(view), add),
            *parts,
        ]
    )
    others = {f"{name}.csv" for name in TABLES if name != shown.view}
    return Rendered(
        title,
        body,
        board.collection,
        board.qrels,
        board.all_qrels,
        _defaults(shown),
        files=tuple(name for name in PAGE.files if name not in others),
    )


def _defaults(shown: Shown) -> dict[str, Any]:
    board = shown.board
    defaults: dict[str, Any] = {
        "m": default_measures(board),
        "qrels": board.all_qrels[0],
        "view": "table",
    }
    if not shown.address.one("base") and shown.chosen_baseline is not None:
        defaults["base"] = shown.chosen_baseline
    return defaults


def _ticked(view: View) -> Selection:
    return select_runs(view, view.address.all("runs"))


def _body(view: View, shown: Shown) -> tuple[Any, list[Any]]:
    """The headline, which a callback fills for the table, and what is below the controls."""
    match shown.view:
        case "agreement":
            text, parts = agreement.view_body(view, shown, _ticked(view))
        case "cost":
            text, parts = cost.view_body(view, shown, program(view))
        case "sweep":
            text, parts = sweep.view_body(view, shown, program(view))
        case _:
            answer = html.P(id=HEADLINE, className="claim headline", dir="auto", role="status")
            return answer, _table(view, shown, _ticked(view))
    return text and html.P(text, className="claim headline", dir="auto"), parts


def _table(view: View, shown: Shown, ticked: Selection) -> list[Any]:
    return [
        html.Div(
            [
                html.Span(action(shown, ticked), id=ACTION, className="board-action"),
                html.Span(_count(view, shown), id=COUNT, className="hint"),
            ],
            className="choices",
        ),
        html.Div(id=LOST, role="alert"),
        html.Section(runs_grid(shown), **{"aria-label": "Runs, the best first"}),
        html.Div(id=NOTES, className="board-notes"),
        # In the browser: the address of the rows, and the claims on them.
        dcc.Store(id=ROWS, data=rows_key(shown)),
        dcc.Store(id=CLAIMS),
    ]


def _count(view: View, shown: Shown) -> Any:
    if not shown.address.one("find") and shown.chosen is None:
        return ""
    return count(shown, read(view.store, lambda: len(placed_runs(view.store, shown))))


def update(view: View, before: View) -> Changes | None:
    """The changes for another order, search, measure, baseline or selection of runs."""
    changed = view.address.differences(before.address)
    if view.address.one("view", "table") != "table":
        return None
    if not changed:
        return {}  # another scheme: the grid changes its colours itself
    shown = load(view)
    ticked = _ticked(view)
    changes: dict[Any, dict[str, Any]] = {ACTION: {"children": action(shown, ticked)}}
    if changed == {"runs"}:
        return changes
    changes |= {
        GRID: {"columnDefs": columns.columns(shown), "style": size(shown)},
        ROWS: {"data": rows_key(shown)},
        COUNT: {"children": _count(view, shown)},
        PROBLEMS: {"children": problems(shown)},
        **filters.changes(view.address),
        **control_change("m", value=list(shown.asked)),
        **control_change("cols", value=list(shown.parameters)),
    }
    base = {"value": shown.chosen_baseline, "placeholder": proposed_name(shown)}
    changes |= {**control_change("base", **base), PROPOSED: {"children": proposed(shown)}}
    if changed != {"find"}:  # otherwise the user is still typing
        changes |= control_change("find", value=view.address.one("find"))
    return changes


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add the callbacks that load rows while scrolling, and the claims on them."""

    @callback(
        app,
        Output(GRID, "getRowsResponse"),
        Output(LOST, "children"),
        Input(GRID, "getRowsRequest"),
        State(ROWS, "data"),
        State(CLAIMS, "data"),
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
            start, end = _rows_of(request)
            claimed = claims is not None and claims["href"] == key["href"]
            with_claims = claimed or has_claims(store, shown)
            loaded = load_rows(store, shown, start, end, with_claims=with_claims, pinned=True)
        except PageProblem as problem:
            return {"rowData": [], "rowCount": 0}, _lost(problem)
        answer = {"rowData": columns.grid_rows(shown, loaded), "rowCount": loaded.found}
        return answer, None

    @callback(
        app,
        Output(CLAIMS, "data"),
        Output(NOTES, "children"),
        Output(HEADLINE, "children"),
        Input(ROWS, "data"),
    )
    def show_claims(key: dict[str, str] | None) -> Any:
        if not key:
            return no_update, no_update, no_update
        store = store_of_request()
        try:
            shown = _shown(store, key)
            claims = read(store, lambda: claims_of(store, shown))
            loaded = load_rows(store, shown, 0, 0)
        except PageProblem:
            return no_update, no_update, no_update  # the rows show the problem
        data = {
            "href": key["href"],
            "claims": columns.claims_key(claims),
            "axis": columns.axis(claims),
            "left_out": loaded.lines.left_out,
            "pinned": columns.baseline_rows(shown, loaded),
        }
        partly = on_depths(shown)
        words = wording.isolated(f"◐ {partly}")
        remark = partly and html.Span(words, className="claim-more verdict partly")
        return data, notes(shown, claims), [headline_of(shown, claims), remark]

    for function, component in (("rows", ROWS), ("claims", CLAIMS)):
        app.clientside_callback(ClientsideFunction("board", function), Input(component, "data"))


def _shown(store: Store, key: dict[str, str]) -> Shown:
    return load(View(store, address.parse_href(str(key["href"]))))


def _rows_of(request: dict[str, Any]) -> tuple[int, int]:
    """The first row that the grid asks for, and the first after it; status 400 for other values."""
    rows = request.get("startRow"), request.get("endRow")
    if not all(type(row) is int and row >= 0 for row in rows):
        abort(400, "rows are numbers")
    return rows  # type: ignore[return-value]  # two numbers, as was checked


def _lost(problem: PageProblem) -> Any:
    return html.P([problem.sentence, " ", problem.advice], className="board-problem", dir="auto")


def _csv(view: View, what: str) -> File:
    """The runs that are shown, or all; one row per run, or per run and measure."""
    address = filters.without_filters(view.address) if what.startswith("all") else view.address
    shown = load(View(view.store, address))
    if shown.refused:
        raise PageProblem("This filter can't be applied", shown.refused)
    loaded = load_rows(view.store, shown)
    table = (columns.long_table if what.endswith("long") else columns.wide_table)(shown, loaded)
    return csv_file(table, file_name(shown.board.collection, what, suffix=".csv"))


TABLES = {"agreement": agreement.table, "cost": cost.table, "sweep": sweep.table}
"""The files of single views, by their names."""


def _csv_of_view(view: View, name: str) -> File:
    shown = load(view)
    return csv_file(
        TABLES[name](view, shown), file_name(shown.board.collection, name, suffix=".csv")
    )


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
    base = shown.chosen_baseline
    details = Details(baseline=base, no_baseline=base is None)
    exported = read(
        view.store,
        lambda: leaderboard_export(
            view.store, board.collection, measures, board.qrels, details=details
        ),
    )
    name = file_name(board.collection, "leaderboard", suffix=".tex")
    return File(name, export_text(exported, "latex"), "application/x-tex")


PAGE = Page(
    "leaderboard",
    render,
    update,
    UPDATED,
    {
        **{f"{name}.csv": partial(_csv_of_view, name=name) for name in TABLES},
        **{
            f"{what}.csv": partial(_csv, what=what)
            for what in ("leaderboard", "leaderboard-long", "all-runs", "all-runs-long")
        },
        "leaderboard.tex": _latex,
    },
    {
        "agreement.csv": "the agreement of each pair of measures",
        "cost.csv": "the runs of the figure with their costs",
        "sweep.csv": "the runs of the figure with their parameters",
        "leaderboard.csv": "the runs that are shown, a row a run",
        "leaderboard-long.csv": "the same, a row for each run and measure",
        "all-runs.csv": "all runs, a row a run",
        "all-runs-long.csv": "all runs, a row for each run and measure",
        "leaderboard.tex": "all runs, for LaTeX, with what the tests show",
    },
    register,
)


# The parts of the leaderboard around its grid

GRID = "board-grid"
ROWS = "board-rows"  # the address for which the grid requests rows
CLAIMS = "board-claims"  # the claims, once they are computed
ACTION = "board-action"
COUNT = "board-count"
PROBLEMS = "board-problems"
NOTES = "board-notes"
HEADLINE = "board-headline"
LOST = "board-lost"
PROPOSED = "board-proposed"
CONTROLS = "Baseline, measures, views, filters "
"""The line that shows the controls below it on a phone; elsewhere they are always shown."""

BLOCK = 100
"""The number of rows loaded at once."""
MOST_VISIBLE = 20
MOST_MARKED = 3
ROW_HEIGHT = 32

SHORT = ("Table", "Agreement", "Cost", "Sweep")
OTHERS = ("runs", "open")
"""Parameters that don't affect the rows."""


def heading(shown: Shown, names: Sequence[str]) -> Any:
    """The basis of the figures: runs, judgments, baseline and measures."""
    board = shown.board
    qrels = judgments.link(board.collection, board.all_qrels, board.qrels)
    return html.Div(
        [
            html.H1(
                ["Leaderboard of ", html.Bdi(wording.name(board.collection, 60))],
                className="visually-hidden",
            ),
            html.Span(
                [
                    f"{_runs(shown)} · {wording.count(board.queries, 'query', 'queries')}",
                    *([" · ", qrels] if qrels is not None else []),
                ],
                className="board-size",
            ),
            _baseline(shown, names),
            controls.labelled("measures", _measures(shown), class_name="labelled board-measures"),
        ],
        className="choices",
    )


def _runs(shown: Shown) -> str:
    """The number of runs, and the number of those with figures."""
    board = shown.board
    runs = wording.count(board.runs, "run")
    if board.evaluated == board.runs:
        return runs
    have = "has" if board.evaluated == 1 else "have"
    return f"{board.evaluated:,} of {runs} {have} values under {wording.name(board.qrels, 24)}"


def _baseline(shown: Shown, names: Sequence[str]) -> Any:
    """The select for the baseline."""
    choice = controls.select(
        "base",
        controls.options(names),
        shown.chosen_baseline,
        label="Baseline: the run that differences are to",
        placeholder=proposed_name(shown),
        class_name="board-baseline",
    )
    hint = html.Span(proposed(shown), id=PROPOSED, className="hint")
    return controls.labelled("baseline ⚑", choice, hint)


def proposed_name(shown: Shown) -> str:
    """The name of a proposed baseline, in the place of a chosen one."""
    return shown.label(shown.baseline or "") if shown.proposed else "none"


def proposed(shown: Shown) -> str:
    """The words beside a baseline that nobody chose."""
    return f"proposed: the {shown.proposed}" if shown.proposed else ""


def _measures(shown: Shown) -> Any:
    """The select for measures: from those that are stored, or typed."""
    return dmc.TagsInput(
        id=ids.control("m"),
        data=list(shown.board.measures),
        value=list(shown.asked),
        # A measure's name may contain a comma.
        splitChars=[],
        placeholder="+ type any",
        size="xs",
        className="tags-input",
        comboboxProps={"width": "max-content", "position": "bottom-start"},
        **{"aria-label": "Measures, the first one leads; type any name and press Enter"},
    )


def tools(shown: Shown, parameters: Sequence[str], saved: Any, add: Any) -> Any:
    """The search, the views, parameters and filters, the saved views and the link to add runs."""
    view = controls.segments(
        "view", tuple(zip(VIEWS, SHORT, strict=True)), shown.view, label="View of the leaderboard"
    )
    parts: list[Any] = [view]
    if shown.view == "table":
        find = controls.search(
            "find",
            shown.address.one("find"),
            label="Find run, engine, tag, parameter",
        )
        parts = [view, find]
        if parameters:
            chosen = controls.multi_select(
                "cols",
                controls.options(parameters),
                shown.parameters,
                label="Parameters shown as columns",
                placeholder="+ parameter",
                most=MOST_PARAMETERS,
                class_name="board-parameters",
            )
            parts.append(controls.labelled("columns", chosen))
        parts.append(filters.filter_controls(shown.address, shown.runs.values()))
    return html.Div([*parts, saved, add], className="choices board-tools")


def problems(shown: Shown) -> list[Any]:
    """The errors in typed measures and filters."""
    texts = [*(f"{text}." for text in shown.problems), *([shown.refused] if shown.refused else [])]
    return [html.P(text, className="board-problem", dir="auto") for text in texts]


def count(shown: Shown, found: int) -> Any:
    """The number of runs that search and filters find, and what ranks are among."""
    runs = wording.count(shown.board.runs, "run")
    text = f"{found:,} of {runs} found; ranks are among all {shown.board.runs:,}. "
    none = dict.fromkeys(("find", *filters.NAMES), "")
    return [text, controls.choice("Show all", shown.address, **none)]


def action(shown: Shown, ticked: Selection) -> list[Any]:
    """The link to the comparison of the ticked runs, shown above the grid."""
    names = list(ticked.names)
    clear = (
        controls.choice("Clear ticks", shown.address, "quiet-action", runs="") if names else None
    )
    if len(names) > MOST_RUNS:
        words = f"{len(names)} runs are ticked; at most {MOST_RUNS} can be compared"
        return [html.Span(words, className="hint"), clear]
    base = shown.baseline
    if len(names) == 1 and base is not None and base not in names:
        text = f"Compare with {shown.label(base)}"
        return [_action(text, _compare(shown, [base, *names])), clear]
    if len(names) < 2:
        words = "Tick two runs or more to compare them" if not names else "Tick one more run"
        return [html.Span(words, className="hint"), clear]
    text = f"Compare {len(names)} runs"
    return [_action(text, _compare(shown, names)), clear]


def _action(text: str, href: str) -> Any:
    return html.A(text, href=href, className="action", **{"data-command": text})


def _compare(shown: Shown, names: Sequence[str]) -> str:
    """The comparison of runs, by the pairs with this leaderboard's baseline if it is ticked."""
    address, base = shown.address, shown.baseline
    chosen = {
        "runs": tuple(names),
        "base": (base,) if base in names and base is not None else (),
        "m": (str(shown.lead),),
        "qrels": address.all("qrels"),
    }
    return Address("compare", address.collection, None, chosen).href


def rows_key(shown: Shown) -> dict[str, str]:
    """A key for the rows of the grid: rows are requested again when it changes."""
    return {"href": shown.address.changed(**dict.fromkeys(OTHERS)).href}


def runs_grid(shown: Shown) -> Any:
    """The grid, whose rows are loaded while scrolling."""
    options = {
        **controls.grid_options(shown.board.runs),
        "domLayout": "normal",
        "rowHeight": ROW_HEIGHT,
        "cacheBlockSize": BLOCK,
        "maxBlocksInCache": 30,
        # The grid's wrapper answers only the latest request.
        "maxConcurrentDatasourceRequests": 1,
        # Otherwise a page of empty rows would be drawn first, which takes as long as one with
        # figures.
        "infiniteInitialRowCount": 1,
        # Longer than a frame: nothing is requested during scrolling, and the first rows come soon.
        "blockLoadDebounceMillis": 20,
        # A scroll bar that appears with the rows would narrow the columns and redraw them.
        "alwaysShowVerticalScroll": shown.board.runs > MOST_VISIBLE,
        "suppressColumnVirtualisation": False,
        # The page shows how many runs the search found.
        "suppressOverlays": ["noRows"],
        # Columns are removed by removing their measure, in the address.
        "suppressDragLeaveHidesColumns": True,
        # The content of the row store when the grid is new.
        "context": rows_key(shown),
    }
    return dag.AgGrid(
        id=GRID,
        rowModelType="infinite",
        columnDefs=columns.columns(shown),
        defaultColDef={
            "resizable": True,
            "suppressKeyboardEvent": {"function": "boardKey(params)"},
        },
        getRowId="params.data.id",
        eventListeners={
            "modelUpdated": ["boardRows(params)"],
            "displayedColumnsChanged": ["boardColumns(params)"],
            "columnMoved": ["boardMoved(params)"],
        },
        className="grid board",
        dashGridOptions=options,
        style=size(shown),
    )


def size(shown: Shown) -> dict[str, str]:
    """The size of the grid: as high as the rows that the filters leave, up to a limit."""
    rows = min(len(shown.shown_runs), MOST_VISIBLE + (shown.baseline is not None))
    return {"height": f"{(rows + 1) * ROW_HEIGHT + 24}px", "width": "100%"}


def notes(shown: Shown, claims: MeasureRanks) -> list[Any]:
    """The meaning of signs and lines, and notes on the runs."""
    sentences = []
    if claims.family and shown.baseline is not None:
        base = shown.label(shown.baseline)
        sentences.append(
            f"▲ better, ▼ worse than {base} on {shown.lead}, by the paired t test after "
            f"{claims.family}; △ ahead, ▽ behind only before the correction. An interval is that "
            "of one difference, without a correction."
        )
    if claims.pairs:
        sentences.append(
            "A line under grp joins runs that are not told apart after Holm over all "
            f"{wording.count(claims.pairs, 'pair')}: no proof of equality. It is dotted where "
            "it passes a run that it does not join. The small numbers are the ranks that these "
            "tests leave open."
        )
        sentences += _on_marked_in_group(shown, claims)
    texts = [*sentences, *map(sentence, claims.notes)]
    return [html.P(wording.clean(text), dir="auto") for text in texts]


def on_depths(shown: Shown) -> str:
    """A sentence if some of the rankings are shorter than others; else empty."""
    lengths = {
        shown.label(run.name): run.retrieved / run.queries
        for run in shown.shown_runs
        if run.queries and not run.values_only
    }
    return " ".join(map(sentence, differing_lengths(lengths, shown.measures)))


def _on_marked_in_group(shown: Shown, claims: MeasureRanks) -> list[str]:
    """A sentence on the runs that are shown to differ from a baseline whose group they share."""
    letters = {run.run: set(run.rank_group) for run in claims.runs}
    of_baseline = letters.get(shown.baseline or "", set())
    base, parts = shown.label(shown.baseline or ""), []
    for verdict in ("better", "worse"):
        runs = [
            shown.label(run.run)
            for run in claims.runs
            if run.verdict == verdict and letters[run.run] & of_baseline
        ]
        if runs:
            are = "is" if len(runs) == 1 else "are"
            parts.append(f"{listed(runs, MOST_MARKED)} {are} {verdict} than {base}")
    if not parts:
        return []
    return [
        f"{' and '.join(parts)} if only the {claims.pairs_with_baseline:,} pairs with {base} are "
        f"tested, not if all {claims.pairs:,} pairs are."
    ]


def headline_of(shown: Shown, claims: MeasureRanks) -> str:
    """The sentence that answers which run is best."""
    runs = tuple(replace(run, run=shown.label(run.run)) for run in claims.runs)
    base = shown.chosen_baseline  # one that is proposed is nobody's question
    text = headline(replace(claims, runs=runs), base and shown.label(base))
    return text and wording.headline(text)


def empty(shown: Shown, program: str, add: Any = None) -> Any:
    """The page of a collection without runs; `add` is the link to add some."""
    board = shown.board
    return html.Div(
        [
            html.H1("No runs yet"),
            html.P(
                [
                    "The collection ",
                    html.Strong(html.Bdi(wording.name(board.collection))),
                    " has judgments but no runs. Store some:",
                ],
                className="lead",
            ),
            add or shell.commands(f"{program} ingest --collection NAME RUN..."),
        ],
        className="problem",
    )
