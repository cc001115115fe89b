"""Invitations: links for making an account, found by the SHA-256 of their secret.

An invitation is valid while the account that made it administers the store or the invitation's
collection. If no account has the name of its maker, it was made on the server's machine, whose
users are trusted; removing an account deletes its open invitations.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, select, update

from evalstore.store.models import account_t, collection_t, invitation_t, role_t
from evalstore.store.rows import fields, find_row, insert_row


class StoredInvitation(NamedTuple):
    """An invitation; `name` is None if the person chooses it.

    `collection_id` and `collection` are None for the whole store. `is_void`: the account that made
    the invitation is disabled, or is no longer an administrator there.
    """

    id: int
    name: str | None
    role: str
    collection_id: int | None
    collection: str | None
    who: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    is_void: bool


def invitation_of_hash(connection: Connection, hash_: str) -> StoredInvitation | None:
    """The invitation with that hash, valid or not."""
    return find_row(
        connection, StoredInvitation, _invitations().where(invitation_t.c.hash == hash_)
    )


def find_invitation(connection: Connection, invitation_id: int) -> StoredInvitation | None:
    """The invitation with that id."""
    chosen = _invitations().where(invitation_t.c.id == invitation_id)
    return find_row(connection, StoredInvitation, chosen)


def list_invitations(connection: Connection) -> list[StoredInvitation]:
    """Every invitation, the oldest first, including used and expired ones."""
    rows = connection.execute(_invitations().order_by(invitation_t.c.id))
    return [StoredInvitation(*row) for row in rows]


def add_invitation(
    connection: Connection,
    hash_: str,
    name: str | None,
    role: str,
    collection_id: int | None,
    who: str,
    now: datetime,
    expires_at: datetime,
) -> int:
    """Store a new invitation; returns its id."""
    return insert_row(
        connection,
        invitation_t,
        hash=hash_,
        name=name,
        role=role,
        collection_id=collection_id,
        who=who,
        created_at=now,
        expires_at=expires_at,
    )


def use_invitation(connection: Connection, invitation_id: int, now: datetime) -> bool:
    """Mark an invitation as used; False if it was used before, has expired or is void.

    The UPDATE checks this condition, so only one of two simultaneous requests gets True.
    """
    counts = invitation_t.c.used_at.is_(None) & (invitation_t.c.expires_at > now) & ~_is_void()
    chosen = update(invitation_t).where(invitation_t.c.id == invitation_id, counts)
    return bool(connection.execute(chosen.values(used_at=now)).rowcount)


def delete_invitation(connection: Connection, invitation_id: int) -> bool:
    """Delete an invitation that was not used; returns whether there was one."""
    chosen = (invitation_t.c.id == invitation_id) & invitation_t.c.used_at.is_(None)
    return bool(connection.execute(delete(invitation_t).where(chosen)).rowcount)


def delete_invitations_of(connection: Connection, who: str) -> None:
    """Delete the unused invitations that an account made."""
    chosen = (invitation_t.c.who == who) & invitation_t.c.used_at.is_(None)
    connection.execute(delete(invitation_t).where(chosen))


def _is_void() -> ColumnElement[bool]:
    administers = select(role_t.c.id).where(
        role_t.c.account_id == account_t.c.id,
        role_t.c.collection_id.is_(None) | (role_t.c.collection_id == invitation_t.c.collection_id),
        role_t.c.role == "administrator",
    )
    made_it = account_t.c.name == invitation_t.c.who
    return (
        select(account_t.c.id)
        .where(
            made_it, account_t.c.disabled | ~administers.correlate(account_t, invitation_t).exists()
        )
        .correlate(invitation_t)
        .exists()
    )


def _invitations() -> Select[Any]:
    others = {"collection": collection_t.c.name, "is_void": _is_void()}
    columns = fields(StoredInvitation, invitation_t, **others)
    return select(*columns).outerjoin(
        collection_t, collection_t.c.id == invitation_t.c.collection_id
    )
