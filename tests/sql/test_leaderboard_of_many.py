"""The leaderboard and two runs' values are found by keys; no more is read than is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from leaderboard_frames import leaderboard
from sqlalchemy import event

from evalstore.errors import NotFound
from evalstore.leaderboard.positions import leaderboard_measures
from evalstore.store import Store
from evalstore.store.queries.comparison import list_query_values
from evalstore.store.queries.evaluations import list_evaluations

pytestmark = pytest.mark.slow  # a store of many runs

COLLECTION = "python-docs"
LARGE = ("measurement", "value_list", "aggregate")


@contextmanager
def sent(store: Store) -> Iterator[list[tuple[str, object]]]:
    """The statements that go to the database meanwhile."""
    statements: list[tuple[str, object]] = []

    def note(_c: object, _u: object, statement: str, parameters: object, *_: object) -> None:
        statements.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", note)
    yield statements
    event.remove(store.engine, "before_cursor_execute", note)


def plans(store: Store, question: Callable[[], object]) -> list[str]:
    """How the database would answer what a question asks of the large tables."""
    with sent(store) as statements:
        question()
    query_plans = []
    with store.engine.connect() as connection:
        lite = connection.dialect.name == "sqlite"
        if not lite:  # a small table is read as a whole, whatever keys it has
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        for statement, parameters in statements:
            if any(f" {table}." in statement or f" {table} " in statement for table in LARGE):
                explain = "EXPLAIN QUERY PLAN" if lite else "EXPLAIN"
                rows = connection.exec_driver_sql(f"{explain} {statement}", parameters).all()
                query_plans.append("\n".join(str(row[-1] if lite else row[0]) for row in rows))
    return query_plans


def test_the_leaderboard_is_found_by_keys(filled: Store) -> None:
    query_plans = plans(filled, lambda: leaderboard(filled, COLLECTION, "qrels", ["AP"]))
    assert len(query_plans) == 2
    for plan in query_plans:
        assert "PRIMARY KEY" in plan or "ix_aggregate_measure_id" in plan or "pk_aggregate" in plan
        assert not any(f"SCAN {table}" in plan or f"Seq Scan on {table}" in plan for table in LARGE)


def test_the_values_of_two_runs_are_found_by_the_key(filled: Store) -> None:
    runs = leaderboard(filled, COLLECTION, "qrels").runs["run_id"].tolist()[:2]
    with filled.read() as connection:
        evaluations = [one.id for one in list_evaluations(connection, runs, None)]
        (plan,) = plans(filled, lambda: list_query_values(connection, evaluations, "AP", "q1"))
    assert "SEARCH measurement USING PRIMARY KEY (evaluation_id=? AND measure_id=?" in plan or (
        "pk_value_list" in plan and "Index Cond: ((evaluation_id = " in plan
    )


def test_a_leaderboard_of_some_measures_is_a_part_of_the_whole(filled: Store) -> None:
    whole = leaderboard(filled, COLLECTION, "qrels")
    part = leaderboard(filled, COLLECTION, "qrels", ["RR", "nothing", "AP"])
    assert part.values.columns.tolist() == ["AP", "RR"]
    assert part.values.equals(whole.values[["AP", "RR"]])
    assert part.runs.equals(whole.runs)
    assert part.measures == whole.measures == leaderboard_measures(filled, COLLECTION, "qrels")
    assert whole.values.columns.tolist() == list(whole.measures)
    assert len(whole.measures) > 40


def test_no_measure_wanted_is_no_column(filled: Store) -> None:
    board = leaderboard(filled, COLLECTION, "qrels", [])
    assert board.values.shape == (len(board.runs), 0)


def test_measures_of_what_is_not_there_are_not_found(filled: Store) -> None:
    with pytest.raises(NotFound, match="no collection 'nowhere'"):
        leaderboard_measures(filled, "nowhere")
    with pytest.raises(NotFound, match="no qrels 'nothing'"):
        leaderboard_measures(filled, COLLECTION, "nothing")
