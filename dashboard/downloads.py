"""The tables as CSV files, at addresses of their own: a link to one works in a script as well."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Flask, Response, request

from dashboard import data, tables
from dashboard.links import QUERIES_CSV, RUNS_CSV, CompareView, PageProblem, RunsView
from dashboard.measure_info import measure_info
from evalstore.store import Store


def register(server: Flask, store: Store) -> None:
    """Add the addresses of the downloads."""

    @server.get(RUNS_CSV)
    def runs_csv() -> Response:
        return _answer(lambda search: _runs(store, search))

    @server.get(QUERIES_CSV)
    def queries_csv() -> Response:
        return _answer(lambda search: _queries(store, search))


def _answer(make: Callable[[str], tuple[str, str]]) -> Response:
    try:
        name, text = make(request.query_string.decode("utf-8", "replace"))
    except PageProblem as problem:
        return Response(f"{problem.sentence}\n", 404, mimetype="text/plain")
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _runs(store: Store, search: str) -> tuple[str, str]:
    board = data.board(store, RunsView.parse(search))
    if board is None:
        raise PageProblem("Nothing stored", "The store is empty.")
    shown = board.leaderboard
    measures = [measure_info(name) for name in board.measures]
    name = _file_name("runs", shown.collection, shown.qrels)
    return name, tables.leaderboard_csv(shown.runs, shown.values, measures)


def _queries(store: Store, search: str) -> tuple[str, str]:
    found = data.compared(store, CompareView.parse(search))
    values = data.per_query(store, found)
    name = _file_name(found.comparison.collection, found.measure, *found.sides)
    return name, tables.queries_csv(values, data.paired(found, values), found.labels, found.sides)


def _file_name(*parts: str) -> str:
    # Names are data: what reaches a header and a disk is letters, digits and a few signs.
    safe = [re.sub(r"[^A-Za-z0-9@._]+", "-", part).strip("-.")[:40] for part in parts]
    return f"{'_'.join(part for part in safe if part)}.csv"
