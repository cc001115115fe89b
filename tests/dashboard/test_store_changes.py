"""The database is deleted, built anew or changed by another version while the dashboard runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json
from postgres import Server
from sqlalchemy import make_url

from dashboard.app import create_app
from evalstore.store import Store
from evalstore.store.schema import HEAD

BLOCK = {"startRow": 0, "endRow": 100}
KEY = {"href": "/c/small"}


def delete(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The file of a store with the collections `small` and `other`."""
    sample_stores.main(tmp_path).close()
    return tmp_path / "main.db"


@pytest.fixture
def running(database: Path) -> Iterator[Browserless]:
    """The dashboard over it, with connections open since its first page."""
    with Store.open(f"sqlite:///{database}") as store:
        running = Browserless(create_app(store).server.test_client())
        assert "3 runs" in running.text("/c/small")
        yield running


def test_a_file_that_is_deleted_and_built_anew_is_shown_as_it_is_now(
    running: Browserless, database: Path, tmp_path: Path
) -> None:
    delete(database)
    with Store.open(f"sqlite:///{database}") as store:
        sample_stores.add(store, tmp_path, "new", {"q1": {"d1": 1}}, {"fresh": {"q1": ["d1"]}})
    assert "1 run · 1 query" in running.text("/c/new")
    answer = running.call(
        "board-grid.getRowsResponse", board_grid=BLOCK, board_rows={"href": "/c/new"}
    )
    rows = answer["board-grid"]["getRowsResponse"]["rowData"]
    assert [row["run"] for row in rows] == ["fresh"]
    assert "no collection 'small'" in running.text("/c/small")


def everything_asked(app: Browserless) -> dict[str, str]:
    """What each callback and download that reads the store answers, its lines joined."""
    answers = {
        "leaderboard": as_json(app.page("/c/small")),
        "rows": as_json(app.call("board-grid.getRowsResponse", board_grid=BLOCK, board_rows=KEY)),
        "compare page": as_json(app.page("/c/small/compare?runs=bm25,tfidf")),
        "query of the compare page": as_json(
            app.page("/c/small/compare?runs=bm25,tfidf&query=q1&open=facts")
        ),
        "leaderboard.csv": app.client.get("/export/c/small/leaderboard.csv").text,
        "queries.csv": app.client.get("/export/c/small/compare/queries.csv?runs=bm25,tfidf").text,
    }
    # A figure breaks its sentence into lines.
    return {place: answer.replace("\u2069<br>\u2068", " ") for place, answer in answers.items()}


def test_a_file_that_is_deleted_is_said_to_be_gone_in_every_place(
    running: Browserless, database: Path
) -> None:
    delete(database)
    for place, answer in everything_asked(running).items():
        assert "There is no store at the database “main”" in answer, place
        assert str(database.parent) not in answer, place
        assert "rowData" not in answer or '"rowData": []' in answer, place
    assert running.client.get("/export/c/small/leaderboard.csv").status_code == 503
    # It is back: nothing has to be started anew.
    sample_stores.main(database.parent).close()
    assert "3 runs" in running.text("/c/small")


def test_a_file_of_a_newer_evalstore_is_said_to_be_so_in_every_place(
    running: Browserless, database: Path, tmp_path: Path
) -> None:
    newer = tmp_path / "newer.db"
    with sqlite3.connect(database) as old, sqlite3.connect(newer) as new:
        old.backup(new)
        new.execute("UPDATE alembic_version SET version_num = '9999'")
    new.close()
    old.close()
    delete(database)
    newer.rename(database)
    for place, answer in everything_asked(running).items():
        assert f"schema 9999, this evalstore knows {HEAD}" in answer, place
        assert "this evalstore knows" in answer, place
        assert str(database.parent) not in answer, place


def test_what_a_driver_says_stays_in_the_terminal(
    running: Browserless, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    delete(database)
    database.write_bytes(b"SQLite format 3\0" + b"rubbish" * 500)
    for place, answer in everything_asked(running).items():
        assert "“main” is no SQLite database" in answer, place
        assert "file is not a database" not in answer, place
        assert str(database.parent) not in answer, place
    assert "is no SQLite database" in caplog.text


@pytest.mark.postgres
def test_a_postgresql_database_that_is_dropped_and_restored_is_shown_as_it_is_now(
    postgres: Server, tmp_path: Path
) -> None:
    url = postgres.new_store()
    name = make_url(url).database
    with Store.open(url) as store:
        sample_stores.add_main(store, tmp_path)
        running = Browserless(create_app(store).server.test_client())
        assert "3 runs" in running.text("/c/small")

        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
        for place, answer in everything_asked(running).items():
            assert f"“{name}” can't be read" in answer, place
            assert "postgres@" not in answer, place
            assert str(make_url(url).query.get("host", "no host")) not in answer, place

        postgres.execute(f"CREATE DATABASE {name}")
        with Store.open(url) as restored:
            sample_stores.add(
                restored, tmp_path, "new", {"q1": {"d1": 1}}, {"fresh": {"q1": ["d1"]}}
            )
        assert "1 run · 1 query" in running.text("/c/new")
    postgres.drop(url)
