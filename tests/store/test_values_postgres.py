"""What PostgreSQL alone has: the values of a measure in one row, below a view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from postgres import Server
from samples import TFIDF, add, dump, write_run
from sqlalchemy import text

from evalstore.errors import StoreError
from evalstore.store import Store, models
from evalstore.store.rows import insert_columns

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


def test_the_server_expects_many_values_in_a_list(store: Store, tmp_path: Path) -> None:
    """Expecting 10 it joins the values of two runs by a loop, which takes minutes for thousands."""
    add(store, tmp_path, write_run(tmp_path))
    add(store, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    with store.read() as connection:
        query = "EXPLAIN SELECT * FROM measurement WHERE evaluation_id = 1 AND measure_id = 1"
        plan = [row[0] for row in connection.execute(text(query))]
    assert ["rows=1000 " in line for line in plan if "Function Scan" in line] == [True]


@pytest.mark.parametrize("count", [0, 1, 20_000, 20_001, 45_000])
def test_columns_become_rows_however_many_they_are(store: Store, count: int) -> None:
    numbers = np.arange(count)
    with store.write() as connection:
        connection.execute(text("INSERT INTO collection (name, created_at) VALUES ('c', now())"))
        names = [f"ü{number % 1000 * 'x'}{number}".encode() for number in numbers]
        insert_columns(connection, models.table(models.Query), {"qid": names}, {"collection_id": 1})
    with store.read() as connection:
        stored = connection.execute(text("SELECT qid FROM query ORDER BY id")).scalars().all()
    assert [qid.encode() for qid in stored] == names
