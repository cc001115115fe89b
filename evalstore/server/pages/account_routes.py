"""Logging in and out, the page of one's own account, and the page of an invitation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Response, g, request

from evalstore.catalog.collections import collections
from evalstore.errors import DataError, EvalstoreError, StoreError
from evalstore.server.gate import COOKIE, person_of_request
from evalstore.server.oidc.providers import load_providers
from evalstore.server.pages.rendering import (
    LARGEST_FORM,
    page_answer,
    redirect,
    refusal,
    render,
    sentence,
)
from evalstore.server.people.accounts import TooManyLogins
from evalstore.server.people.invitations import InvitationOver, accept, open_invitation
from evalstore.server.people.login import (
    AGE,
    Client,
    LockedOut,
    Logins,
    WrongPassword,
    end_session,
    person_of_session,
    sessions_of,
)
from evalstore.server.people.rights import Person
from evalstore.server.routes import ACCOUNT, INVITATION, LOGIN, LOGOUT, PASSWORD, SESSIONS
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts
from evalstore.store.access.accounts import StoredInvitation

LONGEST_NEXT = 8_000
REFERRER = "strict-origin"
"""Referrer-Policy of an invitation: nobody gets its address with the secret, not even this server,
whose proxy may log it. With `no-referrer` browsers would send the Origin `null`."""


@dataclass(frozen=True)
class AccountRoutes:
    """The views of logins and accounts; each answers with a page or a redirect."""

    store: Store
    public_url: PublicUrl
    logins: Logins

    def register(self, server: Flask) -> None:
        """Add the views at the addresses in the table of routes."""
        server.add_url_rule(LOGIN, "login", self.login, methods=["GET", "POST"])
        server.add_url_rule(LOGOUT, "logout", self.logout, methods=["POST"])
        server.add_url_rule(ACCOUNT, "account", self.account, methods=["GET"])
        server.add_url_rule(PASSWORD, "password", self.password, methods=["POST"])
        server.add_url_rule(SESSIONS, "sessions", self.end_session, methods=["POST"])
        server.add_url_rule(INVITATION, "invitation", self.invitation, methods=["GET", "POST"])

    def login(self) -> Response:
        """Show the form; with a name and a password, start a session."""
        if request.method != "POST":
            return page_answer(self._login_text(local_path(request.args.get("next", ""))))
        request.max_content_length = LARGEST_FORM
        next_, name = local_path(request.form.get("next", "")), request.form.get("name", "")
        password, now = request.form.get("password", ""), datetime.now(UTC)
        before = person_of_session(self.store, request.cookies.get(COOKIE, ""), now)
        try:
            id_ = self.logins.log_in(name, password, _client(), now, before)
        except (WrongPassword, LockedOut, TooManyLogins) as error:
            return refusal(self._login_text(next_, name, sentence(error)), error)
        return self.with_session(self.redirect(next_), id_)

    def refused_login(self, next_: str, error: Exception, status: int) -> Response:
        """The login page with a sentence that says why a login failed."""
        return page_answer(self._login_text(next_, warning=sentence(error)), status)

    def logout(self) -> Response:
        """End the session, if there is one."""
        person = person_of_session(self.store, request.cookies.get(COOKIE, ""), datetime.now(UTC))
        if person is not None and person.session is not None:
            end_session(self.store, person.account_id, person.session)
        answer = self.redirect(LOGIN)
        answer.delete_cookie(COOKIE, **self._cookie())
        # Pages in the browser's cache belong to the person who was logged in.
        answer.headers["Clear-Site-Data"] = '"cache"'
        return answer

    def account(self) -> Response:
        """Show the page of one's own account."""
        return page_answer(self._account_text(person_of_request()))

    def password(self) -> Response:
        """Change one's own password, given the old one; all other sessions end."""
        request.max_content_length = LARGEST_FORM
        person, now = person_of_request(), datetime.now(UTC)
        old, new = request.form.get("password", ""), request.form.get("new", "")
        try:
            id_ = self.logins.change_password(person.name, old, new, _client(), now)
        except (DataError, TooManyLogins) as error:
            wrong = "The current password is wrong." if isinstance(error, WrongPassword) else None
            text = self._account_text(person, warning=wrong or sentence(error))
            return refusal(text, error)
        now_person = person_of_session(self.store, id_, now) or person
        text = self._account_text(now_person, note="The password is changed.")
        return self.with_session(page_answer(text), id_)

    def end_session(self) -> Response:
        """End one of one's own sessions."""
        request.max_content_length = LARGEST_FORM
        person = person_of_request()
        end_session(self.store, person.account_id, request.form.get("session", ""))
        return self.redirect(ACCOUNT)

    def _login_text(self, next_: str, name: str = "", warning: str = "") -> str:
        return render(
            "login.html",
            self.public_url.prefix,
            next=next_,
            name=name,
            warning=warning,
            note="",
            providers=list(load_providers(self.store)),
        )

    def _account_text(self, person: Person, *, warning: str = "", note: str = "") -> str:
        with self.store.read() as connection:
            granted = [r for r in accounts.list_roles(connection) if r.account == person.name]
            account = accounts.account_of(connection, person.account_id)
        return render(
            "account.html",
            self.public_url.prefix,
            name=account.name if account else person.name,
            roles=granted,
            collections=[each for each in collections(self.store) if each.id in g.readable],
            sessions=sessions_of(self.store, person.account_id, datetime.now(UTC)),
            person=person,
            has_password=account is None or account.password_hash is not None,
            warning=warning,
            note=note,
        )

    def invitation(self) -> Response:
        """Show the form of an invitation without using it; sent, the form makes the account."""
        try:
            if request.method == "POST":
                answer = self._accept()
            else:
                secret = request.args.get("key", "")
                stored = open_invitation(self.store, secret, datetime.now(UTC))
                answer = page_answer(self._invitation_text(stored, secret))
        except InvitationOver as error:
            answer = page_answer(self._invitation_text(None, warning=sentence(error)), 404)
        answer.headers["Referrer-Policy"] = REFERRER
        return answer

    def _accept(self) -> Response:
        request.max_content_length = LARGEST_FORM
        now, secret = datetime.now(UTC), request.form.get("key", "")
        name, password = request.form.get("name", ""), request.form.get("password", "")
        stored = open_invitation(self.store, secret, now)
        try:
            made = accept(self.store, secret, name, password, self.logins.passwords, now)
        except (InvitationOver, StoreError):
            raise
        except EvalstoreError as error:
            return refusal(self._invitation_text(stored, secret, name, sentence(error)), error)
        note = "Your account is made: log in with the password that you chose."
        values = {"next": "/", "name": made, "warning": "", "note": note, "providers": ()}
        return page_answer(render("login.html", self.public_url.prefix, **values))

    def _invitation_text(
        self,
        invitation: StoredInvitation | None,
        secret: str = "",
        name: str = "",
        warning: str = "",
    ) -> str:
        """The form; for an invitation that is not valid, a page that says so."""
        values = {"invitation": invitation, "secret": secret, "name": name, "warning": warning}
        return render("invitation.html", self.public_url.prefix, **values)

    def redirect(self, path: str) -> Response:
        """Send the browser to a path of this server."""
        return redirect(f"{self.public_url.prefix}{path}")

    def with_session(self, answer: Response, id_: str, age: timedelta = AGE) -> Response:
        """The same answer with the cookie of a session."""
        seconds = int(age.total_seconds())
        answer.set_cookie(COOKIE, id_, max_age=seconds, **self._cookie())
        return answer

    def _cookie(self) -> dict[str, Any]:
        return self.public_url.cookie(self.public_url.prefix or "/")


def local_path(text: str) -> str:
    """A path of this server with its query; `/` if the text could lead elsewhere."""
    is_path = text.startswith("/") and not text.startswith(("//", "/\\"))
    if not is_path or len(text) > LONGEST_NEXT or "\\" in text or not text.isascii():
        return "/"
    if any(ord(character) <= 0x20 or ord(character) == 0x7F for character in text):
        return "/"
    try:
        parts = urlsplit(text)
    except ValueError:
        return "/"
    is_login = parts.path in {LOGIN, LOGOUT} or parts.path.startswith(f"{LOGIN}/")
    if parts.scheme or parts.netloc or is_login:
        return "/"
    return text


def _client() -> Client:
    return Client(request.remote_addr or "", request.headers.get("User-Agent", ""))
