"""The pages of the administrators: what they show, what their forms change, and for whom."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from samples import HOSTILE
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from werkzeug.test import TestResponse

from evalstore.catalog.collections import collections, new_collection
from evalstore.catalog.names import looks
from evalstore.server.pages.rendering import EVENTS_OF_PAGE
from evalstore.server.people.accounts import add_person, list_all, set_disabled
from evalstore.server.people.invitations import invite, list_invitations
from evalstore.server.people.login import sessions_of
from evalstore.server.people.rights import ROLES
from evalstore.server.people.tokens import create_token, list_tokens
from evalstore.server.routes import ADMINISTRATION
from evalstore.store import models
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # every form of the administration

SECRET_TABLES = (models.table(models.Token), models.table(models.Invitation))
POSTS = sorted(route.rule for route in ADMINISTRATION if "POST" in route.methods)


@pytest.fixture
def team(team: Served) -> Served:
    """A server, its administrator logged in, and bob, a reader."""
    add_person(team.store, "bob", "reader", None, PASSWORD)
    team.log_in()
    return team


@pytest.fixture
def alone(served: Served) -> Served:
    """A server on SQLite whose only administrator is logged in."""
    served.log_in()
    return served


def post(served: Served, path: str, **form: str) -> TestResponse:
    return served.browser.post(path, data=form)


def secret_in(answer: TestResponse) -> str:
    match = re.search(r'<p role="status">[^<]*<code>([^<]+)</code> It is not shown', answer.text)
    assert match, answer.text
    return html.unescape(match[1])


def id_of(served: Served, name: str) -> int:
    return next(account.id for account in list_all(served.store)[0] if account.name == name)


def roles_of(served: Served, name: str) -> list[tuple[str, str | None]]:
    return [(r.role, r.collection) for r in list_all(served.store)[1] if r.account == name]


def is_disabled(served: Served, name: str) -> bool:
    return next(each.disabled for each in list_all(served.store)[0] if each.name == name)


def last_event(served: Served) -> tuple[str, str, str, Any]:
    with served.store.read() as connection:
        (event,) = events.events(connection, last=1)
    return event.who, event.action, event.subject, event.details


# --- for whom ------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [role for role in ROLES if role != "administrator"])
def test_to_others_the_pages_are_like_what_is_not_there(
    served: Served, people: dict[str, FlaskClient], role: str
) -> None:
    nothing = served.get("/nothing", people[role])
    for path in ("/admin", "/admin/accounts/1", "/admin/accounts/999"):
        assert served.get(path, people[role]).status_code == nothing.status_code == 404
    for path in POSTS:
        form = {"name": role, "role": "administrator", "collection": ""}
        assert people[role].post(path, data=form).status_code == 404
    assert roles_of(served, role) == [(role, None)]
    assert "/admin" not in served.get("/account", people[role]).text


def test_an_administrator_of_one_collection_does_not_administer_the_store(served: Served) -> None:
    add_person(served.store, "eve", "administrator", "test", PASSWORD)
    browser = served.new_browser()
    served.log_in("eve", browser=browser)
    assert served.get("/admin", browser).status_code == 404
    assert 'href="/admin"' not in served.get("/account", browser).text


def test_who_is_not_logged_in_is_led_to_the_login(served: Served) -> None:
    answer = served.get("/admin")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login?next=/admin")


def test_the_page_of_an_administrators_account_leads_there(alone: Served) -> None:
    assert 'href="/admin"' in alone.get("/account").text


def test_a_page_of_another_site_changes_nothing(alone: Served) -> None:
    add_person(alone.store, "bob", "reader")
    before = alone.store.state()
    form = {"name": "bob", "role": "administrator", "collection": "", "expires": "7d"}
    headers = {"Origin": "https://evil.example"}
    for path in POSTS:
        assert alone.browser.post(path, data=form, headers=headers).status_code == 403, path
        assert alone.store.state() == before, path


def test_a_form_without_its_fields_changes_nothing_and_says_why(alone: Served) -> None:
    before = alone.store.state()
    for path in POSTS:
        answer = post(alone, path)
        assert answer.status_code in {400, 404}, path
        assert '<p role="alert">' in answer.text, path
        assert alone.store.state() == before, path


# --- what is shown -------------------------------------------------------------------------------


def test_accounts_tokens_sessions_invitations_collections_and_events_are_listed(
    team: Served,
) -> None:
    create_token(team.store, "ci", "contributor", "test", timedelta(days=1))
    invite(team.store, "contributor", "eve", "test")
    team.log_in("bob", browser=team.new_browser())
    text = team.get("/admin").text
    for words in (
        *("<bdi>ann</bdi>", "administrator of the whole store", "<bdi>bob</bdi>", ">password<"),
        *("service, with tokens", "write, <bdi>test</bdi>", "evs_", "<bdi>eve</bdi>"),
        *("contributor of <bdi>test</bdi>", "Session", "set up", "token", "ingest"),
    ):
        assert words in text, words
    assert text.count('action="/admin/sessions/end"') == 2
    assert "<script" not in text
    with team.store.read() as connection:
        rows = [row for each in SECRET_TABLES for row in connection.execute(each.select())]
    assert not any(row.hash in text for row in rows)


def test_the_last_login_of_an_account_is_shown(alone: Served) -> None:
    add_person(alone.store, "bob", "reader", None, PASSWORD)
    assert last_logins(alone)["bob"] is None
    alone.log_in("bob", browser=alone.new_browser())
    at = last_logins(alone)["bob"]
    assert at is not None
    assert f'<time datetime="{at.isoformat()}">' in alone.get("/admin").text


def last_logins(served: Served) -> dict[str, datetime | None]:
    return {account.name: account.last_login_at for account in list_all(served.store)[0]}


def test_where_an_account_of_a_provider_comes_from_is_shown(alone: Served) -> None:
    add_person(alone.store, "bob", "reader", None, PASSWORD)
    values = {
        "issuer": "https://login.example",
        "subject": "7",
        "account_id": id_of(alone, "bob"),
        "created_at": datetime.now(UTC),
    }
    with alone.store.write() as connection:
        connection.execute(models.table(models.Identity).insert().values(values))
    assert "password, https://login.example" in alone.get("/admin").text


@pytest.mark.each_database
def test_events_are_shown_a_page_at_a_time(team: Served) -> None:
    with team.store.write() as connection:
        for number in range(2 * EVENTS_OF_PAGE):
            events.log(connection, "tag", "test", f"run {number:03}", datetime.now(UTC))
    runs: list[str] = []
    path: str | None = "/admin?collection=test"
    while path:
        text = team.get(path).text
        runs += re.findall(r"run \d{3}", text)
        assert len(re.findall(r"<td data-label=\"Action\">", text)) <= EVENTS_OF_PAGE
        older = re.search(r'<a href="([^"]+)">Older</a>', text)
        path = html.unescape(older[1]) if older else None
    assert runs == [f"run {number:03}" for number in reversed(range(2 * EVENTS_OF_PAGE))]


@pytest.mark.each_database
def test_events_of_an_account_are_what_it_did_and_what_was_done_to_it(team: Served) -> None:
    with team.store.write() as connection, events.acting("bob"):
        events.log(connection, "tag", "test", "run by bob", datetime.now(UTC))
        events.log(connection, "tag", "test", "bob", datetime.now(UTC))
    with team.store.write() as connection, events.acting("eve"):
        events.log(connection, "tag", "test", "run by eve", datetime.now(UTC))
        events.log(connection, "tag", "test", "bob", datetime.now(UTC), run="named bob")
    text = team.get("/admin?account=bob").text
    assert "run by bob" in text
    assert "role" in text
    assert "run by eve" not in text
    assert "named bob" not in text


def test_a_page_of_events_that_can_not_be_is_the_newest(team: Served) -> None:
    for before in ("x", "-1", "9" * 30, "1.5", "٣"):
        assert "set up" in team.get(f"/admin?before={before}").text, before


def test_hostile_names_are_escaped_in_every_column(team: Served) -> None:
    names = [name for name in HOSTILE if name.isprintable() and name == name.strip()]
    names = [*{looks(name): name for name in names}.values()]  # others are refused
    for number, name in enumerate(names):
        new_collection(team.store, name)
        add_person(team.store, f"{name}a"[-100:], "reader", name, PASSWORD)
        create_token(team.store, f"{name}t"[-100:], "reader", name)
        invite(team.store, "reader", f"{name}i"[-100:], name)
        browser = team.new_browser()
        browser.environ_base["HTTP_USER_AGENT"] = "<script>x</script>\"'"
        team.log_in(f"{name}a"[-100:], browser=browser, address=f"192.0.2.{number}")
    pages = [team.get("/admin"), *(team.get(f"/admin?account={n}") for n in ("<b>", "%00", "%22"))]
    pages += [team.get(f"/admin/accounts/{account.id}") for account in list_all(team.store)[0]]
    for answer in pages:
        assert answer.status_code == 200
        assert not re.search(r"<(script|b|img|svg|iframe)\b", answer.text)
        assert not re.search(r"<[^>]*\son\w+=", answer.text)
    listed = html.unescape(pages[0].text)
    assert all(f"{name}a"[-100:] in listed for name in names)


@pytest.mark.each_database
def test_a_text_with_a_nul_is_the_name_of_nothing(team: Served) -> None:
    """PostgreSQL refuses such texts."""
    assert team.log_in("ann\0", browser=team.new_browser()).status_code == 403
    assert team.get("/admin?account=%00&collection=a%00b").status_code == 200
    for path in POSTS:
        fields = ("name", "collection", "session", "invitation", "account", "access", "expires")
        answer = post(team, path, **dict.fromkeys(fields, "a\0b"), role="reader")
        assert answer.status_code in {400, 404}, path


@pytest.mark.each_database
def test_an_account_that_is_not_there_is_404(team: Served) -> None:
    for account_id in ("999", "0", "9" * 30):
        assert team.get(f"/admin/accounts/{account_id}").status_code == 404, account_id


# --- what is changed -----------------------------------------------------------------------------


def test_an_account_is_disabled_and_enabled_on_its_page(team: Served) -> None:
    page = f"/admin/accounts/{id_of(team, 'bob')}"
    browser = team.new_browser()
    team.log_in("bob", browser=browser)
    account = str(id_of(team, "bob"))
    done = post(team, "/admin/accounts/disable", name="bob", account=account)
    assert (done.status_code, done.headers["Location"]) == (303, page)
    assert is_disabled(team, "bob")
    assert team.get("/", browser).status_code == 303
    assert "Status: disabled" in team.get(page).text
    assert last_event(team) == (ADMINISTRATOR, "account", "bob", {"change": "disabled"})
    post(team, "/admin/accounts/enable", name="bob", account=account)
    assert not is_disabled(team, "bob")


def test_a_new_password_is_shown_once_and_counts(team: Served) -> None:
    form = {"name": "bob", "account": str(id_of(team, "bob"))}
    password = secret_in(post(team, "/admin/accounts/password", **form))
    assert password not in team.get(f"/admin/accounts/{form['account']}").text
    assert team.log_in("bob", PASSWORD, browser=team.new_browser()).status_code == 403
    assert team.log_in("bob", password, browser=team.new_browser()).status_code == 303
    assert last_event(team)[:3] == (ADMINISTRATOR, "password", "bob")


@pytest.mark.each_database
def test_roles_are_given_and_withdrawn(team: Served) -> None:
    form = {"name": "bob", "account": str(id_of(team, "bob"))}
    post(team, "/admin/roles/grant", role="contributor", collection="test", **form)
    assert roles_of(team, "bob") == [("reader", None), ("contributor", "test")]
    assert last_event(team) == (ADMINISTRATOR, "role", "bob", {"role": "contributor"})
    post(team, "/admin/roles/withdraw", collection="", **form)
    assert roles_of(team, "bob") == [("contributor", "test")]
    for wrong in ({"role": "owner"}, {"role": "reader", "collection": "tset"}):
        assert post(team, "/admin/roles/grant", **form, **wrong).status_code in {400, 404}
    assert roles_of(team, "bob") == [("contributor", "test")]


def test_the_last_administrator_can_not_be_disabled_and_keeps_the_role(team: Served) -> None:
    form = {"name": ADMINISTRATOR, "account": str(id_of(team, ADMINISTRATOR))}
    for path, more in (
        ("/admin/accounts/disable", {}),
        ("/admin/roles/withdraw", {"collection": ""}),
        ("/admin/roles/grant", {"role": "reader", "collection": ""}),
    ):
        answer = post(team, path, **form, **more)
        assert answer.status_code == 400, path
        assert "is the last administrator" in answer.text
    assert team.get("/admin").status_code == 200


@pytest.mark.each_database
def test_a_token_is_shown_once_counts_and_is_revoked(team: Served) -> None:
    form = {"name": "ci", "role": "reader", "collection": "test", "expires": "90d"}
    token = secret_in(post(team, "/admin/tokens/create", **form))
    assert token.startswith("evs_")
    assert token not in team.get("/admin").text
    headers = {"Authorization": f"Bearer {token}"}
    program = team.app.test_client()
    path = "/api/v1/collections"
    assert program.get(path, base_url=URL, headers=headers).status_code == 200
    (stored,) = list_tokens(team.store)
    assert (stored.collection, stored.scope, stored.expires_at is None) == ("test", "read", False)
    assert post(team, "/admin/tokens/create", **form).status_code == 409
    assert post(team, "/admin/tokens/revoke", name="ci").status_code == 303
    assert program.get(path, base_url=URL, headers=headers).status_code == 401
    assert last_event(team)[:3] == (ADMINISTRATOR, "token", "ci")
    assert post(team, "/admin/tokens/revoke", name="ci").status_code == 404


def test_a_session_of_another_is_ended_and_it_is_an_event(team: Served) -> None:
    browser = team.new_browser()
    team.log_in("bob", browser=browser)
    (session,) = sessions_of(team.store, id_of(team, "bob"), datetime.now(UTC))
    done = post(team, "/admin/sessions/end", session=session.hash)
    assert done.headers["Location"] == "/admin#sessions"
    assert team.get("/", browser).status_code == 303
    assert last_event(team) == (ADMINISTRATOR, "session", "bob", {"ended": 1})
    assert post(team, "/admin/sessions/end", session=session.hash).status_code == 404


def test_a_link_is_made_shown_once_and_withdrawn(team: Served) -> None:
    form = {"name": "", "role": "reader", "collection": "test", "expires": "1d"}
    link = secret_in(post(team, "/admin/invitations/create", **form))
    assert link.startswith(f"{URL}/invitation?key=")
    assert team.new_browser().get(link.removeprefix(URL)).status_code == 200
    assert link.partition("=")[2] not in team.get("/admin").text
    assert last_event(team)[:3] == (ADMINISTRATOR, "account", "invitation 1")
    (stored,) = list_invitations(team.store)
    assert stored.who == ADMINISTRATOR
    assert stored.expires_at - stored.created_at == timedelta(days=1)
    done = post(team, "/admin/invitations/withdraw", invitation=str(stored.id))
    assert done.headers["Location"] == "/admin#invitations"
    assert team.new_browser().get(link.removeprefix(URL)).status_code == 404
    for wrong in ("x", str(stored.id), "9" * 30):
        assert post(team, "/admin/invitations/withdraw", invitation=wrong).status_code == 404


def test_the_access_of_a_collection_is_changed(team: Served) -> None:
    done = post(team, "/admin/collections/access", collection="test", access="private")
    assert done.headers["Location"] == "/admin#collections"
    assert [each.access for each in collections(team.store)] == ["private"]
    assert last_event(team)[:3] == (ADMINISTRATOR, "access", "test")
    for wrong in ({"access": "open"}, {"access": "public", "collection": "tset"}):
        form = {"collection": "test", **wrong}
        assert post(team, "/admin/collections/access", **form).status_code in {400, 404}
    assert [each.access for each in collections(team.store)] == ["private"]


def test_an_administrator_who_was_disabled_meanwhile_changes_nothing(alone: Served) -> None:
    add_person(alone.store, "eve", "administrator", None, PASSWORD)
    set_disabled(alone.store, ADMINISTRATOR, True)
    form = {"name": "x", "role": "administrator", "collection": "", "expires": ""}
    assert post(alone, "/admin/tokens/create", **form).status_code == 401
    assert list_tokens(alone.store) == []


# --- one's own account ---------------------------------------------------------------------------


def test_the_page_of_an_account_says_what_it_may_do_where(team: Served) -> None:
    page = team.get("/account").text
    assert "<bdi>test</bdi>" in page
    assert "read, ingest, annotate and judge" in page
    assert "You may create collections" in page
    browser = team.new_browser()
    team.log_in("bob", browser=browser)
    page = team.get("/account", browser).text
    assert '<td data-label="You may">read</td>' in page
    assert "annotate" not in page
    assert "create collections" not in page
    post(team, "/admin/collections/access", collection="test", access="private")
    page = team.get("/account", browser).text
    assert "<bdi>test</bdi>" not in page
    assert "You may read no collection yet" in page
