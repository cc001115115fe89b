"""Failed logins, counted by name and source address together, so that none locks another out."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from evalstore.store import models

attempt_t = models.table(models.LoginAttempt)


class Attempts(NamedTuple):
    """How many logins failed in a row, and until when further ones are refused."""

    failures: int
    locked_until: datetime


def find_attempts(connection: Connection, name_hash: str, address: str) -> Attempts | None:
    """The failed logins to a name from an address."""
    columns = select(attempt_t.c.failures, attempt_t.c.locked_until)
    row = connection.execute(columns.where(_key(name_hash, address))).first()
    return None if row is None else Attempts(*row)


def set_attempts(connection: Connection, name_hash: str, address: str, attempts: Attempts) -> None:
    """Store the failed logins to a name from an address."""
    values = attempts._asdict()
    changed = update(attempt_t).where(_key(name_hash, address)).values(values)
    if not connection.execute(changed).rowcount:
        key = {"name_hash": name_hash, "address": address}
        connection.execute(insert(attempt_t).values({**key, **values}))


def delete_attempts(connection: Connection, name_hash: str, address: str) -> None:
    """Forget the failed logins to a name from an address."""
    connection.execute(delete(attempt_t).where(_key(name_hash, address)))


def delete_old_attempts(connection: Connection, before: datetime) -> None:
    """Forget failed logins whose lock ended before a time."""
    connection.execute(delete(attempt_t).where(attempt_t.c.locked_until < before))


def _key(name_hash: str, address: str) -> ColumnElement[bool]:
    return (attempt_t.c.name_hash == name_hash) & (attempt_t.c.address == address)
