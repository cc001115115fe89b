"""Accounts, roles, tokens, sessions and failed logins, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import argon2
import pytest
from databases import both_databases

from evalstore.errors import Conflict, DataError, NotFound
from evalstore.server.people import accounts
from evalstore.server.people.accounts import Passwords
from evalstore.server.people.invitations import invite
from evalstore.server.people.login import (
    AGE,
    Client,
    LockedOut,
    Logins,
    WrongPassword,
    end_sessions,
    person_of_session,
    sessions_of,
)
from evalstore.server.people.tokens import (
    create_token,
    list_tokens,
    person_of_token,
    places_of,
    revoke_token,
)
from evalstore.server.setup import NotSetUp, set_public_url, set_up, settings
from evalstore.store import Store
from evalstore.store.access import accounts as identities
from evalstore.store.access import accounts as stored_accounts
from evalstore.store.models import collection_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import access_of_collections, ensure_collection
from evalstore.store.rows import change_row

NOW = datetime.now(UTC)
PASSWORD = "correct horse battery"
MACHINES = ("root@vm", "@", "root\uff20vm", "root\ufe6bvm")
HOSTILE = ("", " ", " a", "a ", "a\nb", "\x1b[2J", "x" * 101, "a\x00", "\u202ea")


@pytest.fixture
def server(store: Store) -> Store:
    """A store with a server, an administrator and a collection."""
    with store.write() as connection:
        ensure_collection(connection, "test", NOW)
    set_up(store, "https://eval.example", "ann", PASSWORD)
    return store


def last_event(store: Store) -> events.Event:
    with store.read() as connection:
        return events.events(connection)[-1]


def roles(store: Store) -> dict[str, list[tuple[str, str | None]]]:
    named: dict[str, list[tuple[str, str | None]]] = {}
    for role in accounts.list_all(store)[1]:
        named.setdefault(role.account, []).append((role.role, role.collection))
    return named


def test_a_store_is_set_up_once_with_a_secret_of_its_own(store: Store) -> None:
    with pytest.raises(NotSetUp):
        settings(store)
    new = set_up(store, "https://eval.example/", "ann")
    assert new.generated is not None
    assert len(new.generated) >= 20
    before = settings(store)
    assert (str(before.public_url), len(before.secret)) == ("https://eval.example", 32)
    with pytest.raises(Conflict):
        set_up(store, "https://other.example", "bob")
    assert [account.name for account in accounts.list_all(store)[0]] == ["ann"]
    set_public_url(store, "https://new.example")
    assert settings(store).secret == before.secret
    assert str(settings(store).public_url) == "https://new.example"


def test_nothing_is_set_up_with_a_password_or_a_name_that_is_not_fit(store: Store) -> None:
    with pytest.raises(DataError):
        set_up(store, "https://eval.example", "ann", "short")
    with pytest.raises(DataError):
        set_up(store, "https://eval.example", "", PASSWORD)
    with pytest.raises(NotSetUp):
        settings(store)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_can_not_be_seen_is_refused(server: Store, name: str) -> None:
    with pytest.raises(DataError):
        accounts.add_person(server, name, "reader", None, PASSWORD)
    with pytest.raises(DataError):
        create_token(server, name, "reader")


@pytest.mark.parametrize("name", MACHINES)
def test_a_new_name_can_not_be_taken_for_a_user_of_a_machine(server: Store, name: str) -> None:
    """Events name such a user as `root@vm`, and whoever acts through the server by the account."""
    for add in (
        lambda: accounts.add_person(server, name, "reader", None, PASSWORD),
        lambda: create_token(server, name, "reader"),
        lambda: invite(server, "reader", name),
    ):
        with pytest.raises(DataError, match="has an @"):
            add()
    assert [account.name for account in accounts.list_all(server)[0]] == ["ann"]


@both_databases
def test_an_account_that_has_an_at_sign_since_before_goes_on(server: Store) -> None:
    with server.write() as connection:
        for name, kind in (("bob@example.org", "person"), ("ci@vm", "service")):
            stored_accounts.add_account(connection, name, kind, None, NOW)  # type: ignore[arg-type]
    accounts.set_password(server, "bob@example.org", PASSWORD)
    accounts.grant(server, "bob@example.org", "reader")
    session = Logins(server, b"k", Passwords()).log_in(
        "bob@example.org", PASSWORD, Client("192.0.2.1"), NOW
    )
    person = person_of_session(server, session, NOW)
    assert person is not None
    assert person.may("read")
    assert person_of_token(server, create_token(server, "ci@vm", "reader"), NOW) is not None


@both_databases
def test_a_person_has_one_role_in_the_store_and_one_in_each_collection(server: Store) -> None:
    accounts.add_person(server, "bob", "reader", "test", PASSWORD)
    accounts.grant(server, "bob", "reader")
    accounts.grant(server, "bob", "contributor")
    accounts.grant(server, "bob", "administrator", "test")
    assert roles(server)["bob"] == [("contributor", None), ("administrator", "test")]
    accounts.withdraw(server, "bob")
    assert roles(server)["bob"] == [("administrator", "test")]
    with pytest.raises(NotFound):
        accounts.withdraw(server, "bob")
    with pytest.raises(NotFound):
        accounts.grant(server, "bob", "reader", "no such")
    with pytest.raises(NotFound):
        accounts.grant(server, "nobody", "reader")
    with pytest.raises(Conflict):
        accounts.add_person(server, "bob", "reader", None, PASSWORD)


@both_databases
def test_the_last_administrator_stays(server: Store) -> None:
    accounts.add_person(server, "bob", "administrator", "test", PASSWORD)
    create_token(server, "robot", "administrator")
    for change in (
        lambda: accounts.remove_account(server, "ann"),
        lambda: accounts.set_disabled(server, "ann", True),
        lambda: accounts.grant(server, "ann", "reader"),
        lambda: accounts.withdraw(server, "ann"),
    ):
        with pytest.raises(DataError, match="last administrator"):
            change()
    assert roles(server)["ann"] == [("administrator", None)]
    accounts.grant(server, "bob", "administrator")
    accounts.remove_account(server, "ann")
    assert set(roles(server)) == {"bob", "robot"}


def test_each_change_is_an_event_of_who_made_it(server: Store) -> None:
    with events.acting("ann"):
        accounts.add_person(server, "bob", "reader", "test", PASSWORD)
        event = last_event(server)
        assert (event.who, event.action, event.collection) == ("ann", "role", "test")
        assert (event.subject, event.details) == ("bob", {"role": "reader"})
        accounts.set_password(server, "bob", "another password")
        assert last_event(server).action == "password"
        create_token(server, "ci", "reader")
        assert last_event(server).details is not None
        revoke_token(server, "ci")
        assert (last_event(server).action, last_event(server).subject) == ("token", "ci")
        accounts.remove_account(server, "bob")
        assert last_event(server).details == {"change": "removed"}
    accounts.set_disabled(server, "ci", True)
    assert last_event(server).who != "ann"
    with server.read() as connection:
        text = repr(events.events(connection))
    assert "argon2" not in text
    assert PASSWORD not in text


def test_a_token_is_a_service_with_the_rights_it_was_made_with(server: Store) -> None:
    token = create_token(server, "ci", "contributor", "test", timedelta(days=1))
    assert token.startswith("evs_")
    with server.read() as connection:
        (test,) = access_of_collections(connection)
    person = person_of_token(server, token, NOW)
    assert person is not None
    assert person.may("write", test)
    assert not person.may("write")
    assert not person.may("administer", test)
    assert person_of_token(server, token, NOW + timedelta(days=2)) is None
    assert person_of_token(server, f"{token}x", NOW) is None
    assert person_of_token(server, "", NOW) is None
    (stored,) = list_tokens(server)
    assert (stored.name, stored.prefix, stored.collection) == ("ci", token[:8], "test")
    assert stored.last_used_at is not None


def test_a_token_of_several_collections_counts_in_each_and_nowhere_else(server: Store) -> None:
    with server.write() as connection:
        places = [ensure_collection(connection, name, NOW) for name in ("test", "more", "other")]
    token = create_token(server, "ci", "contributor", ("more", "test", "more"))
    person = person_of_token(server, token, NOW)
    assert person is not None
    assert [person.may("write", place) for place in (*places, None)] == [True, True, False, False]
    (stored,) = list_tokens(server)
    assert places_of(stored, accounts.list_all(server)[1]) == ("more", "test")
    revoke_token(server, "ci")
    with server.read() as connection:
        logged = [each for each in events.events(connection) if each.action == "token"]
    assert [(each.collection, (each.details or {})["change"]) for each in logged] == [
        *(("more", "made"), ("test", "made")),
        *(("more", "revoked"), ("test", "revoked")),
    ]
    with pytest.raises(NotFound):
        create_token(server, "ci", "reader", ("test", "tset"))


@both_databases
def test_a_token_whose_account_lost_its_roles_counts_nowhere(server: Store) -> None:
    with server.write() as connection:
        ensure_collection(connection, "more", NOW)
    create_token(server, "ci", "reader", ("more", "test"))
    for name in ("more", "test"):
        accounts.withdraw(server, "ci", name)
    (stored,) = list_tokens(server)
    assert places_of(stored, accounts.list_all(server)[1]) == ()


@both_databases
def test_a_token_is_revoked_and_made_anew_with_other_rights(server: Store) -> None:
    first = create_token(server, "ci", "administrator")
    with pytest.raises(Conflict):
        create_token(server, "ci", "reader")
    revoke_token(server, "ci")
    with pytest.raises(NotFound):
        revoke_token(server, "ci")
    assert person_of_token(server, first, NOW) is None
    second = create_token(server, "ci", "reader", "test")
    assert second != first
    assert roles(server)["ci"] == [("reader", "test")]
    with pytest.raises(Conflict):
        create_token(server, "ann", "reader")


def test_a_token_counts_no_longer_when_its_account_is_disabled_or_gone(server: Store) -> None:
    token = create_token(server, "ci", "reader")
    accounts.set_disabled(server, "ci", True)
    assert person_of_token(server, token, NOW) is None
    accounts.set_disabled(server, "ci", False)
    assert person_of_token(server, token, NOW) is not None
    accounts.remove_account(server, "ci")
    assert person_of_token(server, token, NOW) is None
    assert list_tokens(server) == []


@both_databases
def test_who_logs_in_has_a_session_until_it_is_ended(server: Store) -> None:
    logins = Logins(server, b"secret", Passwords())
    id_ = logins.log_in("ann", PASSWORD, Client("192.0.2.1", "a\nbrowser" * 99), NOW)
    person = person_of_session(server, id_, NOW)
    assert person is not None
    assert person.name == "ann"
    assert person.may("administer")
    (session,) = sessions_of(server, person.account_id, NOW)
    assert session.agent.isprintable()
    assert len(session.agent) <= 120
    assert person_of_session(server, id_, NOW + AGE) is None
    assert end_sessions(server, "ann") == 1
    assert person_of_session(server, id_, NOW) is None


def test_failures_are_counted_by_name_and_address(server: Store) -> None:
    logins = Logins(server, b"secret", Passwords())
    here, there = Client("192.0.2.1"), Client("192.0.2.2")
    for _ in range(5):
        with pytest.raises(WrongPassword):
            logins.log_in("ann", "wrong", here, NOW)
    with pytest.raises(LockedOut) as caught:
        logins.log_in("ann", PASSWORD, here, NOW)
    assert caught.value.seconds >= 1
    logins.log_in("ann", PASSWORD, there, NOW)
    logins.log_in("ann", PASSWORD, here, NOW + timedelta(seconds=2))


def test_an_old_hash_is_made_anew_at_the_next_login(server: Store) -> None:
    before = accounts.list_all(server)[0][0].password_hash
    with pytest.MonkeyPatch.context() as patch:
        dearer = partial(argon2.PasswordHasher, time_cost=2, memory_cost=16, parallelism=1)
        patch.setattr(argon2, "PasswordHasher", dearer)
        Logins(server, b"secret", Passwords()).log_in("ann", PASSWORD, Client("::1"), NOW)
    after = accounts.list_all(server)[0][0].password_hash
    assert before is not None
    assert after is not None
    assert "t=2" in after
    assert "t=2" not in before


def test_a_role_goes_with_its_collection(server: Store) -> None:
    accounts.add_person(server, "bob", "reader", "test", PASSWORD)
    with server.write() as connection:
        connection.exec_driver_sql("DELETE FROM collection")
    assert "bob" not in roles(server)


def test_who_reads_a_collection_is_the_store_unless_told_otherwise(server: Store) -> None:
    with server.write() as connection:
        ((id_, access),) = access_of_collections(connection).items()
        assert access == "store"
        change_row(connection, collection_t, id_, access="private")
        assert access_of_collections(connection) == {id_: "private"}


# --- logins at providers -------------------------------------------------------------------------


@both_databases
def test_a_role_from_groups_stands_beside_a_granted_one_and_the_higher_counts(
    server: Store,
) -> None:
    accounts.add_person(server, "bob", "reader", "test", PASSWORD)
    with server.write() as connection:
        bob = accounts.account_named(connection, "bob").id
        collection = accounts.collection_of(connection, "test")
        for place, role in ((collection, "administrator"), (None, "contributor")):
            stored_accounts.set_role(connection, bob, place, role, from_groups=True)
            stored_accounts.set_role(connection, bob, place, "reader", from_groups=True)
            stored_accounts.set_role(connection, bob, place, role, from_groups=True)
    accounts.grant(server, "bob", "administrator")
    with server.read() as connection:
        assert stored_accounts.roles_of(connection, bob) == {
            collection: "administrator",
            None: "administrator",
        }
        granted = stored_accounts.roles_from(connection, bob, from_groups=False)
        assert granted == {collection: "reader", None: "administrator"}
    with server.write() as connection:
        stored_accounts.delete_role(connection, bob, collection, from_groups=True)
    accounts.withdraw(server, "bob")
    with server.read() as connection:
        highest = stored_accounts.roles_of(connection, bob)
    assert highest == {collection: "reader", None: "contributor"}


@both_databases
def test_an_identity_is_of_one_account_and_goes_with_it(server: Store) -> None:
    accounts.add_person(server, "bob", "reader", None, PASSWORD)
    with server.write() as connection:
        bob = accounts.account_named(connection, "bob").id
        identities.add_identity(connection, "https://login.example", "7", bob, NOW)
    with server.read() as connection:
        assert identities.find_identity(connection, "https://login.example", "7") == bob
        assert identities.find_identity(connection, "https://login.example", "07") is None
        assert identities.find_identity(connection, "https://login.example/", "7") is None
        assert identities.accounts_of_issuer(connection, "https://login.example") == [bob]
        assert identities.issuers_of_accounts(connection) == {bob: ["https://login.example"]}
    accounts.remove_account(server, "bob")
    with server.read() as connection:
        assert identities.find_identity(connection, "https://login.example", "7") is None
