"""Copy link and the Export menu: what they give for the view on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json, text_of
from changed_runs import rename_run

from dashboard.app import create_app
from dashboard.components.copy_link import LONG, link_to
from evalstore.catalog.links import find_linked_runs, save_view
from evalstore.catalog.runs import remove_runs
from evalstore.errors import StoreError
from evalstore.store import Store

COMPARE = "/c/small/compare?runs=bm25,tfidf&base=tfidf"


def hash_of(store: Store, run: str) -> str:
    [linked] = find_linked_runs(store, "small", [run]).runs
    return linked.content_hash


def linked(store: Store, address: str) -> str:
    path, mark, search = address.partition("?")
    return link_to(store, path, mark + search)["href"]


def test_a_link_has_the_hashes_of_its_runs(store: Store) -> None:
    bm25, tfidf = (f"{run}~{hash_of(store, run)[:8]}" for run in ("bm25", "tfidf"))
    assert linked(store, COMPARE) == f"/c/small/compare?runs={bm25},{tfidf}&base={tfidf}"
    assert linked(store, "/c/small/run/bm25") == f"/c/small/run/{bm25}"


@pytest.mark.parametrize(
    "address", ["/", "/measures/AP", "/c/small?m=AP", "/c/nothing?runs=a", "/c/small?runs=nobody"]
)
def test_without_stored_runs_the_link_is_the_address(store: Store, address: str) -> None:
    assert linked(store, address) == address


def test_a_link_with_the_right_hashes_leads_to_the_names(store: Store, app: Browserless) -> None:
    assert app.page(linked(store, COMPARE)) == {"redirect": {"data": COMPARE}}


def test_a_hash_of_another_run_says_what_became_of_the_link(app: Browserless) -> None:
    text = app.text("/c/small/compare?runs=bm25~00000000,tfidf")
    assert "has other content" in text
    assert "Compare" not in app.page("/c/small/compare?runs=bm25~00000000,tfidf")["title"]["data"]


def test_a_renamed_or_removed_run_of_a_link_is_found(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        link = linked(store, COMPARE)
        rename_run(store, "tfidf", "vectors")
        [redirect] = app.page(link).values()
        assert redirect["data"] == "/c/small/compare?runs=bm25,vectors&base=vectors"
        remove_runs(store, ["vectors"])
        assert "was removed on 20" in app.text(link)


def test_a_name_that_looks_like_a_hash_stays_a_name(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        rename_run(store, "bm25", "bm25~00000000")
        address = "/c/small/compare?runs=bm25~00000000,tfidf"
        assert "redirect" not in app.page(address)
        assert app.page(linked(store, address)) == {"redirect": {"data": address}}


def test_a_long_address_is_saved_and_leads_back(store: Store, app: Browserless) -> None:
    sql = f"/sql?s=SELECT%201%20--%20{'x' * LONG}"
    link = link_to(store, *sql.replace("?", " ?").split())
    assert link["href"].startswith("/v/")
    assert len(link["href"]) < 20
    assert app.page(link["href"]) == {"redirect": {"data": sql}}
    assert linked(store, sql) == link["href"]


def test_a_file_of_a_saved_view_is_at_its_own_address(store: Store, app: Browserless) -> None:
    key = save_view(store, "/sql?s=SELECT%201")
    answer = app.client.get(f"/export/v/{key}/rows.csv")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/export/sql/rows.csv?s=SELECT%201"
    assert app.client.get("/export/v/zzzz/rows.csv").status_code == 404


def test_where_nothing_can_be_saved_the_link_stays_long(
    store: Store,
) -> None:
    def fail(*_: object) -> str:
        raise StoreError("read-only")

    link = link_to(store, "/sql", f"?s={'x' * LONG}", fail)
    assert link["href"] == f"/sql?s={'x' * LONG}"
    assert "can't be saved" in link["note"]


def test_what_no_page_opens_is_not_saved(store: Store) -> None:
    search = f"?runs={','.join(f'run-{number}' for number in range(301))}"
    link = link_to(store, "/c/small/compare", search)
    assert link["href"] == f"/c/small/compare{search}"
    assert link["note"] == "“runs” has more than 300 values, the most that are shown."


def test_the_button_answers_each_click(app: Browserless) -> None:
    for click in (1, 2):
        answer = app.call(
            "link.data", copy_link=click, url__pathname="/c/small", url__search="?m=AP"
        )
        assert answer["link"]["data"] == {
            "href": "/c/small?m=AP",
            "note": "",
            "click": click,
            "mayName": True,
        }


def test_another_site_can_not_make_a_browser_save_a_view(app: Browserless) -> None:
    """A form of another site sends no JSON."""
    answer = app.client.post("/_dash-update-component", data={"output": "link.data"})
    assert answer.status_code >= 400


def test_the_export_menu_lists_the_files_of_the_page_by_kind(app: Browserless) -> None:
    children = app.page(COMPARE)["exports"]["children"]
    text = text_of(children)
    words = ("Tables", "queries.csv", "Figures", "differences.svg", "This page", "report.html")
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    menu = as_json(children)
    assert "/export/c/small/compare/queries.csv?runs=bm25,tfidf&base=tfidf" in menu


@pytest.mark.parametrize("address", ["/nowhere", "/c/small/compare?runs=nobody"])
def test_without_files_a_pale_export_keeps_the_place(app: Browserless, address: str) -> None:
    exports = app.page(address)["exports"]["children"]
    assert exports["props"]["disabled"]
    assert exports["props"]["title"] == "This page has no files"
