"""Accounts of the team's server: persons and services."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from evalstore.store import models

account_t = models.table(models.Account)
identity_t = models.table(models.Identity)
role_t = models.table(models.Role)

Kind = Literal["person", "service"]


class StoredAccount(NamedTuple):
    """An account; `password_hash` is None where it has no password."""

    id: int
    name: str
    kind: Kind
    password_hash: str | None
    disabled: bool
    created_at: datetime
    last_login_at: datetime | None


def find_account(connection: Connection, name: str) -> StoredAccount | None:
    """The account of that name."""
    if "\0" in name:  # PostgreSQL has no such texts
        return None
    row = connection.execute(_accounts().where(account_t.c.name == name)).first()
    return None if row is None else StoredAccount(*row)


def account_of(connection: Connection, account_id: int) -> StoredAccount | None:
    """The account with that id."""
    row = connection.execute(_accounts().where(account_t.c.id == account_id)).first()
    return None if row is None else StoredAccount(*row)


def list_accounts(connection: Connection) -> list[StoredAccount]:
    """Every account, by name."""
    return [StoredAccount(*row) for row in connection.execute(_accounts().order_by("name"))]


def add_account(
    connection: Connection, name: str, kind: Kind, password_hash: str | None, now: datetime
) -> int:
    """Add an account whose name is free; returns its id."""
    values = {"name": name, "kind": kind, "password_hash": password_hash, "created_at": now}
    key = connection.execute(insert(account_t).values(values)).inserted_primary_key
    assert key is not None  # noqa: S101  (the table has a key)
    return int(key[0])


def set_password_hash(connection: Connection, account_id: int, password_hash: str) -> None:
    """Give an account another password."""
    connection.execute(
        update(account_t).where(account_t.c.id == account_id).values(password_hash=password_hash)
    )


def set_disabled(connection: Connection, account_id: int, disabled: bool) -> None:
    """Let an account do nothing, or what its roles say again."""
    connection.execute(
        update(account_t).where(account_t.c.id == account_id).values(disabled=disabled)
    )


def set_last_login(connection: Connection, account_id: int, now: datetime) -> None:
    """Write down that an account logged in."""
    connection.execute(
        update(account_t).where(account_t.c.id == account_id).values(last_login_at=now)
    )


def issuers_of_accounts(connection: Connection) -> dict[int, list[str]]:
    """The providers of logins at which each account is known, by its id."""
    rows = select(identity_t.c.account_id, identity_t.c.issuer).distinct().order_by("issuer")
    issuers: dict[int, list[str]] = {}
    for account_id, issuer in connection.execute(rows):
        issuers.setdefault(account_id, []).append(issuer)
    return issuers


def delete_account(connection: Connection, account_id: int) -> None:
    """Delete an account with its sessions, roles, tokens and identities."""
    connection.execute(delete(account_t).where(account_t.c.id == account_id))


def count_administrators(connection: Connection) -> int:
    """How many persons administer the store and can log in with a password of their own.

    They remain when a provider of logins is down.
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


def _accounts() -> Select[Any]:
    return select(*(account_t.c[name] for name in StoredAccount._fields))


# Who accounts are at providers of logins: (issuer, subject), never an e-mail address


def find_identity(connection: Connection, issuer: str, subject: str) -> int | None:
    """The id of the account of an identity."""
    rows = select(identity_t.c.account_id)
    rows = rows.where(identity_t.c.issuer == issuer, identity_t.c.subject == subject)
    return connection.execute(rows).scalar()


def add_identity(
    connection: Connection, issuer: str, subject: str, account_id: int, now: datetime
) -> None:
    """Store whose account an identity is."""
    values = {"issuer": issuer, "subject": subject, "account_id": account_id, "created_at": now}
    connection.execute(insert(identity_t).values(values))


def identity_issuers(connection: Connection) -> dict[int, str]:
    """The issuer of each account that logs in at a provider, by the id of the account."""
    rows = select(identity_t.c.account_id, identity_t.c.issuer)
    return {row[0]: row[1] for row in connection.execute(rows)}


def accounts_of_issuer(connection: Connection, issuer: str) -> list[int]:
    """The ids of the accounts that log in at a provider."""
    rows = select(identity_t.c.account_id).where(identity_t.c.issuer == issuer)
    return list(connection.execute(rows.order_by(identity_t.c.account_id)).scalars())
