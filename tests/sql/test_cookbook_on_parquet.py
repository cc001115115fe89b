"""DuckDB answers the cookbook over the exported Parquet files as the store answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from nightly import one_in

from evalstore.formats.tables.parquet import TABLES
from evalstore.sql.ask import Answer, ask
from evalstore.sql.cookbook import questions
from evalstore.store import Store, views
from evalstore.transfer.export_parquet import export_parquet

pytestmark = pytest.mark.slow  # every question is asked

RECIPES = {question.title: question.sql for question in questions()}


@pytest.fixture(scope="module")
def folder(opened: Callable[[str], Store], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parquet") / "a folder"
    export_parquet(opened("sqlite"), path)
    return path


@pytest.fixture(scope="module")
def connection(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connected:
        connected.execute(f"SET file_search_path = '{folder}'")
        connected.execute((folder / "views.sql").read_text())
        yield connected


def plain(value: Any) -> Any:
    """What both mean: times are text in SQLite, truth is 1, and sums differ in their last digit."""
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, str):
        return value.removesuffix(".000000")
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value


@pytest.mark.parametrize("title", one_in(3, RECIPES))
def test_duckdb_gives_the_rows_of_the_store(
    answer: Callable[[str, str], Answer], connection: duckdb.DuckDBPyConnection, title: str
) -> None:
    expected = answer("sqlite", RECIPES[title])
    found = connection.execute(RECIPES[title])
    assert tuple(column[0] for column in found.description or ()) == expected.columns
    rows = [tuple(map(plain, row)) for row in found.fetchall()]
    assert rows
    assert [tuple(v.removesuffix(".000000") if isinstance(v, str) else v for v in row)
            for row in expected.rows] == rows  # fmt: skip


@pytest.mark.parametrize("view", views.VIEWS, ids=lambda view: view.name)
def test_a_view_of_duckdb_has_the_columns_and_the_number_of_rows_of_the_stores_view(
    opened: Callable[[str], Store], connection: duckdb.DuckDBPyConnection, view: views.View
) -> None:
    top = " WHERE rank <= 10" if view.name == "retrieved_docs" else ""
    answer = connection.execute(f"SELECT * FROM {view.name} LIMIT 0")
    counted = f"SELECT count(*) FROM {view.name}{top}"
    assert [column[0] for column in answer.description or ()] == list(view.columns)
    assert connection.execute(counted).fetchall() == [
        tuple(row) for row in ask(opened("sqlite"), counted).rows
    ]


@pytest.mark.parametrize("table", TABLES)
def test_polars_and_pandas_read_every_table(folder: Path, table: str) -> None:
    by_polars = pl.scan_parquet(folder / table / "**" / "*.parquet").collect()
    by_pandas = pd.read_parquet(folder / table)
    names = TABLES[table].schema.names
    assert by_polars.columns[: len(names)] == names
    assert list(by_pandas.columns[: len(names)]) == names
    assert len(by_polars) == len(by_pandas)


def test_polars_reads_the_values_of_the_leaderboard_to_the_last_bit(
    folder: Path, opened: Callable[[str], Store]
) -> None:
    names = ["collection", "qrels", "run", "measure", "value", "spread"]
    rows = pl.read_parquet(folder / "leaderboard" / "**" / "*.parquet").select(names).rows()
    with opened("sqlite").read() as reader:
        expected = reader.exec_driver_sql(f"SELECT {', '.join(names)} FROM leaderboard").all()
    assert sorted(rows) == sorted(tuple(row) for row in expected)
