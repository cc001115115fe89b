"""Who accounts are at providers of logins: (issuer, subject), never an e-mail address."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert, select

from evalstore.store import models

identity_t = models.table(models.Identity)


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


def issuers_of_accounts(connection: Connection) -> dict[int, str]:
    """The issuer of each account that logs in at a provider, by the id of the account."""
    rows = select(identity_t.c.account_id, identity_t.c.issuer)
    return {row[0]: row[1] for row in connection.execute(rows)}


def accounts_of_issuer(connection: Connection, issuer: str) -> list[int]:
    """The ids of the accounts that log in at a provider."""
    rows = select(identity_t.c.account_id).where(identity_t.c.issuer == issuer)
    return list(connection.execute(rows.order_by(identity_t.c.account_id)).scalars())
