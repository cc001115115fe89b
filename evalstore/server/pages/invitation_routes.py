"""The page of an invitation's link: it makes an account, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Flask, Response, request

from evalstore.errors import EvalstoreError, StoreError
from evalstore.server.pages import login_pages
from evalstore.server.pages.answers import page_answer, refusal, sentence
from evalstore.server.pages.invitation_pages import invitation_page, over_page
from evalstore.server.people.invitations import InvitationOver, accept, open_invitation
from evalstore.server.people.passwords import Passwords
from evalstore.server.public_url import PublicUrl
from evalstore.server.routes import INVITATION
from evalstore.store import Store

LARGEST_FORM = 32 * 1024
REFERRER = "strict-origin"
"""The address of the page, which has the secret, is told to nobody, this server included, whose
proxy may log it. With `no-referrer` browsers would send the form with the Origin `null`."""


@dataclass(frozen=True)
class InvitationRoutes:
    """The view.

    Attributes:
        store: where the invitations are.
        public_url: the address of the server.
        passwords: hashes those that are chosen.
    """

    store: Store
    public_url: PublicUrl
    passwords: Passwords

    def register(self, server: Flask) -> None:
        """Add the view at the address that the table of routes has."""
        server.add_url_rule(INVITATION, "invitation", self.invitation, methods=["GET", "POST"])

    def invitation(self) -> Response:
        """The form, which leaves the invitation as it is; sent, it makes the account."""
        try:
            answer = self._accept() if request.method == "POST" else self._form()
        except InvitationOver as error:
            answer = page_answer(over_page(self.public_url.prefix, sentence(error)), 404)
        answer.headers["Referrer-Policy"] = REFERRER
        return answer

    def _form(self) -> Response:
        secret = request.args.get("key", "")
        stored = open_invitation(self.store, secret, datetime.now(UTC))
        return page_answer(invitation_page(self.public_url.prefix, stored, secret))

    def _accept(self) -> Response:
        request.max_content_length = LARGEST_FORM
        prefix, now = self.public_url.prefix, datetime.now(UTC)
        secret, name = request.form.get("key", ""), request.form.get("name", "")
        password = request.form.get("password", "")
        stored = open_invitation(self.store, secret, now)
        try:
            made = accept(self.store, secret, name, password, self.passwords, now)
        except (InvitationOver, StoreError):
            raise
        except EvalstoreError as error:
            return refusal(invitation_page(prefix, stored, secret, name, sentence(error)), error)
        note = "Your account is made: log in with the password that you chose."
        return page_answer(login_pages.login_page(prefix, "/", made, note=note))
