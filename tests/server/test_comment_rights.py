"""Who comments and names views on the pages of a team's server, and who sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import Team
from browserless import Browserless, find, ids_in, text_of
from flask.testing import FlaskClient
from team_server import PASSWORD, URL
from two_collections import OPEN, PRIVATE, id_of, markers_in

from evalstore.catalog.links import named_views
from evalstore.server.people.accounts import add_person, remove_account
from evalstore.server.people.rights import Role
from evalstore.store.models import collection_t
from evalstore.store.rows import change_row
from evalstore.tracking.comments import run_comments

pytestmark = pytest.mark.slow  # many logins

PAGES = ("run/bm25", "query/q1")
REFUSED = {"problem": "You may not comment here.", "click": 1}


@pytest.fixture(params=["contributor", "reader"])
def role(request: pytest.FixtureRequest) -> Role:
    named: Role = request.param
    return named


@pytest.fixture
def browser(api: Team, role: Role) -> Iterator[FlaskClient]:
    """A browser of somebody who has a role in the open collection."""
    add_person(api.store, "eve", role, OPEN, PASSWORD)
    served = api.reader.served
    client = served.new_browser()
    assert served.log_in("eve", browser=client).status_code == 303
    yield client
    remove_account(api.store, "eve")


def page(browser: FlaskClient, collection: str, place: str) -> Any:
    return Browserless(browser).page(f"/c/{collection}/{place}".removesuffix("/"))["page"][
        "children"
    ]


def write(browser: FlaskClient, collection: str, place: str, **given: Any) -> dict[str, Any]:
    given = {"comment_send": 1, "comment_text": f"from {place}", **given}
    path = f"/c/{collection}/{place}"
    answer = Browserless(browser).call(
        "comment-written.data", url__pathname=path, url__search="", **given
    )
    data: dict[str, Any] = answer["comment-written"]["data"]
    return data


@pytest.mark.parametrize("place", PAGES)
def test_a_contributor_comments_and_a_reader_does_not(
    api: Team, browser: FlaskClient, role: Role, place: str
) -> None:
    answer = write(browser, OPEN, place)
    shown = page(browser, OPEN, place)
    assert ("comment-send" in ids_in(shown)) is (role == "contributor")
    assert (f"from {place}" in text_of(shown)) is (role == "contributor")
    if role == "reader":
        assert answer == REFUSED
        return
    id_ = answer["href"].rpartition("=")[2]
    said = text_of(find(shown, f"comment-{id_}")["children"])
    assert said.startswith("eve 20")
    deletion = {"changed": "comment-delete.data", "comment_delete": id_}
    assert write(browser, OPEN, place, **deletion) == {"deleted": id_}
    with api.store.read() as connection:
        events = connection.exec_driver_sql("SELECT who, action FROM event ORDER BY id").all()
    assert [tuple(event) for event in events[-2:]] == [("eve", "comment"), ("eve", "uncomment")]


def test_what_another_person_wrote_is_not_deleted(api: Team, browser: FlaskClient) -> None:
    [first] = run_comments(api.store, "bm25", OPEN)[:1]
    assert "Delete" not in text_of(find(page(browser, OPEN, "run/bm25"), f"comment-{first.id}"))
    given = {"changed": "comment-delete.data", "comment_delete": str(first.id)}
    assert "problem" in write(browser, OPEN, "run/bm25", **given)
    assert first in run_comments(api.store, "bm25", OPEN)


@pytest.mark.parametrize("place", PAGES)
def test_nobody_sees_or_writes_comments_of_a_collection_they_may_not_read(
    api: Team, browser: FlaskClient, place: str
) -> None:
    before = run_comments(api.store, "bm25", PRIVATE)
    assert before
    assert write(browser, PRIVATE, place) == write(browser, "nowherex", place) == REFUSED
    assert markers_in(text_of(page(browser, PRIVATE, place))) == markers_in(PRIVATE)
    assert run_comments(api.store, "bm25", PRIVATE) == before


def test_a_contributor_names_views_and_a_reader_does_not(
    browser: FlaskClient, role: Role, api: Team
) -> None:
    app = Browserless(browser)
    for collection, may in ((OPEN, role == "contributor"), (PRIVATE, False)):
        given = {"view_name": {"name": f"of a {role}", "at": 1}}
        path = {"url__pathname": f"/c/{collection}", "url__search": "?m=AP"}
        note = app.call("view-saved.data", **given, **path)["view-saved"]["data"]["note"]
        assert note.startswith("Saved") is may
    shown = text_of(page(browser, OPEN, ""))
    assert "a plain view" in shown
    assert (f"of a {role} by eve, 20" in shown) is (role == "contributor")
    assert ("Remove" in shown) is (role == "contributor")
    assert all(view.who != "eve" for view in named_views(api.store, PRIVATE))


def test_who_is_not_logged_in_reads_comments_of_a_public_collection_alone(api: Team) -> None:
    anyone = api.reader.served.new_browser()
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="public")
    try:
        shown = page(anyone, OPEN, "run/bm25")
        assert "a plain comment" in text_of(shown)
        assert "comment-send" not in ids_in(shown)
        assert write(anyone, OPEN, "run/bm25") == REFUSED
    finally:
        with api.store.write() as connection:
            change_row(connection, collection_t, id_of(api.store, OPEN), access="store")


def test_another_site_can_not_make_a_browser_comment(api: Team, browser: FlaskClient) -> None:
    before = run_comments(api.store, "bm25", OPEN)
    body = {"output": "comment-written.data", "inputs": [], "state": []}
    for origin in ("https://evil.example", "null"):
        answer = browser.post(
            "/_dash-update-component", json=body, base_url=URL, headers={"Origin": origin}
        )
        assert answer.status_code == 403
    assert run_comments(api.store, "bm25", OPEN) == before
