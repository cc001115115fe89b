"""Addresses that are too long for servers: shown under the short one of a saved view."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json, find

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.components.copy_link import LONGEST, link_to, short_address
from evalstore.catalog.links import save_view
from evalstore.store import Store
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.events import list_views

SQL = f"SELECT run FROM leaderboard WHERE measure = 'AP' -- {'x' * LONGEST}"
LONG = Address("sql").changed(s=SQL)


def test_a_long_address_is_shown_with_a_short_one_beside_it(store: Store, app: Browserless) -> None:
    answer = app.page(LONG.href)
    short = answer["rendered"]["data"]["short"]
    assert short == f"/v/{save_view(store, LONG.href)}"
    assert find(answer["page"]["children"], "sql-statement")["value"] == SQL


def test_the_short_address_shows_the_view_itself_and_its_files(
    store: Store, app: Browserless
) -> None:
    short = short_address(store, LONG)
    assert short is not None
    answer = app.page(short)
    assert (
        answer["rendered"]["data"] | {"href": LONG.href, "asked": short, "short": short}
        == (answer["rendered"]["data"])
    )
    assert find(answer["page"]["children"], "sql-statement")["value"] == SQL
    rows = app.client.get(f"/export{short}/rows.csv").text.splitlines()
    assert rows[0] == "run"
    assert {"bm25", "tfidf"} <= set(rows)


def test_a_choice_on_such_a_page_changes_parts_only_and_has_a_short_address_too(
    store: Store, app: Browserless
) -> None:
    short = short_address(store, LONG)
    assert short is not None
    before = app.page(short)["rendered"]["data"]
    changed = LONG.changed(chart="bar")
    after = app.go(changed.href, before)
    assert "page" not in after
    assert after["rendered"]["data"]["short"] == short_address(store, changed) != short
    # Back at an address that needs none, the short one is gone.
    plain = app.go("/sql?s=SELECT%201", after["rendered"]["data"])
    assert plain["rendered"]["data"]["short"] is None


def test_a_file_of_a_saved_view_that_is_not_long_is_at_its_own_address(
    store: Store, app: Browserless
) -> None:
    key = save_view(store, "/sql?s=SELECT%201")
    answer = app.client.get(f"/export/v/{key}/rows.csv")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/export/sql/rows.csv?s=SELECT%201"
    assert app.client.get("/export/v/zzzz/rows.csv").status_code == 404


def refuse_views(file: Path) -> None:
    """Let the database refuse new saved views, as it does for a role that may only read."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON saved_view "
            "BEGIN SELECT RAISE(ABORT, 'attempt to write a readonly database'); END"
        )


@pytest.mark.parametrize("before", [None, "/sql?s=SELECT%201"], ids=["opened", "run"])
def test_where_nothing_can_be_saved_the_view_is_shown_and_a_sentence_says_so(
    tmp_path: Path, before: str | None
) -> None:
    with sample_stores.main(tmp_path) as store:
        assert store.file is not None
        refuse_views(store.file)
        app = Browserless(create_app(store).server.test_client())
        on_screen = None if before is None else app.page(before)["rendered"]["data"]
        answer = app.go(LONG.href, on_screen)
        copied = link_to(store, LONG.path, LONG.search)
    assert answer["rendered"]["data"]["short"] is None
    assert "can't be saved in this store" in answer["rendered"]["data"]["note"]
    assert "bm25" in as_json(answer)
    assert copied["href"] == LONG.href
    assert "can't be saved" in copied["note"]


def test_who_may_read_some_collections_only_saves_nothing_and_is_told(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        store.allow_restriction()
        with store.read() as connection:
            [small] = (row.id for row in list_collections(connection) if row.name == "small")
        reader = store.restricted_to([small])
        app = Browserless(create_app(store, store_of_request=lambda: reader).server.test_client())
        answer = app.page(LONG.href)
        with store.read() as connection:
            assert list_views(connection) == []
    assert "can't be saved in this store" in answer["rendered"]["data"]["note"]
    assert "bm25" in as_json(answer)


def test_a_view_that_is_saved_or_needs_no_short_address_has_no_note(app: Browserless) -> None:
    for address in (LONG.href, "/sql?s=SELECT%201"):
        assert app.page(address)["rendered"]["data"]["note"] is None


def test_a_short_address_has_none_beside_it(store: Store) -> None:
    assert short_address(store, Address("leaderboard", "small")) is None
