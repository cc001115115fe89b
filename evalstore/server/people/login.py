"""Logging in with a name and a password; failures make further ones wait, longer each time.

Failures are counted by name and source address together: who guesses the password of somebody
makes nobody wait who logs in from elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network

from sqlalchemy import Connection

from evalstore.errors import DataError
from evalstore.server.people.accounts import change_password
from evalstore.server.people.attempts import count_failure
from evalstore.server.people.passwords import Passwords
from evalstore.server.people.sessions import start_session
from evalstore.store import Store
from evalstore.store.access import accounts, login_attempts, sessions
from evalstore.store.access.accounts import StoredAccount


class WrongPassword(DataError):
    """The name or the password is wrong; which of them is not told."""


@dataclass(frozen=True)
class Client:
    """Where a login comes from.

    Attributes:
        address: the IP address.
        agent: how the browser names itself.
    """

    address: str
    agent: str = ""


@dataclass(frozen=True)
class Logins:
    """Logs people in, out of one store.

    Attributes:
        store: where the accounts are.
        secret: keys the hashes of names that failed.
        passwords: checks passwords.
    """

    store: Store
    secret: bytes
    passwords: Passwords

    def log_in(
        self, name: str, password: str, client: Client, now: datetime, before: str | None = None
    ) -> str:
        """Check a password; returns the id of a new session, for the cookie.

        Args:
            name: of the account.
            password: as it was typed.
            client: where it comes from.
            now: the time.
            before: the hash of the session that the browser had, which ends.

        Raises:
            LockedOut: too many failed before; the password was not looked at.
            TooManyLogins: too many are being checked.
            WrongPassword: otherwise.
        """
        account = self.check(name, password, client, now)

        def work(connection: Connection) -> str:
            if before is not None:
                sessions.delete_session(connection, account.id, before)
            stored = account.password_hash or ""
            if self.passwords.is_old(stored):
                accounts.set_password_hash(connection, account.id, self.passwords.hash(password))
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)

    def check(self, name: str, password: str, client: Client, now: datetime) -> StoredAccount:
        """The account of a name and its password.

        Raises:
            as `log_in`.
        """
        key = (self._name_hash(name), network_of(client.address))
        # Counted as a failure before the password is checked, so that many at once count too.
        self.store.transact(lambda writer: count_failure(writer, *key, now))
        with self.store.read() as connection:
            account = accounts.find_account(connection, name)
        is_right = self.passwords.check(account and account.password_hash, password)
        if account is None or not is_right or account.disabled or account.kind != "person":
            raise WrongPassword("the name or the password is wrong")
        self.store.transact(lambda writer: login_attempts.delete_attempts(writer, *key))
        return account

    def change_password(
        self, name: str, password: str, new: str, client: Client, now: datetime
    ) -> str:
        """Give a person another password, who knows the one of now; all other sessions end.

        Returns:
            The id of a new session.

        Raises:
            DataError: the new password is not fit; and as `log_in`.
        """
        account = self.check(name, password, client, now)
        password_hash = self.passwords.hash(new)

        def work(connection: Connection) -> str:
            change_password(connection, account, password_hash)
            return start_session(connection, account.id, client.agent, now)

        return self.store.transact(work)

    def _name_hash(self, name: str) -> str:
        return hmac.new(
            self.secret, name.encode("utf-8", "surrogatepass"), hashlib.sha256
        ).hexdigest()


def network_of(address: str) -> str:
    """What counts as one source: an IPv4 address, or the /64 of IPv6 that one customer has."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ip_network((ip, 64), strict=False))
    return str(ip)
