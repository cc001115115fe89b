"""Deliveries: telling a webhook something, signed, and again later where that fails."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

import evalstore
from evalstore.errors import DataError, EvalstoreError
from evalstore.server.setup import settings
from evalstore.server.webhooks.messages import add_delivery, message
from evalstore.server.webhooks.outgoing import NotAllowed, NotDelivered, Sender
from evalstore.server.webhooks.registered import allowed, find_webhook
from evalstore.store import Store
from evalstore.store.access import webhooks
from evalstore.store.access.jobs import StoredJob
from evalstore.store.access.webhooks import StoredWebhook

DELAYS = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
)
"""How long after a try that failed the next one comes."""
MOST_TRIES = len(DELAYS) + 1

SIGNATURE = "Evalstore-Signature"
DELIVERY_ID = "Evalstore-Delivery"
EVENT = "Evalstore-Event"

MakeSender = Callable[[Store], Sender]


def sender_of(store: Store) -> Sender:
    """What sends requests to the addresses that are allowed now."""
    return Sender(allowed(store))


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The header of a signature: `t=1790000000,v1=HEX`.

    HEX is the HMAC-SHA256 of the timestamp, a full stop and the body, with the secret's UTF-8 as
    its key. The timestamp is in seconds since 1970 (UTC), so that a receiver can refuse old ones.
    """
    signed = str(timestamp).encode() + b"." + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def deliver(store: Store, job: StoredJob, make_sender: MakeSender = sender_of) -> dict[str, Any]:
    """Tell a webhook what the job says; returns the result of the job.

    Raises:
        NotFound: the webhook was removed.
        DataError: it failed; another job is in the queue where there are tries left.
    """
    payload = dict(job.payload)
    hook = find_webhook(store, payload["webhook"])
    if "body" not in payload:  # the same in each try
        content = message(store, settings(store).public_url, payload)
        payload["body"] = json.dumps(content, ensure_ascii=False, allow_nan=False)
    tries = payload["tries"]
    try:
        status = _send(hook, payload, make_sender(store))
    except EvalstoreError as error:
        again = None if isinstance(error, NotAllowed) else _next_try(tries)
        words = _words(str(error), tries, again)
        _keep(store, hook, words, {**payload, "tries": tries + 1}, job.collection_id, again)
        raise DataError(words) from None
    _keep(store, hook, f"{payload['event']}: answered {status}")
    return {"status": status}


def try_webhook(store: Store, webhook_id: int, make_sender: MakeSender = sender_of) -> int:
    """Send a message of no event at once; returns the status of the answer.

    Raises:
        NotFound: there is no such webhook.
        DataError: it failed.
    """
    hook = find_webhook(store, webhook_id)
    link = str(settings(store).public_url)
    content = {"event": "test", "at": datetime.now(UTC).isoformat(), "link": link}
    payload = {"event": "test", "delivery": secrets.token_hex(16), "body": json.dumps(content)}
    try:
        status = _send(hook, payload, make_sender(store))
    except (NotAllowed, NotDelivered) as error:
        _keep(store, hook, f"test: {error}")
        raise
    _keep(store, hook, f"test: answered {status}")
    return status


def _send(hook: StoredWebhook, payload: Mapping[str, Any], sender: Sender) -> int:
    body = str(payload["body"]).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"evalstore/{evalstore.__version__}",
        EVENT: str(payload["event"]),
        DELIVERY_ID: str(payload["delivery"]),
        SIGNATURE: signature(hook.secret, int(time.time()), body),
    }
    return sender.post(hook.url, body, headers)


def _next_try(tries: int) -> datetime | None:
    return datetime.now(UTC) + DELAYS[tries - 1] if tries < MOST_TRIES else None


def _words(reason: str, tries: int, again: datetime | None) -> str:
    tried = f"try {tries} of {MOST_TRIES}"
    later = "given up" if again is None else f"again after {again:%Y-%m-%d %H:%M:%S} UTC"
    return f"{reason} ({tried}, {later})"


def _keep(
    store: Store,
    hook: StoredWebhook,
    result: str,
    payload: Mapping[str, Any] | None = None,
    collection_id: int | None = None,
    again: datetime | None = None,
) -> None:
    """Keep what came of a try, with the job of the next one."""

    def work(connection: Connection) -> None:
        webhooks.set_result(connection, hook.id, datetime.now(UTC), result)
        if again is not None and payload is not None:
            add_delivery(connection, payload, collection_id, again)

    store.queue(work)
