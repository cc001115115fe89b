"""An app whose requests read different parts of a store: nobody is shown what they may not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import two_collections
from browserless import Browserless, as_json, find, text_of
from pages_of_two_collections import ADDRESSES, FILES, PAIR
from two_collections import OPEN, PRIVATE, markers_in

from dashboard.app import create_app
from dashboard.pages import PAGES
from evalstore.store import Store
from evalstore.store.database import make_engine


class Untouched(Store):
    """A store that nothing may read."""

    def __init__(self) -> None:
        super().__init__(make_engine("nowhere.db"))

    def _fail(self, *_: object) -> NoReturn:
        raise AssertionError("the store of all was read")

    read = write = transact = query = state = restricted_to = _fail  # type: ignore[assignment]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("two")
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        two_collections.fill(store, folder)
        yield store


@pytest.fixture(scope="module")
def store(whole: Store) -> Store:
    return two_collections.restricted(whole)


@pytest.fixture(scope="module")
def app(store: Store) -> Browserless:
    """An app that has no other store than the restricted one."""
    made = create_app(Untouched(), store_of_request=lambda: store)
    return Browserless(made.server.test_client())


def board_key(app: Browserless, address: str) -> Any:
    return find(app.follow(address)["page"]["children"], "board-rows")["data"]


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_shows_nothing_of_another_collection(app: Browserless, address: str) -> None:
    asked = markers_in(address)
    for scheme in ("light", "dark"):
        answer = app.page(address, scheme)
        while "redirect" in answer:
            answer = app.page(answer["redirect"]["data"], scheme)
        assert [marker for marker in markers_in(as_json(answer)) if marker not in asked] == []


@pytest.mark.slow
@pytest.mark.parametrize("address", FILES)
def test_a_file_shows_nothing_of_another_collection(app: Browserless, address: str) -> None:
    answer = app.client.get(address)
    assert answer.status_code == 200, answer.text
    assert markers_in(answer.get_data().decode("latin-1")) == []


def test_every_page_with_files_is_tried() -> None:
    assert len(FILES) == sum(len(page.files) for page in PAGES)


def test_rows_and_claims_of_the_board_and_links_are_of_the_store_of_the_request(
    app: Browserless,
) -> None:
    key = board_key(app, f"/c/{OPEN}?m=AP,nDCG@10")
    block = {"startRow": 0, "endRow": 100, "filterModel": {}, "sortModel": []}
    rows = app.call("board-grid.getRowsResponse", board_grid=block, board_rows=key)
    assert rows["board-grid"]["getRowsResponse"]["rowCount"] == 4 - 1  # the baseline is pinned
    claims = app.call("board-claims.data", board_rows=key)
    link = app.call(
        "link.data", copy_link=1, url__pathname=f"/c/{OPEN}/compare", url__search=f"?{PAIR}"
    )
    assert "bm25~" in link["link"]["data"]["href"]
    key = {"href": f"/c/{OPEN}/judgments?cell=1,none"}
    boards = app.call("judgments-boards.children", judgments_key=key)
    assert markers_in(as_json([rows, claims, link, boards])) == []


def test_news_are_those_of_the_store_of_the_request(app: Browserless) -> None:
    answer = app.call("home-answer.children", last_visit="2020-01-01T00:00:00.000Z")
    assert f"in {OPEN}" in text_of(answer["home-answer"]["children"])
    assert markers_in(as_json(answer)) == []


@pytest.mark.parametrize("keep", [f"/c/{OPEN}", f"/c/{PRIVATE}", None])
def test_a_search_finds_nothing_of_another_collection(app: Browserless, keep: str | None) -> None:
    def found(text: str) -> str:
        asked = {"text": text, "commands": [], "number": 1}
        return as_json(
            app.call("search-results.children", search_asked=asked, rendered={"keep": keep})
        )

    for text in ("", "e", "q1", "q4", "bm25", "k1", "query", "both", "zanzi", "17"):
        assert markers_in(found(text)) == [], text
    for text in ("zanzi", "zanzi-docno"):
        assert "Nothing matches" in found(text)
    assert f"/c/{OPEN}/query/q1" in found("plain query")
    assert f"/c/{OPEN}/run/bm25" in found("bm25")


def test_nobody_comments_or_names_views_where_nothing_can_be_written(app: Browserless) -> None:
    for collection in (OPEN, PRIVATE):
        path = f"/c/{collection}/run/bm25"
        answer = app.call(
            "comment-written.data", comment_send=1, comment_text="x", url__pathname=path
        )
        problem = {"problem": "You may not comment here.", "click": 1}
        assert answer["comment-written"]["data"] == problem
        given = {"view_name": {"name": "x", "at": 1}, "url__pathname": f"/c/{collection}"}
        saved = app.call("view-saved.data", **given)["view-saved"]["data"]
        assert saved == {"note": "You may not save views with names here.", "at": 1}


def test_no_callback_is_left_out_of_these_tests(app: Browserless) -> None:
    callbacks = app.client.get("/_dash-dependencies").get_json()
    on_server = [each["output"] for each in callbacks if not each["clientside_function"]]
    # The page, rows, claims, a link, new runs, the search, a comment, a named view, two qrels.
    assert len(on_server) == 9, on_server


def test_a_private_collection_is_answered_as_one_that_does_not_exist(app: Browserless) -> None:
    for path in ("/c/{}", "/c/{}/compare?runs=bm25", "/c/{}/run/bm25", "/c/{}/queries"):
        private = as_json(app.page(path.format(PRIVATE)))
        missing = as_json(app.page(path.format("nowherex")))
        assert private.replace(PRIVATE, "nowherex") == missing


def test_a_file_of_a_private_collection_is_answered_as_one_that_does_not_exist(
    app: Browserless,
) -> None:
    private = app.client.get(f"/export/c/{PRIVATE}/leaderboard.csv")
    missing = app.client.get("/export/c/nowherex/leaderboard.csv")
    assert private.status_code == missing.status_code == 404
    assert private.text.replace(PRIVATE, "nowherex") == missing.text


def test_a_long_link_is_not_saved_where_nothing_can_be_written(app: Browserless) -> None:
    search = f"?{PAIR}&query={'q' * 2000}"
    link = app.call(
        "link.data", copy_link=1, url__pathname=f"/c/{OPEN}/compare", url__search=search
    )
    assert "can't be saved" in link["link"]["data"]["note"]


def test_health_is_of_the_store_of_the_request(app: Browserless) -> None:
    assert app.client.get("/healthz").get_json() == {"status": "ok"}


def test_an_answer_that_is_kept_is_not_given_to_who_may_read_something_else(whole: Store) -> None:
    parts = {"all": whole, "some": two_collections.restricted(whole)}
    who = "all"
    made = create_app(Untouched(), store_of_request=lambda: parts[who])
    app = Browserless(made.server.test_client())
    for who in ("all", "some", "all", "some"):
        assert (PRIVATE in as_json(app.page("/"))) == (who == "all")
