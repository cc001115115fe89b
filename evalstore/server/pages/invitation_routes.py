"""The page of an invitation's link: it makes an account, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Flask, Response, request

from evalstore.errors import EvalstoreError, StoreError
from evalstore.server.pages.forms import LARGEST_FORM
from evalstore.server.pages.rendering import page_answer, refusal, render, sentence
from evalstore.server.people.invitations import InvitationOver, accept, open_invitation
from evalstore.server.people.passwords import Passwords
from evalstore.server.public_url import PublicUrl
from evalstore.server.routes import INVITATION
from evalstore.store import Store
from evalstore.store.access.invitations import StoredInvitation

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
            answer = page_answer(self._text(None, warning=sentence(error)), 404)
        answer.headers["Referrer-Policy"] = REFERRER
        return answer

    def _form(self) -> Response:
        secret = request.args.get("key", "")
        stored = open_invitation(self.store, secret, datetime.now(UTC))
        return page_answer(self._text(stored, secret))

    def _accept(self) -> Response:
        request.max_content_length = LARGEST_FORM
        now, secret = datetime.now(UTC), request.form.get("key", "")
        name, password = request.form.get("name", ""), request.form.get("password", "")
        stored = open_invitation(self.store, secret, now)
        try:
            made = accept(self.store, secret, name, password, self.passwords, now)
        except (InvitationOver, StoreError):
            raise
        except EvalstoreError as error:
            return refusal(self._text(stored, secret, name, sentence(error)), error)
        note = "Your account is made: log in with the password that you chose."
        values = {"next": "/", "name": made, "warning": "", "note": note, "providers": ()}
        return page_answer(render("login.html", self.public_url.prefix, **values))

    def _text(
        self,
        invitation: StoredInvitation | None,
        secret: str = "",
        name: str = "",
        warning: str = "",
    ) -> str:
        """The form; where there is no invitation that counts, the page that says so."""
        values = {"invitation": invitation, "secret": secret, "name": name, "warning": warning}
        return render("invitation.html", self.public_url.prefix, **values)
