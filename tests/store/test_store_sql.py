"""`sql.ask.ask`: one statement that reads, within limits; nothing else gets through."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import add, dump, write_run

from evalstore.errors import DataError
from evalstore.sql.ask import Limits, ask
from evalstore.store import Store

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
WRITES = (
    "INSERT INTO engine (name) VALUES ('mine')",
    "UPDATE run SET name = 'mine'",
    "DELETE FROM run",
    "DROP TABLE run",
    "DROP VIEW leaderboard",
    "ALTER TABLE run ADD COLUMN mine INTEGER",
    "CREATE TABLE mine (i INTEGER)",
    "CREATE TEMPORARY TABLE mine (i INTEGER)",
    "CREATE VIEW mine AS SELECT 1",
    "CREATE INDEX mine ON run (name)",
    "DELETE FROM run RETURNING id",
    "WITH gone AS (SELECT 1) DELETE FROM run",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "VACUUM",
    "ANALYZE",
    "REINDEX run",
)


def test_the_views_answer_with_names(shared: Store) -> None:
    answer = ask(
        shared,
        "SELECT collection, qrels, experiment, engine, run, value, queries "
        "FROM leaderboard WHERE measure = 'Rprec'",
    )
    assert answer.columns == (
        *("collection", "qrels", "experiment", "engine", "run", "value", "queries"),
    )
    assert answer.rows == [("test", "test", None, "bm25", "bm25", 0.5, 3)]
    assert answer.cut is None
    values = ask(shared, "SELECT qid, value FROM query_values WHERE measure = 'Rprec' ORDER BY qid")
    assert values.rows == [("q1", 0.5), ("q2", 1.0), ("q3", 0.0)]


@pytest.mark.parametrize("sql", WRITES)
def test_what_is_no_reading_is_refused_and_changes_nothing(shared: Store, sql: str) -> None:
    before = dump(shared)
    with pytest.raises(DataError, match=r"^SQL: ") as caught:
        ask(shared, sql)
    assert "\n" not in str(caught.value)
    assert dump(shared) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; DELETE FROM run",
        "SELECT 1; SELECT 2",
        "SELECT 1; COMMIT; DROP TABLE run; --",
    ],
)
def test_a_second_statement_is_refused(shared: Store, sql: str) -> None:
    before = dump(shared)
    with pytest.raises(DataError, match=r"^SQL: "):
        ask(shared, sql)
    assert dump(shared) == before


@pytest.mark.parametrize("sql", ["", " \n\t", ";", "-- nothing", "/* nothing */ ;"])
def test_no_statement_is_no_question(shared: Store, sql: str) -> None:
    with pytest.raises(DataError, match="SQL"):
        ask(shared, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC 1",
        "SELECT * FROM nowhere",
        "SELECT nothing FROM run",
        "SELECT 'open",
        "SELECT ?",
        "SELECT :name",
        "SELECT %s",
        "SELECT 1 \0 2",
        "SELECT '\ud800'",
    ],
)
def test_a_wrong_statement_is_explained_in_one_line(shared: Store, sql: str) -> None:
    with pytest.raises(DataError, match=r"^SQL: ") as caught:
        ask(shared, sql)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("what", ["count(*)", "i"], ids=["without a row", "row after row"])
def test_an_endless_statement_is_stopped(shared: Store, what: str) -> None:
    with pytest.raises(DataError, match=r"stopped after 0\.2 seconds$"):
        ask(shared, ENDLESS.format(what), Limits(seconds=0.2, bytes=1 << 40))


def test_rows_over_the_limit_are_cut_and_that_is_said(shared: Store) -> None:
    sql = "SELECT qid FROM query_values WHERE measure = 'AP' ORDER BY qid"
    answer = ask(shared, sql, Limits(rows=2))
    assert answer.rows == [("q1",), ("q2",)]
    assert answer.cut == "cut after 2 rows"
    assert ask(shared, sql, Limits(rows=3)).cut is None


def test_rows_without_end_are_cut_at_the_limit(shared: Store) -> None:
    answer = ask(shared, ENDLESS.format("i"), Limits(rows=1000))
    assert len(answer.rows) == 1000
    assert answer.cut


def test_an_answer_over_the_size_limit_is_cut_and_that_is_said(shared: Store) -> None:
    answer = ask(shared, ENDLESS.format("'0123456789012345'"), Limits(bytes=1 << 20))
    assert len(answer.rows) == (1 << 20) // 16
    assert (answer.cut or "").startswith("cut after 1 MiB")


def test_what_is_asked_is_a_question_to_the_store_as_it_is_now(
    store: Store, tmp_path: Path
) -> None:
    asked = "SELECT count(*) FROM run"
    add(store, tmp_path, write_run(tmp_path))
    assert ask(store, asked).rows == [(1,)]
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "second.run"))
    assert ask(store, asked).rows == [(2,)]


def test_null_numbers_bytes_and_text_come_as_python_has_them(shared: Store) -> None:
    (row,) = ask(shared, "SELECT NULL, 1, 0.5, 'é', packed FROM ranking LIMIT 1").rows
    assert row[:4] == (None, 1, 0.5, "é")
    assert isinstance(row[4], bytes)
