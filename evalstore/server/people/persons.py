"""Who an account is for a request: with the roles that it has now."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from evalstore.server.people.rights import Person, readable
from evalstore.store import accounts, roles
from evalstore.store.collections import access_of_collections
from evalstore.store.tokens import Scope

BETWEEN_USES = timedelta(minutes=5)
"""How often the last use of a session or token is written down: each time is a write that others
wait for."""


def person_of_account(
    connection: Connection,
    account_id: int,
    *,
    session: str | None = None,
    token: str | None = None,
    scope: Scope = "write",
    only: int | None = None,
) -> Person | None:
    """The person of an account; None where there is no such account, or it is disabled.

    The other arguments are the attributes of the person.
    """
    account = accounts.account_of(connection, account_id)
    if account is None or account.disabled:
        return None
    granted = roles.roles_of(connection, account.id)
    return Person(
        account.id, account.name, account.created_at, granted, session, token, scope, only
    )


def may_store(connection: Connection, name: str, collection_id: int, asked_at: datetime) -> bool:
    """Whether who asked for something at a time may write into a collection, by the roles of now.

    The name is that of the account then; one of that name that was added later is another's.
    """
    account = accounts.find_account(connection, name)
    person = None if account is None else person_of_account(connection, account.id)
    if person is None or asked_at < person.since or not person.may("write", collection_id):
        return False
    return collection_id in readable(person, access_of_collections(connection))
