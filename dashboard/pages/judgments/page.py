"""The Judgments page: whether two qrels agree, and what each makes of the runs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dash import Dash, Input, Output, dcc, html, no_update

from dashboard import address
from dashboard.address import Address
from dashboard.components import controls, shell, wording
from dashboard.components.controls import measure_choice, usual_measure
from dashboard.components.files import csv_file, file_name
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import slots_of
from dashboard.page import Changes, File, Page, Rendered, StoreOfRequest, View, callback
from dashboard.pages.home.page import program
from dashboard.pages.judgments import agreement, boards
from dashboard.pages.judgments.load import Chosen, TwoQrels, choose, documents, load
from evalstore.comparison.cached import kept_judged_queries
from evalstore.comparison.qrels.agreement import QUERY_COLUMNS
from evalstore.comparison.qrels.leaderboards import CLAIM_COLUMNS, RUN_COLUMNS
from evalstore.leaderboard.positions import kept_collection_runs
from evalstore.store import Store
from evalstore.tables.table import Table, Value

HEADLINE, BOARDS = "judgments-headline", "judgments-boards"
KEY = "judgments-key"  # the address whose leaderboards are still to be compared, if they are
UPDATED = frozenset({"cell"})


def render(view: View) -> Rendered:
    """Render the page."""
    collection = view.address.collection or ""
    chosen = choose(view)
    title = f"Judgments of {wording.name(collection, 40)}"
    if chosen.a is None or chosen.b is None:
        return Rendered(title, _needs_two(view, chosen), collection, files=())
    two = load(view, chosen, chosen.a, chosen.b, wait=False)
    body = html.Div(
        [
            html.H1(
                _headline(two),
                id=HEADLINE,
                className="claim headline",
                **{"aria-live": "polite"},
            ),
            _choices(two),
            html.Section(agreement.figures(two), className="card", **{"aria-label": "Agreement"}),
            html.Div(
                [
                    agreement.matrix_card(two, _listed(view.store, two)),
                    html.Div(_boards(view.store, two), id=BOARDS, className="judgment-boards"),
                    agreement.queries_card(two, _texts(view.store, two)),
                    boards.reuse_card(view, two.a),
                ],
                className="run-columns judgment-columns",
            ),
            dcc.Store(id=KEY, data={"href": view.address.href} if two.boards is None else None),
        ]
    )
    defaults = {"qrels": chosen.every[0].name, "m": usual_measure(two.measures)}
    if len(chosen.every) == 2:
        defaults["other"] = two.b.name
    return Rendered(title, body, collection, defaults=defaults)


def update(view: View, before: View) -> Changes | None:
    """The changes for another cell of the matrix; colours follow the scheme without an update."""
    if not view.address.differences(before.address):
        return {}
    two = _two(view, wait=False)
    return {
        agreement.MATRIX: {"children": agreement.matrix(two)},
        agreement.DOCUMENTS: {"children": _listed(view.store, two)},
    }


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add the callback that compares the leaderboards once the page is on the screen."""

    @callback(app, Output(HEADLINE, "children"), Output(BOARDS, "children"), Input(KEY, "data"))
    def show_boards(key: dict[str, str] | None) -> Any:
        if not key:
            return no_update, no_update
        store = store_of_request()
        try:
            two = _two(View(store, address.parse_href(str(key["href"]))), wait=True)
            return _headline(two), _boards(store, two)
        except PageProblem as problem:
            return no_update, html.P(problem.sentence, className="board-problem", dir="auto")


def _two(view: View, *, wait: bool) -> TwoQrels:
    """The two qrels of an address; PageProblem if it names fewer."""
    chosen = choose(view)
    if chosen.a is None or chosen.b is None:
        raise PageProblem("No two qrels", "This page compares two qrels; there are fewer here.")
    return load(view, chosen, chosen.a, chosen.b, wait=wait)


def _headline(two: TwoQrels) -> Any:
    """The conclusion, and below it the agreement; the agreement alone if no runs are compared."""
    of = two.compared.leaderboards
    names = (two.a.name, two.b.name, (of and of.baseline) or "")
    sentences = two.compared.sentences(*(wording.name(name, 32) for name in names))
    if two.boards is None:  # the agreement alone would read as the answer
        sentences = ("Do conclusions depend on the judgments? Runs are compared…", *sentences)
    first, *rest = map(wording.isolated, sentences)
    return [first, *(html.Span(sentence, className="claim-more") for sentence in rest)]


def _choices(two: TwoQrels) -> Any:
    names = [qrels.name for qrels in two.chosen.every]
    selects = [
        html.Span(
            [
                html.Strong(letter),
                controls.select(
                    parameter,
                    controls.options(name for name in names if name != other.name),
                    qrels.name,
                    label=f"Qrels {letter}",
                ),
            ],
            className="labelled",
        )
        for letter, parameter, qrels, other in (
            ("a", "qrels", two.a, two.b),
            ("b", "other", two.b, two.a),
        )
    ]
    swap = controls.choice(
        "Swap",
        two.address.changed(cell=None),
        "quiet-action",
        title="Make b the reference",
        qrels=two.b.name,
        other=two.a.name,
        cell="",
    )
    return html.Div([*selects, swap, measure_choice(two.name, two.measures)], className="choices")


def _listed(store: Store, two: TwoQrels) -> Any:
    if two.cell is None:
        return None
    return agreement.documents_of_cell(two, documents(store, two))


def _texts(store: Store, two: TwoQrels) -> dict[str, str]:
    """The texts of the queries of both qrels."""

    def load_texts() -> dict[str, str]:
        both = (kept_judged_queries(store, two.chosen.collection_id, q.id) for q in (two.a, two.b))
        return {qid: text for judged in both for qid, text in judged.queries.texts.items()}

    return read(store, load_texts)


def _boards(store: Store, two: TwoQrels) -> list[Any]:
    runs = read(store, lambda: kept_collection_runs(store, two.chosen.collection_id))
    slots = slots_of(runs.values())
    return boards.parts(two, {run.name: slots[run.id] for run in runs.values()})


def _needs_two(view: View, chosen: Chosen) -> Any:
    """The way to a second qrels, and what can be said of one."""
    collection = view.address.collection or ""
    has = "one qrels" if chosen.every else "no qrels"
    command = f"reevaluate {shlex.join([f'--collection={collection}'])} --qrels FILE"
    return html.Div(
        [
            html.H1(
                wording.isolated(
                    f"{wording.name(collection, 60)} has {has}; this page compares two."
                ),
                className="claim headline",
            ),
            html.P("Add another:", className="lead"),
            shell.commands(f"{program(view)} {command}"),
            *(boards.reuse_card(view, one) for one in chosen.every),
        ]
    )


def link(collection: str, every: Sequence[str], shown: str) -> Any:
    """The link to the comparison of the shown qrels with the default; None if there is one."""
    if len(every) < 2:
        return None
    other = shown if shown != every[0] else ""
    to = Address("judgments", collection, None, {"other": (other,)})
    words = wording.count(len(every), "qrels", "qrels")
    return html.A(words, href=to.href, title="Compare two qrels")


# The files


def _confusion(two: TwoQrels, _: Store) -> Table:
    of = two.judgments
    names = [*map(str, of.grade_numbers), "not judged"]
    rows = zip(names, of.table.tolist(), strict=True)
    return Table.for_files(["a \\ b", *names], [(name, *counts) for name, counts in rows])


def _of_rows(columns: Iterable[str], rows: Iterable[dict[str, Any]]) -> Table:
    return Table.for_files(columns, [tuple(row.values()) for row in rows])


def _runs(two: TwoQrels, _: Store) -> Table:
    of = two.compared.leaderboards
    return _of_rows(RUN_COLUMNS, [] if of is None else of.run_rows())


def _claims(two: TwoQrels, _: Store) -> Table:
    of = two.compared.leaderboards
    columns = ("measure", *CLAIM_COLUMNS, "difference_a", "difference_b")
    rows = [] if of is None else zip(of.claim_rows(), of.claims or (), strict=True)
    return Table.for_files(
        columns,
        [
            (two.name, *row.values(), one.under_a.difference, one.under_b.difference)
            for row, one in rows
        ],
    )


def _documents(two: TwoQrels, store: Store) -> Table:
    rows: list[tuple[Value, ...]] = [*documents(store, two).rows()]
    return Table.for_files(("qid", "docno", "a", "b"), rows)


TABLES: dict[str, tuple[str, bool, Callable[[TwoQrels, Store], Table]]] = {
    "confusion.csv": ("documents by grade in a and in b", False, _confusion),
    "figures.csv": (
        "the figures with their intervals",
        True,
        lambda two, _: Table.for_files(
            ("figure", "value", "low", "high"), two.compared.figure_rows()
        ),
    ),
    "documents.csv": ("those of the opened cell, else all, with both grades", False, _documents),
    "queries.csv": (
        "a row a query",
        False,
        lambda two, _: _of_rows(QUERY_COLUMNS, two.judgments.queries()),
    ),
    "runs.csv": ("values and ranks of the runs under a and b", True, _runs),
    "claims.csv": ("the differences that are shown under a or b", True, _claims),
}
"""The files: their contents, whether they need the leaderboards, and their tables."""


def _file(name: str) -> Callable[[View], File]:
    _, wait, table = TABLES[name]

    def file(view: View) -> File:
        two = _two(view, wait=wait)
        names = (two.address.collection or "", two.a.name, two.b.name, two.name if wait else "")
        made = file_name(*names, name.removesuffix(".csv"), suffix=".csv")
        return csv_file(table(two, view.store), made)

    return file


PAGE = Page(
    "judgments",
    render,
    update,
    UPDATED,
    {name: _file(name) for name in TABLES},
    {name: words for name, (words, _, _) in TABLES.items()},
    register,
)
