"""Invitations: a link makes one account, once; what keeps its secret."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from samples import HOSTILE
from team_server import ADMINISTRATOR, PASSWORD, Served
from werkzeug.test import TestResponse

from evalstore.catalog.collections import remove_collections
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.server.people.accounts import (
    Passwords,
    account_named,
    add_person,
    grant,
    list_all,
    remove_account,
    set_disabled,
    withdraw,
)
from evalstore.server.people.invitations import (
    InvitationOver,
    accept,
    invite,
    link,
    list_invitations,
    open_invitation,
    status_of,
    withdraw_invitation,
)
from evalstore.server.setup import parse_public_url
from evalstore.store import Store, models
from evalstore.store.access import accounts
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # many logins

OVER = "This invitation does not count"
invitation_t = models.table(models.Invitation)


def opened(served: Served, secret: str) -> TestResponse:
    return served.new_browser().get(f"/invitation?key={secret}")


def send(served: Served, secret: str, name: str = "bob", password: str = PASSWORD) -> TestResponse:
    form = {"key": secret, "name": name, "password": password}
    return served.new_browser().post("/invitation", data=form)


def accounts_of(served: Served) -> list[str]:
    return [account.name for account in list_all(served.store)[0]]


def roles_of(served: Served, name: str) -> list[tuple[str, str | None]]:
    return [(r.role, r.collection) for r in list_all(served.store)[1] if r.account == name]


def changes(served: Served) -> list[tuple[str, str, Any]]:
    with served.store.read() as connection:
        listed = events.events(connection)
    return [(e.who, e.subject, (e.details or {}).get("change", e.action)) for e in listed][-3:]


@pytest.mark.each_database
def test_who_opens_the_link_chooses_name_and_password_and_logs_in(team: Served) -> None:
    secret = invite(team.store, "contributor", collection="test")
    form = opened(team, secret)
    assert form.status_code == 200
    assert "invited as contributor of the collection <bdi>test</bdi>" in form.text
    done = send(team, secret)
    assert done.status_code == 200
    assert "Your account is made" in done.text
    assert roles_of(team, "bob") == [("contributor", "test")]
    assert team.log_in("bob").status_code == 303
    assert changes(team) == [
        ("bob", "bob", "accepted"),
        ("bob", "bob", "added"),
        ("bob", "bob", "role"),
    ]


def test_the_link_works_once(team: Served) -> None:
    secret = invite(team.store, "reader")
    assert send(team, secret, "bob").status_code == 200
    again = send(team, secret, "eve")
    assert again.status_code == 404
    assert OVER in again.text
    assert opened(team, secret).status_code == 404
    assert accounts_of(team) == [ADMINISTRATOR, "bob"]


@pytest.mark.each_database
def test_of_two_requests_at_the_same_moment_one_makes_an_account(
    team: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seen that the invitation counts before either uses it."""
    secret = invite(team.store, "reader")
    both_have_looked = threading.Barrier(2, timeout=300)
    hash_ = Passwords.hash

    def hash_together(self: Passwords, password: str) -> str:
        both_have_looked.wait()
        return hash_(self, password)

    monkeypatch.setattr(Passwords, "hash", hash_together)
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda n=name: statuses.append(send(team, secret, n).status_code))
        for name in ("bob", "eve")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 404]
    assert len(accounts_of(team)) == 2


def test_looking_at_the_link_does_not_use_it_up(team: Served) -> None:
    """Chat programs fetch the links that people send."""
    secret = invite(team.store, "reader")
    for _ in range(3):
        assert opened(team, secret).status_code == 200
        assert team.new_browser().head(f"/invitation?key={secret}").status_code == 200
    assert send(team, secret).status_code == 200


@pytest.mark.each_database
def test_a_link_expires(team: Served) -> None:
    secret = invite(team.store, "reader", lifetime=timedelta(hours=1))
    now = datetime.now(UTC)
    assert status_of(open_invitation(team.store, secret, now), now) == "open"
    later = now + timedelta(hours=1, seconds=1)
    with pytest.raises(InvitationOver):
        accept(team.store, secret, "bob", PASSWORD, Passwords(), later)
    with team.store.write() as connection:
        connection.execute(invitation_t.update().values(expires_at=now - timedelta(seconds=1)))
    assert opened(team, secret).status_code == 404
    assert send(team, secret).status_code == 404
    assert accounts_of(team) == [ADMINISTRATOR]
    assert [status_of(each, now) for each in list_invitations(team.store)] == ["expired"]


def test_a_link_is_withdrawn(team: Served) -> None:
    secret = invite(team.store, "reader", "bob")
    (stored,) = list_invitations(team.store)
    withdraw_invitation(team.store, stored.id)
    assert opened(team, secret).status_code == send(team, secret).status_code == 404
    assert list_invitations(team.store) == []
    assert [change for _, _, change in changes(team)][-2:] == ["invited", "uninvited"]
    with pytest.raises(NotFound, match="no invitation"):
        withdraw_invitation(team.store, stored.id)


def test_an_invitation_that_was_used_can_not_be_withdrawn_and_stays_in_the_list(
    served: Served,
) -> None:
    send(served, invite(served.store, "reader"))
    (stored,) = list_invitations(served.store)
    assert status_of(stored, datetime.now(UTC)) == "used"
    with pytest.raises(NotFound):
        withdraw_invitation(served.store, stored.id)


@pytest.mark.parametrize(
    "lose",
    [
        lambda store: set_disabled(store, "eve", True),
        lambda store: remove_account(store, "eve"),
        lambda store: withdraw(store, "eve"),
        lambda store: grant(store, "eve", "contributor"),
    ],
    ids=["disabled", "removed", "without a role", "contributor"],
)
def test_a_link_counts_only_while_who_made_it_is_an_administrator(
    team: Served, lose: Callable[[Store], None]
) -> None:
    add_person(team.store, "eve", "administrator", password=PASSWORD)
    with events.acting("eve"):
        secret = invite(team.store, "administrator")
        other = invite(team.store, "reader", "bob")
    assert opened(team, secret).status_code == 200
    lose(team.store)
    for key in (secret, other):
        assert opened(team, key).status_code == 404
        answer = send(team, key)
        assert (answer.status_code, OVER in answer.text) == (404, True)
    assert "bob" not in accounts_of(team)
    now = datetime.now(UTC)
    assert "open" not in [status_of(each, now) for each in list_invitations(team.store)]


def test_a_link_counts_again_when_its_administrator_is_enabled(team: Served) -> None:
    add_person(team.store, "eve", "administrator", password=PASSWORD)
    with events.acting("eve"):
        secret = invite(team.store, "reader")
    set_disabled(team.store, "eve", True)
    (stored,) = list_invitations(team.store)
    assert status_of(stored, datetime.now(UTC)) == "void"
    assert team.log_in(ADMINISTRATOR).status_code == 303
    assert ">void</td>" in team.get("/admin").text
    set_disabled(team.store, "eve", False)
    assert send(team, secret).status_code == 200


def test_who_is_disabled_between_the_look_and_the_form_invites_nobody(
    team: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_person(team.store, "eve", "administrator", password=PASSWORD)
    with events.acting("eve"):
        secret = invite(team.store, "reader")
    hash_ = Passwords.hash

    def hash_while_eve_is_disabled(self: Passwords, password: str) -> str:
        set_disabled(team.store, "eve", True)
        return hash_(self, password)

    monkeypatch.setattr(Passwords, "hash", hash_while_eve_is_disabled)
    assert send(team, secret).status_code == 404
    assert "bob" not in accounts_of(team)


def test_an_administrator_by_the_groups_of_a_provider_invites_until_they_are_lost(
    team: Served,
) -> None:
    add_person(team.store, "eve", "reader", password=PASSWORD)
    with team.store.write() as connection:
        account = account_named(connection, "eve")
        accounts.set_role(connection, account.id, None, "administrator", from_groups=True)
    with events.acting("eve"):
        secret = invite(team.store, "reader")
    assert opened(team, secret).status_code == 200
    with team.store.write() as connection:
        accounts.delete_role(connection, account.id, None, from_groups=True)
    assert opened(team, secret).status_code == 404


def test_a_name_that_the_invitation_has_is_not_changed_by_the_person(served: Served) -> None:
    secret = invite(served.store, "reader", "bob")
    assert 'value="bob"' in opened(served, secret).text
    assert send(served, secret, "root").status_code == 200
    assert accounts_of(served) == [ADMINISTRATOR, "bob"]


@pytest.mark.parametrize(
    ("name", "password", "status", "words"),
    [
        ("bob", "short", 400, "A password has at least 12 characters"),
        ("bob", "x" * 2_000, 400, "at most"),
        ("", PASSWORD, 400, "be a name"),
        (" bob", PASSWORD, 400, "be a name"),
        (ADMINISTRATOR, PASSWORD, 409, "There is an account"),
    ],
)
def test_what_is_not_fit_is_told_and_the_link_still_counts(
    served: Served, name: str, password: str, status: int, words: str
) -> None:
    secret = invite(served.store, "reader")
    answer = send(served, secret, name, password)
    assert (answer.status_code, words in answer.text) == (status, True)
    assert f'value="{secret}"' in answer.text
    assert send(served, secret).status_code == 200
    assert accounts_of(served) == [ADMINISTRATOR, "bob"]


def test_an_invitation_to_what_can_not_be_is_refused(served: Served) -> None:
    with pytest.raises(Conflict, match="already"):
        invite(served.store, "reader", ADMINISTRATOR)
    with pytest.raises(DataError, match="name"):
        invite(served.store, "reader", "a\nb")
    with pytest.raises(NotFound, match="did you mean 'test'"):
        invite(served.store, "reader", collection="tset")
    with pytest.raises(DataError, match="time to live"):
        invite(served.store, "reader", lifetime=timedelta())
    assert list_invitations(served.store) == []


def test_the_names_of_other_collections_are_not_told_to_who_is_invited(served: Served) -> None:
    """The nearest name is told where a collection is not there: here to a stranger."""
    secret = invite(served.store, "reader", collection="test")
    remove_collections(served.store, ["test"])
    answer = send(served, secret)
    assert (answer.status_code, OVER in answer.text) == (404, True)
    assert accounts_of(served) == [ADMINISTRATOR]


@pytest.mark.parametrize("key", ["", "x", "x" * 5_000, "%ff", "'--", "%00"])
def test_a_link_that_never_was_is_answered_like_one_that_is_over(served: Served, key: str) -> None:
    invite(served.store, "reader")
    answer = opened(served, key)
    assert (answer.status_code, OVER in answer.text) == (404, True)


# --- the secret ----------------------------------------------------------------------------------


def test_only_the_hash_of_the_secret_is_stored(served: Served) -> None:
    secret = invite(served.store, "reader")
    with served.store.read() as connection:
        rows = connection.execute(invitation_t.select()).all()
        listed = events.events(connection)
    assert [row.hash for row in rows] == [hashlib.sha256(secret.encode()).hexdigest()]
    assert secret not in repr(rows) + repr(listed)
    assert len(secret) >= 43


def test_no_log_and_no_other_page_learns_the_secret(served: Served) -> None:
    secret = invite(served.store, "reader")
    for answer in (opened(served, secret), send(served, secret), send(served, secret)):
        assert answer.headers["Referrer-Policy"] == "strict-origin"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert '"path": "/invitation"' in served.log.getvalue()
    assert secret not in served.log.getvalue()


def test_the_form_works_without_a_script(served: Served) -> None:
    """All that it sends is in the page."""
    text = opened(served, secret := invite(served.store, "reader")).text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    assert fields == {"key": secret}
    assert "<script" not in text


def test_a_page_of_another_site_can_not_send_the_form(served: Served) -> None:
    secret = invite(served.store, "reader")
    form = {"key": secret, "name": "bob", "password": PASSWORD}
    for origin in ("https://evil.example", "null"):
        answer = served.new_browser().post("/invitation", data=form, headers={"Origin": origin})
        assert answer.status_code == 403
    assert accounts_of(served) == [ADMINISTRATOR]


def test_the_link_is_below_the_public_url() -> None:
    url = parse_public_url("https://eval.example/eval")
    assert link(url, "s3") == "https://eval.example/eval/invitation?key=s3"


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.isprintable()])
def test_names_are_escaped(served: Served, name: str) -> None:
    secret = invite(served.store, "reader")
    answer = send(served, secret, name, "short")
    assert answer.status_code == 400
    assert not re.search(r"<(script|b|img|svg)\b", answer.text)


def test_who_is_invited_has_the_role_and_no_more(served: Served) -> None:
    add_person(served.store, "eve", "reader", None, PASSWORD)
    secret = invite(served.store, "reader")
    form = {"key": secret, "name": "bob", "password": PASSWORD, "role": "administrator"}
    assert served.new_browser().post("/invitation", data=form).status_code == 200
    assert roles_of(served, "bob") == [("reader", None)]
