"""Logins with name and password, sessions, and failures, after which the next try has to wait.

Failures are counted by name and source address together: if somebody guesses a person's password,
the person can still log in from elsewhere without waiting.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import Connection

from evalstore.errors import DataError, NotFound
from evalstore.server.people.accounts import (
    BETWEEN_USES,
    Passwords,
    account_named,
    change_password,
    person_of_account,
)
from evalstore.server.people.rights import Person
from evalstore.server.people.tokens import secret_hash
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.access.sessions import Attempts, StoredSession
from evalstore.store.queries import events


class WrongPassword(DataError):
    """The name or the password is wrong; the message does not say which."""


@dataclass(frozen=True)
class Client:
    """The IP address and the browser of a login."""

    address: str
    agent: str = ""


@dataclass(frozen=True)
class Logins:
    """Logs people in and out of one store; names that failed are hashed with the key `secret`."""

    store: Store
    secret: bytes
    passwords: Passwords

    def log_in(
        self, name: str, password: str, client: Client, now: datetime, before: Person | None = None
    ) -> str:
        """Check a password; return the id of a new session, for the cookie.

        The browser's earlier session, of the person `before`, ends, whoever logs in now. Raises
        LockedOut after too many failures, without looking at the password; TooManyLogins while
        others are being checked; else WrongPassword.
        """
        account = self.check(name, password, client, now)

        def work(connection: Connection) -> str:
            if before is not None and before.session is not None:
                sessions.delete_session(connection, before.account_id, before.session)
            stored = account.password_hash or ""
            if self.passwords.is_old(stored):
                accounts.change_account(
                    connection, account.id, password_hash=self.passwords.hash(password)
                )
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)

    def check(self, name: str, password: str, client: Client, now: datetime) -> StoredAccount:
        """The account with a name and its password; raises like `log_in`."""
        encoded = name.encode("utf-8", "surrogatepass")
        hash_ = hmac.new(self.secret, encoded, hashlib.sha256).hexdigest()
        key = (hash_, network_of(client.address))
        # Counted as a failure before the password is checked, so that many tries at once count too.
        self.store.transact(lambda writer: count_failure(writer, *key, now))
        with self.store.read() as connection:
            account = accounts.find_account(connection, name)
        is_right = self.passwords.check(account and account.password_hash, password)
        if account is None or not is_right or account.disabled or account.kind != "person":
            raise WrongPassword("the name or the password is wrong")
        self.store.transact(lambda writer: sessions.delete_attempts(writer, *key))
        return account

    def change_password(
        self, name: str, password: str, new: str, client: Client, now: datetime
    ) -> str:
        """Change the password of a person who knows the old one; all other sessions end.

        Returns the id of a new session. Raises like `log_in`, and DataError if the new password is
        invalid.
        """
        account = self.check(name, password, client, now)
        password_hash = self.passwords.hash(new)

        def work(connection: Connection) -> str:
            change_password(connection, account, password_hash)
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)


def network_of(address: str) -> str:
    """The network that counts as one source: an IPv4 address, or an IPv6 /64 (one customer)."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ip_network((ip, 64), strict=False))
    return str(ip)


# Sessions: a random id in a browser's cookie shows the account that it is logged in to

IDLE = timedelta(days=7)
"""A session ends this long after its last use."""
AGE = timedelta(days=30)
"""A session ends at this age, even if it is used."""
AGE_FROM_PROVIDER = timedelta(hours=12)
"""The same for logins at a provider; a person who left a group keeps its role no longer."""

LONGEST_AGENT = 120


def start_session(
    connection: Connection, account_id: int, agent: str, now: datetime, age: timedelta = AGE
) -> str:
    """Store a new session in a transaction that writes; return the id for the cookie.

    The account has logged in now. Sessions of all accounts that have ended are deleted.
    """
    sessions.delete_ended(connection, now, now - IDLE)
    id_ = secrets.token_urlsafe(32)
    name = "".join(c if c.isprintable() else " " for c in agent)[:LONGEST_AGENT]
    new = StoredSession(secret_hash(id_), account_id, now, now, now + age, name)
    sessions.add_session(connection, new)
    accounts.change_account(connection, account_id, last_login_at=now)
    return id_


def person_of_session(store: Store, id_: str, now: datetime) -> Person | None:
    """The person of the session id in a cookie; None if it is unknown or has ended."""
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
    """The open sessions of an account, or of all accounts; the last used one first."""
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
    """End a session of an account, if it exists."""
    store.transact(lambda writer: sessions.delete_session(writer, account_id, hash_))


def end_any_session(store: Store, hash_: str) -> None:
    """End a session of any account; NotFound if there is none."""

    def work(connection: Connection) -> None:
        session = sessions.find_session(connection, hash_)
        account = session and accounts.account_of(connection, session.account_id)
        if account is None:
            raise NotFound("there is no such session: it has ended")
        sessions.delete_session(connection, account.id, hash_)
        events.log(connection, "session", None, account.name, ended=1)

    store.transact(work)


def end_sessions(store: Store, name: str) -> int:
    """End all sessions of an account, return their number; NotFound without such an account."""

    def work(connection: Connection) -> int:
        account = account_named(connection, name)
        ended = sessions.delete_sessions(connection, account.id)
        if ended:
            events.log(connection, "session", None, name, ended=ended)
        return ended

    return store.transact(work)


# Failures in a row, of logins and of guessed names: they make the next try wait

FREE_FAILURES = 5
"""Failures before the first wait: people mistype."""
LONGEST_WAIT = timedelta(minutes=15)
REMEMBERED = timedelta(days=1)
"""Time after the last wait until failures are forgotten."""


class LockedOut(DataError):
    """Too many failed attempts: the next one has to wait for `seconds`."""

    def __init__(self, what: str, seconds: int) -> None:
        super().__init__(f"too many {what}: try again in {seconds} seconds")
        self.seconds = seconds


def count_failure(
    connection: Connection, key: str, address: str, now: datetime, what: str = "logins failed"
) -> None:
    """Count a failure, in a transaction that writes.

    The `key` is a hash, because people type passwords in place of names. `address` may be empty.
    LockedOut, with `what` in its message, if earlier failures make this one wait; then it does not
    count.
    """
    check_unlocked(connection, key, address, now, what)
    sessions.delete_old_attempts(connection, now - REMEMBERED)
    before = sessions.find_attempts(connection, key, address)
    is_old = before is None or before.locked_until < now - REMEMBERED
    failures = 1 if is_old or before is None else before.failures + 1
    sessions.set_attempts(connection, key, address, Attempts(failures, now + wait_after(failures)))


def check_unlocked(
    connection: Connection, key: str, address: str, now: datetime, what: str
) -> None:
    """Raise LockedOut if the next attempt has to wait; arguments as in `count_failure`."""
    before = sessions.find_attempts(connection, key, address)
    if before is not None and before.locked_until > now:
        raise LockedOut(what, int((before.locked_until - now).total_seconds()) + 1)


def wait_after(failures: int) -> timedelta:
    """The wait before the next attempt after some failures in a row: 1 s, 2 s, 4 s, ..."""
    if failures < FREE_FAILURES:
        return timedelta()
    doubled = min(failures - FREE_FAILURES, 20)  # 2 ** 20 s is longer than the longest wait
    return min(timedelta(seconds=2**doubled), LONGEST_WAIT)


def guess(store: Store, whose: str, is_right: Callable[[Connection], bool], now: datetime) -> bool:
    """Whether a guessed name is right; each wrong guess counts as a failure.

    A person who may not see the list of accounts learns by this whether a name exists, so few
    guesses are allowed. A right guess does not reset the count: one known name would then allow
    guesses without end. They are counted by `whose`, which contains no guessed name. LockedOut, and
    nothing was looked up, after too many wrong guesses.
    """
    what = "names were guessed"

    def work(connection: Connection) -> bool:
        check_unlocked(connection, whose, "", now, what)
        right = is_right(connection)
        if not right:
            count_failure(connection, whose, "", now, what)
        return right

    return store.transact(work)
