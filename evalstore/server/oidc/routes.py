"""The two addresses of a login at a provider: one sends the browser there, one takes it back.

Below: the accounts of these people.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, request
from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy import Connection

from evalstore.catalog.names import LONGEST_ACCOUNT_NAME, check_account_name, has_at_sign
from evalstore.errors import DataError
from evalstore.server.gate import COOKIE as SESSION
from evalstore.server.oidc.client import Attempt, Client, Identity, LoginFailed
from evalstore.server.oidc.providers import Provider, load_providers
from evalstore.server.pages.account_routes import AccountRoutes, local_path
from evalstore.server.pages.rendering import redirect
from evalstore.server.people.accounts import account_named, account_that_looks_like
from evalstore.server.people.login import (
    AGE_FROM_PROVIDER,
    end_session,
    person_of_session,
    start_session,
)
from evalstore.server.people.rights import Role
from evalstore.server.routes import OIDC, OIDC_CALLBACK
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.queries import events
from evalstore.store.queries.collections import names_of_collections

COOKIE = "evalstore_login"
"""The cookie with the login that a browser has started, signed; a second one replaces it."""
SECONDS_TO_LOG_IN = 600
LONGEST_NEXT = 2_000
"""Maximum characters of an address to return to: browsers drop cookies above 4,096 bytes."""


@dataclass(frozen=True)
class OidcRoutes:
    """The views; each answers with a redirect, or with the login page and a sentence."""

    store: Store
    public_url: PublicUrl
    secret: bytes
    account_routes: AccountRoutes
    client: Client = field(default_factory=Client)

    def register(self, server: Flask) -> None:
        """Add the views at the addresses in the table of routes."""
        server.add_url_rule(OIDC, "oidc", self.begin, methods=["GET"])
        server.add_url_rule(OIDC_CALLBACK, "oidc_callback", self.come_back, methods=["GET"])

    def begin(self, provider: str) -> Response:
        """Send the browser to a provider, with a cookie of the attempt."""
        next_ = local_path(request.args.get("next", ""))
        chosen = load_providers(self.store).get(provider)
        if chosen is None:
            return self._refused(_no_provider(provider), next_)
        attempt = Attempt(*(secrets.token_urlsafe(32) for _ in range(3)))
        try:
            address = self.client.address(chosen, callback_url(self.public_url, chosen), attempt)
        except LoginFailed as failure:
            return self._refused(failure, next_, chosen)
        answer = redirect(address)
        back = next_ if len(next_) <= LONGEST_NEXT else "/"
        kept = {"provider": chosen.name, "next": back, "attempt": asdict(attempt)}
        text = str(self._serializer().dumps(kept))
        answer.set_cookie(COOKIE, text, max_age=SECONDS_TO_LOG_IN, **self._options())
        return answer

    def come_back(self, provider: str) -> Response:
        """Log in a person whose browser comes back from a provider, if it started the login."""
        kept = self._kept(provider)
        chosen = load_providers(self.store).get(provider)
        next_ = local_path(str(kept["next"])) if kept else "/"
        try:
            if kept is None:
                raise _not_begun()
            if chosen is None:
                raise _no_provider(provider)
            answer = self._log_in(chosen, Attempt(**kept["attempt"]), next_)
        except LoginFailed as failure:
            answer = self._refused(failure, next_, chosen)
        answer.delete_cookie(COOKIE, **self._options())
        return answer

    def _log_in(self, provider: Provider, attempt: Attempt, next_: str) -> Response:
        state = request.args.get("state", "").encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(state, attempt.state.encode()):
            raise _not_begun()
        callback, given = callback_url(self.public_url, provider), request.args.to_dict()
        identity = self.client.identity(provider, callback, attempt, given)
        now, agent = datetime.now(UTC), request.headers.get("User-Agent", "")
        id_ = log_in(self.store, provider, identity, agent, now)
        before = person_of_session(self.store, request.cookies.get(SESSION, ""), now)
        if before is not None and before.session is not None:
            end_session(self.store, before.account_id, before.session)
        answer = self.account_routes.redirect(next_)
        return self.account_routes.with_session(answer, id_, AGE_FROM_PROVIDER)

    def _refused(
        self, failure: LoginFailed, next_: str, provider: Provider | None = None
    ) -> Response:
        """The login page with a sentence; the cause goes to the log."""
        name = provider.name if provider else ""
        logging.getLogger("dashboard").warning("login at %r failed: %s", name, failure.reason)
        return self.account_routes.refused_login(next_, failure, 503 if failure.is_down else 403)

    def _kept(self, provider: str) -> dict[str, Any] | None:
        """The login in the cookie, if it was started recently at this provider."""
        text = request.cookies.get(COOKIE, "")
        try:
            kept: dict[str, Any] = self._serializer().loads(text, max_age=SECONDS_TO_LOG_IN)
        except BadData:
            return None
        return kept if kept["provider"] == provider else None

    def _serializer(self) -> URLSafeTimedSerializer:
        signing = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        return URLSafeTimedSerializer(self.secret, "login at a provider", signer_kwargs=signing)

    def _options(self) -> dict[str, Any]:
        return self.public_url.cookie(f"{self.public_url.prefix}{OIDC.partition('/<')[0]}")


def callback_url(public_url: PublicUrl, provider: Provider) -> str:
    """The address to return to from a provider, as it must be registered there."""
    return f"{public_url}{OIDC_CALLBACK.replace('<provider>', provider.name)}"


def _not_begun() -> LoginFailed:
    minutes = SECONDS_TO_LOG_IN // 60
    sentence = f"this login was not begun in this browser in the last {minutes} minutes: try again"
    return LoginFailed(sentence, "no cookie of this login, or another state")


def _no_provider(name: str) -> LoginFailed:
    return LoginFailed("there is no such provider of logins", f"there is no provider {name!r}")


# Accounts of people who log in at a provider: made at the first login, with new roles at each one.
#
# An account is identified by (issuer, subject). A first login never uses an existing account: the
# person or the provider chooses names and e-mail addresses, so they prove nothing.

NAMELESS = "user"
"""The name of an account whose provider gives no usable one."""


def log_in(store: Store, provider: Provider, identity: Identity, agent: str, now: datetime) -> str:
    """Start a session of an identified person; return its id for the cookie.

    Roles that come from groups are set again; roles that an administrator granted stay. A person
    in no mapped group loses the former and all sessions, even with a granted role.
    LoginFailed if the account is disabled, or no group of the person has a role.
    """

    def work(connection: Connection) -> str | LoginFailed:
        names = names_of_collections(connection)
        given = provider.roles_of(identity.groups, names.keys())
        account_id = accounts.find_identity(connection, identity.issuer, identity.subject)
        account = None if account_id is None else accounts.account_of(connection, account_id)
        if account is not None and account.disabled:
            sentence = f"your account {account.name!r} is disabled: ask an administrator"
            return LoginFailed(sentence, f"{account.name} is disabled")
        if account is None and given:
            account = _add_account(connection, provider, identity, now)
        if account is not None:
            with events.acting(account.name):
                _set_roles(connection, provider, account, given, names, now)
        if account is None or not given:
            if account is not None:
                sessions.delete_sessions(connection, account.id)
            sentence = "you are in no group that may use this server: ask an administrator"
            return LoginFailed(sentence, f"{identity.subject!r} is in no mapped group")
        return start_session(connection, account.id, agent, now, AGE_FROM_PROVIDER)

    done = store.transact(work)
    if isinstance(done, LoginFailed):
        raise done
    return done


def _add_account(
    connection: Connection, provider: Provider, identity: Identity, now: datetime
) -> StoredAccount:
    name = _free_name(connection, identity.name, provider)
    account_id = accounts.add_account(connection, name, "person", None, now)
    accounts.add_identity(connection, identity.issuer, identity.subject, account_id, now)
    with events.acting(name):
        details = {"change": "added", "provider": provider.name}
        events.log(connection, "account", None, name, now, **details)
    return account_named(connection, name)


def _free_name(connection: Connection, wanted: str, provider: Provider) -> str:
    """The name that a person wants, with a number if another account has it.

    A name with an `@` gets the provider after it: a user of the server's machine is named
    `user@host`, which has neither a space nor a parenthesis.
    """
    try:
        check_account_name(wanted)
        name = wanted
    except DataError:
        name = NAMELESS
    of_provider = f" ({provider.name})" if has_at_sign(name) else ""
    number, ending = 1, of_provider
    while True:
        free = f"{name[: LONGEST_ACCOUNT_NAME - len(ending)].rstrip()}{ending}"
        if account_that_looks_like(connection, free) is None:
            return free
        number += 1
        ending = f"-{number}{of_provider}"


def _set_roles(
    connection: Connection,
    provider: Provider,
    account: StoredAccount,
    given: Mapping[int | None, Role],
    names: Mapping[int, str],
    now: datetime,
) -> None:
    """Set the roles of an account that come from groups; each change is an event."""
    before = accounts.roles_from(connection, account.id, from_groups=True)
    for place in before.keys() | given.keys():
        role = given.get(place)
        if before.get(place) == role:
            continue
        details: dict[str, object] = {"role": role}
        if role is None:
            accounts.delete_role(connection, account.id, place, from_groups=True)
            details = {"withdrawn": True}
        else:
            accounts.set_role(connection, account.id, place, role, from_groups=True)
        collection = None if place is None else names.get(place)
        details |= {"by groups of": provider.name}
        events.log(connection, "role", collection, account.name, now, **details)
