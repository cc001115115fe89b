"""Tokens: secrets by which programs act as an account. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from evalstore.catalog.names import check_account_name, check_new_account_name
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.server.people.accounts import (
    BETWEEN_USES,
    check_free,
    collection_of,
    counts,
    person_of_stored_token,
)
from evalstore.server.people.rights import Person, Role
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredRole
from evalstore.store.access.sessions import Scope, StoredToken
from evalstore.store.queries import events

PREFIX = "evs_"
"""The beginning of every token, so that scanners for secrets find it."""
PREFIX_SHOWN = 8
"""Characters shown in lists: PREFIX and four more."""


def secret_hash(secret: str) -> str:
    """The SHA-256 of a random secret, as it is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def create_token(
    store: Store,
    name: str,
    role: Role,
    collection: str | tuple[str, ...] | None = None,
    lifetime: timedelta | None = None,
) -> str:
    """Make a token, and a service account of the same name for it; return the token.

    It is not shown again. The account has the role in the named collections, or in the whole store,
    and no other role. A token of one collection is limited to it, even if the account gets more
    roles later. Without a lifetime it never expires.

    Raises Conflict if the name is taken, DataError for an invalid name or lifetime, NotFound
    without such a collection.
    """
    check_account_name(name)
    if lifetime is not None and lifetime <= timedelta():
        raise DataError("a token needs a time to live of more than nothing")
    names = (collection,) if collection is None or isinstance(collection, str) else collection
    token = PREFIX + secrets.token_urlsafe(32)

    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        if sessions.find_token(connection, name) is not None:
            raise Conflict(f"there is a token {name!r} already: revoke it first")
        places = {collection_of(connection, each): each for each in names}
        account_id = _service(connection, name, now)
        accounts.delete_roles(connection, account_id)
        for place in places:
            accounts.set_role(connection, account_id, place, role)
        scope: Scope = "read" if role == "reader" else "write"
        expires_at = None if lifetime is None else now + lifetime
        sessions.add_token(
            connection,
            name,
            secret_hash(token),
            token[:PREFIX_SHOWN],
            account_id,
            now,
            scope=scope,
            collection_id=next(iter(places)) if len(places) == 1 else None,
            expires_at=expires_at,
        )
        expires = None if expires_at is None else expires_at.isoformat(timespec="seconds")
        for each in places.values():
            events.log(
                connection, "token", each, name, now, change="made", role=role, expires=expires
            )

    store.transact(work)
    return token


def revoke_token(store: Store, name: str) -> None:
    """Revoke a token: it is refused from now on. NotFound if no valid token has that name."""

    def work(connection: Connection) -> None:
        token = sessions.find_token(connection, name)
        if token is None:
            raise NotFound(f"there is no token {name!r}", problem="no token")
        now = datetime.now(UTC)
        sessions.change_token(connection, token.id, revoked_at=now)
        for each in places_of(token, accounts.list_roles(connection)) or (None,):
            events.log(connection, "token", each, name, now, change="revoked")

    store.transact(work)


def list_tokens(store: Store) -> list[StoredToken]:
    """Every token, by name; revoked ones too."""
    with store.read() as connection:
        return sessions.list_tokens(connection)


def places_of(token: StoredToken, all_roles: Iterable[StoredRole]) -> tuple[str, ...] | None:
    """The collections where a token is valid; None for the whole store.

    This is the one it is limited to, or else those where its account has a role.
    """
    if token.collection is not None:
        return (token.collection,)
    places = [role.collection for role in all_roles if role.account == token.account]
    return None if None in places else tuple(name for name in places if name is not None)


def person_of_token(store: Store, token: str, now: datetime) -> Person | None:
    """The person of a token; None if the token is unknown, expired or revoked."""
    with store.read() as connection:
        stored = sessions.token_of_hash(connection, secret_hash(token))
        if stored is None or not counts(stored, now):
            return None
        person = person_of_stored_token(connection, stored)
    if person is None:
        return None
    if stored.last_used_at is None or stored.last_used_at < now - BETWEEN_USES:
        store.transact(lambda writer: sessions.change_token(writer, stored.id, last_used_at=now))
    return person


def _service(connection: Connection, name: str, now: datetime) -> int:
    """The id of the service account with that name, which is made if missing."""
    account = accounts.find_account(connection, name)
    if account is None:
        check_new_account_name(name)
        check_free(connection, name)
        return accounts.add_account(connection, name, "service", None, now)
    if account.kind != "service":
        raise Conflict(f"{name!r} is a person's account: take another name for the token")
    return account.id


# Lifetimes of tokens and invitations

HOURS = {"h": 1, "d": 24, "w": 24 * 7}
LONGEST = timedelta(days=36_500)


def parse_lifetime(text: str) -> timedelta:
    """The time in a text like `90d`, `12h` or `4w` (days, hours, weeks).

    DataError if it has another form, is zero, or is more than 100 years.
    """
    parts = re.fullmatch(r"([0-9]{1,7})([hdw])", text)
    lifetime = timedelta(hours=int(parts[1]) * HOURS[parts[2]]) if parts else timedelta()
    if not timedelta() < lifetime <= LONGEST:
        raise DataError(f"{text!r} is no time to live: write it like 90d, 12h or 4w")
    return lifetime
