"""What the administrator of a collection changes in it, and what is refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from collection_admins import (
    EVE,
    OTHER,
    browser_of,
    last_event,
    path_of,
    post,
    roles_of,
    secret_in,
    with_two_collections,
)
from team_server import ADMINISTRATOR, PASSWORD, URL, Served

from evalstore.catalog.collections import collections
from evalstore.server.people.accounts import grant, set_disabled, withdraw
from evalstore.server.people.invitations import (
    InvitationOver,
    invite,
    list_invitations,
    open_invitation,
)
from evalstore.server.people.login import FREE_FAILURES
from evalstore.server.people.tokens import create_token, list_tokens, revoke_token
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # forms, on both databases


@pytest.fixture
def team(team: Served) -> Served:
    """A server with both collections, at which eve is logged in."""
    return with_two_collections(team)


@pytest.mark.each_database
def test_a_role_is_given_to_an_account_by_its_name_and_withdrawn(team: Served) -> None:
    done = post(team, "/roles/grant", name="bob", role="contributor", collection=OTHER)
    assert done.headers["Location"] == path_of(team, "#roles")
    assert roles_of(team.store, "bob") == [("reader", OTHER), ("contributor", "test")]
    assert last_event(team.store) == (EVE, "role", "test", "bob")
    assert post(team, "/roles/withdraw", name="bob", collection=OTHER).status_code == 303
    assert roles_of(team.store, "bob") == [("reader", OTHER)]
    assert last_event(team.store) == (EVE, "role", "test", "bob")


def test_withdrawing_tells_nothing_of_who_has_no_role_here(team: Served) -> None:
    answers = [
        re.sub(r"(?s).*<p role=\"alert\">(.*?)</p>.*", r"\1", answer.text).replace(name, "NAME")
        for name in ("bob", ADMINISTRATOR, "nobody")
        for answer in [post(team, "/roles/withdraw", name=name)]
    ]
    assert len(set(answers)) == 1
    assert "was granted no role here" in answers[0]
    assert roles_of(team.store, ADMINISTRATOR) == [("administrator", None)]


def test_an_administrator_of_the_store_loses_a_role_in_the_collection_at_most(
    team: Served,
) -> None:
    grant(team.store, ADMINISTRATOR, "administrator", "test")
    assert post(team, "/roles/grant", name=ADMINISTRATOR, role="reader").status_code == 303
    assert post(team, "/roles/withdraw", name=ADMINISTRATOR).status_code == 303
    assert roles_of(team.store, ADMINISTRATOR) == [("administrator", None)]
    assert team.get(path_of(team), browser_of(team, ADMINISTRATOR)).status_code == 200


def test_who_gives_the_own_role_up_is_led_to_the_own_account(team: Served) -> None:
    done = post(team, "/roles/withdraw", name=EVE)
    assert done.headers["Location"] == "/account"
    assert roles_of(team.store, EVE) == []
    assert team.get(path_of(team)).status_code == 404


def test_names_that_no_account_has_make_the_next_one_wait(team: Served) -> None:
    wrong = [
        post(team, "/roles/grant", name=f"nobody-{number}", role="reader").status_code
        for number in range(FREE_FAILURES)
    ]
    assert wrong == [404] * FREE_FAILURES
    answer = post(team, "/roles/grant", name="bob", role="reader")
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
    assert roles_of(team.store, "bob") == [("reader", OTHER)]


def test_a_name_that_is_right_does_not_forgive_those_that_were_wrong(team: Served) -> None:
    for number in range(FREE_FAILURES):
        assert post(team, "/roles/grant", name=EVE, role="administrator").status_code == 303
        assert post(team, "/roles/grant", name=f"no-{number}", role="reader").status_code == 404
    assert post(team, "/roles/grant", name="no-more", role="reader").status_code == 429


def test_a_token_is_of_the_collection_alone_and_shown_once(team: Served) -> None:
    form = {"name": "ci", "role": "contributor", "collection": OTHER, "expires": "90d"}
    token = secret_in(post(team, "/tokens/create", **form))
    assert token not in team.get(path_of(team)).text
    assert last_event(team.store) == (EVE, "token", "test", "ci")
    stored = next(each for each in list_tokens(team.store) if each.name == "ci")
    assert (stored.collection, stored.scope, stored.expires_at is None) == ("test", "write", False)
    assert roles_of(team.store, "ci") == [("contributor", "test")]
    assert post(team, "/tokens/create", **form).status_code == 409
    assert post(team, "/tokens/revoke", name="ci").status_code == 303
    assert last_event(team.store) == (EVE, "token", "test", "ci")
    assert secret_in(post(team, "/tokens/create", **form)) != token


@pytest.mark.parametrize("taken", ["bob", "other-ci", "used-elsewhere", "both"])
def test_a_token_does_not_take_the_name_of_another_account(team: Served, taken: str) -> None:
    create_token(team.store, "used-elsewhere", "reader", OTHER)
    revoke_token(team.store, "used-elsewhere")
    create_token(team.store, "both", "reader", ("test", OTHER))
    revoke_token(team.store, "both")
    before = roles_of(team.store, taken)
    answer = post(team, "/tokens/create", name=taken, role="reader", expires="")
    assert (answer.status_code, "is taken" in answer.text) == (409, True)
    assert roles_of(team.store, taken) == before


@pytest.mark.each_database
def test_tokens_and_invitations_of_others_are_not_there_to_withdraw(team: Served) -> None:
    create_token(team.store, "both", "reader", ("test", OTHER))
    for name in ("other-ci", "both", "nothing"):
        assert post(team, "/tokens/revoke", name=name).status_code == 404
    assert all(token.revoked_at is None for token in list_tokens(team.store))
    (stored,) = list_invitations(team.store)
    alike = {
        post(team, "/invitations/withdraw", invitation=sent).text
        for sent in (str(stored.id), "9999", "x", "9" * 30)
    }
    assert len(alike) == 1
    assert list_invitations(team.store) == [stored]


@pytest.mark.each_database
def test_who_is_invited_has_the_role_in_the_collection(team: Served) -> None:
    form = {"name": "bob", "role": "contributor", "collection": OTHER, "expires": "1d"}
    link = secret_in(post(team, "/invitations/create", **form)).removeprefix(URL)
    assert last_event(team.store)[:3] == (EVE, "account", "test")
    key = link.partition("=")[2]
    sent = {"key": key, "name": "grace", "password": PASSWORD}
    assert team.new_browser().post("/invitation", data=sent).status_code == 200
    assert roles_of(team.store, "grace") == [("contributor", "test")]


@pytest.mark.parametrize("lost", ["withdrawn", "contributor", "disabled"])
def test_an_invitation_counts_while_who_made_it_administers_the_collection(
    team: Served, lost: str
) -> None:
    form = {"role": "reader", "expires": "1d"}
    link = secret_in(post(team, "/invitations/create", **form)).removeprefix(URL)
    assert team.new_browser().get(link).status_code == 200
    match lost:
        case "withdrawn":
            withdraw(team.store, EVE, "test")
            grant(team.store, EVE, "administrator", OTHER)
        case "contributor":
            grant(team.store, EVE, "contributor", "test")
        case _:
            set_disabled(team.store, EVE, True)
    assert team.new_browser().get(link).status_code == 404
    sent = {"key": link.partition("=")[2], "name": "grace", "password": PASSWORD}
    assert team.new_browser().post("/invitation", data=sent).status_code == 404


def test_an_invitation_to_the_store_needs_an_administrator_of_the_store(team: Served) -> None:
    with events.acting(EVE):
        secret = invite(team.store, "reader")
    with pytest.raises(InvitationOver):
        open_invitation(team.store, secret, datetime.now(UTC))


def test_an_invitation_is_withdrawn(team: Served) -> None:
    form = {"role": "reader", "expires": "1d"}
    link = secret_in(post(team, "/invitations/create", **form)).removeprefix(URL)
    stored = list_invitations(team.store)[-1]
    assert stored.expires_at - stored.created_at == timedelta(days=1)
    done = post(team, "/invitations/withdraw", invitation=str(stored.id))
    assert done.headers["Location"] == path_of(team, "#invitations")
    assert team.new_browser().get(link).status_code == 404


def test_names_that_an_invited_person_tries_make_the_next_one_wait(team: Served) -> None:
    key = invite(team.store, "reader", None, "test")
    answers = [
        team.new_browser().post(
            "/invitation", data={"key": key, "name": "bob", "password": PASSWORD}
        )
        for _ in range(FREE_FAILURES + 1)
    ]
    assert [each.status_code for each in answers] == [*[409] * FREE_FAILURES, 429]


@pytest.mark.parametrize("access", ["private", "public"])
def test_who_reads_the_collection_is_changed(team: Served, access: str) -> None:
    done = post(team, "/access", access=access, collection=OTHER)
    assert done.headers["Location"] == path_of(team, "#readers")
    assert {each.name: each.access for each in collections(team.store)} == {
        "test": access,
        OTHER: "private",
    }
    assert last_event(team.store) == (EVE, "access", "test", "test")
    assert team.get("/c/test", team.new_browser()).status_code == (
        200 if access == "public" else 303
    )
    assert team.get(path_of(team)).status_code == 200
