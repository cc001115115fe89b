"""What the pages of the administrators show, read from the whole store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evalstore.catalog.collections import collections
from evalstore.server.people.invitations import list_invitations, status_of
from evalstore.server.people.sessions import sessions_of
from evalstore.store import Store
from evalstore.store.access import accounts, roles, tokens
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.access.invitations import StoredInvitation
from evalstore.store.access.roles import StoredRole
from evalstore.store.access.sessions import StoredSession
from evalstore.store.access.tokens import StoredToken
from evalstore.store.queries import events
from evalstore.store.queries.collections import StoredCollection
from evalstore.store.queries.events import Event

EVENTS_OF_PAGE = 25


@dataclass(frozen=True)
class Filter:
    """Which events are shown: of an account, of a collection, older than the one with an id."""

    account: str = ""
    collection: str = ""
    before: int | None = None


@dataclass(frozen=True)
class Overview:
    """The server's accounts and what belongs to them.

    Attributes:
        accounts: all, by name.
        roles: all, by the name of the account.
        issuers: the providers of logins of each account, by its id.
        invitations: those that can be used, now or when who made them may invite again.
        tokens: those that are not revoked.
        sessions: those that have not ended.
        collections: the active ones, in natural order.
        events: a page of those that were chosen, with their ids, the newest first.
        has_older: whether there are older events of those that were chosen.
        chosen: which events.
        now: the time.
    """

    accounts: Sequence[StoredAccount]
    roles: Sequence[StoredRole]
    issuers: Mapping[int, Sequence[str]]
    invitations: Sequence[StoredInvitation]
    tokens: Sequence[StoredToken]
    sessions: Sequence[StoredSession]
    collections: Sequence[StoredCollection]
    events: Sequence[tuple[int, Event]]
    has_older: bool
    chosen: Filter
    now: datetime


def load_overview(store: Store, chosen: Filter, now: datetime) -> Overview:
    """Read all of it."""
    with store.read() as connection:
        listed = events.events_before(
            connection,
            chosen.before,
            EVENTS_OF_PAGE + 1,
            account=chosen.account or None,
            collection=chosen.collection or None,
        )
        all_accounts = accounts.list_accounts(connection)
        all_roles = roles.list_roles(connection)
        issuers = accounts.issuers_of_accounts(connection)
        all_tokens = tokens.list_tokens(connection)
    return Overview(
        all_accounts,
        all_roles,
        issuers,
        [each for each in list_invitations(store) if status_of(each, now) in ("open", "void")],
        [each for each in all_tokens if each.revoked_at is None],
        sessions_of(store, None, now),
        collections(store),
        listed[:EVENTS_OF_PAGE],
        len(listed) > EVENTS_OF_PAGE,
        chosen,
        now,
    )
