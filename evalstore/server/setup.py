"""The address at which people reach the server: it decides hosts, cookies and redirects."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection

from dashboard.serving.access import AS_SENT
from evalstore.client.connection import PORTS, Address, bracketed, is_host, is_prefix
from evalstore.errors import Conflict, DataError, EvalstoreError
from evalstore.server.people.accounts import NewAccount, insert_account
from evalstore.server.people.passwords import Passwords
from evalstore.store import Store
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.queries import events


@dataclass(frozen=True)
class PublicUrl(Address):
    """The address of this server, and what browsers make of it."""

    @property
    def origin(self) -> str:
        """As browsers write it in the header Origin."""
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """As browsers write it in the header Host: without the port that the scheme has."""
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether the connection of browsers is encrypted."""
        return self.scheme == "https"

    def names(self, host: str) -> bool:
        """Whether a Host header names this server."""
        given = host.lower()
        with_port = f"{self.host}:{self.port}"
        return given == with_port or (given == self.host and self.port == PORTS[self.scheme])


def parse_public_url(text: str) -> PublicUrl:
    """Read a public URL.

    Raises:
        DataError: it is none.
    """
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


# The path and the scheme of the public URL, for what is behind: a layer before the app.
#
# The app has its own paths, without the prefix. A proxy in front takes the prefix off, or passes it
# on: as no path of the app begins with the prefix, both are told apart by the path itself, and no
# header of a request has a say in it.


class AtPublicUrl:
    """A layer that takes the prefix off the path of a request, where it is there.

    Args:
        app: the WSGI app behind it.
        url: of the server.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], url: PublicUrl) -> None:
        self._app = app
        self._url = url

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, as WSGI asks."""
        prefix = self._url.prefix
        environ["wsgi.url_scheme"] = self._url.scheme
        environ["SCRIPT_NAME"] = prefix
        path = environ.get("PATH_INFO", "")
        if prefix and _is_below(path, prefix):
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
            for name in AS_SENT:
                sent = environ.pop(name, "")
                # A prefix with encoded letters in it: then the decoded path has to do.
                if _is_below(sent.partition("?")[0], prefix):
                    sent = sent.removeprefix(prefix)
                    environ[name] = sent if sent.startswith("/") else f"/{sent}"
        return self._app(environ, start_response)


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


# Making a store the store of a server, once; and what the server is set to


class NotSetUp(EvalstoreError):
    """The store is not that of a server yet."""


@dataclass(frozen=True)
class Settings:
    """What the server is set to; `secret` keys hashes and signatures, and is never shown."""

    public_url: PublicUrl
    secret: bytes


def settings(store: Store) -> Settings:
    """The settings of a store's server.

    Raises:
        NotSetUp: it has none.
    """
    with store.read() as connection:
        stored = load_settings(connection)
    try:
        return Settings(parse_public_url(stored["public_url"]), bytes.fromhex(stored["secret"]))
    except KeyError:
        raise NotSetUp(f"{store.url_shown} has no server yet", problem="no server") from None


def set_up(
    store: Store, public_url: str, administrator: str, password: str | None = None
) -> NewAccount:
    """Make a store the store of a server: its secret, its URL, its first administrator.

    Raises:
        Conflict: the store has a server already.
        DataError: the URL, the name or the password is not fit.
        StoreError: the database can't hide rows; says what its owner must be allowed to do.
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
        _close_to_others(store.file)
    return new


def _close_to_others(file: Path) -> None:
    """Let this account alone read a database with secrets, and the files of SQLite beside it."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):  # it is not there, or not ours: then its owner has decided
            file.with_name(f"{file.name}{suffix}").chmod(0o600)


def set_public_url(store: Store, public_url: str) -> PublicUrl:
    """Give the server another address; sessions stay, but browsers know cookies by host.

    Raises:
        NotSetUp: the store has no server.
        DataError: it is no URL of a server.
    """
    url = _fit(public_url)
    settings(store)

    def work(connection: Connection) -> None:
        set_settings(connection, {"public_url": str(url)})
        events.log(connection, "server", None, str(url), datetime.now(UTC), change="public URL")

    store.transact(work)
    return url


def _fit(public_url: str) -> PublicUrl:
    from evalstore.server.routes import first_parts  # noqa: PLC0415  (slow, and needs this module)

    url = parse_public_url(public_url)
    first = url.prefix.split("/")[1] if url.prefix else None
    if first in first_parts():
        raise DataError(
            f"{public_url!r}: the path may not begin with /{first}, where the server itself has "
            "addresses: take another one, like /evalstore"
        )
    return url
