"""Invitations: links for making an account, once each. Only the hash of a link is stored."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from evalstore.catalog.names import check_new_account_name
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.server.people.accounts import (
    NewAccount,
    Passwords,
    check_free,
    collection_of,
    insert_account,
)
from evalstore.server.people.login import guess
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import secret_hash
from evalstore.server.routes import INVITATION
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts
from evalstore.store.access.accounts import StoredInvitation
from evalstore.store.queries import events

LIFETIME = timedelta(days=7)
"""Default lifetime of a link."""


class InvitationOver(DataError):
    """The link is not valid: it was used, has expired, was withdrawn, is void or never existed."""

    def __init__(self) -> None:
        super().__init__(
            "this invitation does not count: it was used, has expired, was withdrawn, or who made "
            "it may not invite any more; ask an administrator for another one"
        )


def invite(
    store: Store,
    role: Role,
    name: str | None = None,
    collection: str | None = None,
    lifetime: timedelta = LIFETIME,
) -> str:
    """Invite a person; return the secret of the link, which is not shown again.

    The person chooses a name if `name` is None. The role is for the collection, or for the whole
    store. Raises Conflict if the name is taken, DataError for an invalid name or lifetime, NotFound
    without such a collection.
    """
    if name is not None:
        check_new_account_name(name)
    if lifetime <= timedelta():
        raise DataError("an invitation needs a time to live of more than nothing")
    secret = secrets.token_urlsafe(32)

    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        if name is not None:
            check_free(connection, name)
        collection_id = collection_of(connection, collection)
        expires_at = now + lifetime
        made = accounts.add_invitation(
            connection,
            secret_hash(secret),
            name,
            role,
            collection_id,
            events.who(),
            now,
            expires_at,
        )
        expires = expires_at.isoformat(timespec="seconds")
        _log(connection, made, name, collection, "invited", now, role=role, expires=expires)

    store.transact(work)
    return secret


def link(public_url: PublicUrl, secret: str) -> str:
    """The link of an invitation.

    The secret is in the query, which the log of the server leaves out, and which a page without
    JavaScript can read. After a `#` no log would get it at all, but the form would need a script.
    """
    return f"{public_url}{INVITATION}?key={secret}"


def open_invitation(store: Store, secret: str, now: datetime) -> StoredInvitation:
    """The invitation of a link; InvitationOver if it is not valid.

    Opening it does not use it up, because programs that preview links do so too.
    """
    with store.read() as connection:
        stored = accounts.invitation_of_hash(connection, secret_hash(secret))
    if stored is None or status_of(stored, now) != "open":
        raise InvitationOver
    return stored


def accept(
    store: Store, secret: str, name: str, password: str, passwords: Passwords, now: datetime
) -> str:
    """Make the account of an invitation, which uses it up; return the account's name.

    The chosen name is ignored if the invitation has one. Raises InvitationOver. After other errors
    the invitation can still be used: Conflict if the name is taken, DataError for an invalid name
    or password, LockedOut after too many names, TooManyLogins.
    """
    stored = open_invitation(store, secret, now)
    name = name if stored.name is None else stored.name
    check_new_account_name(name)
    whose = f"names of accounts, asked by invitation {stored.id}"
    if not guess(store, whose, lambda reader: accounts.find_account(reader, name) is None, now):
        raise Conflict(f"there is an account {name!r} already")
    new = NewAccount.of(name, password, passwords)

    def work(connection: Connection) -> None:
        if not accounts.use_invitation(connection, stored.id, now):
            raise InvitationOver
        check_free(connection, new.name)
        role: Role = stored.role  # type: ignore[assignment]  # `invite` stored it
        collection = stored.collection
        _log(connection, stored.id, new.name, collection, "accepted", now, invited_by=stored.who)
        try:
            insert_account(connection, new, role, collection, now)
        except NotFound:  # the collection was removed; do not show which others exist
            raise InvitationOver from None

    with events.acting(new.name):
        store.transact(work)
    return new.name


def withdraw_invitation(store: Store, invitation_id: int) -> None:
    """Withdraw an unused invitation; NotFound if there is none."""

    def work(connection: Connection) -> None:
        stored = accounts.find_invitation(connection, invitation_id)
        if stored is None or not accounts.delete_invitation(connection, invitation_id):
            raise NotFound(
                f"there is no invitation {invitation_id} that can be withdrawn",
                problem="no invitation",
            )
        now = datetime.now(UTC)
        _log(connection, stored.id, stored.name, stored.collection, "uninvited", now)

    store.transact(work)


def list_invitations(store: Store) -> list[StoredInvitation]:
    """Every invitation, oldest first; also used and expired ones."""
    with store.read() as connection:
        return accounts.list_invitations(connection)


def status_of(invitation: StoredInvitation, now: datetime) -> str:
    """The status of an invitation: `open`, `used`, `expired` or `void`.

    It is void while its maker is disabled, or is no administrator there any more.
    """
    if invitation.used_at is not None:
        return "used"
    if invitation.expires_at <= now:
        return "expired"
    return "void" if invitation.is_void else "open"


def _log(
    connection: Connection,
    invitation_id: int,
    name: str | None,
    collection: str | None,
    change: str,
    now: datetime,
    **details: object,
) -> None:
    subject = f"invitation {invitation_id}" if name is None else name
    details = {"change": change, "invitation": invitation_id, **details}
    events.log(connection, "account", collection, subject, now, **details)
