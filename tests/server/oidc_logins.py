"""Logins at a provider as a browser does them, for tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from crafted_provider import CLIENT, CraftedProvider
from flask.testing import FlaskClient
from team_server import COOKIE, Served
from werkzeug.test import TestResponse

from evalstore.server.oidc.providers import add_provider
from evalstore.server.people.accounts import list_all
from evalstore.store import models

session_t = models.table(models.Session)

NAME = "corp"
BEGIN = f"/login/oidc/{NAME}"
BACK = f"{BEGIN}/callback"


@dataclass
class Sso:
    """A server, and a provider whose logins it takes."""

    served: Served
    provider: CraftedProvider
    secret_file: str

    def add(self, mapped: Any = (("team", "reader", None),), **options: Any) -> None:
        """Let people log in at the provider."""
        add_provider(
            self.served.store,
            NAME,
            self.provider.issuer,
            CLIENT,
            self.secret_file,
            mapped=mapped,
            **options,
        )

    def begin(self, browser: FlaskClient | None = None, next_: str = "/") -> dict[str, str]:
        """Go to the provider and log in there; returns what the browser brings back."""
        answer = self.served.get(f"{BEGIN}?{urlencode({'next': next_})}", browser)
        assert answer.status_code == 303, answer.text
        return self.provider.log_in(answer.headers["Location"])

    def come_back(self, back: dict[str, str], browser: FlaskClient | None = None) -> TestResponse:
        """Come back from the provider."""
        return self.served.get(f"{BACK}?{urlencode(back)}", browser)

    def log_in(
        self, browser: FlaskClient | None = None, next_: str = "/", **claims: Any
    ) -> TestResponse:
        """The whole login of somebody with these claims."""
        self.provider.claims = {"groups": ["team"], "preferred_username": "bob", **claims}
        return self.come_back(self.begin(browser, next_), browser)

    def accounts(self) -> dict[str, list[tuple[str, str | None, bool]]]:
        """The roles of each account: role, collection, and whether it came from groups."""
        stored, roles = list_all(self.served.store)
        named: dict[str, list[tuple[str, str | None, bool]]] = {each.name: [] for each in stored}
        for role in roles:
            named[role.account].append((role.role, role.collection, role.from_groups))
        return named


def session_of(browser: FlaskClient) -> str | None:
    """The id of the session in a browser's cookie."""
    cookie = browser.get_cookie(COOKIE, domain="eval.example")
    return cookie and cookie.value


def refused(sso: Sso, answer_text: str, sentence: str) -> bool:
    """Whether a page of the login says why, and nobody was logged in."""
    assert 'role="alert"' in answer_text
    assert 'name="password"' in answer_text
    with sso.served.store.read() as connection:
        assert connection.execute(session_t.select()).first() is None
    return sentence in answer_text


def log_of(sso: Sso) -> str:
    """The messages in the log."""
    lines = [json.loads(line) for line in sso.served.log.getvalue().splitlines()]
    return " ".join(line.get("message", "") for line in lines)
