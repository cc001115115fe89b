"""Sessions: the account that a browser is logged in to, by a random id in its cookie."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from evalstore.errors import NotFound
from evalstore.server.people.accounts import BETWEEN_USES, account_named, person_of_account
from evalstore.server.people.rights import Person
from evalstore.server.people.tokens import secret_hash
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.sessions import StoredSession
from evalstore.store.queries import events

IDLE = timedelta(days=7)
"""After its last use a session ends."""
AGE = timedelta(days=30)
"""Age at which a session ends in any case."""
AGE_FROM_PROVIDER = timedelta(hours=12)
"""The same of a login at a provider: a group that somebody left counts no longer than that."""

LONGEST_AGENT = 120


def start_session(
    connection: Connection, account_id: int, agent: str, now: datetime, age: timedelta = AGE
) -> str:
    """Store a new session in a transaction that writes; returns the id for the cookie.

    The account has logged in by it. The sessions of all that have ended are deleted.
    """
    sessions.delete_ended(connection, now, now - IDLE)
    id_ = secrets.token_urlsafe(32)
    name = "".join(c if c.isprintable() else " " for c in agent)[:LONGEST_AGENT]
    new = StoredSession(secret_hash(id_), account_id, now, now, now + age, name)
    sessions.add_session(connection, new)
    accounts.change_account(connection, account_id, last_login_at=now)
    return id_


def person_of_session(store: Store, id_: str, now: datetime) -> Person | None:
    """The person of the id in a cookie; None if the session is unknown or over."""
    with store.read() as connection:
        session = sessions.find_session(connection, secret_hash(id_))
        if session is None or session.expires_at <= now or session.last_seen_at < now - IDLE:
            return None
        person = person_of_account(connection, session.account_id)
    if person is None:
        return None
    if session.last_seen_at < now - BETWEEN_USES:
        store.transact(lambda writer: sessions.set_last_seen(writer, session.hash, now))
    return replace(person, session=session.hash)


def sessions_of(store: Store, account_id: int | None, now: datetime) -> list[StoredSession]:
    """The open sessions of an account, or of all; the one seen last first."""
    with store.read() as connection:
        stored = sessions.list_sessions(connection, account_id)
    return [s for s in stored if s.expires_at > now and s.last_seen_at >= now - IDLE]


def list_named_sessions(
    store: Store, name: str | None, now: datetime
) -> list[tuple[str, StoredSession]]:
    """The same with the name of each account; NotFound for an unknown account."""
    with store.read() as connection:
        account_id = None if name is None else account_named(connection, name).id
        names = {account.id: account.name for account in accounts.list_accounts(connection)}
    listed = sessions_of(store, account_id, now)
    return [(names[each.account_id], each) for each in listed if each.account_id in names]


def end_session(store: Store, account_id: int, hash_: str) -> None:
    """End a session of an account, if there is such a one."""
    store.transact(lambda writer: sessions.delete_session(writer, account_id, hash_))


def end_any_session(store: Store, hash_: str) -> str:
    """End a session of any account, whose name is returned; NotFound if there is none."""

    def work(connection: Connection) -> str:
        session = sessions.find_session(connection, hash_)
        account = session and accounts.account_of(connection, session.account_id)
        if account is None:
            raise NotFound("there is no such session: it has ended")
        sessions.delete_session(connection, account.id, hash_)
        events.log(connection, "session", None, account.name, datetime.now(UTC), ended=1)
        return account.name

    return store.transact(work)


def end_sessions(store: Store, name: str, *, but: str | None = None) -> int:
    """End all sessions of an account but one; their number. NotFound: no such account."""

    def work(connection: Connection) -> int:
        account = account_named(connection, name)
        ended = sessions.delete_sessions(connection, account.id, but)
        if ended:
            events.log(connection, "session", None, name, datetime.now(UTC), ended=ended)
        return ended

    return store.transact(work)
