"""The page where a collection is administered: by whom, what it shows, and what it changes."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from collection_admins import (
    EVE,
    OTHER,
    POSTS,
    browser_of,
    id_of,
    path_of,
    roles_of,
    with_two_collections,
)
from samples import HOSTILE
from team_server import ADMINISTRATOR, PASSWORD, URL, Served

from evalstore.catalog.collections import (
    collections,
    new_collection,
    purge_collections,
    remove_collections,
    rename_collection,
    set_collection_access,
)
from evalstore.errors import Conflict
from evalstore.server.pages.rendering import EVENTS_OF_PAGE
from evalstore.server.people.accounts import add_person, grant, list_all
from evalstore.server.people.invitations import invite
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import create_token, list_tokens
from evalstore.server.routes import collection_path
from evalstore.store.queries import events
from evalstore.store.queries.collections import Access

pytestmark = pytest.mark.slow  # every form of the page


@pytest.fixture
def team(team: Served) -> Served:
    """A server with both collections, at which eve is logged in."""
    return with_two_collections(team)


# --- for whom ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "where"),
    [
        *(("reader", "test"), ("contributor", "test"), ("reader", None), ("contributor", None)),
        ("administrator", OTHER),
    ],
)
def test_to_who_does_not_administer_the_collection_nothing_is_there(
    team: Served, role: Role, where: str | None
) -> None:
    add_person(team.store, "mary", role, where, PASSWORD)
    browser = browser_of(team, "mary")
    nothing = team.get(collection_path(10_000), browser)
    assert nothing.status_code == 404
    answer = team.get(path_of(team), browser)
    assert (answer.status_code, answer.text) == (404, nothing.text)
    form = {"name": "mary", "role": "administrator", "access": "public", "expires": "7d"}
    before = team.store.state()
    for rule in POSTS:
        answer = browser.post(collection_path(id_of(team.store, "test"), rule), data=form)
        assert (answer.status_code, answer.text) == (404, nothing.text), rule
    assert team.store.state() == before
    assert path_of(team) not in team.get("/account", browser).text


@pytest.mark.parametrize("access", ["store", "private", "public"])
@pytest.mark.each_database
def test_another_collection_is_like_one_that_is_not_there(team: Served, access: Access) -> None:
    set_collection_access(team.store, OTHER, access)
    before = team.store.state()
    for path in (path_of(team, collection=OTHER), collection_path(10**12)):
        nothing = team.get(path)
        assert nothing.status_code == 404
        assert OTHER not in nothing.text
        for rule in POSTS:
            form = {"name": EVE, "role": "administrator", "access": "public", "expires": "7d"}
            rest = rule.rpartition(">")[2]
            assert team.browser.post(path + rest, data=form).text == nothing.text
    assert team.store.state() == before


def test_a_token_administers_where_it_may_and_nowhere_else(team: Served) -> None:
    made = {
        "one": create_token(team.store, "one", "administrator", "test"),
        "writer": create_token(team.store, "writer", "contributor", "test"),
        "other": create_token(team.store, "other", "administrator", OTHER),
        "all": create_token(team.store, "all", "administrator"),
    }
    seen = {}
    for name, token in made.items():
        headers = {"Authorization": f"Bearer {token}"}
        program = team.app.test_client()
        seen[name] = [
            program.get(path, base_url=URL, headers=headers).status_code
            for path in (path_of(team), path_of(team, collection=OTHER))
        ]
    assert seen == {
        **{"one": [200, 404], "writer": [404, 404], "other": [404, 200], "all": [200, 200]},
    }


def test_who_is_not_logged_in_is_led_to_the_login(team: Served) -> None:
    set_collection_access(team.store, "test", "public")
    answer = team.get(path_of(team), team.new_browser())
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        f"/login?next={path_of(team)}",
    )


def test_administrators_of_the_store_administer_every_collection(team: Served) -> None:
    browser = browser_of(team, ADMINISTRATOR)
    overview = team.get("/admin", browser).text
    for name in ("test", OTHER):
        path = path_of(team, collection=name)
        assert f'href="{path}"' in overview
        assert f"<bdi>{name}</bdi>" in team.get(path, browser).text


def test_a_removed_collection_is_administered_by_nobody(team: Served) -> None:
    path = path_of(team)
    remove_collections(team.store, ["test"])
    assert team.get(path).status_code == 404
    assert team.get(path, browser_of(team, ADMINISTRATOR)).status_code == 404


def test_the_rest_of_the_administration_is_not_hers(team: Served) -> None:
    assert team.get("/admin").status_code == 404
    form = {"name": EVE, "role": "administrator", "collection": "test", "access": "public"}
    for path in ("/admin/roles/grant", "/admin/tokens/create", "/admin/collections/access"):
        assert team.browser.post(path, data=form).status_code == 404
    assert roles_of(team.store, EVE) == [("administrator", "test")]


def test_a_page_of_another_site_changes_nothing(team: Served) -> None:
    before = team.store.state()
    form = {"name": "bob", "role": "administrator", "access": "public", "expires": "7d"}
    headers = {"Origin": "https://evil.example"}
    for rule in POSTS:
        path = collection_path(id_of(team.store, "test"), rule)
        assert team.browser.post(path, data=form, headers=headers).status_code == 403, rule
        assert team.store.state() == before, rule


@pytest.mark.parametrize("sent", [{}, {"role": "owner", "name": "\0", "invitation": "x"}])
def test_a_form_that_is_not_right_changes_nothing_and_says_why(
    team: Served, sent: Mapping[str, str]
) -> None:
    roles, tokens, access = list_all(team.store), list_tokens(team.store), collections(team.store)
    for rule in POSTS:
        answer = team.browser.post(collection_path(id_of(team.store, "test"), rule), data=sent)
        assert answer.status_code in {400, 404}, rule
        assert '<p role="alert">' in answer.text, rule
        assert (roles, tokens, access) == (
            *(list_all(team.store), list_tokens(team.store)),
            collections(team.store),
        ), rule


# --- what is shown -------------------------------------------------------------------------------


@pytest.mark.each_database
def test_what_belongs_to_the_collection_is_shown_and_nothing_else(team: Served) -> None:
    add_person(team.store, "dan", "contributor", "test", PASSWORD)
    create_token(team.store, "ci", "reader", "test")
    create_token(team.store, "both", "reader", ("test", OTHER))
    invite(team.store, "reader", "frank", "test")
    text = team.get(path_of(team)).text
    for words in (
        *("<bdi>test</bdi>", "<bdi>eve</bdi>", "<bdi>dan</bdi>", "contributor", "<bdi>ci</bdi>"),
        *("read, <bdi>test</bdi>", "<bdi>frank</bdi>", "who has a role for the whole store"),
        *("<bdi>both</bdi>", "ingest", "role: contributor", "change: invited"),
    ):
        assert words in text, words
    for words in ("bob", "carol", OTHER, "other-ci", "Sessions", "set up", 'href="/admin"'):
        assert words not in text, words
    assert "<script" not in text


@pytest.mark.each_database
def test_events_of_an_earlier_collection_of_the_name_are_not_shown(team: Served) -> None:
    new_collection(team.store, "old")
    grant(team.store, "bob", "reader", "old")
    remove_collections(team.store, ["old"])
    purge_collections(team.store, ["old"])
    rename_collection(team.store, "test", "old")
    text = team.get(path_of(team, collection="old")).text
    assert "<bdi>old</bdi>" in text
    assert "ingest" in text  # what was done while it had another name
    assert "bob" not in text


def test_events_are_shown_a_page_at_a_time(team: Served) -> None:
    with team.store.write() as connection:
        for number in range(EVENTS_OF_PAGE + 1):
            events.log(connection, "edit", "test", f"run {number}", datetime.now(UTC))
    text = team.get(path_of(team)).text
    assert "run 26" not in text
    assert "<bdi>run 25</bdi>" in text
    assert "<bdi>run 0</bdi>" not in text
    (older,) = re.findall(r'<a href="([^"#]+)#events">Older</a>', text)
    assert "<bdi>run 0</bdi>" in team.get(html.unescape(older)).text


def test_the_page_of_an_account_leads_to_the_collections_that_it_administers(team: Served) -> None:
    text = team.get("/account").text
    assert f'href="{path_of(team)}"' in text
    assert ">administer: " in text
    assert 'href="/admin"' not in text
    text = team.get("/account", browser_of(team, "bob")).text
    assert ">administer: " not in text


def test_a_hostile_name_is_escaped(team: Served) -> None:
    before = "test"
    for name in HOSTILE:
        if name.isprintable():
            rename_collection(team.store, before, name)
            with suppress(Conflict):  # a name that looks like one before is refused
                create_token(team.store, f"{name[-90:]}x".replace("@", "a"), "reader", name)
            answer = team.get(path_of(team, collection=name))
            assert answer.status_code == 200, name
            assert not re.search(r"<(script|b|img|svg|iframe)\b", answer.text), name
            assert not re.search(r"<[^>]*\son\w+=", answer.text), name
            before = name
