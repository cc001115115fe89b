"""The tables as CSV files, each at its own address, which also serves scripts."""

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
        return Response(f"{problem.sentence}\n", problem.status, mimetype="text/plain")
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _runs(store: Store, search: str) -> tuple[str, str]:
    board = data.load_board(store, RunsView.parse(search))
    if board is None:
        raise PageProblem("Nothing stored", "The store is empty.")
    leaderboard = board.leaderboard
    measures = [measure_info(name) for name in board.measures]
    name = _file_name("runs", leaderboard.collection, leaderboard.qrels)
    text = tables.leaderboard_csv(
        leaderboard.runs, leaderboard.values, measures, leaderboard.queries
    )
    return name, text


def _queries(store: Store, search: str) -> tuple[str, str]:
    compared = data.load_comparison(store, CompareView.parse(search))
    values = data.load_values(store, compared)
    name = _file_name(compared.comparison.collection, compared.measure, *compared.pair)
    pairs = data.pair_values(compared, values)
    return name, tables.queries_csv(values, pairs, compared.labels, compared.pair)


def _file_name(*parts: str) -> str:
    # Names are data: what reaches a header and a disk is letters, digits and a few signs.
    safe = [re.sub(r"[^A-Za-z0-9@._]+", "-", part).strip("-.")[:40] for part in parts]
    return f"{'_'.join(part for part in safe if part)}.csv"
