"""The pages of the administrators, and the changes that their forms ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from flask import Flask, Response, request

from evalstore.catalog.collections import collections, set_collection_access
from evalstore.errors import NotFound
from evalstore.server import routes
from evalstore.server.pages.forms import (
    LARGEST_FORM,
    Form,
    Secret,
    answer_to_change,
    page_of_events,
)
from evalstore.server.pages.rendering import account_path, page_answer, render
from evalstore.server.people.accounts import grant, set_disabled, set_password, withdraw
from evalstore.server.people.invitations import (
    invite,
    link,
    list_invitations,
    status_of,
    withdraw_invitation,
)
from evalstore.server.people.passwords import Passwords
from evalstore.server.people.sessions import end_any_session, sessions_of
from evalstore.server.people.tokens import create_token, parse_lifetime, places_of, revoke_token
from evalstore.server.public_url import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts, roles, tokens

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
