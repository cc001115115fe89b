"""The SQL page: one statement, read-only, its answer as rows, a file and a chart."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from dash import html

from dashboard.components import elements, files, ids, shell, wording
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.sql import parts, table
from evalstore.errors import DataError
from evalstore.leaderboard.leaderboard import collections
from evalstore.sql.ask import Answer, Limits, ask
from evalstore.sql.cookbook import Question, for_collection, questions

UPDATED = frozenset({"s", "chart", "x", "y", "collection"})
"""The parameters that change parts of the page; all others render it anew."""
SHOWN = Limits(rows=1_000, bytes=16 << 20)
"""What a page shows of an answer."""
IN_FILE = Limits(bytes=64 << 20)
"""What a file holds of it; `evalstore sql` writes larger ones."""
COUNT_SECONDS = 2.0
"""How long to count the rows that are not shown."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A statement and what came of it: an answer or an error; neither without a statement."""

    sql: str
    answer: Answer | None = None
    error: DataError | None = None
    seconds: float = 0.0


def load(view: View) -> Asked:
    """Run the statement of an address.

    Raises:
        PageProblem: the store can't be read.
    """
    sql = view.address.one("s")
    if not sql:
        return Asked(sql)

    def run() -> Asked:
        start = time.perf_counter()
        try:
            with parts.one_statement():
                answer = ask(view.store, sql, SHOWN, count_seconds=COUNT_SECONDS)
        except DataError as error:
            return Asked(sql, error=error)
        return Asked(sql, answer, seconds=time.perf_counter() - start)

    return read(view.store, run)


def render(view: View) -> Rendered:
    """Render the page."""
    names = _collections(view)
    collection = _collection(view, names)
    asked = load(view)
    kind = _kind(view)
    chosen = _axes(view, asked)
    body = html.Div(
        [
            html.Div(
                [
                    shell.heading("SQL"),
                    parts.statement(asked.sql),
                    html.Div(_answer(view, asked), id=parts.ANSWER),
                    parts.chart_section(asked.answer, kind, chosen, view.scheme, _named(view)),
                ],
                className="sql-main",
            ),
            html.Aside(
                [
                    parts.cookbook(
                        _questions(view, collection),
                        names,
                        collection,
                        is_first_open=not asked.sql,
                    ),
                    parts.schema(),
                ],
                className="sql-aside",
                **{"aria-label": "Questions and views"},
            ),
        ],
        className="sql-page",
    )
    defaults = {"chart": table.NO_CHART, **({"collection": names[0]} if names else {})}
    return Rendered("SQL", body, defaults=defaults)


def update(view: View, before: View) -> Changes | None:
    """The answer, the chart or the questions alone: what one types in stays where it is."""
    changed = view.address.differences(before.address)
    asked = load(view)
    kind, chosen = _kind(view), _axes(view, asked)
    changes: dict[Any, dict[str, Any]] = {}
    if "s" in changed:
        changes[parts.STATEMENT] = {"value": asked.sql}
        changes[parts.ANSWER] = {"children": _answer(view, asked)}
        changes["sql-chart-card"] = {"hidden": not (asked.answer and asked.answer.rows)}
    if "collection" in changed:
        collection = _collection(view, _collections(view))
        rows = parts.question_list(_questions(view, collection))
        changes[parts.QUESTIONS] = {"children": rows}
        changes[tuple(ids.control("collection").items())] = {"value": collection}
    if changed & {"s", "chart", "x", "y"}:
        changes[tuple(ids.control("chart").items())] = {"value": kind}
        for axis in parts.AXIS_NAMES:
            changes[tuple(ids.control(axis).items())] = {
                "data": parts.axis_choices(asked.answer, axis),
                "value": _named(view).get(axis),
                "placeholder": wording.name(parts.usual_axis(asked.answer, axis, chosen)),
            }
        changes[parts.AXES] = {"hidden": kind == table.NO_CHART}
        changes[parts.CHART] = {"children": parts.drawn(asked.answer, kind, chosen, view.scheme)}
    elif view.scheme != before.scheme and kind != table.NO_CHART and asked.answer and chosen:
        figure = table.chart(kind, asked.answer, chosen, view.scheme)
        changes.update([elements.figure_change("sql", figure)])
    return changes


def _answer(view: View, asked: Asked) -> Any:
    if asked.error is not None:
        return parts.error(asked.error)
    if asked.answer is None:
        return None
    return parts.answer(
        asked.answer,
        asked.seconds,
        files.href(view.address.only("s"), "rows.csv"),
        link_length=len(view.address.local),
    )


def _kind(view: View) -> str:
    kind = view.address.one("chart")
    return kind if kind in table.CHARTS else table.NO_CHART


def _axes(view: View, asked: Asked) -> table.Axes | None:
    if asked.answer is None:
        return None
    return table.axes(asked.answer, view.address.one("x"), view.address.one("y"))


def _named(view: View) -> dict[str, str]:
    """The columns that the address names, by axis."""
    named = {axis: view.address.one(axis) for axis in parts.AXIS_NAMES}
    return {axis: name for axis, name in named.items() if name}


def _collections(view: View) -> list[str]:
    """The collections, those with runs first."""
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
    """All rows of the answer; refused where they are too many for a file, which can't say so."""
    sql = view.address.one("s")
    if not sql:
        raise PageProblem("There is no statement", "The address has no statement.", status=400)

    def run() -> Answer | DataError:
        try:
            with parts.one_statement():
                return ask(view.store, sql, IN_FILE)
        except DataError as error:
            return error

    answer = read(view.store, run)
    if isinstance(answer, parts.Busy):
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
    return File("rows.csv", table.csv_text(answer))


PAGE = Page("sql", render, update, UPDATED, {"rows.csv": _csv}, register=parts.register)
