"""The pages of administrators, and the changes that their forms send.

First the page of the whole server and the pages of accounts, then the page of one collection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from flask import Flask, Response, abort, g, request
from sqlalchemy import Connection

from dashboard.address import Address
from evalstore.catalog.collections import collections, set_collection_access
from evalstore.errors import Conflict, NotFound
from evalstore.server import routes
from evalstore.server.gate import person_of_request
from evalstore.server.pages.rendering import (
    LARGEST_FORM,
    Form,
    Secret,
    account_path,
    answer_to_change,
    page_answer,
    page_of_events,
    render,
)
from evalstore.server.people.accounts import Passwords, grant, set_disabled, set_password, withdraw
from evalstore.server.people.invitations import (
    invite,
    link,
    list_invitations,
    status_of,
    withdraw_invitation,
)
from evalstore.server.people.login import end_any_session, guess, sessions_of
from evalstore.server.people.tokens import (
    create_token,
    list_tokens,
    parse_lifetime,
    places_of,
    revoke_token,
)
from evalstore.server.problems import nothing_here
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredInvitation, StoredRole
from evalstore.store.access.sessions import StoredToken
from evalstore.store.queries.collections import active_collection

Change = Callable[[Form], object]


def _invite(
    store: Store, url: PublicUrl, sent: Form, name: str | None, collection: str | None
) -> Secret:
    secret = invite(store, sent.role(), name, collection, parse_lifetime(sent.text("expires")))
    return Secret("Send this link, which works once:", link(url, secret))


def _create_token(
    store: Store, sent: Form, collection: str | None, check: Callable[[str], None] | None = None
) -> Secret:
    name, role, lifetime = sent.text("name").strip(), sent.role(), sent.lifetime()
    if check is not None:
        check(name)
    return Secret(f"The token {name}:", create_token(store, name, role, collection, lifetime))


@dataclass(frozen=True)
class AdminRoutes:
    """The views of the page of the whole server, and of the pages of its accounts."""

    store: Store
    public_url: PublicUrl
    passwords: Passwords

    def register(self, server: Flask) -> None:
        """Add the views at the addresses in the table of routes."""
        server.add_url_rule(routes.ADMIN, "admin", self.overview, methods=["GET"])
        server.add_url_rule(routes.ADMIN_ACCOUNT, "admin_account", self.account, methods=["GET"])
        for path, (section, change) in self._changes().items():
            server.add_url_rule(path, path, self._view(section, change), methods=["POST"])

    def overview(self) -> Response:
        """Show the page of the whole server."""
        return page_answer(self._text(None))

    def account(self, account_id: int) -> Response:
        """Show the page of an account."""
        text = self._account_text(account_id)
        if text is None:
            return page_answer(self._text(None, warning="There is no such account."), 404)
        return page_answer(text)

    def _changes(self) -> dict[str, tuple[str, Change]]:
        """Each change by its path, with the section of the page that shows it."""
        store = self.store
        return {
            routes.DISABLE: ("accounts", lambda sent: set_disabled(store, sent.text("name"), True)),
            routes.ENABLE: ("accounts", lambda sent: set_disabled(store, sent.text("name"), False)),
            routes.RESET_PASSWORD: ("accounts", self._reset_password),
            routes.GRANT: (
                "accounts",
                lambda sent: grant(store, sent.text("name"), sent.role(), sent.collection()),
            ),
            routes.WITHDRAW_ROLE: (
                "accounts",
                lambda sent: withdraw(store, sent.text("name"), sent.collection()),
            ),
            routes.INVITE: ("invitations", self._invite),
            routes.UNINVITE: ("invitations", self._uninvite),
            routes.CREATE_TOKEN: (
                "tokens",
                lambda sent: _create_token(store, sent, sent.collection()),
            ),
            routes.REVOKE_TOKEN: ("tokens", lambda sent: revoke_token(store, sent.text("name"))),
            routes.END_SESSION: (
                "sessions",
                lambda sent: end_any_session(store, sent.text("session")),
            ),
            routes.SET_ACCESS: (
                "collections",
                lambda sent: set_collection_access(store, sent.text("collection"), sent.access()),
            ),
        }

    def _view(self, section: str, change: Change) -> Callable[[], Response]:
        def view() -> Response:
            request.max_content_length = LARGEST_FORM
            sent = Form(request.form)
            account_id = sent.number("account")
            back = f"{routes.ADMIN}#{section}" if account_id is None else account_path(account_id)
            return answer_to_change(
                lambda: change(sent),
                partial(self._text, account_id),
                lambda: f"{self.public_url.prefix}{back}",
            )

        return view

    def _text(self, account_id: int | None, warning: str = "", secret: Secret | None = None) -> str:
        """The page of an account, or the page of the whole server if there is no such account."""
        text = None if account_id is None else self._account_text(account_id, warning, secret)
        if text is not None:
            return text
        sent = Form(request.args)
        chosen = {name: sent.text(name) for name in ("account", "collection") if sent.text(name)}
        shown = self._shown(sent.number("before"), chosen)
        more = {"chosen": chosen, "warning": warning, "secret": secret}
        return render("admin.html", self.public_url.prefix, **shown, **more)

    def _account_text(
        self, account_id: int, warning: str = "", secret: Secret | None = None
    ) -> str | None:
        shown = self._shown(None, {})
        account = next((each for each in shown["accounts"] if each.id == account_id), None)
        if account is None:
            return None
        more = {"account": account, "warning": warning, "secret": secret}
        return render("admin_account.html", self.public_url.prefix, **shown, **more)

    def _shown(self, before: int | None, chosen: dict[str, str]) -> dict[str, Any]:
        """Accounts with their sessions and roles, and the chosen events, for a template.

        Invitations are included if they can be used now, or again when their maker may invite
        again; tokens if they are not revoked, each with the collections where it is valid.
        """
        now = datetime.now(UTC)
        with self.store.read() as connection:
            all_roles = accounts.list_roles(connection)
            listed = accounts.list_accounts(connection)
            shown = {
                "accounts": listed,
                "names": {each.id: each.name for each in listed},
                "roles": all_roles,
                "issuers": accounts.issuers_of_accounts(connection),
                "tokens": [
                    (each, places_of(each, all_roles))
                    for each in sessions.list_tokens(connection)
                    if each.revoked_at is None
                ],
                **page_of_events(connection, before, **chosen),
            }
        invited = list_invitations(self.store)
        return {
            **shown,
            "invitations": [each for each in invited if status_of(each, now) in ("open", "void")],
            "sessions": sessions_of(self.store, None, now),
            "collections": collections(self.store),
            "now": now,
        }

    def _reset_password(self, sent: Form) -> Secret:
        new = set_password(self.store, sent.text("name"), passwords=self.passwords)
        return Secret(f"The new password of {new.name}:", new.generated or "")

    def _invite(self, sent: Form) -> Secret:
        name = sent.text("name").strip() or None
        return _invite(self.store, self.public_url, sent, name, sent.collection())

    def _uninvite(self, sent: Form) -> None:
        invitation_id = sent.number("invitation")
        if invitation_id is None:
            raise NotFound("there is no such invitation")
        withdraw_invitation(self.store, invitation_id)


# Changes of one collection by its administrators, who see nothing of other collections.
#
# A change that names something of another collection is refused in the same way as one that names
# something missing. Whether an account exists can't be hidden from a person who may give roles, so
# a wrong name makes the next attempt wait: names can't be found by trying.


@dataclass(frozen=True)
class OneCollection:
    """A collection, and the id of the account that makes changes in it."""

    store: Store
    id: int
    name: str
    by: int

    def roles(self) -> list[StoredRole]:
        """The roles in the collection itself, by the name of the account."""
        with self.store.read() as connection:
            return accounts.list_roles(connection, self.id)

    def invitations(self) -> list[StoredInvitation]:
        """The invitations to the collection, oldest first."""
        return [each for each in list_invitations(self.store) if each.collection_id == self.id]

    def tokens(self) -> list[StoredToken]:
        """The tokens that are only for this collection and not revoked, by name."""
        listed = list_tokens(self.store)
        return [each for each in listed if each.collection_id == self.id and not each.revoked_at]

    def grant(self, sent: Form) -> None:
        """Give an account a role in the collection, in place of one that it was granted before."""
        name, role = sent.text("name").strip(), sent.role()
        if not self._guess(lambda writer: accounts.find_account(writer, name) is not None):
            raise NotFound(f"there is no account {name!r}", problem="no account")
        grant(self.store, name, role, self.name)

    def withdraw(self, sent: Form) -> None:
        """Take away the role that an account was granted in the collection."""
        name = sent.text("name")
        if name not in {role.account for role in self.roles() if not role.from_groups}:
            raise NotFound(f"{name!r} was granted no role here")
        withdraw(self.store, name, self.name)

    def withdraw_invitation(self, sent: Form) -> None:
        """Withdraw an unused invitation to the collection."""
        invitation_id = sent.number("invitation")
        if invitation_id is None or invitation_id not in {each.id for each in self.invitations()}:
            raise NotFound("there is no such invitation here")
        withdraw_invitation(self.store, invitation_id)

    def create_token(self, sent: Form) -> Secret:
        """Make a token of the collection."""

        def check(name: str) -> None:
            if not self._guess(lambda writer: self._is_free(writer, name)):
                raise Conflict(f"the name {name!r} is taken: take another one for the token")

        return _create_token(self.store, sent, self.name, check)

    def revoke_token(self, sent: Form) -> None:
        """Revoke a token of the collection."""
        name = sent.text("name")
        if name not in {token.name for token in self.tokens()}:
            raise NotFound(f"there is no token {name!r} here", problem="no token")
        revoke_token(self.store, name)

    def _guess(self, is_right: Callable[[Connection], bool]) -> bool:
        whose = f"names of accounts, asked by {self.by}"
        return guess(self.store, whose, is_right, datetime.now(UTC))

    def _is_free(self, connection: Connection, name: str) -> bool:
        """Whether a token may have this name: no account has it, or only one of such tokens."""
        account = accounts.find_account(connection, name)
        if account is None:
            return True
        places = set(accounts.roles_of(connection, account.id)) | {
            token.collection_id
            for token in sessions.list_tokens(connection)
            if token.account_id == account.id
        }
        return account.kind == "service" and places == {self.id}


# The page to administer one collection, which shows nothing of other collections or the server.
#
# A person who does not administer the collection gets "nothing here" at these addresses, whether
# the collection exists or not.

CollectionChange = Callable[[OneCollection, Form], object]


@dataclass(frozen=True)
class CollectionRoutes:
    """The views of the page of a collection."""

    store: Store
    public_url: PublicUrl

    def register(self, server: Flask) -> None:
        """Add the views at the addresses in the table of routes."""
        server.add_url_rule(routes.COLLECTION, "admin_collection", self.shown, methods=["GET"])
        for path, (section, change) in self._changes().items():
            server.add_url_rule(path, path, self._view(section, change), methods=["POST"])

    def shown(self, collection_id: int) -> Response:
        """Show the page."""
        return page_answer(self._text(self._administered(collection_id)))

    def _changes(self) -> dict[str, tuple[str, CollectionChange]]:
        """Each change by its path, with the section of the page that shows it."""
        return {
            routes.COLLECTION_SET_ACCESS: (
                "readers",
                lambda of, sent: set_collection_access(self.store, of.name, sent.access()),
            ),
            routes.COLLECTION_GRANT: ("roles", OneCollection.grant),
            routes.COLLECTION_WITHDRAW_ROLE: ("roles", OneCollection.withdraw),
            routes.COLLECTION_INVITE: (
                "invitations",
                lambda of, sent: _invite(self.store, self.public_url, sent, None, of.name),
            ),
            routes.COLLECTION_UNINVITE: ("invitations", OneCollection.withdraw_invitation),
            routes.COLLECTION_CREATE_TOKEN: ("tokens", OneCollection.create_token),
            routes.COLLECTION_REVOKE_TOKEN: ("tokens", OneCollection.revoke_token),
        }

    def _view(self, section: str, change: CollectionChange) -> Callable[[int], Response]:
        def view(collection_id: int) -> Response:
            request.max_content_length = LARGEST_FORM
            of = self._administered(collection_id)
            sent = Form(request.form)

            def back() -> str:
                person = person_of_request()
                if sent.text("name") == person.name and not person.may("administer"):
                    # The person may not administer the collection any more.
                    return f"{self.public_url.prefix}{routes.ACCOUNT}"
                return f"{self.public_url.prefix}{routes.collection_path(of.id)}#{section}"

            return answer_to_change(lambda: change(of, sent), partial(self._text, of), back)

        return view

    def _administered(self, collection_id: int) -> OneCollection:
        """The collection with an id, if the person administers it; else 404."""
        person = person_of_request()
        if collection_id in g.readable and person.may("manage", collection_id):
            with self.store.read() as connection:
                collection = active_collection(connection, collection_id)
            if collection is not None:
                return OneCollection(self.store, collection_id, collection.name, person.account_id)
        abort(nothing_here())

    def _text(self, of: OneCollection, warning: str = "", secret: Secret | None = None) -> str:
        """The page of the collection as it is now, if it still exists."""
        now, before = datetime.now(UTC), Form(request.args).number("before")
        with self.store.read() as connection:
            collection = active_collection(connection, of.id)
            events = page_of_events(connection, before, collection_id=of.id)
        if collection is None:
            abort(nothing_here())
        return render(
            "collection.html",
            self.public_url.prefix,
            collection=collection,
            leaderboard=Address("leaderboard", collection.name).path,
            path=partial(routes.collection_path, of.id),
            roles=of.roles(),
            invitations=[e for e in of.invitations() if status_of(e, now) in ("open", "void")],
            tokens=[(token, (token.collection or "",)) for token in of.tokens()],
            of_store=person_of_request().may("administer"),
            warning=warning,
            secret=secret,
            now=now,
            **events,
        )
