"""What webhooks are told: of which events, and the content of a message."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from dashboard.address import Address
from evalstore.comparison.claims import is_shown, sentences
from evalstore.comparison.compare import compare_stored
from evalstore.comparison.significance import Compared
from evalstore.errors import EvalstoreError
from evalstore.measures import parse
from evalstore.server.jobs.queue import request_hash
from evalstore.server.public_url import PublicUrl
from evalstore.server.webhooks.registered import Kind
from evalstore.store import Store
from evalstore.store.access import jobs, webhooks
from evalstore.store.access.jobs import DELIVERY
from evalstore.store.access.webhooks import NewEvent, StoredWebhook
from evalstore.tracking.overview import MEASURE

MOST_EVENTS = 500
"""Events that are looked at in one transaction."""

NEW_RUN = ("stored", "replaced")
"""What became of a run that is new: neither one that is there already, nor a new evaluation."""


def ask_for_deliveries(store: Store) -> int:
    """Put a job into the queue for each event that a webhook is to be told; returns how many.

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
    """What an event is to webhooks; None for what they are not told."""
    details = event.details or {}
    if event.action == "gate":
        return None if details.get("outcome") == "passed" else "gate"
    return "run" if details.get("kind") == "run" and details.get("status") in NEW_RUN else None


def is_told(event: NewEvent, hook: StoredWebhook) -> bool:
    """Whether a webhook is told of an event: that of a private collection only by its own."""
    kind = kind_of(event)
    if kind is None or kind not in hook.tells_of.split(","):
        return False
    if hook.collection_id is not None:
        return hook.collection_id == event.collection_id
    return event.access != "private"


def message(store: Store, url: PublicUrl, event: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message, as JSON has it.

    Args:
        store: the whole store.
        url: of the server.
        event: what the job of the delivery has of the event.
    """
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
    """What may be claimed of a run beside the baseline of its collection; None without one."""
    try:
        compared = compare_stored(store, [run], {MEASURE: parse(MEASURE)}, collection=collection)
    except EvalstoreError:
        return None  # no baseline, or the baseline itself, or a run that is gone again
    return _claim_of(compared)


def _claim_of(compared: Compared) -> dict[str, Any] | None:
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
