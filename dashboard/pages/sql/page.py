"""The SQL page: one read-only statement, with its answer as rows, a file and a chart.

The module has the parts of the page; the limit on simultaneous statements; the page, its updates
and its file.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import Dash, html
from flask import current_app

from dashboard import vendored
from dashboard.address import Address, linked
from dashboard.components import controls, elements, files, shell, wording
from dashboard.components.copy_link import LONG, LONGEST
from dashboard.components.elements import control_change
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.page import Changes, File, Page, Rendered, StoreOfRequest, View
from dashboard.pages.sql import table
from dashboard.serving import response_cache
from dashboard.theme import Scheme
from evalstore.errors import DataError
from evalstore.leaderboard.positions import collections
from evalstore.sql.ask import Answer, Limits, ask, described_views
from evalstore.sql.cookbook import Question, for_collection, questions

# The parts of the SQL page: the schema, the questions, the statement, the answer

STATEMENT = "sql-statement"
EDITOR = "sql-editor"
RUN = "sql-run"
ANSWER = "sql-answer"
AXES = "sql-axes"
CHART = "sql-chart"
QUESTIONS = "sql-questions"
AXIS_NAMES = ("x", "y")


def schema() -> Any:
    """The views with their columns; clicking a name inserts it into the statement."""
    return html.Section(
        [html.H2("Views"), *[_view(v.name, v.comment, v.columns) for v in described_views()]],
        className="card sql-schema",
        **controls.roving("summary, button"),
    )


def _view(name: str, comment: str, columns: dict[str, str]) -> Any:
    rows = [
        html.Li([_insert(column), html.Span(meaning, className="sql-meaning")])
        for column, meaning in columns.items()
    ]
    return html.Details(
        [
            html.Summary(html.Code(name), title=comment),
            html.P([comment, " ", _insert(name)], className="sql-meaning"),
            html.Ul(rows),
        ]
    )


def _insert(name: str) -> Any:
    return html.Button(
        name, className="sql-insert", type="button", title="Put it into the statement"
    )


def question_list(questions: Sequence[Question], *, is_first_open: bool = False) -> list[Any]:
    """The questions by section, each as a link that runs its statement."""
    sections = groupby(questions, key=lambda question: question.section)
    return [
        html.Details(
            [
                html.Summary(section),
                html.Ul(
                    [
                        html.Li(html.A(question.title, href=_href(question.sql)))
                        for question in members
                    ]
                ),
            ],
            open=is_first_open and number == 0,
        )
        for number, (section, members) in enumerate(sections)
    ]


def _href(sql: str) -> str:
    return Address("sql", parameters={"s": (sql,)}).href


def cookbook(
    view: View, names: Sequence[str], collection: str | None, *, is_first_open: bool
) -> Any:
    """The questions, and the collection for which they are written."""
    questions = _questions(view, collection)
    sections = question_list(questions, is_first_open=is_first_open)
    which = (
        controls.select(
            "collection",
            controls.options(names),
            collection,
            label="The collection that the questions are about",
        )
        if len(names) > 1
        else None
    )
    return html.Section(
        [
            html.H2(wording.count(len(questions), "question")),
            which,
            html.Div(sections, id=QUESTIONS, **controls.roving("summary, a")),
        ],
        className="card sql-cookbook",
    )


def statement(sql: str) -> Any:
    """The text field for a statement; assets/pages/sql.js runs it by writing it to the address.

    That script also puts an editor in its place, once the browser has loaded one.
    """
    return html.Section(
        [
            dmc.Textarea(
                id=STATEMENT,
                value=sql,
                placeholder="SELECT run, value FROM leaderboard WHERE measure = 'AP'",
                autosize=True,
                minRows=5,
                maxRows=24,
                spellCheck=False,
                **{"aria-label": "SQL statement: one SELECT"},
            ),
            html.Div(
                id=EDITOR,
                **{
                    "data-script": linked(vendored.CODEMIRROR.path()),
                    "data-views": json.dumps(
                        [
                            {"name": view.name, "comment": view.comment, "columns": view.columns}
                            for view in described_views()
                        ]
                    ),
                },
            ),
            html.Div(
                [
                    html.Button(
                        ["Run ", html.Kbd("Ctrl+Enter")], id=RUN, type="button", className="action"
                    ),
                    html.Span(
                        f"One SELECT; nothing can be changed. It ends after {Limits.seconds:g} s.",
                        className="hint",
                    ),
                ],
                className="sql-run-row",
            ),
        ],
        className="card sql-statement",
    )


def error(problem: DataError) -> Any:
    """The error of a statement, with advice."""
    text = sentence(str(problem).removeprefix("SQL: "))
    if isinstance(problem, Busy):
        advice = "A statement that takes long ends after a minute."
    elif problem.problem == "too slow":
        advice = "Ask for less: add conditions on collection, qrels and measure."
    else:
        advice = (
            "The views and their columns are listed on this page; the questions show their use."
        )
    return html.Div(
        [html.P(wording.name(text, 1_000), className="sql-error", dir="auto"), html.P(advice)],
        className="notes",
        role="alert",
    )


def answer(given: Answer, seconds: float, csv: str, *, link_length: int) -> list[Any]:
    """The rows as a grid, with their number and the time they took."""
    rows = table.rows(given)
    head = html.Div(
        [
            html.P(summary(given, seconds), className="sql-summary", role="status"),
            html.Div(controls.csv_link("sql-csv", csv), className="card-aside"),
        ],
        className="card-head",
    )
    parts = [head]
    if LONG < link_length <= LONGEST:
        parts.append(
            html.P(
                f"The address of this page has {link_length:,} characters. "
                "“Copy link” saves the view and gives a short one.",
                className="hint",
            )
        )
    if rows:
        parts.append(
            dag.AgGrid(
                id="sql-grid",
                columnDefs=table.columns(given),
                rowData=rows,
                getRowId="params.data.id",
                className="grid",
                columnSize="autoSize",
                dashGridOptions=controls.grid_options(len(rows)),
                style=controls.grid_size(len(rows)),
            )
        )
    else:
        parts.append(html.P("No row answers this. Are the names right? Ids and names are text."))
    return [html.Section(parts, className="card")]


def summary(given: Answer, seconds: float) -> str:
    """A summary: `1,000 of 48,210 rows · cut after 1,000 rows · 0.21 s`."""
    row_count = wording.count(len(given.rows), "row")
    if given.cut and given.total is not None:
        row_count = f"{len(given.rows):,} of {wording.count(given.total, 'row')}"
    elif given.cut:
        row_count = f"the first {row_count}; there are more"
    return " · ".join([row_count, *([given.cut] if given.cut else []), f"{seconds:.2f} s"])


def chart_section(asked: Asked, view: View) -> Any:
    """The controls for a chart and its columns, with the chart."""
    return html.Section(
        [
            html.Div(
                [
                    html.H2("Chart"),
                    controls.segments(
                        "chart",
                        [(name, name.capitalize()) for name in table.CHARTS],
                        asked.kind,
                        label="Kind of chart",
                    ),
                    html.Div(
                        [_axis(axis, asked, view) for axis in AXIS_NAMES],
                        id=AXES,
                        className="sql-axes",
                        hidden=asked.kind == table.NO_CHART,
                    ),
                ],
                className="card-head",
            ),
            html.Div(drawn(asked, view.scheme), id=CHART),
        ],
        id="sql-chart-card",
        className="card",
        hidden=not (asked.answer and asked.answer.rows),
    )


def drawn(asked: Asked, scheme: Scheme) -> Any:
    """The chart; None if none is chosen."""
    given, kind = asked.answer, asked.kind
    if given is None or asked.axes is None or not given.rows or kind == table.NO_CHART:
        return None
    figure = table.chart(kind, given, asked.axes, scheme)
    graph = elements.graph("sql", figure, label=table.label(kind, given, asked.axes), height=340)
    return (
        [html.P(left_out, className="caption"), graph] if (left_out := not_drawn(asked)) else graph
    )


def not_drawn(asked: Asked) -> str:
    """A sentence on the rows that the chart leaves out; empty if it draws all."""
    given, axes = asked.answer, asked.axes
    if given is None or axes is None or axes.x is None or axes.y is None:
        return ""
    drawn_rows = sum(row[axes.x] is not None and row[axes.y] is not None for row in given.rows)
    if given.cut:
        total = "more" if given.total is None else f"{given.total:,}"
        return f"The chart draws the first {drawn_rows:,} of {total} rows."
    if drawn_rows < len(given.rows):
        return f"The chart draws {drawn_rows:,} of {len(given.rows):,} rows: the others have NULL."
    return ""


def axis_choices(given: Answer | None, axis: str) -> list[dict[str, str]]:
    """The columns that can be chosen for an axis: any for x, columns of numbers for y."""
    if given is None:
        return []
    kinds = table.kinds(given)
    return controls.options(
        name
        for name, kind in zip(given.distinct_columns, kinds, strict=True)
        if axis == "x" or kind in table.NUMERIC
    )


def usual_axis(asked: Asked, axis: str) -> str:
    """The default column of an axis, by name."""
    position = None if asked.axes is None else asked.axes.x if axis == "x" else asked.axes.y
    if asked.answer is None or position is None:
        return ""
    return wording.name(asked.answer.distinct_columns[position])


def _axis(axis: str, asked: Asked, view: View) -> Any:
    choice = controls.select(
        axis,
        axis_choices(asked.answer, axis),
        view.address.one(axis) or None,
        label=f"Column of the {axis} axis",
        placeholder=usual_axis(asked, axis),
    )
    return html.Span([axis, choice], className="labelled")


# The limit on simultaneous SQL statements: pages need threads too

AT_ONCE = 3
"""The most simultaneous statements of a process: each may take a minute, and it has 8 threads."""

KEY = "evalstore-statements"


class Busy(DataError):
    """The error when the limit on simultaneous statements is reached."""


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add the limit to the app."""
    app.server.extensions[KEY] = threading.BoundedSemaphore(AT_ONCE)


@contextmanager
def one_statement() -> Iterator[None]:
    """Run a statement, or raise Busy at once: waiting would hold a thread that others need."""
    free: threading.BoundedSemaphore = current_app.extensions[KEY]
    if not free.acquire(blocking=False):
        response_cache.keep_none()  # a retry must not get this answer from the cache
        raise Busy(
            f"{AT_ONCE} SQL statements are running already, the most at a time: "
            "run yours again in a moment"
        )
    try:
        yield
    finally:
        free.release()


UPDATED = frozenset({"s", "chart", "x", "y", "collection"})
"""The parameters that change parts of the page; all others render it anew."""
SHOWN = Limits(rows=1_000, bytes=16 << 20)
"""The limits of an answer on a page."""
IN_FILE = Limits(bytes=64 << 20)
"""The limits of an answer in a file; `evalstore sql` writes larger ones."""
COUNT_SECONDS = 2.0
"""The longest time for counting the rows that are not shown."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A statement with its answer or error (neither if there is no statement), and a chart kind."""

    sql: str
    kind: str
    answer: Answer | None = None
    error: DataError | None = None
    seconds: float = 0.0
    axes: table.Axes | None = None


def load(view: View) -> Asked:
    """Run the statement of an address."""
    sql, kind = view.address.one("s"), view.address.one("chart")
    kind = kind if kind in table.CHARTS else table.NO_CHART
    if not sql:
        return Asked(sql, kind)

    def run() -> Asked:
        start = time.perf_counter()
        try:
            with one_statement():
                answer = ask(view.store, sql, SHOWN, count_seconds=COUNT_SECONDS)
        except DataError as error:
            return Asked(sql, kind, error=error)
        seconds = time.perf_counter() - start
        axes = table.axes(answer, view.address.one("x"), view.address.one("y"))
        return Asked(sql, kind, answer, seconds=seconds, axes=axes)

    return read(view.store, run)


def render(view: View) -> Rendered:
    """Render the page."""
    names = _collections(view)
    collection = _collection(view, names)
    asked = load(view)
    body = html.Div(
        [
            html.Div(
                [
                    shell.heading("SQL"),
                    statement(asked.sql),
                    html.Div(_answer(view, asked), id=ANSWER),
                    chart_section(asked, view),
                ],
                className="sql-main",
            ),
            html.Aside(
                [cookbook(view, names, collection, is_first_open=not asked.sql), schema()],
                className="sql-aside",
                **{"aria-label": "Questions and views"},
            ),
        ],
        className="sql-page",
    )
    defaults = {"chart": table.NO_CHART, **({"collection": names[0]} if names else {})}
    return Rendered("SQL", body, defaults=defaults)


def update(view: View, before: View) -> Changes | None:
    """Update only answer, chart or questions: a typed statement remains in its field."""
    changed = view.address.differences(before.address)
    asked = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if "s" in changed:
        changes[STATEMENT] = {"value": asked.sql}
        changes[ANSWER] = {"children": _answer(view, asked)}
        changes["sql-chart-card"] = {"hidden": not (asked.answer and asked.answer.rows)}
    if "collection" in changed:
        collection = _collection(view, _collections(view))
        changes[QUESTIONS] = {"children": question_list(_questions(view, collection))}
        changes |= control_change("collection", value=collection)
    if changed & {"s", "chart", "x", "y"}:
        changes |= control_change("chart", value=asked.kind)
        for axis in AXIS_NAMES:
            changes |= control_change(
                axis,
                data=axis_choices(asked.answer, axis),
                value=view.address.one(axis) or None,
                placeholder=usual_axis(asked, axis),
            )
        changes[AXES] = {"hidden": asked.kind == table.NO_CHART}
        changes[CHART] = {"children": drawn(asked, view.scheme)}
    elif view.scheme != before.scheme and asked.kind != table.NO_CHART:
        if asked.answer is None or asked.axes is None:
            return changes
        figure = table.chart(asked.kind, asked.answer, asked.axes, view.scheme)
        changes |= elements.figure_change("sql", figure)
    return changes


def _answer(view: View, asked: Asked) -> Any:
    if asked.error is not None:
        return error(asked.error)
    if asked.answer is None:
        return None
    return answer(
        asked.answer,
        asked.seconds,
        files.href(view.address.only("s"), "rows.csv"),
        link_length=len(view.address.local),
    )


def _collections(view: View) -> list[str]:
    """The collections, with those that have runs first."""
    frame = read(view.store, lambda: collections(view.store))
    with_runs = [
        (not runs, str(name)) for name, runs in zip(frame["collection"], frame["runs"], strict=True)
    ]
    return [name for _, name in sorted(with_runs, key=lambda pair: pair[0])]


def _collection(view: View, names: list[str]) -> str | None:
    asked = view.address.one("collection")
    return asked if asked in names else next(iter(names), None)


def _questions(view: View, collection: str | None) -> tuple[Question, ...]:
    if collection is None:
        return questions()
    return read(view.store, lambda: for_collection(view.store, collection))


def _csv(view: View) -> File:
    """All rows of the answer; an error for too many rows, since CSV can't say that it was cut."""
    sql = view.address.one("s")
    if not sql:
        raise PageProblem("There is no statement", "The address has no statement.", status=400)

    def run() -> Answer | DataError:
        try:
            with one_statement():
                return ask(view.store, sql, IN_FILE)
        except DataError as error:
            return error

    answer = read(view.store, run)
    if isinstance(answer, Busy):
        raise PageProblem("The dashboard is busy", sentence(answer), status=503)
    if isinstance(answer, DataError):
        raise PageProblem("The statement failed", sentence(answer), status=400)
    if answer.cut:
        raise PageProblem(
            "The answer is too large",
            f"The answer is larger than {IN_FILE.bytes >> 20} MiB: ask for less, or use "
            "`evalstore sql --format csv`.",
            status=413,
        )
    return files.csv_file(table.file_table(answer), "rows.csv")


PAGE = Page("sql", render, update, UPDATED, {"rows.csv": _csv}, register=register)
