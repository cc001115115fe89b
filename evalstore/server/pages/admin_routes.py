"""The pages of the administrators, and the changes that their forms ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
from evalstore.server.people import accounts as people
from evalstore.server.people import invitations as invited
from evalstore.server.people import tokens as programs
from evalstore.server.people.accounts import grant, set_disabled, set_password, withdraw
from evalstore.server.people.invitations import (
    invite,
    link,
    list_invitations,
    status_of,
    withdraw_invitation,
)
from evalstore.server.people.login import guess
from evalstore.server.people.passwords import Passwords
from evalstore.server.people.rights import Role
from evalstore.server.people.sessions import end_any_session, sessions_of
from evalstore.server.people.tokens import create_token, parse_lifetime, places_of, revoke_token
from evalstore.server.problems import nothing_here
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts, invitations, roles, tokens
from evalstore.store.access.invitations import StoredInvitation
from evalstore.store.access.roles import StoredRole
from evalstore.store.access.tokens import StoredToken
from evalstore.store.queries.collections import active_collection

Change = Callable[[Form], Secret | None]


@dataclass(frozen=True)
class AdminRoutes:
    """The views.

    Attributes:
        store: what is administered.
        public_url: the address of the server.
        passwords: hashes those that are made.
    """

    store: Store
    public_url: PublicUrl
    passwords: Passwords

    def register(self, server: Flask) -> None:
        """Add the views at the addresses that the table of routes has."""
        server.add_url_rule(routes.ADMIN, "admin", self.overview, methods=["GET"])
        server.add_url_rule(routes.ADMIN_ACCOUNT, "admin_account", self.account, methods=["GET"])
        for path, (section, change) in self._changes().items():
            server.add_url_rule(path, path, self._view(section, change), methods=["POST"])

    def overview(self) -> Response:
        """The page of the whole server."""
        return page_answer(self._text(None))

    def account(self, account_id: int) -> Response:
        """The page of an account."""
        text = self._account_text(account_id)
        if text is None:
            return page_answer(self._text(None, warning="There is no such account."), 404)
        return page_answer(text)

    def _changes(self) -> dict[str, tuple[str, Change]]:
        """Each change by its path, with the section of the page where it shows."""
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
            routes.CREATE_TOKEN: ("tokens", self._create_token),
            routes.REVOKE_TOKEN: ("tokens", self._revoke_token),
            routes.END_SESSION: ("sessions", self._end_session),
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
        """The page of an account, or where there is no such one of the whole server."""
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
        """Accounts and what belongs to them, and the chosen events, for a template.

        Invitations are those that can be used, now or when who made them may invite again; tokens
        those that are not revoked, each with the collections where it counts.
        """
        now = datetime.now(UTC)
        with self.store.read() as connection:
            all_roles = roles.list_roles(connection)
            listed = accounts.list_accounts(connection)
            shown = {
                "accounts": listed,
                "names": {each.id: each.name for each in listed},
                "roles": all_roles,
                "issuers": accounts.issuers_of_accounts(connection),
                "tokens": [
                    (each, places_of(each, all_roles))
                    for each in tokens.list_tokens(connection)
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
        lifetime, name = parse_lifetime(sent.text("expires")), sent.text("name").strip() or None
        secret = invite(self.store, sent.role(), name, sent.collection(), lifetime)
        return Secret("Send this link, which works once:", link(self.public_url, secret))

    def _uninvite(self, sent: Form) -> None:
        invitation_id = sent.number("invitation")
        if invitation_id is None:
            raise NotFound("there is no such invitation")
        withdraw_invitation(self.store, invitation_id)

    def _create_token(self, sent: Form) -> Secret:
        name, lifetime = sent.text("name").strip(), sent.lifetime()
        token = create_token(self.store, name, sent.role(), sent.collection(), lifetime)
        return Secret(f"The token {name}:", token)

    def _revoke_token(self, sent: Form) -> None:
        revoke_token(self.store, sent.text("name"))

    def _end_session(self, sent: Form) -> None:
        end_any_session(self.store, sent.text("session"))


# What the administrators of a collection change in it, without learning of anything beside it.
#
# Each change is refused in the same way where what it names belongs to another collection and where
# it is not there. Whether an account has a name can't be hidden from who may give it a role; so
# that names are not found by trying, wrong ones make the next one wait.


@dataclass(frozen=True)
class OneCollection:
    """A collection and who administers it.

    Attributes:
        store: the whole store.
        id: of the collection.
        name: of the collection.
        by: the id of the account that makes changes.
    """

    store: Store
    id: int
    name: str
    by: int

    def roles(self) -> list[StoredRole]:
        """The roles in the collection itself, by the name of the account."""
        with self.store.read() as connection:
            return roles.list_roles(connection, self.id)

    def invitations(self) -> list[StoredInvitation]:
        """The invitations to the collection, the oldest first."""
        with self.store.read() as connection:
            listed = invitations.list_invitations(connection)
        return [each for each in listed if each.collection_id == self.id]

    def tokens(self) -> list[StoredToken]:
        """The tokens of the collection alone that are not revoked, by name."""
        with self.store.read() as connection:
            listed = tokens.list_tokens(connection)
        return [each for each in listed if each.collection_id == self.id and not each.revoked_at]

    def grant(self, name: str, role: Role, now: datetime) -> None:
        """Give an account a role in the collection, in place of the one that it was granted there.

        Raises:
            LockedOut: too many names were wrong.
            NotFound: no account has this name.
        """
        if not self._guess(lambda connection: _has_account(connection, name), now):
            raise NotFound(f"there is no account {name!r}", problem="no account")
        people.grant(self.store, name, role, self.name)

    def withdraw(self, name: str) -> None:
        """Take away the role that an account was granted in the collection.

        Raises:
            NotFound: it has none.
        """
        granted = {role.account for role in self.roles() if not role.from_groups}
        if name not in granted:
            raise NotFound(f"{name!r} was granted no role here")
        people.withdraw(self.store, name, self.name)

    def invite(self, role: Role, lifetime: timedelta) -> str:
        """Invite a person, who chooses a name; returns the secret of the link."""
        return invited.invite(self.store, role, None, self.name, lifetime)

    def withdraw_invitation(self, invitation_id: int | None) -> None:
        """Withdraw an invitation to the collection that was not used.

        Raises:
            NotFound: there is no such one.
        """
        if invitation_id is None or invitation_id not in {each.id for each in self.invitations()}:
            raise NotFound("there is no such invitation here")
        invited.withdraw_invitation(self.store, invitation_id)

    def create_token(self, name: str, role: Role, lifetime: timedelta | None, now: datetime) -> str:
        """Make a token of the collection; returns it.

        Raises:
            Conflict: the name is taken, here or elsewhere.
            DataError: the name is not fit.
            LockedOut: too many names were taken.
        """
        if not self._guess(lambda connection: self._is_free(connection, name), now):
            raise Conflict(f"the name {name!r} is taken: take another one for the token")
        return programs.create_token(self.store, name, role, self.name, lifetime)

    def revoke_token(self, name: str) -> None:
        """Take back a token of the collection.

        Raises:
            NotFound: there is no such one.
        """
        if name not in {token.name for token in self.tokens()}:
            raise NotFound(f"there is no token {name!r} here", problem="no token")
        programs.revoke_token(self.store, name)

    def _guess(self, is_right: Callable[[Connection], bool], now: datetime) -> bool:
        return guess(self.store, f"names of accounts, asked by {self.by}", is_right, now)

    def _is_free(self, connection: Connection, name: str) -> bool:
        """Whether a token here may have a name: no account has it, or one of such tokens alone."""
        account = accounts.find_account(connection, name)
        if account is None:
            return True
        places = set(roles.roles_of(connection, account.id)) | {
            token.collection_id
            for token in tokens.list_tokens(connection)
            if token.account_id == account.id
        }
        return account.kind == "service" and places == {self.id}


def _has_account(connection: Connection, name: str) -> bool:
    return accounts.find_account(connection, name) is not None


# The page where one collection is administered, and the changes that its forms ask for.
#
# It has what belongs to the collection and nothing of other collections, accounts or the server. To
# who does not administer the collection there is nothing at these addresses, whether or not there
# is such a collection.

CollectionChange = Callable[[OneCollection, Form], Secret | None]


@dataclass(frozen=True)
class CollectionRoutes:
    """The views.

    Attributes:
        store: the whole store.
        public_url: the address of the server.
    """

    store: Store
    public_url: PublicUrl

    def register(self, server: Flask) -> None:
        """Add the views at the addresses that the table of routes has."""
        server.add_url_rule(routes.COLLECTION, "admin_collection", self.shown, methods=["GET"])
        for path, (section, change) in self._changes().items():
            server.add_url_rule(path, path, self._view(section, change), methods=["POST"])

    def shown(self, collection_id: int) -> Response:
        """The page."""
        return page_answer(self._text(self._administered(collection_id)))

    def _changes(self) -> dict[str, tuple[str, CollectionChange]]:
        """Each change by its path, with the section of the page where it shows."""
        return {
            routes.COLLECTION_SET_ACCESS: (
                "readers",
                lambda of, sent: set_collection_access(self.store, of.name, sent.access()),
            ),
            routes.COLLECTION_GRANT: ("roles", _grant),
            routes.COLLECTION_WITHDRAW_ROLE: (
                "roles",
                lambda of, sent: of.withdraw(sent.text("name")),
            ),
            routes.COLLECTION_INVITE: ("invitations", self._invite),
            routes.COLLECTION_UNINVITE: (
                "invitations",
                lambda of, sent: of.withdraw_invitation(sent.number("invitation")),
            ),
            routes.COLLECTION_CREATE_TOKEN: ("tokens", _create_token),
            routes.COLLECTION_REVOKE_TOKEN: (
                "tokens",
                lambda of, sent: of.revoke_token(sent.text("name")),
            ),
        }

    def _view(self, section: str, change: CollectionChange) -> Callable[[int], Response]:
        def view(collection_id: int) -> Response:
            request.max_content_length = LARGEST_FORM
            of = self._administered(collection_id)
            sent = Form(request.form)

            def back() -> str:
                person = person_of_request()
                if sent.text("name") == person.name and not person.may("administer"):
                    # He or she may administer the collection no more.
                    return f"{self.public_url.prefix}{routes.ACCOUNT}"
                return f"{self.public_url.prefix}{routes.collection_path(of.id)}#{section}"

            return answer_to_change(lambda: change(of, sent), partial(self._text, of), back)

        return view

    def _administered(self, collection_id: int) -> OneCollection:
        """The collection of an id; to who does not administer it there is nothing here."""
        person = person_of_request()
        if collection_id in g.readable and person.may("manage", collection_id):
            with self.store.read() as connection:
                collection = active_collection(connection, collection_id)
            if collection is not None:
                return OneCollection(self.store, collection_id, collection.name, person.account_id)
        abort(nothing_here())

    def _text(self, of: OneCollection, warning: str = "", secret: Secret | None = None) -> str:
        """The page of the collection as it is now, unless it is gone."""
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

    def _invite(self, of: OneCollection, sent: Form) -> Secret:
        secret = of.invite(sent.role(), parse_lifetime(sent.text("expires")))
        return Secret("Send this link, which works once:", link(self.public_url, secret))


def _grant(of: OneCollection, sent: Form) -> None:
    of.grant(sent.text("name").strip(), sent.role(), datetime.now(UTC))


def _create_token(of: OneCollection, sent: Form) -> Secret:
    name, lifetime = sent.text("name").strip(), sent.lifetime()
    token = of.create_token(name, sent.role(), lifetime, datetime.now(UTC))
    return Secret(f"The token {name}:", token)
