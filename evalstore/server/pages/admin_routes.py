"""The pages of the administrators, and the changes that their forms ask for.

A change that makes a secret is answered with the page that shows it, this once; any other one
leads back to the page, so that loading it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from flask import Flask, Response, request

from evalstore.catalog.collections import set_collection_access
from evalstore.errors import EvalstoreError, NotFound, StoreError
from evalstore.server import routes
from evalstore.server.pages import forms
from evalstore.server.pages.admin_pages import account_page, account_path, admin_page, secret_note
from evalstore.server.pages.administration import Filter, load_overview
from evalstore.server.pages.answers import page_answer, refusal, sentence
from evalstore.server.people.accounts import grant, set_disabled, set_password, withdraw
from evalstore.server.people.invitations import invite, link, withdraw_invitation
from evalstore.server.people.passwords import Passwords
from evalstore.server.people.sessions import end_any_session
from evalstore.server.people.tokens import create_token, parse_lifetime, revoke_token
from evalstore.server.public_url import PublicUrl
from evalstore.store import Store
from evalstore.store.queries.collections import Access

Change = Callable[[forms.Form], str]
"""Makes a change; returns HTML to show, or nothing."""


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
        return page_answer(self._overview_text())

    def account(self, account_id: int) -> Response:
        """The page of an account."""
        text = self._account_text(account_id)
        if text is None:
            return page_answer(self._overview_text(warning="There is no such account."), 404)
        return page_answer(text)

    def _changes(self) -> dict[str, tuple[str, Change]]:
        """Each change by its path, with the section of the page where it shows."""
        return {
            routes.DISABLE: ("accounts", self._disable),
            routes.ENABLE: ("accounts", self._enable),
            routes.RESET_PASSWORD: ("accounts", self._reset_password),
            routes.GRANT: ("accounts", self._grant),
            routes.WITHDRAW_ROLE: ("accounts", self._withdraw_role),
            routes.INVITE: ("invitations", self._invite),
            routes.UNINVITE: ("invitations", self._uninvite),
            routes.CREATE_TOKEN: ("tokens", self._create_token),
            routes.REVOKE_TOKEN: ("tokens", self._revoke_token),
            routes.END_SESSION: ("sessions", self._end_session),
            routes.SET_ACCESS: ("collections", self._set_access),
        }

    def _view(self, section: str, change: Change) -> Callable[[], Response]:
        def view() -> Response:
            request.max_content_length = forms.LARGEST_FORM
            sent = forms.texts(request.form)
            account_id = forms.number(sent.get("account", ""))
            try:
                note = change(sent)
            except StoreError:
                raise
            except EvalstoreError as error:
                return refusal(self._text(account_id, warning=sentence(error)), error)
            if note:
                return page_answer(self._text(account_id, note=note))
            back = f"{routes.ADMIN}#{section}" if account_id is None else account_path(account_id)
            headers = {"Location": f"{self.public_url.prefix}{back}", "Cache-Control": "no-store"}
            return Response(status=303, headers=headers)

        return view

    def _text(self, account_id: int | None, *, warning: str = "", note: str = "") -> str:
        """The page that a change was asked for on."""
        text = None
        if account_id is not None:
            text = self._account_text(account_id, warning=warning, note=note)
        return text or self._overview_text(warning=warning, note=note)

    def _overview_text(self, *, warning: str = "", note: str = "") -> str:
        sent = forms.texts(request.args)
        chosen = Filter(
            sent.get("account", ""),
            sent.get("collection", ""),
            forms.number(sent.get("before", "")),
        )
        overview = load_overview(self.store, chosen, datetime.now(UTC))
        return admin_page(self.public_url.prefix, overview, warning=warning, note=note)

    def _account_text(self, account_id: int, *, warning: str = "", note: str = "") -> str | None:
        overview = load_overview(self.store, Filter(), datetime.now(UTC))
        account = next((each for each in overview.accounts if each.id == account_id), None)
        if account is None:
            return None
        prefix = self.public_url.prefix
        return account_page(prefix, overview, account, warning=warning, note=note)

    def _disable(self, form: forms.Form) -> str:
        set_disabled(self.store, form.get("name", ""), True)
        return ""

    def _enable(self, form: forms.Form) -> str:
        set_disabled(self.store, form.get("name", ""), False)
        return ""

    def _reset_password(self, form: forms.Form) -> str:
        new = set_password(self.store, form.get("name", ""), passwords=self.passwords)
        return secret_note(f"The new password of {new.name}:", new.generated or "")

    def _grant(self, form: forms.Form) -> str:
        grant(self.store, form.get("name", ""), forms.role(form), forms.collection(form))
        return ""

    def _withdraw_role(self, form: forms.Form) -> str:
        withdraw(self.store, form.get("name", ""), forms.collection(form))
        return ""

    def _invite(self, form: forms.Form) -> str:
        lifetime = parse_lifetime(form.get("expires", ""))
        name = form.get("name", "").strip() or None
        secret = invite(self.store, forms.role(form), name, forms.collection(form), lifetime)
        return secret_note("Send this link, which works once:", link(self.public_url, secret))

    def _uninvite(self, form: forms.Form) -> str:
        invitation_id = forms.number(form.get("invitation", ""))
        if invitation_id is None:
            raise NotFound("there is no such invitation")
        withdraw_invitation(self.store, invitation_id)
        return ""

    def _create_token(self, form: forms.Form) -> str:
        name, expires = form.get("name", "").strip(), form.get("expires", "")
        lifetime = parse_lifetime(expires) if expires else None
        token = create_token(self.store, name, forms.role(form), forms.collection(form), lifetime)
        return secret_note(f"The token {name}:", token)

    def _revoke_token(self, form: forms.Form) -> str:
        revoke_token(self.store, form.get("name", ""))
        return ""

    def _end_session(self, form: forms.Form) -> str:
        end_any_session(self.store, form.get("session", ""))
        return ""

    def _set_access(self, form: forms.Form) -> str:
        access: Access = forms.one_of(form, "access", get_args(Access))
        set_collection_access(self.store, form.get("collection", ""), access)
        return ""
