"""Who may write into a collection is offered to add runs there; nobody else is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import Team
from browserless import Browserless, text_of
from flask.testing import FlaskClient
from sending import run_file, sha256, working
from team_server import PASSWORD, URL
from two_collections import OPEN, PRIVATE, id_of, markers_in

from evalstore.server.people.accounts import add_person, remove_account
from evalstore.server.people.rights import Role
from evalstore.store.models import collection_t
from evalstore.store.rows import change_row

pytestmark = pytest.mark.slow  # many logins

UPLOAD = f"/c/{OPEN}/upload"
PLACES = ("/", f"/c/{OPEN}")


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


def shown(browser: FlaskClient, address: str) -> str:
    """The text of a page."""
    body: Any = Browserless(browser).page(address)["page"]["children"]
    return text_of(body)


def test_the_link_is_there_for_who_may_write_alone(browser: FlaskClient, role: Role) -> None:
    for address in PLACES:
        assert ("Add runs" in shown(browser, address)) is (role == "contributor")


def test_the_page_is_there_for_who_may_write_alone(browser: FlaskClient, role: Role) -> None:
    may = role == "contributor"
    assert (f"Add to {OPEN}" in shown(browser, UPLOAD)) is may
    assert ("can't be added here" in shown(browser, UPLOAD)) is not may


def test_the_page_of_a_collection_that_one_may_not_know_of_is_as_of_none(
    browser: FlaskClient,
) -> None:
    hidden, none = (shown(browser, f"/c/{name}/upload") for name in (PRIVATE, "qqqqqqqq"))
    assert markers_in(hidden.replace(PRIVATE, "")) == []
    assert hidden.replace(PRIVATE, "qqqqqqqq") == none


def test_a_visitor_of_a_public_collection_is_offered_nothing(api: Team) -> None:
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="public")
    visitor = api.reader.served.new_browser()
    assert "Add runs" not in shown(visitor, f"/c/{OPEN}")
    assert "can't be added here" in shown(visitor, UPLOAD)
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="store")


def test_a_browser_sends_with_its_session_from_pages_of_this_server_alone(
    api: Team, browser: FlaskClient, role: Role
) -> None:
    content = run_file(f"by-{role}-{api.store.url_shown}")
    at = f"/api/v1/collections/{OPEN}"
    blob = f"{at}/blobs/sha256:{sha256(content)}"
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert browser.put(blob, base_url=URL, data=content, headers=foreign).status_code == 403
    own = {"Origin": URL, "Sec-Fetch-Site": "same-origin"}
    sent = browser.put(blob, base_url=URL, data=content, headers=own)
    assert sent.status_code == (201 if role == "contributor" else 403)
    body = {"blob": f"sha256:{sha256(content)}", "file": "mine.run"}
    assert browser.post(f"{at}/runs", base_url=URL, json=body, headers=foreign).status_code == 403
    with working(api.store):
        stored = browser.post(f"{at}/runs", base_url=URL, json=body, headers=own)
    assert stored.status_code == (201 if role == "contributor" else 403), stored.text
