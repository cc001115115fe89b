"""The parts of the leaderboard around its grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import dcc, html

from dashboard.address import Address
from dashboard.components import controls, ids, shell, wording
from dashboard.components.selection import MOST_RUNS, Selection
from dashboard.pages.leaderboard import grid as columns
from dashboard.pages.leaderboard.load import VIEWS, Shown
from evalstore.leaderboard.ranks import MeasureRanks

GRID = "board-grid"
ROWS = "board-rows"  # which rows the grid shows: the address that they are asked for by
CLAIMS = "board-claims"  # what may be claimed, once it is computed
ACTION = "board-action"
COUNT = "board-count"
PROBLEMS = "board-problems"
NOTES = "board-notes"
LOST = "board-lost"

MOST_IN_LIST = 200
"""Runs up to which the baseline can be chosen from a list; of more it is set in the grid."""
BLOCK = 100
"""Rows that are loaded at once."""
MOST_VISIBLE = 20
ROW_HEIGHT = 32

SHORT = ("Table", "Agreement", "Cost")
OTHERS = ("runs", "open")
"""Parameters that change no row."""


def heading(shown: Shown, names: Sequence[str]) -> Any:
    """The runs, the judgments, the baseline and the measures: what the figures are of."""
    board = shown.board
    return html.Div(
        [
            html.H1(
                ["Leaderboard of ", html.Bdi(wording.name(board.collection, 60))],
                className="visually-hidden",
            ),
            html.Span(
                f"{_runs(shown)} · {wording.count(board.queries, 'query', 'queries')}",
                className="board-size",
            ),
            html.Span(baseline(shown, names), id="board-baseline", className="labelled"),
            html.Span(
                [html.Span("measures", className="context-label"), _measures(shown)],
                className="labelled board-measures",
            ),
        ],
        className="choices",
    )


def _runs(shown: Shown) -> str:
    """How many runs there are, and how many of them have figures."""
    board = shown.board
    runs = wording.count(board.runs, "run")
    if board.evaluated == board.runs:
        return runs
    have = "has" if board.evaluated == 1 else "have"
    return f"{board.evaluated:,} of {runs} {have} values under {wording.name(board.qrels, 24)}"


def baseline(shown: Shown, names: Sequence[str]) -> list[Any]:
    """The baseline: chosen from a list of these names, or only named."""
    label = html.Span("baseline ⚑", className="context-label")
    if names:
        choice = controls.select(
            ids.control("base"),
            controls.options(names),
            shown.baseline,
            label="Baseline: the run that differences are to",
            placeholder="none",
            class_name="select-measure",
        )
        return [label, choice]
    if shown.baseline is None:
        return [html.Span("no baseline: press B on a run", className="context-label")]
    return [label, html.Bdi(wording.name(shown.baseline, 28))]


def _measures(shown: Shown) -> Any:
    """The measures: chosen from those that are stored, or typed."""
    return dmc.TagsInput(
        id=ids.control("m"),
        data=list(shown.board.measures),
        value=list(shown.asked),
        # A comma may stand in a measure's name.
        splitChars=[],
        placeholder="+ type any",
        size="xs",
        className="tags-input",
        comboboxProps={"width": "max-content", "position": "bottom-start"},
        **{"aria-label": "Measures, the first one leads; type any name and press Enter"},
    )


def tools(shown: Shown, add: Any = None) -> Any:
    """The search and the views, and the link to add runs for who may."""
    view = controls.segments(
        ids.control("view"),
        tuple(zip(VIEWS, SHORT, strict=True)),
        shown.view,
        label="View of the leaderboard",
    )
    parts: list[Any] = [view]
    if shown.view == "table":
        find = controls.search(
            ids.control("find"),
            shown.address.one("find"),
            label="Find run, engine, experiment, tag, date",
        )
        parts = [find, view]
    return html.Div([*parts, *([add] if add else [])], className="choices board-tools")


def problems(shown: Shown) -> list[Any]:
    """What is wrong with the measures that were typed."""
    return [html.P(f"{text}.", className="board-problem", dir="auto") for text in shown.problems]


def count(shown: Shown, found: int) -> Any:
    """How many runs the search found."""
    find = shown.address.one("find").strip()
    if not find:
        return ""
    text = f"{found:,} of {wording.count(shown.board.runs, 'run')} with “{wording.name(find)}”"
    return [text, " ", controls.choice("show all", shown.address, find="")]


def action(shown: Shown, ticked: Selection) -> list[Any]:
    """The link to the comparison of the runs that are ticked; it stands before the grid."""
    names = list(ticked.names)
    clear = controls.choice("Clear", shown.address, "quiet-action", runs="") if names else None
    if len(names) > MOST_RUNS:
        words = f"{len(names)} runs are ticked; at most {MOST_RUNS} can be compared"
        return [html.Span(words, className="hint"), clear]
    base = shown.baseline
    if len(names) == 1 and base is not None and base not in names:
        text = f"Compare with {wording.name(base, 24)}"
        return [html.A(text, href=_compare(shown, [base, *names]), className="action"), clear]
    if len(names) < 2:
        words = "Tick two runs or more to compare them" if not names else "Tick one more run"
        return [html.Span(words, className="hint"), clear]
    text = f"Compare {len(names)} runs"
    return [html.A(text, href=_compare(shown, names), className="action"), clear]


def _compare(shown: Shown, names: Sequence[str]) -> str:
    address = shown.address
    base = shown.baseline
    chosen = {
        "runs": tuple(names),
        "base": (base,) if base in names and base is not None else (),
        "m": (str(shown.lead),),
        "qrels": address.all("qrels"),
    }
    return Address("compare", address.collection, None, chosen).href


def rows_key(shown: Shown) -> dict[str, str]:
    """Which rows the grid shows: they are asked for when this changes."""
    return {"href": shown.address.changed(**dict.fromkeys(OTHERS)).href}


def grid(shown: Shown) -> Any:
    """The grid, whose rows come as one scrolls."""
    runs = min(shown.board.runs, MOST_VISIBLE) + (shown.baseline is not None)
    options = {
        **controls.grid_options(shown.board.runs),
        "domLayout": "normal",
        "rowHeight": ROW_HEIGHT,
        "cacheBlockSize": BLOCK,
        "maxBlocksInCache": 30,
        # The grid's wrapper answers the latest request alone.
        "maxConcurrentDatasourceRequests": 1,
        # A page of empty rows would be drawn first, and take as long as one with figures.
        "infiniteInitialRowCount": 1,
        # Longer than a frame: nothing is asked for while one scrolls, and the first rows soon.
        "blockLoadDebounceMillis": 20,
        # A bar that comes with the rows makes the columns narrower, and they are drawn once more.
        "alwaysShowVerticalScroll": shown.board.runs > MOST_VISIBLE,
        "suppressColumnVirtualisation": False,
        # The page says how many runs the search found.
        "suppressOverlays": ["noRows"],
        # A column is left out where its measure is, in the address.
        "suppressDragLeaveHidesColumns": True,
        # What the store of the rows holds when the grid is new.
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
            "columnMoved": ["boardMoved(params)"],
        },
        className="grid board",
        dashGridOptions=options,
        style={"height": f"{(runs + 1) * ROW_HEIGHT + 24}px", "width": "100%"},
    )


def stores(shown: Shown) -> list[Any]:
    """What the browser keeps: which rows are shown, and what may be claimed."""
    return [
        dcc.Store(id=ROWS, data=rows_key(shown)),
        dcc.Store(id=CLAIMS),
    ]


def notes(shown: Shown, claims: MeasureRanks) -> list[Any]:
    """How the signs and letters are to be read, and what has to be known of the runs."""
    sentences = []
    if claims.pairs and shown.baseline is not None:
        base = wording.name(shown.baseline)
        family = "all pairs of runs" if claims.all_pairs else "the pairs with the baseline"
        sentences.append(
            f"▲ better, ▼ worse than {base} on {shown.lead}, by the paired t test after Holm's "
            f"correction over {family} ({claims.pairs:,}); △ ahead, ▽ behind only before it."
        )
    if claims.pairs and claims.all_pairs:
        sentences.append("Runs that share a letter are not told apart: no proof of equality.")
    texts = [*sentences, *(f"{note[:1].upper()}{note[1:]}." for note in claims.notes)]
    return [html.P(wording.clean(text), dir="auto") for text in texts]


def empty(shown: Shown, program: str, add: Any = None) -> Any:
    """What stands in place of a leaderboard without runs; `add` is the link to add some."""
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
