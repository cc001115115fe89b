"""Addresses that are too long for servers: shown under the short one of a saved view."""

from __future__ import annotations

from browserless import Browserless, find

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.saved_views import LONGEST, short_address
from evalstore.errors import StoreError
from evalstore.store import Store
from evalstore.usecases.saved_views import save_view

SQL = f"SELECT run FROM leaderboard WHERE measure = 'AP' -- {'x' * LONGEST}"
LONG = Address("sql").changed(s=SQL)


def test_a_long_address_is_shown_with_a_short_one_beside_it(store: Store, app: Browserless) -> None:
    shown = app.page(LONG.href)
    short = shown["rendered"]["data"]["short"]
    assert short == f"/v/{save_view(store, LONG.href)}"
    assert find(shown["page"]["children"], "sql-statement")["value"] == SQL


def test_the_short_address_shows_the_view_itself_and_its_files(
    store: Store, app: Browserless
) -> None:
    short = short_address(store, LONG)
    assert short is not None
    shown = app.page(short)
    assert (
        shown["rendered"]["data"] | {"href": LONG.href, "asked": short, "short": short}
        == (shown["rendered"]["data"])
    )
    assert find(shown["page"]["children"], "sql-statement")["value"] == SQL
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


def test_where_nothing_can_be_saved_the_long_address_stays(
    store: Store,
) -> None:
    def refuse(*_: object) -> str:
        raise StoreError("read-only")

    app = Browserless(create_app(store, save=refuse).server.test_client())
    shown = app.page(LONG.changed(y="none").href)
    assert shown["rendered"]["data"]["short"] is None
    assert find(shown["page"]["children"], "sql-statement")["value"] == SQL


def test_a_short_address_has_none_beside_it(store: Store) -> None:
    assert short_address(store, Address("leaderboard", "small")) is None
