"""Sessions, by the SHA-256 of the id in a browser's cookie, and tokens of programs, by theirs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from evalstore.store.models import account_t, attempt_t, collection_t, session_t, token_t
from evalstore.store.rows import fields, find_row


class StoredSession(NamedTuple):
    """A session."""

    hash: str
    account_id: int
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    agent: str


SESSIONS = select(*fields(StoredSession, session_t))


def find_session(connection: Connection, hash_: str) -> StoredSession | None:
    """The session with that hash, ended or not."""
    return find_row(connection, StoredSession, SESSIONS.where(session_t.c.hash == hash_))


def list_sessions(connection: Connection, account_id: int | None = None) -> list[StoredSession]:
    """The sessions of an account, or of all accounts, the most recently used first."""
    rows = SESSIONS
    if account_id is not None:
        rows = rows.where(session_t.c.account_id == account_id)
    rows = rows.order_by(session_t.c.last_seen_at.desc(), session_t.c.hash)
    return [StoredSession(*row) for row in connection.execute(rows)]


def add_session(connection: Connection, session: StoredSession) -> None:
    """Store a new session."""
    connection.execute(insert(session_t).values(session._asdict()))


def set_last_seen(connection: Connection, hash_: str, now: datetime) -> None:
    """Record the last use of a session."""
    connection.execute(update(session_t).where(session_t.c.hash == hash_).values(last_seen_at=now))


def delete_session(connection: Connection, account_id: int, hash_: str) -> bool:
    """End a session of an account; returns whether there was one."""
    chosen = (session_t.c.account_id == account_id) & (session_t.c.hash == hash_)
    return bool(connection.execute(delete(session_t).where(chosen)).rowcount)


def delete_sessions(connection: Connection, account_id: int, but: str | None = None) -> int:
    """End the sessions of an account, except one if given; returns the number ended."""
    chosen = session_t.c.account_id == account_id
    if but is not None:
        chosen &= session_t.c.hash != but
    return connection.execute(delete(session_t).where(chosen)).rowcount


def delete_ended(connection: Connection, now: datetime, seen_since: datetime) -> None:
    """Delete the sessions that have expired or were not used lately."""
    ended = (session_t.c.expires_at <= now) | (session_t.c.last_seen_at < seen_since)
    connection.execute(delete(session_t).where(ended))


# Failed logins, counted per name and source address, so that nobody can lock others out


class Attempts(NamedTuple):
    """The number of failed logins in a row, and the time until which new ones are refused."""

    failures: int
    locked_until: datetime


def find_attempts(connection: Connection, name_hash: str, address: str) -> Attempts | None:
    """The failed logins for a name from an address."""
    columns = select(attempt_t.c.failures, attempt_t.c.locked_until)
    return find_row(connection, Attempts, columns.where(_key(name_hash, address)))


def set_attempts(connection: Connection, name_hash: str, address: str, attempts: Attempts) -> None:
    """Store the failed logins for a name from an address."""
    values = attempts._asdict()
    changed = update(attempt_t).where(_key(name_hash, address)).values(values)
    if not connection.execute(changed).rowcount:
        key = {"name_hash": name_hash, "address": address}
        connection.execute(insert(attempt_t).values({**key, **values}))


def delete_attempts(connection: Connection, name_hash: str, address: str) -> None:
    """Delete the failed logins for a name from an address."""
    connection.execute(delete(attempt_t).where(_key(name_hash, address)))


def delete_old_attempts(connection: Connection, before: datetime) -> None:
    """Delete failed logins whose lock ended before a time."""
    connection.execute(delete(attempt_t).where(attempt_t.c.locked_until < before))


def _key(name_hash: str, address: str) -> ColumnElement[bool]:
    return (attempt_t.c.name_hash == name_hash) & (attempt_t.c.address == address)


# Access tokens of accounts, found by their SHA-256

Scope = Literal["read", "write"]


class StoredToken(NamedTuple):
    """A token, with the names of its account and of the collection that it is limited to."""

    id: int
    name: str
    prefix: str
    account_id: int
    account: str
    collection_id: int | None
    collection: str | None
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


TOKENS = (
    select(*fields(StoredToken, token_t, account=account_t.c.name, collection=collection_t.c.name))
    .join(account_t, account_t.c.id == token_t.c.account_id)
    .outerjoin(collection_t, collection_t.c.id == token_t.c.collection_id)
)


def token_of_hash(connection: Connection, hash_: str) -> StoredToken | None:
    """The token with that hash, valid or not."""
    return find_row(connection, StoredToken, TOKENS.where(token_t.c.hash == hash_))


def find_token(connection: Connection, name: str) -> StoredToken | None:
    """The token with that name that is not revoked."""
    chosen = TOKENS.where(token_t.c.name == name, token_t.c.revoked_at.is_(None))
    return find_row(connection, StoredToken, chosen)


def find_token_of_id(connection: Connection, token_id: int) -> StoredToken | None:
    """The token with that id, valid or not; None if its account was removed."""
    return find_row(connection, StoredToken, TOKENS.where(token_t.c.id == token_id))


def list_tokens(connection: Connection) -> list[StoredToken]:
    """Every token, by name and then by time, including revoked ones."""
    rows = TOKENS.order_by(token_t.c.name, token_t.c.id)
    return [StoredToken(*row) for row in connection.execute(rows)]


def add_token(
    connection: Connection,
    name: str,
    hash_: str,
    prefix: str,
    account_id: int,
    now: datetime,
    *,
    scope: Scope,
    collection_id: int | None,
    expires_at: datetime | None,
) -> None:
    """Store a new token."""
    connection.execute(
        insert(token_t).values(
            name=name,
            hash=hash_,
            prefix=prefix,
            account_id=account_id,
            collection_id=collection_id,
            scope=scope,
            created_at=now,
            expires_at=expires_at,
        )
    )


def change_token(connection: Connection, token_id: int, **values: object) -> None:
    """Change columns of a token: `last_used_at` or `revoked_at`."""
    connection.execute(update(token_t).where(token_t.c.id == token_id).values(values))
