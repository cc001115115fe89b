"""docs/parquet.md: its tables are those of the package, its examples run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import parquet_page
import polars as pl
import pytest

import evalstore as ev
from evalstore.transfer.export_parquet import NOT_CARRIED, VIEWS

ROOT = Path(__file__).parents[2]
PAGE = parquet_page.PAGE.read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the store of the example and its files in `tables`."""
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    with ev.open("evalstore.db") as store:
        store.ingest(runs=["bm25.run", "dense.run"], collection="helpdesk", qrels="qrels.txt")
        store.export_parquet("tables")
    return tmp_path


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_the_tables_of_the_package() -> None:
    assert parquet_page.markdown() == PAGE, "docs/parquet.md is out of date: run `make docs`"


def test_the_page_lists_what_is_not_carried() -> None:
    assert f"{', '.join(NOT_CARRIED)}." in PAGE


@pytest.mark.usefixtures("folder")
def test_the_example_of_duckdb_gives_the_leaderboard() -> None:
    *lines, last = next(e for e in examples() if "duckdb" in e).strip().splitlines()
    names: dict[str, Any] = {}
    code = "\n".join([*lines, f"rows = {last}.fetchall()"])
    exec(code, names)  # noqa: S102  (the example of our own page)
    names["connection"].close()
    rows = names["rows"]
    assert [(run, f"{value:.4f}") for run, value in rows] == [
        ("dense", "0.8694"),
        ("bm25", "0.8266"),
    ]  # as README.md has them


@pytest.mark.usefixtures("folder")
def test_the_example_of_polars_gives_the_values_of_every_query() -> None:
    values = pl.scan_parquet("tables/values/**/*.parquet").filter(pl.col("measure") == "AP")
    assert 'scan_parquet("tables/values/**/*.parquet").filter(polars.col("measure")' in PAGE
    means = values.group_by("run").agg(pl.col("value").mean()).sort("run").collect().rows()
    assert [(run, f"{value:.4f}") for run, value in means] == [
        ("bm25", "0.8266"),
        ("dense", "0.8694"),
    ]


def test_a_store_is_built_from_the_files_in_python(folder: Path) -> None:
    assert (folder / "tables" / VIEWS).is_file()
    with ev.open("evalstore.db") as store, ev.open("copy.db") as copy:
        assert {copied.status for copied in copy.import_parquet("tables")} == {"copied"}
        assert copy.sql("SELECT * FROM query_values ORDER BY 4, 5, 7").equals(
            store.sql("SELECT * FROM query_values ORDER BY 4, 5, 7")
        )
