"""Access tokens of accounts, found by their SHA-256."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, insert, select, update

from evalstore.store.models import account_t, collection_t, token_t
from evalstore.store.rows import fields, find_row

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
