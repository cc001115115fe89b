"""Roles of accounts, in the whole store or in one collection.

A role was granted by an administrator, or it comes from the groups that a login provider reports
(`from_groups`). An account can have one of each kind in the same place; the higher one counts.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, insert, select, update

from evalstore.store.models import account_t, collection_t, role_t

FROM_THE_LEAST = ("reader", "contributor", "administrator")


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
