"""Who asked for a job, and whether that still counts when it is done."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from evalstore.errors import EvalstoreError
from evalstore.server.people.persons import counts, person_of_account, person_of_stored_token
from evalstore.server.people.rights import readable
from evalstore.store.access import accounts, tokens
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries.collections import access_of_collections

TOKEN = "token_id"  # noqa: S105  (a name)
"""Where the payload of a job has the id of the token that asked for it: it may have fewer rights
than its account. A job that a session asked for has none."""


def with_token(payload: Mapping[str, Any], token_id: int | None) -> dict[str, Any]:
    """The payload of a job that a token asked for; None stands for a session."""
    return dict(payload) if token_id is None else {**payload, TOKEN: token_id}


def check_asker(connection: Connection, job: StoredJob, collection_id: int, now: datetime) -> None:
    """Check that who asked for a job may write into its collection, by roles and token of now.

    The name is that of the account then; one of that name that was added later is another's.

    Raises:
        EvalstoreError: he or she may not write there any more, or the token does not count.
    """
    account = accounts.find_account(connection, job.who)
    person = None if account is None else person_of_account(connection, account.id)
    token_id = job.payload.get(TOKEN)
    if person is not None and token_id is not None:
        token = tokens.find_token_of_id(connection, token_id)
        if token is not None and not counts(token, now):
            raise EvalstoreError(
                f"the token {token.name!r} that asked for this does not count any more: it was "
                "revoked or has expired"
            )
        person = None if token is None else person_of_stored_token(connection, token)
    if (
        person is None
        or job.created_at < person.since
        or not person.may("write", collection_id)
        or collection_id not in readable(person, access_of_collections(connection))
    ):
        raise EvalstoreError(
            f"{job.who} may not store anything here any more: the account was disabled or "
            "removed, or lost its role"
        )
