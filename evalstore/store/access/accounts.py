"""Accounts of the team's server (persons and services), their roles, and invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from evalstore.store.models import account_t, collection_t, identity_t, invitation_t, role_t
from evalstore.store.rows import fields, find_row, insert_row

Kind = Literal["person", "service"]


class StoredAccount(NamedTuple):
    """An account; `password_hash` is None if it has no password."""

    id: int
    name: str
    kind: Kind
    password_hash: str | None
    disabled: bool
    created_at: datetime
    last_login_at: datetime | None


ACCOUNTS = select(*fields(StoredAccount, account_t))


def find_account(connection: Connection, name: str) -> StoredAccount | None:
    """The account of that name."""
    if "\0" in name:  # PostgreSQL can't store such texts
        return None
    return find_row(connection, StoredAccount, ACCOUNTS.where(account_t.c.name == name))


def account_of(connection: Connection, account_id: int) -> StoredAccount | None:
    """The account with that id."""
    return find_row(connection, StoredAccount, ACCOUNTS.where(account_t.c.id == account_id))


def list_accounts(connection: Connection) -> list[StoredAccount]:
    """Every account, by name."""
    return [StoredAccount(*row) for row in connection.execute(ACCOUNTS.order_by("name"))]


def add_account(
    connection: Connection, name: str, kind: Kind, password_hash: str | None, now: datetime
) -> int:
    """Add an account whose name is free; returns its id."""
    return insert_row(
        connection, account_t, name=name, kind=kind, password_hash=password_hash, created_at=now
    )


def change_account(connection: Connection, account_id: int, **values: object) -> None:
    """Change columns of an account, such as `password_hash`, `disabled` or `last_login_at`."""
    connection.execute(update(account_t).where(account_t.c.id == account_id).values(values))


def issuers_of_accounts(connection: Connection) -> dict[int, list[str]]:
    """The login providers of each account, by the account's id."""
    rows = select(identity_t.c.account_id, identity_t.c.issuer).distinct().order_by("issuer")
    issuers: dict[int, list[str]] = {}
    for account_id, issuer in connection.execute(rows):
        issuers.setdefault(account_id, []).append(issuer)
    return issuers


def delete_account(connection: Connection, account_id: int) -> None:
    """Delete an account with its sessions, roles, tokens and identities."""
    connection.execute(delete(account_t).where(account_t.c.id == account_id))


def count_administrators(connection: Connection) -> int:
    """The number of persons who administer the store and have a password of their own.

    They can log in even if a login provider is down.
    """
    rows = (
        select(func.count())
        .select_from(account_t)
        .join(role_t, role_t.c.account_id == account_t.c.id)
        .where(
            role_t.c.collection_id.is_(None),
            role_t.c.role == "administrator",
            account_t.c.kind == "person",
            account_t.c.password_hash.is_not(None),
            ~account_t.c.disabled,
        )
    )
    return int(connection.execute(rows).scalar_one())


# Identities of accounts at login providers: an issuer and a subject, never an e-mail address


def find_identity(connection: Connection, issuer: str, subject: str) -> int | None:
    """The id of the account of an identity."""
    rows = select(identity_t.c.account_id)
    rows = rows.where(identity_t.c.issuer == issuer, identity_t.c.subject == subject)
    return connection.execute(rows).scalar()


def add_identity(
    connection: Connection, issuer: str, subject: str, account_id: int, now: datetime
) -> None:
    """Store an identity of an account."""
    values = {"issuer": issuer, "subject": subject, "account_id": account_id, "created_at": now}
    connection.execute(insert(identity_t).values(values))


def accounts_of_issuer(connection: Connection, issuer: str) -> list[int]:
    """The ids of the accounts that have an identity at a login provider."""
    rows = select(identity_t.c.account_id).where(identity_t.c.issuer == issuer)
    return list(connection.execute(rows.order_by(identity_t.c.account_id)).scalars())


# Roles of accounts, in the whole store or in one collection.
#
# A role was granted by an administrator, or it comes from the groups that a login provider reports
# (`from_groups`). An account can have one of each kind in the same place; the higher one counts.

FROM_THE_LEAST = ("reader", "judge", "contributor", "administrator")


class StoredRole(NamedTuple):
    """A role of an account; `collection_id` and `collection` are None for the whole store."""

    account: str
    role: str
    collection_id: int | None
    collection: str | None
    from_groups: bool


def roles_of(connection: Connection, account_id: int) -> dict[int | None, str]:
    """The highest role of an account by collection; the key None is the whole store."""
    highest: dict[int | None, str] = {}
    for collection_id, role in connection.execute(_roles(account_id)):
        highest[collection_id] = max(role, highest.get(collection_id, role), key=_rank)
    return highest


def roles_from(
    connection: Connection, account_id: int, *, from_groups: bool
) -> dict[int | None, str]:
    """The roles of an account by collection: either granted ones or those from its groups."""
    rows = _roles(account_id).where(role_t.c.from_groups.is_(from_groups))
    return {row[0]: row[1] for row in connection.execute(rows)}


def list_roles(connection: Connection, collection_id: int | None = None) -> list[StoredRole]:
    """Every role, or those in a collection, by account; the one for the whole store comes first."""
    columns = (account_t.c.name, role_t.c.role, role_t.c.collection_id, collection_t.c.name)
    rows = (
        select(*columns, role_t.c.from_groups)
        .join(account_t, account_t.c.id == role_t.c.account_id)
        .outerjoin(collection_t, collection_t.c.id == role_t.c.collection_id)
        .order_by(
            account_t.c.name,
            role_t.c.collection_id.is_not(None),
            collection_t.c.name,
            role_t.c.from_groups,
        )
    )
    if collection_id is not None:
        rows = rows.where(role_t.c.collection_id == collection_id)
    return [StoredRole(*row) for row in connection.execute(rows)]


def set_role(
    connection: Connection,
    account_id: int,
    collection_id: int | None,
    role: str,
    *,
    from_groups: bool = False,
) -> None:
    """Give an account a role; it replaces the one of the same origin in the same place."""
    there = _is_role(account_id, collection_id, from_groups)
    if not connection.execute(update(role_t).where(there).values(role=role)).rowcount:
        key = {"account_id": account_id, "collection_id": collection_id}
        values = {**key, "role": role, "from_groups": from_groups}
        connection.execute(insert(role_t).values(values))


def delete_role(
    connection: Connection, account_id: int, collection_id: int | None, *, from_groups: bool = False
) -> None:
    """Delete the role of an account in one place that has a given origin."""
    connection.execute(delete(role_t).where(_is_role(account_id, collection_id, from_groups)))


def delete_roles(connection: Connection, account_id: int) -> None:
    """Delete all roles of an account."""
    connection.execute(delete(role_t).where(role_t.c.account_id == account_id))


def _roles(account_id: int) -> Select[int | None, str]:
    return select(role_t.c.collection_id, role_t.c.role).where(role_t.c.account_id == account_id)


def _rank(role: str) -> int:
    return FROM_THE_LEAST.index(role) if role in FROM_THE_LEAST else -1


def _is_role(account_id: int, collection_id: int | None, from_groups: bool) -> ColumnElement[bool]:
    # SQLAlchemy writes `= None` as IS NULL.
    there = (role_t.c.account_id == account_id) & (role_t.c.collection_id == collection_id)
    return there & role_t.c.from_groups.is_(from_groups)


# Invitations: links for making an account, found by the SHA-256 of their secret.
#
# An invitation is valid while the account that made it administers the store or the invitation's
# collection. If no account has the name of its maker, it was made on the server's machine, whose
# users are trusted; removing an account deletes its open invitations.


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
