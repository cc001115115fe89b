"""Roles of accounts, in the whole store or in one collection."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from evalstore.store import models

account_t = models.table(models.Account)
collection_t = models.table(models.Collection)
role_t = models.table(models.Role)


class StoredRole(NamedTuple):
    """A role of an account; both names of the collection are None for the whole store."""

    account: str
    role: str
    collection_id: int | None
    collection: str | None


def roles_of(connection: Connection, account_id: int) -> dict[int | None, str]:
    """The roles of an account by collection; None stands for the whole store."""
    rows = select(role_t.c.collection_id, role_t.c.role).where(role_t.c.account_id == account_id)
    return {row[0]: row[1] for row in connection.execute(rows)}


def list_roles(connection: Connection) -> list[StoredRole]:
    """Every role, by the name of the account; that for the whole store comes first."""
    rows = (
        select(account_t.c.name, role_t.c.role, role_t.c.collection_id, collection_t.c.name)
        .join(account_t, account_t.c.id == role_t.c.account_id)
        .outerjoin(collection_t, collection_t.c.id == role_t.c.collection_id)
        .order_by(account_t.c.name, role_t.c.collection_id.is_not(None), collection_t.c.name)
    )
    return [StoredRole(*row) for row in connection.execute(rows)]


def set_role(connection: Connection, account_id: int, collection_id: int | None, role: str) -> None:
    """Give an account a role, in place of the one it has there."""
    there = _is_role(account_id, collection_id)
    if not connection.execute(update(role_t).where(there).values(role=role)).rowcount:
        values = {"account_id": account_id, "collection_id": collection_id, "role": role}
        connection.execute(insert(role_t).values(values))


def delete_role(connection: Connection, account_id: int, collection_id: int | None) -> None:
    """Take away the role that an account has there."""
    connection.execute(delete(role_t).where(_is_role(account_id, collection_id)))


def delete_roles(connection: Connection, account_id: int) -> None:
    """Take away all roles of an account."""
    connection.execute(delete(role_t).where(role_t.c.account_id == account_id))


def _is_role(account_id: int, collection_id: int | None) -> ColumnElement[bool]:
    # SQLAlchemy writes `= None` as IS NULL.
    return (role_t.c.account_id == account_id) & (role_t.c.collection_id == collection_id)
