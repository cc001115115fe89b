"""Who an account is for a request: with the roles that it has now."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from evalstore.server.people.rights import Person
from evalstore.store.access import accounts, roles
from evalstore.store.access.tokens import Scope, StoredToken

BETWEEN_USES = timedelta(minutes=5)
"""How often the last use of a session or token is written down: each time is a write that others
wait for."""


def person_of_account(
    connection: Connection,
    account_id: int,
    *,
    session: str | None = None,
    token: str | None = None,
    token_id: int | None = None,
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
        account.id,
        account.name,
        account.created_at,
        granted,
        session=session,
        token=token,
        token_id=token_id,
        scope=scope,
        only=only,
    )


def counts(token: StoredToken, now: datetime) -> bool:
    """Whether a token is neither taken back nor over."""
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def person_of_stored_token(connection: Connection, token: StoredToken) -> Person | None:
    """Who a token stands for that counts; None where its account is disabled."""
    return person_of_account(
        connection,
        token.account_id,
        token=token.name,
        token_id=token.id,
        scope=token.scope,
        only=token.collection_id,
    )
