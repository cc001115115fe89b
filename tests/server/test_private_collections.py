"""A server with a private collection: who has no role in it finds nothing of it, anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from api_client import Team
from browserless import Browserless, as_json
from pages_of_two_collections import ADDRESSES, FILES, PAIR
from team_server import ADMINISTRATOR, PASSWORD, Served
from two_collections import OPEN, PRIVATE, markers_in
from ways_into_sql import MORE_NAMES, READS

from evalstore.catalog.collections import rename_collection, set_collection_access
from evalstore.server.people.accounts import add_person, grant
from evalstore.server.people.tokens import create_token
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # a server is started

WAYS = {
    "sqlite": (READS["all collections"], MORE_NAMES["sqlite"]["a table of the file"]),
    "postgres": (READS["all collections"], MORE_NAMES["postgres"]["a table of its schema"]),
}
"""Statements of which the first is answered, and the other refused.

All others are tried in tests/sql/test_restricted_sql.py, which asks a store as the server does.
"""
TABLES = [file for file in FILES if ".csv" in file]
"""The files that read the store; those with figures too are in tests/dashboard."""
STRANGERS = ("a reader of the store", "a contributor of the other collection", "a token")
"""Who may read the open collection alone."""


@pytest.fixture(scope="module")
def team(api: Team) -> Served:
    """A server over both collections, of which one is private, on the database of the test."""
    store = api.store
    add_person(store, "bob", "reader", None, PASSWORD)
    add_person(store, "evangeline", "contributor", OPEN, PASSWORD)
    add_person(store, "zoe", "reader", None, PASSWORD)
    grant(store, "zoe", "reader", PRIVATE)
    return api.reader.served


@pytest.fixture(scope="module")
def clients(team: Served) -> dict[str, Browserless]:
    """Everyone, logged in."""
    people = ("bob", "evangeline", "zoe", ADMINISTRATOR)
    browsers = {name: team.new_browser() for name in (*people, "the token")}
    for name in people:
        assert team.log_in(name, browser=browsers[name]).status_code == 303
    token = create_token(team.store, "ci", "administrator", OPEN)
    browsers["the token"].environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    named = dict(zip(STRANGERS, ("bob", "evangeline", "the token"), strict=True))
    return {
        **{who: Browserless(browsers[name]) for who, name in named.items()},
        "a reader of it": Browserless(browsers["zoe"]),
        "an administrator": Browserless(browsers[ADMINISTRATOR]),
    }


@pytest.fixture
def strangers(team: Served, clients: dict[str, Browserless]) -> list[Browserless]:
    """Who may read the open collection alone; on PostgreSQL one, as all get the same part of it."""
    all_of_them = [clients[who] for who in STRANGERS]
    return all_of_them if database_of(team) == "sqlite" else all_of_them[:1]


@pytest.mark.parametrize("who", ["a reader of it", "an administrator"])
def test_who_has_a_role_in_a_private_collection_reads_it(
    clients: dict[str, Browserless], who: str
) -> None:
    assert PRIVATE in as_json(clients[who].follow("/"))
    assert "zanzibar-derived" in as_json(clients[who].follow(f"/c/{PRIVATE}/run/zanzibar-derived"))
    assert clients[who].client.get(f"/export/c/{PRIVATE}/leaderboard.csv").status_code == 200


@pytest.mark.each_database
def test_pages_show_nothing_of_it(strangers: list[Browserless]) -> None:
    for stranger in strangers:
        for address in ADDRESSES:
            asked = markers_in(address)
            answer = as_json(stranger.follow(address))
            assert [marker for marker in markers_in(answer) if marker not in asked] == [], address


def test_files_show_nothing_of_it(strangers: list[Browserless]) -> None:
    for stranger in strangers:
        for address in TABLES:
            answer = stranger.client.get(address)
            assert answer.status_code == 200, (address, answer.text)
            assert markers_in(answer.get_data().decode("latin-1")) == [], address
    assert len(TABLES) > 5


def test_it_is_answered_as_a_collection_that_does_not_exist(strangers: list[Browserless]) -> None:
    for stranger in strangers:
        for path in ("/c/{}", "/c/{}/compare?runs=bm25", "/c/{}/run/bm25", "/c/{}/queries"):
            private = as_json(stranger.page(path.format(PRIVATE)))
            assert private.replace(PRIVATE, "nowherex") == as_json(
                stranger.page(path.format("nowherex"))
            )
            answers = [
                stranger.client.get(path.format(name), headers={"Accept": "text/html"})
                for name in (PRIVATE, "nowherex")
            ]
            assert answers[0].status_code == answers[1].status_code
            private_page, missing_page = (without_random(answer.text) for answer in answers)
            assert private_page == missing_page
        private_file, missing_file = (
            stranger.client.get(f"/export/c/{name}/leaderboard.csv")
            for name in (PRIVATE, "nowherex")
        )
        assert private_file.status_code == missing_file.status_code == 404
        assert private_file.text.replace(PRIVATE, "nowherex") == missing_file.text


def without_random(page: str) -> str:
    """A page without the random id that Dash gives each."""
    return re.sub(r'"\w*end_id":"[^"]*"', "", page)


@pytest.mark.each_database
def test_sql_tells_nothing_of_it(strangers: list[Browserless], team: Served) -> None:
    for stranger in strangers:
        for sql in WAYS[database_of(team)]:
            asked = f"s={quote(sql, safe='')}"
            assert markers_in(stranger.client.get(f"/export/sql/rows.csv?{asked}").text) == [], sql
            assert markers_in(as_json(stranger.follow(f"/sql?{asked}"))) == [], sql


@pytest.mark.each_database
def test_a_statement_that_names_it_has_no_rows(strangers: list[Browserless]) -> None:
    for stranger in strangers:
        for sql in (
            "SELECT count(*) AS n FROM collection WHERE name = 'zanzibar'",
            "SELECT count(*) AS n FROM run AS r JOIN engine AS e ON e.id = r.engine_id"
            " WHERE e.name LIKE 'zanzibar%'",
            "SELECT count(*) AS n FROM measure WHERE name = 'P@17'",
            "SELECT count(*) AS n FROM event WHERE collection = 'zanzibar'",
            "SELECT count(*) AS n FROM saved_view WHERE address LIKE '%zanzibar%'",
        ):
            answer = stranger.client.get(f"/export/sql/rows.csv?s={quote(sql, safe='')}")
            assert answer.text.split() == ["n", "0"], sql


def test_events_of_accounts_and_roles_are_shown_to_administrators_alone(
    clients: dict[str, Browserless],
) -> None:
    sql = "SELECT action, subject FROM event WHERE action IN ('account', 'role', 'token', 'server')"
    path = f"/export/sql/rows.csv?s={quote(sql, safe='')}"
    for who, asked in clients.items():
        rows = asked.client.get(path).text.splitlines()[1:]
        assert bool(rows) == (who == "an administrator"), who
        assert "evangeline" not in asked.text("/"), who  # administrators have a page of accounts


def test_the_lines_of_the_log_are_not_for_readers_but_name_who_asked(
    team: Served, clients: dict[str, Browserless]
) -> None:
    clients["a reader of the store"].client.get("/export/measures/measures.csv")
    assert '"who": "bob"' in team.log.getvalue().splitlines()[-1]


def database_of(team: Served) -> str:
    return "postgres" if team.store.file is None else "sqlite"


def test_who_is_not_logged_in_is_led_to_the_login_while_nothing_is_public(team: Served) -> None:
    for path in ("/", f"/c/{OPEN}", f"/c/{PRIVATE}", "/v/aaaa"):
        answer = team.get(path, team.new_browser())
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/login?next={path}")


@pytest.fixture
def public(team: Served) -> Iterator[Browserless]:
    """Somebody without a login, while the open collection is public."""
    set_collection_access(team.store, OPEN, "public")
    yield Browserless(team.new_browser())
    set_collection_access(team.store, OPEN, "store")


def test_a_public_collection_is_shown_without_a_login(public: Browserless, team: Served) -> None:
    answer = team.get(f"/c/{OPEN}", public.client)
    assert answer.status_code == 200
    for address in (f"/c/{OPEN}", f"/c/{OPEN}/compare?{PAIR}", f"/c/{OPEN}/run/bm25"):
        content = public.follow(address)
        assert OPEN in content["title"]["data"] + as_json(content["page"])
        assert markers_in(as_json(content)) == []
    assert public.client.get(f"/export/c/{OPEN}/leaderboard.csv").status_code == 200
    with public.client.get("/assets/evalstore.css") as asset:
        assert asset.status_code == 200


def test_a_public_collection_with_a_slash_in_its_name_is_shown_without_a_login(
    public: Browserless, team: Served
) -> None:
    rename_collection(team.store, OPEN, "open/data")
    try:
        for name in ("open%2Fdata", "open%252Fdata"):
            assert team.get(f"/c/{name}", public.client).status_code == 200
            assert public.client.get(f"/export/c/{name}/leaderboard.csv").status_code == 200
        assert team.get("/c/open/data", public.client).status_code == 303
    finally:
        rename_collection(team.store, "open/data", OPEN)


def test_who_is_not_logged_in_finds_nothing_else(public: Browserless, team: Served) -> None:
    for address in ADDRESSES:
        if not address.startswith(f"/c/{OPEN}"):
            continue
        asked = markers_in(address)
        answer = as_json(public.follow(address))
        assert [marker for marker in markers_in(answer) if marker not in asked] == [], address
    for path in ("/", "/sql", "/measures", f"/c/{PRIVATE}", "/c/nowherex", "/v/aaaa", "/account"):
        answer = team.get(path, public.client)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/login?next={path}")
    for path in (f"/export/c/{PRIVATE}/leaderboard.csv", "/export/sql/rows.csv?s=SELECT+1"):
        assert public.client.get(path).status_code == 401


def test_a_page_that_is_not_public_is_asked_for_in_vain_by_a_callback(public: Browserless) -> None:
    asked = public.client.get("/_dash-dependencies").get_json()
    (page,) = (each for each in asked if "page.children" in each["output"])
    for path in ("/", "/sql", "x/sql", f"/c/{PRIVATE}", "/c/nowherex", 7):
        inputs = [{**each, "value": path} for each in page["inputs"]]
        statement = {"id": "url", "property": "search", "value": "?s=SELECT+1"}
        body = {
            "output": page["output"],
            "outputs": [],
            "inputs": [inputs[0], statement, *inputs[2:]],
            "state": [],
            "changedPropIds": [],
        }
        # The browser reloads the page on this status, which leads to the login.
        assert public.client.post("/_dash-update-component", json=body).status_code == 401, path
    assert public.client.post("/_dash-update-component", json={}).status_code == 401


def test_a_wrong_token_is_refused_where_no_login_is_needed(public: Browserless) -> None:
    headers = {"Authorization": "Bearer evs_wrong"}
    assert public.client.get(f"/c/{OPEN}", headers=headers).status_code == 401


def test_who_is_not_logged_in_saves_no_address(public: Browserless, team: Served) -> None:
    path, search = f"/c/{OPEN}/compare", f"?{PAIR}&query={'q' * 2000}"
    link = public.call("link.data", copy_link=1, url__pathname=path, url__search=search)
    assert "can't be saved" in link["link"]["data"]["note"]


def test_a_saved_page_of_a_collection_is_found_by_who_may_read_it(
    clients: dict[str, Browserless], team: Served
) -> None:
    path, search = f"/c/{OPEN}/compare", f"?{PAIR}&query={'q' * 2000}"
    link = clients["a reader of the store"].call(
        "link.data", copy_link=1, url__pathname=path, url__search=search
    )
    href = link["link"]["data"]["href"]
    assert href.startswith("/v/")
    for who, client in clients.items():
        assert path in as_json(client.page(href)), who
    set_collection_access(team.store, OPEN, "public")
    try:
        visitor = team.new_browser()
        assert team.get(href, visitor).status_code == 200
        assert path in as_json(Browserless(visitor).page(href))
    finally:
        set_collection_access(team.store, OPEN, "store")
    assert team.get(href, team.new_browser()).status_code == 303


def test_a_saved_page_of_a_private_collection_is_answered_as_a_key_that_is_not_there(
    clients: dict[str, Browserless],
) -> None:
    path, search = f"/c/{PRIVATE}/compare", f"?runs=bm25,zanzibar&query={'q' * 2000}"
    link = clients["a reader of it"].call(
        "link.data", copy_link=1, url__pathname=path, url__search=search
    )
    href = link["link"]["data"]["href"]
    for who in STRANGERS:
        private = as_json(clients[who].page(href)).replace(href, "/v/zzzz")
        missing = as_json(clients[who].page("/v/zzzz"))
        assert private.replace(href.removeprefix("/v/"), "zzzz") == missing, who


def test_an_event_says_who_changed_the_access_of_a_collection(team: Served) -> None:
    set_collection_access(team.store, OPEN, "private")
    set_collection_access(team.store, OPEN, "store")
    with team.store.read() as connection:
        last = events.events(connection, collection=OPEN)[-1]
    assert (last.action, last.who) == ("access", events.who())
    assert last.details == {"to": "store", "before": "private"}
