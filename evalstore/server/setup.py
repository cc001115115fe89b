"""Settings of a server: its secret, and its public URL, which decides hosts, cookies, redirects.

In this order: the URL, a WSGI layer for its path, making a store the store of a server.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from dashboard.serving.access import AS_SENT
from evalstore.client.connection import PORTS, Address, bracketed, is_host, is_prefix
from evalstore.errors import Conflict, DataError, EvalstoreError
from evalstore.server.people.accounts import NewAccount, Passwords, insert_account
from evalstore.store import Store
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.queries import events


@dataclass(frozen=True)
class PublicUrl(Address):
    """The address of this server, and its parts as browsers write them."""

    @property
    def origin(self) -> str:
        """The Origin header that browsers send."""
        return f"{self.scheme}://{self.authority}"

    @property
    def is_secure(self) -> bool:
        """Whether browsers connect with encryption."""
        return self.scheme == "https"

    def cookie(self, path: str) -> dict[str, Any]:
        """The options of a cookie that is sent to the paths below one, and never to a script."""
        # Lax: it is sent too when a page of another site, as of a provider of logins, leads here.
        secure = self.is_secure
        return {"path": path, "secure": secure, "httponly": True, "samesite": "Lax"}

    def names(self, host: str) -> bool:
        """Whether a Host header names this server."""
        return host.lower() in (self.authority, f"{self.host}:{self.port}")


def parse_public_url(text: str) -> PublicUrl:
    """The public URL in a text; DataError if the text is none."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise DataError(f"{text!r} is no URL: {error}") from None
    if parts.scheme not in PORTS or not is_host(host):
        raise DataError(f"{text!r} is no URL of a server: write it like https://eval.example.org")
    if parts.query or parts.fragment or parts.username is not None:
        raise DataError(f"{text!r} has more than a host, a port and a path")
    prefix = parts.path.rstrip("/")
    if not is_prefix(prefix):
        raise DataError(f"{text!r}: the path may have letters, digits and - . _ ~ only")
    return PublicUrl(parts.scheme, bracketed(host), port or PORTS[parts.scheme], prefix)


# The path and the scheme of the public URL, for the app, whose own paths have no prefix.
#
# A proxy in front removes the prefix or passes it on. No path of the app begins with the prefix, so
# the path itself shows which; headers of a request do not matter.

Wsgi = Callable[..., Iterable[bytes]]


def at_public_url(app: Wsgi, url: PublicUrl) -> Wsgi:
    """Wrap `app` so that the prefix is removed from the path of a request that has it."""
    prefix = url.prefix

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["wsgi.url_scheme"] = url.scheme
        environ["SCRIPT_NAME"] = prefix
        path = environ.get("PATH_INFO", "")
        if prefix and _is_below(path, prefix):
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
            for name in AS_SENT:
                sent = environ.pop(name, "")
                # If the prefix contains encoded characters, the decoded path is used.
                if _is_below(sent.partition("?")[0], prefix):
                    sent = sent.removeprefix(prefix)
                    environ[name] = sent if sent.startswith("/") else f"/{sent}"
        return app(environ, start_response)

    return answer


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


# Making a store the store of a server, and its settings

PAGES = frozenset({"c", "v", "sql", "measures", "compare"})
"""First parts of the paths of dashboard pages, which one row of `routes.ROUTES` stands for."""


class NotSetUp(EvalstoreError):
    """The store has no server yet."""


@dataclass(frozen=True)
class Settings:
    """Settings of a server; `secret` is the key for hashes and signatures, and is never shown."""

    public_url: PublicUrl
    secret: bytes


def settings(store: Store) -> Settings:
    """The settings of a store's server; NotSetUp if it has none."""
    with store.read() as connection:
        stored = load_settings(connection)
    try:
        return Settings(parse_public_url(stored["public_url"]), bytes.fromhex(stored["secret"]))
    except KeyError:
        raise NotSetUp(f"{store.url_shown} has no server yet", problem="no server") from None


def set_up(
    store: Store, public_url: str, administrator: str, password: str | None = None
) -> NewAccount:
    """Make a store the store of a server: store its secret, its URL, its first administrator.

    Raises Conflict if the store has a server, DataError for an invalid URL, name or password,
    StoreError if the database can't hide rows (it names the permission that its owner lacks).
    """
    url = _fit(public_url)
    new = NewAccount.of(administrator, password, Passwords())

    def work(connection: Connection) -> None:
        if load_settings(connection):
            raise Conflict(f"{store.url_shown} has a server already")
        now = datetime.now(UTC)
        set_settings(connection, {"public_url": str(url), "secret": secrets.token_hex(32)})
        events.log(connection, "server", None, str(url), now, change="set up")
        insert_account(connection, new, "administrator", None, now)

    store.allow_restriction()
    store.transact(work)
    if store.file is not None:
        # Only this account may read a database with secrets, and the files of SQLite beside it.
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):  # it is missing, or belongs to another account, which decides
                store.file.with_name(f"{store.file.name}{suffix}").chmod(0o600)
    return new


def set_public_url(store: Store, public_url: str) -> PublicUrl:
    """Give the server another address; sessions stay, but browsers store cookies by host."""
    url = _fit(public_url)
    settings(store)

    def work(connection: Connection) -> None:
        set_settings(connection, {"public_url": str(url)})
        events.log(connection, "server", None, str(url), change="public URL")

    store.transact(work)
    return url


def _fit(public_url: str) -> PublicUrl:
    """The public URL; DataError if it is invalid, or its path begins like one of the server."""
    from evalstore.server.routes import ROUTES  # noqa: PLC0415  (it imports this module)

    url = parse_public_url(public_url)
    first = url.prefix.split("/")[1] if url.prefix else None
    if first in PAGES or first in {route.rule.split("/")[1] for route in ROUTES}:
        raise DataError(
            f"{public_url!r}: the path may not begin with /{first}, where the server itself has "
            "addresses: take another one, like /evalstore"
        )
    return url
