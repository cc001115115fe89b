"""The SQL page: one read-only statement, with its answer as rows, a file and a chart.

The module has the parts of the page; then the page, its updates and its file.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import html

from dashboard import vendored
from dashboard.address import Address, linked, parse_href
from dashboard.components import controls, elements, files, ids, shell, wording
from dashboard.components.elements import control_change
from dashboard.components.problems import PageProblem, Redirect, read, sentence
from dashboard.components.selection import slots_of
from dashboard.figures.interactive import MOST_IN_LEGEND
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.sql import table
from dashboard.serving.response_cache import keep_none
from dashboard.serving.slots import Busy, one_statement
from dashboard.theme import Scheme, identities
from evalstore.catalog.links import engine_slots, find_linked_runs, named_views
from evalstore.errors import DataError
from evalstore.leaderboard.positions import run_counts
from evalstore.sql.ask import Answer, Limits, ask, described_views
from evalstore.sql.cookbook import Question, for_collection, questions

# The parts of the SQL page: the schema, the questions, the statement, the answer

STATEMENT = "sql-statement"
EDITOR = "sql-editor"
RUN = "sql-run"
HEADLINE = "sql-headline"
ANSWER = "sql-answer"
AXES = "sql-axes"
CHART = "sql-chart"
QUESTIONS = "sql-questions"
AXES_LABELS = {
    "x": "Column of the x axis",
    "y": "Column of the y axis",
    "colour": "Column whose values have colours",
}
"""The columns of a chart, by parameter."""


def schema() -> Any:
    """The views with their columns; clicking a name inserts it into the statement."""
    return html.Section(
        [
            html.H2("Views that a SELECT reads"),
            *[_view(v.name, v.comment, v.columns) for v in described_views()],
        ],
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


def question_list(questions: Sequence[Question], address: Address) -> list[Any]:
    """The questions by section, each as a link that runs its statement.

    Without a statement all sections are open, else that of the question asked, or the first one.
    The links keep the collection that the address names.
    """
    asked = address.one("s").strip()
    with_asked = [one.section for one in questions if one.sql.strip() == asked]
    is_open = with_asked or [one.section for one in questions[: 1 if asked else None]]
    return [
        html.Details(
            [html.Summary(section), html.Ul([_question(one, address, asked) for one in members])],
            open=section in is_open,
        )
        for section, members in groupby(questions, key=lambda question: question.section)
    ]


def _question(question: Question, address: Address, asked: str) -> Any:
    to = Address("sql").changed(s=question.sql, collection=address.one("collection"))
    current = {"aria-current": "true"} if question.sql.strip() == asked else {}
    return html.Li(html.A(question.title, href=to.href, **current))


def cookbook(view: View, questions: Sequence[Question]) -> Any:
    """The questions, for the collection that the header names."""
    sections = html.Div(
        question_list(questions, view.address), id=QUESTIONS, **controls.roving("summary, a")
    )
    return html.Section([html.H2("Questions"), sections], className="card sql-cookbook")


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
                maxRows=9,
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
                        ["Run ", html.Kbd("Ctrl+Enter")],
                        id=RUN,
                        type="button",
                        className="action",
                        **{"data-command": "Run the statement"},
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


def answer(given: Answer, sql: str, csv: str, *, collection: str | None) -> list[Any]:
    """The rows as a grid; the heading of the page has their number.

    `collection` is that of runs and queries in rows which name none.
    """
    rows = table.rows(given, collection)
    link = html.Div(controls.csv_link("sql-csv", csv), className="card-aside")
    parts: list[Any] = [html.Div([html.H2("Answer"), link], className="card-head")]
    if rows:
        parts.append(
            dag.AgGrid(
                id="sql-grid",
                columnDefs=table.columns(given, collection),
                rowData=rows,
                getRowId="params.data.id",
                className="grid",
                columnSize="autoSize",
                dashGridOptions=controls.grid_options(len(rows)),
                eventListeners={"cellKeyDown": ["openLink(params)"]},
                style=controls.grid_size(len(rows)),
            )
        )
    else:
        parts.append(html.P(_no_rows(sql, collection)))
    return [html.Section(parts, className="card")]


def _no_rows(sql: str, collection: str | None) -> list[Any]:
    """The reason for no rows: often it is a view that has rows only after a command."""
    if "leaderboard_ranks" not in sql:
        return ["None: no row answers this. Names and ids are text."]
    of = shlex.quote(wording.clean(collection or "COLLECTION"))
    command = html.Code(f"evalstore leaderboard {of} -m AP --save")
    return ["No row answers this. If no ranks are saved yet: ", command, " saves those of AP."]


def summary(given: Answer, seconds: float) -> list[str]:
    """The number of rows, why some are missing, and the time."""
    row_count = wording.count(len(given.rows), "row")
    if given.cut and given.total is not None:
        row_count = f"The first {len(given.rows):,} of {wording.count(given.total, 'row')}"
    elif given.cut:
        row_count = f"The first {row_count}; there are more"
    why = [given.cut] if given.cut and "row" not in given.cut else []
    return [row_count, *why, f"{seconds:.2f} s"]


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
                        [_axis(axis, asked, view) for axis in AXES_LABELS],
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
    """The chart, with what it leaves out and the marks of its series; None if none is chosen."""
    given, axes, kind = asked.answer, asked.axes, asked.kind
    if given is None or axes is None or not given.rows or kind == table.NO_CHART:
        return None
    figure = table.chart(kind, given, axes, scheme, asked.slots)
    graph = elements.graph("sql", figure, label=table.label(kind, given, axes), height=340)
    if axes.x is None or axes.y is None:
        return graph
    of_chart = table.drawn_rows(given, axes.x, axes.y, axes.colour)
    parts = []
    if left_out := not_drawn(given, of_chart, axes.colour):
        parts.append(html.P(left_out, className="caption"))
    if len(of_chart.series) > MOST_IN_LEGEND:
        marks = [
            controls.engine(asked.slots.get(text, number), text)
            for number, text in enumerate(of_chart.series)
        ]
        parts.append(html.P(marks, className="sql-series"))
    return [*parts, graph]


MOST_NAMED = 20
"""The most values without a colour that are named."""


def not_drawn(given: Answer, of_chart: table.Drawn, colour: int | None) -> list[Any]:
    """Sentences on the rows that the chart leaves out; empty if it draws all."""
    drawn_count, all_count = len(of_chart.rows), len(given.rows)
    if given.cut:
        total = "more" if given.total is None else f"{given.total:,}"
        sentence = f"The chart draws the first {drawn_count:,} of {total} rows"
    elif drawn_count < all_count:
        sentence = f"The chart draws {drawn_count:,} of {all_count:,} rows"
        if of_chart.without_value:
            others = f"{of_chart.without_value:,} of them" if of_chart.left_out else "the others"
            sentence += f": {others} have NULL"
    else:
        return []
    if colour is None or not of_chart.left_out:
        return [f"{sentence}."]
    names = [html.Bdi(wording.name(text)) for text in of_chart.left_out[:MOST_NAMED]]
    more = len(of_chart.left_out) - len(names)
    return [
        f"{sentence}. Colours are for the first {len(of_chart.series)} of "
        f"{len(of_chart.series) + len(of_chart.left_out):,} values of ",
        html.Bdi(wording.name(given.columns[colour])),
        "; left out: ",
        *[part for name in names for part in (", ", name)][1:],
        f" and {more:,} more." if more else ".",
    ]


def axis_choices(given: Answer | None, axis: str) -> list[dict[str, str]]:
    """The columns that can be chosen: any for x and colour, columns of numbers for y."""
    if given is None:
        return []
    kinds = table.kinds(given)
    columns = controls.options(
        name
        for name, kind in zip(given.distinct_columns, kinds, strict=True)
        if axis != "y" or kind in table.NUMERIC
    )
    return [{"value": "", "label": "none"}, *columns] if axis == "colour" else columns


def usual_axis(asked: Asked, axis: str) -> str:
    """The default column of an axis, by name."""
    position = None if asked.axes is None else asked.axes.x if axis == "x" else asked.axes.y
    if asked.answer is None or position is None or axis == "colour":
        return ""
    return wording.name(asked.answer.distinct_columns[position])


def axis_value(view: View, axis: str) -> str | None:
    """The chosen column; for colour, an empty text means none."""
    return view.address.one(axis) or ("" if axis == "colour" else None)


def _axis(axis: str, asked: Asked, view: View) -> Any:
    choice = controls.select(
        axis,
        axis_choices(asked.answer, axis),
        axis_value(view, axis),
        label=AXES_LABELS[axis],
        placeholder=usual_axis(asked, axis),
    )
    return html.Span([axis, choice], className="labelled")


# The page, its updates and its file

UPDATED = frozenset({"s", "chart", "collection", *AXES_LABELS})
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
    slots: Mapping[str, int] = field(default_factory=dict)


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
            if isinstance(error, Busy):
                keep_none()  # a retry must not get this answer from the cache
            return Asked(sql, kind, error=error)
        seconds = time.perf_counter() - start
        axes = table.axes(answer, *(view.address.one(axis) for axis in AXES_LABELS))
        return Asked(sql, kind, answer, None, seconds, axes, _slots(view, answer, axes))

    return read(view.store, run)


def _slots(view: View, answer: Answer, axes: table.Axes) -> Mapping[str, int]:
    """The slots of the chart's series on all pages, if all are runs, or engines, of a collection.

    The collection is that of the rows, or of the page if the rows name none.
    """
    if axes.x is None or axes.y is None or axes.colour is None:
        return {}
    kind = answer.columns[axes.colour]
    if kind not in ("run", "engine"):
        return {}
    names = _collections(view)
    named = {_collection(view, names)}
    if "collection" in answer.columns:
        named = {row[answer.columns.index("collection")] for row in answer.rows}
    series = table.drawn_rows(answer, axes.x, axes.y, axes.colour).series
    collection = next(iter(named))
    if len(named) > 1 or collection not in names:
        return {}
    if kind == "run":
        runs = find_linked_runs(view.store, collection, series).runs
        marks = slots_of(runs)
        slots = {run.name: marks[run.id] for run in runs}
    else:
        stored = engine_slots(view.store, collection)
        present = [(number, text, 0) for number, text in enumerate(series) if text in stored]
        marks = identities(present, stored)
        slots = {text: marks[number] for number, text, _ in present}
    return slots if len(slots) == len(series) else {}


def render(view: View) -> Rendered:
    """Render the page."""
    names = _collections(view)
    collection = _collection(view, names)
    asked, listed = load(view), _questions(view, collection)
    body = html.Div(
        [
            html.Div(
                [
                    html.H1(
                        _headline(view, asked, listed, collection),
                        id=HEADLINE,
                        className="claim headline",
                        **{"aria-live": "polite"},
                    ),
                    statement(asked.sql),
                    html.Div(_answer(view, asked, collection), id=ANSWER),
                    chart_section(asked, view),
                ],
                className="sql-main",
            ),
            html.Aside(
                [cookbook(view, listed), schema()],
                className="sql-aside",
                **{"aria-label": "Questions and views"},
            ),
        ],
        className="sql-page",
    )
    defaults = {"chart": table.NO_CHART, **({"collection": names[0]} if names else {})}
    return Rendered("SQL", body, collection, defaults=defaults, files=_files(asked))


def update(view: View, before: View) -> Changes | None:
    """Update only answer, chart or questions: a typed statement remains in its field."""
    changed = view.address.differences(before.address)
    if changed == {"collection"}:
        _ask_of_other_collection(view, before)
    asked = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if changed & {"s", "collection"}:
        collection = _collection(view, _collections(view))
        changes[ANSWER] = {"children": _answer(view, asked, collection)}
        listed = _questions(view, collection)
        changes[HEADLINE] = {"children": _headline(view, asked, listed, collection)}
        changes[QUESTIONS] = {"children": question_list(listed, view.address)}
        if "collection" in changed:
            changes |= control_change("collection", value=collection)
    if "s" in changed:
        changes[STATEMENT] = {"value": asked.sql}
        changes["sql-chart-card"] = {"hidden": not (asked.answer and asked.answer.rows)}
        changes[ids.EXPORTS] = {"children": shell.menu(view.address, _files(asked), {})}
    # The colours of runs are those of the collection.
    if changed & {"s", "chart", "collection", *AXES_LABELS} or view.scheme != before.scheme:
        changes |= control_change("chart", value=asked.kind)
        for axis in AXES_LABELS:
            changes |= control_change(
                axis,
                data=axis_choices(asked.answer, axis),
                value=axis_value(view, axis),
                placeholder=usual_axis(asked, axis),
            )
        changes[AXES] = {"hidden": asked.kind == table.NO_CHART}
        changes[CHART] = {"children": drawn(asked, view.scheme)}
    return changes


def _ask_of_other_collection(view: View, before: View) -> None:
    """Redirect from a question of one collection to the same question of the one chosen now."""
    names, sql = _collections(view), view.address.one("s").strip()
    of_both = zip(*(_questions(view, _collection(v, names)) for v in (before, view)), strict=True)
    for was, now in of_both:
        if was.sql.strip() == sql and was != now:
            raise Redirect(view.address.changed(s=now.sql).href)


def _answer(view: View, asked: Asked, collection: str | None) -> Any:
    if asked.error is not None:
        return error(asked.error)
    if asked.answer is None:
        return None
    csv = files.href(view.address.only("s"), "rows.csv")
    return answer(asked.answer, asked.sql, csv, collection=collection)


def _headline(
    view: View, asked: Asked, listed: Sequence[Question], collection: str | None
) -> list[Any]:
    """The question that was asked, else the number of its rows; then the other facts, small."""
    if asked.error is not None:
        return ["The statement failed."]
    if asked.answer is None:
        if collection is None:
            return ["Nothing is stored yet: these questions are for later"]
        name = html.Bdi(wording.name(collection, 60))
        return [f"Ask one of {len(listed):,} questions about ", name, ", or write a SELECT"]
    facts = summary(asked.answer, asked.seconds)
    title = _title(view, asked.sql, listed, collection) or facts.pop(0)
    return [html.Bdi(title), " ", html.Span(" · ".join(facts), className="hint")]


def _title(view: View, sql: str, listed: Sequence[Question], collection: str | None) -> str:
    """The question of the list with this statement, else the name of the saved view with it."""
    titles = {one.sql.strip(): one.title for one in listed}
    if sql.strip() not in titles and collection is not None:
        saved = read(view.store, lambda: named_views(view.store, collection))
        titles |= {
            parse_href(one.address).one("s").strip(): wording.name(one.name or "", 120)
            for one in saved
            if one.address.startswith("/sql?")
        }
    return titles.get(sql.strip(), "")


def _files(asked: Asked) -> tuple[str, ...]:
    """The files of an answer; none before there is a statement."""
    return tuple(PAGE.files) if asked.sql else ()


def _collections(view: View) -> list[str]:
    """The collections, with those that have runs first."""
    runs_of = read(view.store, lambda: run_counts(view.store))
    return sorted(runs_of, key=lambda name: not runs_of[name])


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


PAGE = Page("sql", render, update, UPDATED, {"rows.csv": _csv})
