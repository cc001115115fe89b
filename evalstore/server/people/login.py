"""Logging in with a name and a password; failures make further ones wait, longer each time.

Failures are counted by name and source address together: guessing the password of somebody makes
nobody wait who logs in from elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import Connection

from evalstore.errors import DataError
from evalstore.server.people.accounts import change_password
from evalstore.server.people.passwords import Passwords
from evalstore.server.people.sessions import start_session
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.access.sessions import Attempts


class WrongPassword(DataError):
    """The name or the password is wrong; the message does not say which."""


@dataclass(frozen=True)
class Client:
    """The IP address and the browser of a login."""

    address: str
    agent: str = ""


@dataclass(frozen=True)
class Logins:
    """Logs people in, out of one store; `secret` keys the hashes of names that failed."""

    store: Store
    secret: bytes
    passwords: Passwords

    def log_in(
        self, name: str, password: str, client: Client, now: datetime, before: str | None = None
    ) -> str:
        """Check a password; returns the id of a new session, for the cookie.

        The session with the hash `before`, which the browser had, ends. Raises LockedOut after too
        many failures, without looking at the password; TooManyLogins while others are being
        checked; else WrongPassword.
        """
        account = self.check(name, password, client, now)

        def work(connection: Connection) -> str:
            if before is not None:
                sessions.delete_session(connection, account.id, before)
            stored = account.password_hash or ""
            if self.passwords.is_old(stored):
                accounts.change_account(
                    connection, account.id, password_hash=self.passwords.hash(password)
                )
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)

    def check(self, name: str, password: str, client: Client, now: datetime) -> StoredAccount:
        """The account of a name and its password; raises as `log_in`."""
        encoded = name.encode("utf-8", "surrogatepass")
        hash_ = hmac.new(self.secret, encoded, hashlib.sha256).hexdigest()
        key = (hash_, network_of(client.address))
        # Counted as a failure before the password is checked, so that many at once count too.
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

        Returns the id of a new session. Raises as `log_in`, and DataError if the new password is
        not fit.
        """
        account = self.check(name, password, client, now)
        password_hash = self.passwords.hash(new)

        def work(connection: Connection) -> str:
            change_password(connection, account, password_hash)
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)


def network_of(address: str) -> str:
    """One source: an IPv4 address, or the /64 of IPv6 that one customer has."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ip_network((ip, 64), strict=False))
    return str(ip)


# Failures in a row: those of logins, and of names that were guessed, make the next one wait

FREE_FAILURES = 5
"""Failures before the first wait: people mistype."""
LONGEST_WAIT = timedelta(minutes=15)
REMEMBERED = timedelta(days=1)
"""For failures after the last wait."""


class LockedOut(DataError):
    """So many attempts failed that the next one has to wait for `seconds`."""

    def __init__(self, what: str, seconds: int) -> None:
        super().__init__(f"too many {what}: try again in {seconds} seconds")
        self.seconds = seconds


def count_failure(
    connection: Connection,
    key: str,
    address: str,
    now: datetime,
    what: str = "logins failed",
) -> None:
    """Count a failure, in a transaction that writes.

    The `key` is a hash: people type passwords where a name belongs. The `address` may be empty.
    LockedOut, with `what` in its message: so many failed before that it has to wait; then this one
    does not count.
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
    """Check that the next attempt need not wait, or LockedOut; arguments as `count_failure`."""
    before = sessions.find_attempts(connection, key, address)
    if before is not None and before.locked_until > now:
        raise LockedOut(what, int((before.locked_until - now).total_seconds()) + 1)


def wait_after(failures: int) -> timedelta:
    """The time that the next attempt waits after so many failures in a row: 1 s, 2 s, 4 s, ..."""
    if failures < FREE_FAILURES:
        return timedelta()
    doubled = min(failures - FREE_FAILURES, 20)  # 2 ** 20 s is longer than the longest wait
    return min(timedelta(seconds=2**doubled), LONGEST_WAIT)


def guess(store: Store, whose: str, is_right: Callable[[Connection], bool], now: datetime) -> bool:
    """Whether a guessed name is right; each that is not counts as a failure.

    A person who may not see the list of accounts learns by this whether one has a name, so there
    are few guesses. Right ones forgive no wrong ones: one name that is known would allow guesses
    for ever. They are counted by `whose`, which has no name in it that was guessed. LockedOut: too
    many were wrong before; nothing was looked up.
    """
    what = "names were guessed"

    def work(connection: Connection) -> bool:
        check_unlocked(connection, whose, "", now, what)
        right = is_right(connection)
        if not right:
            count_failure(connection, whose, "", now, what)
        return right

    return store.transact(work)
