"""Making a store the store of a server, once; and what the server is set to."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from evalstore.errors import Conflict, DataError, EvalstoreError
from evalstore.server.people.accounts import NewAccount, insert_account
from evalstore.server.people.passwords import Passwords
from evalstore.server.public_url import PublicUrl, parse_public_url
from evalstore.store import Store
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.queries import events


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
