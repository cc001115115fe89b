"""Webhooks: adding and removing them, the messages about events, and their deliveries.

A delivery is a job; it is signed, and repeated later if it fails.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any, Literal
from urllib.parse import urlsplit

from sqlalchemy import Connection

import evalstore
from dashboard.address import Address
from evalstore.client.any_store import LocalStore
from evalstore.comparison.claims import is_shown, sentences
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load
from evalstore.errors import DataError, EvalstoreError, NotFound
from evalstore.measures import parse
from evalstore.server.jobs.queue import request_hash
from evalstore.server.setup import PublicUrl, settings
from evalstore.server.webhooks.outgoing import Allowed, NotAllowed, NotDelivered, Sender, check_url
from evalstore.store import Store
from evalstore.store.access import jobs, webhooks
from evalstore.store.access.jobs import DELIVERY, StoredJob
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.access.webhooks import NewEvent, StoredWebhook
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.tracking.overview import MEASURE

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

    Raises NotSetUp without a server, DataError for a URL that may not be used, NotFound without
    such a collection.
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
    """Remove a webhook, or NotFound."""

    def work(connection: Connection) -> None:
        hook = _find(connection, webhook_id)
        webhooks.delete_webhook(connection, webhook_id)
        host, now = urlsplit(hook.url).hostname or "", datetime.now(UTC)
        details = {"change": "webhook removed", "webhook": webhook_id}
        events.log(connection, "server", hook.collection, host, now, **details)

    store.transact(work)


def find_webhook(store: Store, webhook_id: int) -> StoredWebhook:
    """The webhook with that id, or NotFound."""
    with store.read() as connection:
        return _find(connection, webhook_id)


def list_webhooks(store: Store) -> list[StoredWebhook]:
    """Every webhook, by its id."""
    with store.read() as connection:
        return webhooks.list_webhooks(connection)


def allowed(store: Store) -> Allowed:
    """The hosts and networks that webhooks may have beyond https to the internet."""
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

    Raises NotSetUp without a server, DataError for anything else.
    """
    written = _written(name)
    _set_allowed(store, [*(n for n in allowed_names(store) if n != written), written], written)
    return written


def forbid(store: Store, name: str) -> str:
    """Forbid what was allowed, or NotFound; returns how it was written."""
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


# What webhooks are told: of which events, and the content of a message

MOST_EVENTS = 500
"""Events that are looked at in one transaction."""

NEW_RUN = ("stored", "replaced")
"""What became of a run that is new: neither one that is there already, nor a new evaluation."""


def ask_for_deliveries(store: Store) -> int:
    """Add a job for each event that a webhook is to be told of; the number of jobs.

    The events were written in the transaction that they tell of, and here the jobs and the place
    that each webhook has reached: so it is told of each once, whichever process stored the run.
    """
    with store.read() as connection:
        newest = webhooks.last_event(connection)
        if all(hook.event_id >= newest for hook in webhooks.list_webhooks(connection)):
            return 0

    def work(connection: Connection) -> int:
        behind = [h for h in webhooks.list_webhooks(connection) if h.event_id < newest]
        if not behind:
            return 0
        first = min(hook.event_id for hook in behind)
        new = webhooks.events_after(connection, first, MOST_EVENTS)
        reached = new[-1].id if len(new) == MOST_EVENTS else newest
        asked = 0
        for event in new:
            for hook in behind:
                if hook.event_id < event.id and is_told(event, hook):
                    _ask(connection, event, hook)
                    asked += 1
        ids = [hook.id for hook in behind if hook.event_id < reached]
        webhooks.set_last_event(connection, ids, reached)
        return asked

    return store.transact(work)


def kind_of(event: NewEvent) -> Kind | None:
    """The kind of an event to webhooks; None if they are not told of it."""
    details = event.details or {}
    if event.action == "gate":
        return None if details.get("outcome") == "passed" else "gate"
    return "run" if details.get("kind") == "run" and details.get("status") in NEW_RUN else None


def is_told(event: NewEvent, hook: StoredWebhook) -> bool:
    """Whether a webhook is told of an event: of a private collection only its own are."""
    kind = kind_of(event)
    if kind is None or kind not in hook.tells_of.split(","):
        return False
    if hook.collection_id is not None:
        return hook.collection_id == event.collection_id
    return event.access != "private"


def message(store: Store, url: PublicUrl, event: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message about an event, which the job of the delivery has."""
    collection, run = event["collection"], event["run"]
    is_stored = event.get("gate", {}).get("is_stored", True)
    page = Address("run", collection, run) if is_stored else Address("leaderboard", collection)
    content = {
        "event": event["event"],
        "at": event["at"],
        "collection": collection,
        "run": run,
        "who": event["who"],
        "link": f"{url}{page.local}",
    }
    if event["event"] == "gate":
        return {**content, "gate": event["gate"]}
    return {**content, "comparison": _claim(store, collection, run)}


def _ask(connection: Connection, event: NewEvent, hook: StoredWebhook) -> None:
    details = event.details or {}
    payload: dict[str, Any] = {
        "webhook": hook.id,
        "delivery": secrets.token_hex(16),
        "tries": 1,
        "event": kind_of(event),
        "at": event.at.isoformat(),
        "collection": event.collection,
        "run": event.subject,
        "who": event.who,
    }
    if event.action == "gate":
        gate = {n: details.get(n) for n in ("outcome", "baseline", "summary", "rules")}
        payload["gate"] = {**gate, "is_stored": details.get("is_stored", True)}
    add_delivery(connection, payload, event.collection_id)


def add_delivery(
    connection: Connection,
    payload: Mapping[str, Any],
    collection_id: int | None,
    not_before: datetime | None = None,
) -> None:
    """Put the job of a delivery into the queue."""
    hash_, now = request_hash(DELIVERY, payload), datetime.now(UTC)
    who = str(payload["who"])
    jobs.add_job(connection, DELIVERY, collection_id, who, payload, hash_, now, not_before)


def _claim(store: Store, collection: str, run: str) -> dict[str, Any] | None:
    """The claim about a run beside the baseline of its collection; None without one."""
    try:
        options, measures = ComparisonOptions(collection=collection), {MEASURE: parse(MEASURE)}
        compared = compare_loaded(load(LocalStore(store), [run], measures, options), measures)
    except EvalstoreError:
        return None  # no baseline, or the baseline itself, or a run that is gone again
    if not compared.pairs:
        return None
    pair = compared.pairs[0]
    return {
        "baseline": compared.runs[0].name,
        "measure": pair.measure,
        "difference": pair.difference,
        "is_shown": is_shown(pair, compared.settings, len(compared.pairs)),
        "claim": next(iter(sentences(compared))),
    }


# Deliveries: telling a webhook something, signed, and again later where that fails

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
    """A sender to the addresses that are allowed now."""
    return Sender(allowed(store))


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The header of a signature: `t=1790000000,v1=HEX`.

    HEX is the HMAC-SHA256 of the timestamp, a full stop and the body, with the secret's UTF-8 as
    its key. The timestamp is in seconds since 1970 (UTC), so that a receiver can refuse old ones.
    """
    signed = str(timestamp).encode() + b"." + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def deliver(store: Store, job: StoredJob, make_sender: MakeSender = sender_of) -> dict[str, Any]:
    """Deliver the message of a job; returns the result of the job.

    Raises NotFound if the webhook was removed, DataError if it failed; another job is in the queue
    if there are tries left.
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
        is_last = tries >= MOST_TRIES or isinstance(error, NotAllowed)
        again = None if is_last else datetime.now(UTC) + DELAYS[tries - 1]
        later = "given up" if again is None else f"again after {again:%Y-%m-%d %H:%M:%S} UTC"
        words = f"{error} (try {tries} of {MOST_TRIES}, {later})"
        _keep(store, hook, words, {**payload, "tries": tries + 1}, job.collection_id, again)
        raise DataError(words) from None
    _keep(store, hook, f"{payload['event']}: answered {status}")
    return {"status": status}


def try_webhook(store: Store, webhook_id: int, make_sender: MakeSender = sender_of) -> int:
    """Send a message of no event at once; the status of the answer. DataError: it failed."""
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


def _keep(
    store: Store,
    hook: StoredWebhook,
    result: str,
    payload: Mapping[str, Any] | None = None,
    collection_id: int | None = None,
    again: datetime | None = None,
) -> None:
    """Store the result of a try, with the job of the next one."""

    def work(connection: Connection) -> None:
        webhooks.set_result(connection, hook.id, datetime.now(UTC), result)
        if again is not None and payload is not None:
            add_delivery(connection, payload, collection_id, again)

    store.queue(work)
