"""Accounts and their roles; every change is an event that names the person who made it.

Below: the person of an account, for a request.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from dashboard.serving.slots import slot
from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import check_new_account_name, looks
from evalstore.errors import Conflict, DataError, EvalstoreError, MissingExtra, NotFound
from evalstore.server.people.rights import Person, Role
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredAccount, StoredRole
from evalstore.store.access.sessions import StoredToken
from evalstore.store.queries import events


@dataclass(frozen=True)
class NewAccount:
    """A person's account before it is stored; `generated` is a new random password, shown once."""

    name: str
    password_hash: str
    generated: str | None

    @classmethod
    def of(
        cls, name: str, password: str | None, passwords: Passwords, *, is_new: bool = True
    ) -> NewAccount:
        """Check the name, if new, and hash the password or a new one; DataError if invalid."""
        if is_new:
            check_new_account_name(name)
        generated = new_password() if password is None else None
        return cls(name, passwords.hash(password or generated or ""), generated)


def insert_account(
    connection: Connection, new: NewAccount, role: Role, collection: str | None, now: datetime
) -> None:
    """Store a person's account with a role, in a transaction that writes."""
    collection_id = collection_of(connection, collection)
    account_id = accounts.add_account(connection, new.name, "person", new.password_hash, now)
    events.log(connection, "account", None, new.name, now, change="added")
    accounts.set_role(connection, account_id, collection_id, role)
    _log_role(connection, new.name, collection, role, now)


def add_person(
    store: Store, name: str, role: Role, collection: str | None = None, password: str | None = None
) -> NewAccount:
    """Add a person's account with a role in the whole store, or in a collection.

    Raises Conflict if the name is taken, DataError for an invalid name or password, NotFound
    without such a collection.
    """
    new = NewAccount.of(name, password, Passwords())

    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        check_free(connection, name)
        insert_account(connection, new, role, collection, now)

    store.transact(work)
    return new


def set_password(
    store: Store, name: str, password: str | None = None, passwords: Passwords | None = None
) -> NewAccount:
    """Give a person another password, a random one if None; all sessions of the account end.

    Raises NotFound without such an account, DataError for a service or an invalid password.
    """
    new = NewAccount.of(name, password, passwords or Passwords(), is_new=False)

    def work(connection: Connection) -> None:
        account = account_named(connection, name)
        if account.kind != "person":
            raise DataError(f"{name!r} is a service: it has tokens and no password")
        if account.id in accounts.issuers_of_accounts(connection):
            raise DataError(f"{name!r} logs in at a provider, which has the password")
        change_password(connection, account, new.password_hash)

    store.transact(work)
    return new


def change_password(
    connection: Connection, account: StoredAccount, password_hash: str, but: str | None = None
) -> None:
    """Store another password, and end the account's sessions except one."""
    accounts.change_account(connection, account.id, password_hash=password_hash)
    sessions.delete_sessions(connection, account.id, but)
    events.log(connection, "password", None, account.name)


def remove_account(store: Store, name: str) -> None:
    """Delete an account with its roles, sessions, tokens and open invitations.

    Raises NotFound without such an account, DataError for the last administrator.
    """

    def work(connection: Connection) -> None:
        with _keeping_an_administrator(connection, name):
            accounts.delete_account(connection, account_named(connection, name).id)
        accounts.delete_invitations_of(connection, name)
        events.log(connection, "account", None, name, change="removed")

    store.transact(work)


def set_disabled(store: Store, name: str, disabled: bool) -> None:
    """Disable or enable an account; its sessions end.

    Raises NotFound without such an account, DataError for the last administrator.
    """

    def work(connection: Connection) -> None:
        account = account_named(connection, name)
        with _keeping_an_administrator(connection, name):
            accounts.change_account(connection, account.id, disabled=disabled)
        sessions.delete_sessions(connection, account.id)
        change = "disabled" if disabled else "enabled"
        events.log(connection, "account", None, name, change=change)

    store.transact(work)


def grant(store: Store, name: str, role: Role, collection: str | None = None) -> None:
    """Give an account a role in the whole store or in a collection, in place of its role there.

    Raises NotFound without such an account or collection, DataError for the last administrator.
    """

    def work(connection: Connection) -> None:
        account = account_named(connection, name)
        collection_id = collection_of(connection, collection)
        with _keeping_an_administrator(connection, name):
            accounts.set_role(connection, account.id, collection_id, role)
        _log_role(connection, name, collection, role, datetime.now(UTC))

    store.transact(work)


def withdraw(store: Store, name: str, collection: str | None = None) -> None:
    """Take away the role that an account has in the whole store, or in a collection.

    Raises NotFound without such an account, collection or role, DataError for the last
    administrator.
    """

    def work(connection: Connection) -> None:
        account = account_named(connection, name)
        collection_id = collection_of(connection, collection)
        if collection_id not in accounts.roles_from(connection, account.id, from_groups=False):
            there = "the whole store" if collection is None else f"the collection {collection!r}"
            groups = collection_id in accounts.roles_from(connection, account.id, from_groups=True)
            which = " but the one that came from its groups" if groups else ""
            raise NotFound(f"{name!r} has no role for {there}{which}")
        with _keeping_an_administrator(connection, name):
            accounts.delete_role(connection, account.id, collection_id)
        _log_role(connection, name, collection, None, datetime.now(UTC))

    store.transact(work)


def list_all(store: Store) -> tuple[list[StoredAccount], list[StoredRole]]:
    """All accounts and all roles, by the name of the account."""
    with store.read() as connection:
        return accounts.list_accounts(connection), accounts.list_roles(connection)


def check_free(connection: Connection, name: str) -> None:
    """Raise Conflict if an account has this name, or one that looks alike."""
    other = account_that_looks_like(connection, name)
    if other == name:
        raise Conflict(f"there is an account {name!r} already")
    if other is not None:
        raise Conflict(f"{name!r} looks like the account {other!r}: give another name")


def account_that_looks_like(connection: Connection, name: str) -> str | None:
    """The name of the account with this name, else of one that looks alike, or None."""
    form = looks(name)
    alike = [a.name for a in accounts.list_accounts(connection) if looks(a.name) == form]
    return name if name in alike else next(iter(alike), None)


def account_named(connection: Connection, name: str) -> StoredAccount:
    """The account with that name; NotFound if there is none."""
    account = accounts.find_account(connection, name)
    if account is None:
        raise NotFound(f"there is no account {name!r}", problem="no account")
    return account


def collection_of(connection: Connection, name: str | None) -> int | None:
    """The id of a collection; NotFound if missing. None for the whole store."""
    return None if name is None else find_collection_id(connection, name)


@contextmanager
def _keeping_an_administrator(connection: Connection, name: str) -> Iterator[None]:
    before = accounts.count_administrators(connection)
    yield
    if before and not accounts.count_administrators(connection):
        raise DataError(
            f"{name!r} is the last administrator with a password: make another one first"
        )


def _log_role(
    connection: Connection, name: str, collection: str | None, role: Role | None, now: datetime
) -> None:
    details: dict[str, object] = {"role": role} if role else {"withdrawn": True}
    events.log(connection, "role", collection, name, now, **details)


# The person of an account, for a request

BETWEEN_USES = timedelta(minutes=5)
"""Minimum time between writes of the last use of a session or token: a write blocks others."""


def person_of_account(connection: Connection, account_id: int) -> Person | None:
    """The person of an account with its current roles; None if it is missing or disabled."""
    account = accounts.account_of(connection, account_id)
    if account is None or account.disabled:
        return None
    granted = accounts.roles_of(connection, account.id)
    return Person(account.id, account.name, account.created_at, granted)


def counts(token: StoredToken, now: datetime) -> bool:
    """Whether a token is neither revoked nor expired."""
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def person_of_stored_token(connection: Connection, token: StoredToken) -> Person | None:
    """The person of a valid token; None if the account is disabled."""
    person = person_of_account(connection, token.account_id)
    if person is None:
        return None
    by_token = replace(person, token=token.name, token_id=token.id)
    return replace(by_token, scope=token.scope, only=token.collection_id)


# Passwords: hashed with argon2id, only a few at a time because each takes much memory

SHORTEST = 12
"""Minimum characters of a password."""
LONGEST = 1024
"""Maximum bytes of a password: hashing takes time that others wait for."""

AT_ONCE = 2
"""Passwords that a process hashes at once; each takes 64 MB and a core for 50 ms."""
SECONDS_TO_WAIT = 10.0


class TooManyLogins(EvalstoreError):
    """Too many passwords are being checked; this one was not."""


class Passwords:
    """Hashes and checks passwords."""

    def __init__(self) -> None:
        try:
            from argon2 import PasswordHasher  # noqa: PLC0415  (only the server needs it)
        except ImportError:
            raise MissingExtra("the server", "server", "argon2") from None
        self._hasher = PasswordHasher()  # RFC 9106, with less memory: 64 MiB, 3 passes
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._of_nobody = self._hasher.hash(secrets.token_hex())

    def hash(self, password: str) -> str:
        """The hash to store, with its parameters.

        Raises DataError if a password is too short or too long, TooManyLogins while others
        are being hashed.
        """
        if len(password) < SHORTEST:
            raise DataError(f"a password has at least {SHORTEST} characters, this one has fewer")
        if len(password.encode("utf-8", "surrogatepass")) > LONGEST:
            raise DataError(f"a password has at most {LONGEST:,} bytes, this one has more")
        with self._turn():
            return self._hasher.hash(password)

    def check(self, stored: str | None, password: str) -> bool:
        """Whether the password matches the stored hash; never if nothing is stored.

        It takes the same time whether the account exists or not. TooManyLogins if too many others
        are being checked.
        """
        from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415  (as above)

        if len(password.encode("utf-8", "surrogatepass")) > LONGEST:
            return False
        with self._turn():
            try:
                is_right = self._hasher.verify(stored or self._of_nobody, password)
            except (Argon2Error, InvalidHashError, UnicodeEncodeError):
                return False
        return bool(is_right) and stored is not None

    def _turn(self) -> AbstractContextManager[None]:
        refusal = TooManyLogins("too many people are logging in: try again in some seconds")
        return slot(self._free, refusal, SECONDS_TO_WAIT)

    def is_old(self, stored: str) -> bool:
        """Whether a hash was made with other parameters than the current ones."""
        return bool(self._hasher.check_needs_rehash(stored))


def new_password() -> str:
    """A password of 160 random bits, which the person who gets it should change."""
    return secrets.token_urlsafe(20)
