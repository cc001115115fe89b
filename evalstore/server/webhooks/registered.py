"""Webhooks: adding and removing them, and what addresses they may have."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Literal
from urllib.parse import urlsplit

from sqlalchemy import Connection

from evalstore.errors import DataError, NotFound
from evalstore.server.setup import settings
from evalstore.server.webhooks.outgoing import Allowed, check_url
from evalstore.store import Store
from evalstore.store.access import webhooks
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.access.webhooks import StoredWebhook
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection

Kind = Literal["run", "gate"]
KINDS: tuple[Kind, ...] = ("run", "gate")
"""What a webhook tells of: a run that is new, a gate that did not pass."""

ALLOWED = "webhook_allowed"
"""The setting with the hosts and networks that are allowed."""

HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")
LONGEST_URL = 2_000


@dataclass(frozen=True)
class NewWebhook:
    """A webhook that was added, with its secret, which is not shown again."""

    id: int
    secret: str


def add_webhook(
    store: Store, url: str, collection: str | None = None, kinds: tuple[Kind, ...] = KINDS
) -> NewWebhook:
    """Add a webhook, of one collection or of all that are not private.

    Raises:
        NotSetUp: the store has no server.
        DataError: the URL is none that may be asked.
        NotFound: there is no such collection.
    """
    settings(store)
    if len(url) > LONGEST_URL:
        raise DataError(f"the URL has more than {LONGEST_URL:,} characters")
    host = check_url(url, allowed(store)).hostname
    secret = f"evh_{secrets.token_urlsafe(32)}"
    chosen = ",".join(kind for kind in KINDS if kind in kinds)

    def work(connection: Connection) -> NewWebhook:
        now, collection_id = datetime.now(UTC), None
        if collection is not None:
            collection_id = find_collection(connection, collection)
            if collection_id is None:
                raise NotFound(f"there is no collection {collection!r} in the store")
        id_ = webhooks.add_webhook(connection, url, collection_id, chosen, secret, now)
        # The URL may hold a secret of the receiver.
        events.log(connection, "server", collection, host or "", now, change="webhook", webhook=id_)
        return NewWebhook(id_, secret)

    return store.transact(work)


def remove_webhook(store: Store, webhook_id: int) -> None:
    """Remove a webhook.

    Raises:
        NotFound: there is none of that id.
    """

    def work(connection: Connection) -> None:
        hook = _find(connection, webhook_id)
        webhooks.delete_webhook(connection, webhook_id)
        host, now = urlsplit(hook.url).hostname or "", datetime.now(UTC)
        details = {"change": "webhook removed", "webhook": webhook_id}
        events.log(connection, "server", hook.collection, host, now, **details)

    store.transact(work)


def find_webhook(store: Store, webhook_id: int) -> StoredWebhook:
    """The webhook with that id.

    Raises:
        NotFound: there is none.
    """
    with store.read() as connection:
        return _find(connection, webhook_id)


def list_webhooks(store: Store) -> list[StoredWebhook]:
    """Every webhook, by its id."""
    with store.read() as connection:
        return webhooks.list_webhooks(connection)


def allowed(store: Store) -> Allowed:
    """What webhooks may have as addresses, beyond https to the internet."""
    names = allowed_names(store)
    networks = tuple(ip_network(name) for name in names if _is_network(name))
    return Allowed(frozenset(name for name in names if not _is_network(name)), networks)


def allowed_names(store: Store) -> list[str]:
    """The hosts and networks that are allowed, as they are written."""
    with store.read() as connection:
        names: list[str] = json.loads(load_settings(connection).get(ALLOWED, "[]"))
    return names


def allow(store: Store, name: str) -> str:
    """Allow a host name, or a network (an address is one of itself); returns how it is written.

    Raises:
        NotSetUp: the store has no server.
        DataError: it is neither.
    """
    written = _written(name)
    _set_allowed(store, [*(n for n in allowed_names(store) if n != written), written], written)
    return written


def forbid(store: Store, name: str) -> str:
    """Take back what was allowed; returns how it was written.

    Raises:
        NotSetUp: the store has no server.
        NotFound: it was not allowed.
    """
    written, names = _written(name), allowed_names(store)
    if written not in names:
        raise NotFound(f"{written} was not allowed")
    _set_allowed(store, [each for each in names if each != written], written)
    return written


def _set_allowed(store: Store, names: list[str], changed: str) -> None:
    settings(store)
    change = "webhooks allowed" if changed in names else "webhooks no longer allowed"

    def work(connection: Connection) -> None:
        set_settings(connection, {ALLOWED: json.dumps(sorted(names))})
        events.log(connection, "server", None, changed, datetime.now(UTC), change=change)

    store.transact(work)


def _written(name: str) -> str:
    text = name.strip().lower()
    try:
        return str(ip_network(text))
    except ValueError as error:
        if "/" not in text and ":" not in text and HOST.fullmatch(text):
            return text
        reason = str(error) if "/" in text else "neither"
        sentence = f"{name!r} is no host name and no network like 10.1.0.0/16"
        raise DataError(sentence if reason == "neither" else f"{sentence}: {reason}") from None


def _is_network(name: str) -> bool:
    return "/" in name


def _find(connection: Connection, webhook_id: int) -> StoredWebhook:
    hook = webhooks.find_webhook(connection, webhook_id)
    if hook is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return hook
