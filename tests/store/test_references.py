"""A row never refers to a row that does not exist, and goes with the row that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from databases import both_databases
from samples import BM25, TFIDF, Filled, add, dump, write_run
from sqlalchemy import Connection, delete, text

from evalstore.errors import StoreError
from evalstore.store import Store, models
from evalstore.store.dialects import dialect_of
from evalstore.store.dialects.sqlite import WITHOUT_FOREIGN_KEYS
from evalstore.store.queries.evaluations import ensure_measures, insert_values
from evalstore.store.queries.runs import delete_run
from evalstore.store.rows import bulk_insert, insert_columns
from evalstore.transfer.db_check import db_check

NOWHERE = 4711
FIRST = {
    "content": "(SELECT min(id) FROM content)",
    "query": "(SELECT min(id) FROM query)",
    "evaluation": "(SELECT min(id) FROM evaluation)",
    "measure": "(SELECT min(id) FROM measure)",
}
ROWS = {
    "ranking": (
        "(content_id, query_id, retrieved, packed) VALUES ({content}, {query}, 1, '')",
        "content query",
    ),
    "retrieved": (
        "(content_id, query_id, rank, docno, score) VALUES ({content}, {query}, 99, 'd', 1)",
        "content query",
    ),
    "hit": (
        "(evaluation_id, query_id, rank, docno, grade, score) "
        "VALUES ({evaluation}, {query}, 99, 'd', 1, 1)",
        "evaluation query",
    ),
    "measurement": (
        "(evaluation_id, measure_id, query_id, value) VALUES ({evaluation}, {measure}, {query}, 1)",
        "evaluation measure query",
    ),
    "aggregate": (
        "(evaluation_id, measure_id, value, queries) VALUES ({evaluation}, {measure}, 1, 1)",
        "evaluation measure",
    ),
}
LISTS = {
    "measurement": (
        "value_list (evaluation_id, measure_id, query_ids, query_values) "
        "VALUES ({evaluation}, {measure}, ARRAY[{query}], ARRAY[1]) "
        "ON CONFLICT (evaluation_id, measure_id) "
        "DO UPDATE SET query_ids = excluded.query_ids, query_values = excluded.query_values"
    ),
    "retrieved": (
        "retrieved_list (content_id, query_id, ranks, docnos, scores) "
        "VALUES ({content}, {query}, ARRAY[99], ARRAY['d'], ARRAY[1]) "
        "ON CONFLICT (content_id, query_id) DO UPDATE "
        "SET ranks = excluded.ranks, docnos = excluded.docnos, scores = excluded.scores"
    ),
    "hit": (
        "hit_list (evaluation_id, query_id, ranks, docnos, grades, scores) "
        "VALUES ({evaluation}, {query}, ARRAY[99], ARRAY['d'], ARRAY[1], ARRAY[1]) "
        "ON CONFLICT (evaluation_id, query_id) DO UPDATE SET ranks = excluded.ranks, "
        "docnos = excluded.docnos, grades = excluded.grades, scores = excluded.scores"
    ),
}
"""What PostgreSQL has below views."""

REFUSED = r"(?i)foreign key|does not exist|belongs to no"

MANY = {
    "retrieved": ("content_id", {"rank": [98, 99], "docno": ["d", "e"], "score": [1.0, 2.0]}),
    "hit": (
        "evaluation_id",
        {"rank": [98, 99], "docno": ["d", "e"], "grade": [1.0, 1.0], "score": [1.0, 2.0]},
    ),
}
"""Tables that evalstore writes many rows of at once: the column that these share, and others."""


def inserting(store: Store, table: str, **ids: object) -> str:
    """An INSERT of a row that refers to the first rows of other tables, but for these ids."""
    if table in LISTS and store.engine.dialect.name == "postgresql":
        return f"INSERT INTO {LISTS[table].format_map({**FIRST, **ids})}"
    return f"INSERT INTO {table} {ROWS[table][0].format_map({**FIRST, **ids})}"


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder))
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def two_runs(copied: Filled) -> Store:
    return copied(fill)


def refers_to_nothing(store: Store, work: Callable[[Connection], object]) -> None:
    """What this work adds is refused, and nothing changes."""
    before = dump(store)
    with (
        pytest.raises(StoreError, match=REFUSED),
        store.write() as connection,
    ):
        work(connection)
    assert dump(store) == before


PAIRS = [(table, one) for table in ROWS for one in ROWS[table][1].split()]


@pytest.mark.parametrize(("table", "parent"), PAIRS)
@both_databases
def test_a_row_that_refers_to_nothing_is_refused(two_runs: Store, table: str, parent: str) -> None:
    statement = text(inserting(two_runs, table, **{parent: NOWHERE}))
    if two_runs.file is not None and table in WITHOUT_FOREIGN_KEYS:
        with two_runs.write() as connection:
            connection.execute(statement)  # by another program than evalstore
        problem = f"rows of {table} that refer to no row of {parent}: 1"
        assert problem in db_check(two_runs).problems
    else:
        refers_to_nothing(two_runs, lambda connection: connection.execute(statement))


@pytest.mark.parametrize("nowhere", ["first", "second", "same"])
@pytest.mark.parametrize("table", MANY)
@both_databases
def test_many_rows_that_refer_to_nothing_are_refused(
    two_runs: Store, table: str, nowhere: str
) -> None:
    same, others = MANY[table]
    with two_runs.read() as connection:
        query = connection.execute(text("SELECT min(id) FROM query")).scalar_one()
        shared = connection.execute(text(f"SELECT min({same}) FROM {table}")).scalar_one()
    ids = [NOWHERE if nowhere == place else query for place in ("first", "second")]
    numbers = {same: NOWHERE if nowhere == "same" else shared}
    target = models.Base.metadata.tables[table]
    columns: dict[str, pa.Array | np.ndarray] = {"query_id": np.array(ids)}
    for name, values in others.items():
        columns[name] = pa.array(values) if name == "docno" else np.array(values)

    def insert(connection: Connection, add: Callable[[], None]) -> None:
        connection.execute(delete(dialect_of(connection).base_table(target)))
        add()

    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    refers_to_nothing(
        two_runs, lambda c: insert(c, lambda: insert_columns(c, target, columns, numbers))
    )
    refers_to_nothing(
        two_runs, lambda c: insert(c, lambda: bulk_insert(c, target, [*columns], rows, numbers))
    )


@pytest.mark.parametrize("nowhere", ["evaluation", "measure", "query"])
@both_databases
def test_values_that_refer_to_nothing_are_refused(two_runs: Store, nowhere: str) -> None:
    with two_runs.write() as connection:
        first = {
            table: int(connection.execute(text(f"SELECT min(id) FROM {table}")).scalar_one())
            for table in ("evaluation", "query")
        }
        first["measure"] = ensure_measures(connection, {"new": ("new", 1, "mean")})["new"]
    first[nowhere] = NOWHERE
    values = {first["measure"]: np.array([1.0])}
    queries = np.array([first["query"]])
    refers_to_nothing(two_runs, lambda c: insert_values(c, first["evaluation"], queries, values))


@pytest.mark.parametrize("table", ["retrieved", "hit"])
@both_databases
def test_a_row_is_not_changed_to_refer_to_nothing(two_runs: Store, table: str) -> None:
    name = table if two_runs.file is not None else LISTS[table].split()[0]
    statement = text(f"UPDATE {name} SET query_id = query_id + {NOWHERE}")
    refers_to_nothing(two_runs, lambda connection: connection.execute(statement))


@both_databases
def test_a_row_that_refers_to_rows_is_taken(two_runs: Store) -> None:
    with two_runs.write() as connection:
        for table in ("retrieved", "hit"):
            connection.execute(text(inserting(two_runs, table)))


@pytest.mark.parametrize("parent", ["content", "evaluation", "query", "collection", "qrels"])
@both_databases
def test_what_belongs_to_a_row_goes_with_it(two_runs: Store, parent: str) -> None:
    before = dump(two_runs)
    belonging = {
        "content": (
            *("run", "ranking", "retrieved", "evaluation", "hit", "measurement", "aggregate"),
        ),
        "qrels": ("evaluation", "hit", "measurement", "aggregate", "judgment"),
        "evaluation": ("hit", "measurement", "aggregate"),
        "query": ("ranking", "retrieved", "hit", "judgment"),
        "collection": (
            *("content", "run", "query", "ranking", "retrieved", "hit", "measurement"),
            "aggregate",
        ),
    }[parent]
    assert all(before[table] for table in belonging)
    with two_runs.write() as connection:
        connection.execute(text(f"DELETE FROM {parent}"))
    after = dump(two_runs)
    assert {table: after[table] for table in belonging} == {table: [] for table in belonging}


@both_databases
def test_what_belongs_to_other_rows_stays(two_runs: Store) -> None:
    with two_runs.write() as connection:
        run_id = connection.execute(text("SELECT id FROM run WHERE name = 'tfidf'")).scalar_one()
        assert not delete_run(connection, run_id)
    assert db_check(two_runs).problems == ()
    (content,) = dump(two_runs)["content"]
    assert {row[0] for row in dump(two_runs)["retrieved"]} == {content[0]}
    assert len(dump(two_runs)["retrieved"]) == sum(map(len, BM25.values()))
