"""What PostgreSQL alone has: lists below views, for the values of a measure and for documents."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from postgres import Server
from samples import BM25, TFIDF, add, dump, write_run
from sqlalchemy import text
from test_upgrades import restored

from evalstore.errors import StoreError
from evalstore.store import Store, database, models, schema
from evalstore.store.columns import Column
from evalstore.store.dialects.postgres_reading import LISTS
from evalstore.store.rows import bulk_insert, insert_columns
from evalstore.transfer.db_check import db_check

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture(scope="session")
def new_database(postgres: Server) -> Callable[[], str]:
    """The URL of a database that holds nothing yet."""
    return postgres.new_database


def test_a_measure_of_a_run_is_one_row_below_the_view(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with store.read() as connection:
        lists = connection.execute(text("SELECT count(*) FROM value_list")).scalar_one()
    assert lists == len(dump(store)["aggregate"])
    assert len(dump(store)["measurement"]) == 3 * lists  # three queries are judged


def test_a_list_has_as_many_values_as_queries(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    shorter = "UPDATE value_list SET query_values = query_values[2:]"
    with pytest.raises(StoreError, match="ck_value_list_lengths"), store.write() as connection:
        connection.execute(text(shorter))


def test_the_documents_of_a_query_are_one_row_below_the_views(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with store.read() as connection:
        for table in ("retrieved_list", "hit_list"):
            query = text(f"SELECT count(*), count(DISTINCT query_id) FROM {table}")
            assert connection.execute(query).one() == (3, 3)
    assert len(dump(store)["retrieved"]) == sum(map(len, BM25.values()))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE hit_list SET docnos = docnos[2:]",
        "UPDATE hit_list SET grades = grades || 1.0",
        "UPDATE hit_list SET scores = '{}'",
        "UPDATE retrieved_list SET docnos = docnos[2:]",
        "UPDATE retrieved_list SET ranks = ranks || 9",
    ],
)
def test_the_lists_of_documents_are_equally_long(store: Store, tmp_path: Path, change: str) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with pytest.raises(StoreError, match="_list_lengths"), store.write() as connection:
        connection.execute(text(change))


ODD = ["NULL", "", "a,b", '"', "\\", "{x}", "\t", "ü\u202e", "'; DROP", "7" * 3000]


@pytest.mark.parametrize("by_columns", [True, False])
def test_a_document_in_a_list_has_the_id_that_was_given(
    store: Store, tmp_path: Path, by_columns: bool
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    table = models.table(models.Retrieved)
    same = {"content_id": 1}
    queries, ranks = np.repeat([1, 2], len(ODD)), np.tile(np.arange(1, len(ODD) + 1), 2)
    with store.write() as connection:
        connection.execute(text("DELETE FROM retrieved_list"))
        if by_columns:
            docnos = pa.array([docno.encode() for docno in [*ODD, *ODD[::-1]]], pa.binary())
            columns: dict[str, Column] = {
                **{"query_id": queries, "rank": ranks, "docno": docnos},
                "score": ranks / 3,
            }
            insert_columns(connection, table, columns, same)
        else:
            numbers = [values.tolist() for values in (queries, ranks, ranks / 3)]
            rows = zip(*numbers[:2], [*ODD, *ODD[::-1]], numbers[2], strict=True)
            bulk_insert(connection, table, ("query_id", "rank", "docno", "score"), rows, same)
    assert dump(store)["retrieved"] == sorted(
        [
            (1, query, rank, docno, rank / 3)
            for query, docnos in ((1, ODD), (2, ODD[::-1]))
            for rank, docno in enumerate(docnos, 1)
        ],
        key=repr,
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            "UPDATE hit_list SET ranks = ranks || ranks, docnos = docnos || docnos, "
            "grades = grades || grades, scores = scores || scores WHERE query_id = 1",
            "the hits of 1 queries are not the relevant documents",
        ),
        (
            "UPDATE retrieved_list SET ranks = ranks || ranks, docnos = docnos || docnos, "
            "scores = scores || scores WHERE query_id = 1",
            "query 'q1' has 6 rows in retrieved, where",
        ),
        (
            "UPDATE value_list SET query_ids = query_ids || query_ids[1], "
            "query_values = query_values || query_values[1] WHERE measure_id = 1",
            "query 'q1' has several values",
        ),
    ],
)
def test_what_is_twice_in_a_list_is_named(
    store: Store, tmp_path: Path, change: str, problem: str
) -> None:
    """A key of the table would refuse it."""
    add(store, tmp_path, write_run(tmp_path))
    with store.write() as connection:
        connection.execute(text(change))
    problems = db_check(store).problems
    assert any(problem in line for line in problems), problems


def test_the_server_expects_many_values_in_a_list(store: Store, tmp_path: Path) -> None:
    """Expecting 10 it joins the values of two runs by a loop, which takes minutes for thousands."""
    add(store, tmp_path, write_run(tmp_path))
    add(store, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    with store.read() as connection:
        query = "EXPLAIN SELECT * FROM measurement WHERE evaluation_id = 1 AND measure_id = 1"
        plan = [row[0] for row in connection.execute(text(query))]
    assert ["rows=1000 " in line for line in plan if "Function Scan" in line] == [True]


def test_who_could_read_the_tables_can_read_the_views(postgres: Server) -> None:
    url, role = postgres.new_database(), f"reader_of_{os.getpid()}"
    restored("0006", url)
    engine = database.make_engine(url)
    with database.writing(engine) as connection:
        connection.execute(text(f"CREATE ROLE {role}"))
        for table in LISTS:
            connection.execute(text(f"GRANT SELECT ON {table} TO {role}"))
    try:
        schema.upgrade(engine)
        with database.writing(engine) as connection:
            connection.execute(text(f"SET LOCAL ROLE {role}"))
            for table in LISTS:
                query = text(f"SELECT count(*) FROM {table}")
                assert connection.execute(query).scalar_one() > 0
    finally:
        with database.writing(engine) as connection:
            connection.execute(text(f"DROP OWNED BY {role}; DROP ROLE {role}"))
        engine.dispose()


@pytest.mark.parametrize("name", LISTS)
def test_the_view_that_a_restricted_reader_has_is_that_of_the_store(
    store: Store, name: str
) -> None:
    """One is made by `postgres_restricted`, the other one by the migrations."""
    with store.write() as connection:
        connection.execute(text(f"CREATE TEMPORARY VIEW as_written AS {LISTS[name].query}"))
        written, stored = (
            connection.execute(text(f"SELECT pg_get_viewdef('{view}'::regclass)")).scalar_one()
            for view in ("pg_temp.as_written", name)
        )
    assert written == stored
