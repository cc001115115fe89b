"""Accounts of the team's server: persons and services."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from evalstore.store.models import account_t, identity_t, role_t
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
