"""Webhooks, and the events that are sent to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from evalstore.store.models import collection_t, event_t, webhook_t
from evalstore.store.rows import fields, find_row, insert_row

ACTIONS = ("ingest", "replace", "gate")
"""The actions of events that a webhook may get; an event's details determine its kind."""


class StoredWebhook(NamedTuple):
    """A webhook with the name of its collection; `tells_of` has its kinds, between commas."""

    id: int
    url: str
    collection_id: int | None
    collection: str | None
    tells_of: str
    secret: str
    created_at: datetime
    event_id: int
    last_at: datetime | None
    last_result: str | None


WEBHOOKS = select(*fields(StoredWebhook, webhook_t, collection=collection_t.c.name)).outerjoin(
    collection_t, collection_t.c.id == webhook_t.c.collection_id
)


class NewEvent(NamedTuple):
    """An event of a run, with the present name and access of its collection."""

    id: int
    at: datetime
    who: str
    action: str
    collection_id: int
    collection: str
    access: str
    subject: str
    details: dict[str, Any] | None


def add_webhook(
    connection: Connection,
    url: str,
    collection_id: int | None,
    tells_of: str,
    secret: str,
    now: datetime,
) -> int:
    """Add a webhook, which gets only later events; returns its id."""
    return insert_row(
        connection,
        webhook_t,
        url=url,
        collection_id=collection_id,
        tells_of=tells_of,
        secret=secret,
        created_at=now,
        event_id=last_event(connection),
    )


def find_webhook(connection: Connection, webhook_id: int) -> StoredWebhook | None:
    """The webhook with that id."""
    return find_row(connection, StoredWebhook, WEBHOOKS.where(webhook_t.c.id == webhook_id))


def list_webhooks(connection: Connection) -> list[StoredWebhook]:
    """Every webhook, by its id."""
    return [StoredWebhook(*row) for row in connection.execute(WEBHOOKS.order_by(webhook_t.c.id))]


def delete_webhook(connection: Connection, webhook_id: int) -> None:
    """Delete a webhook; its waiting deliveries then end without being sent."""
    connection.execute(delete(webhook_t).where(webhook_t.c.id == webhook_id))


def set_result(connection: Connection, webhook_id: int, at: datetime, result: str) -> None:
    """Store the result of the last delivery."""
    values = {"last_at": at, "last_result": result}
    connection.execute(update(webhook_t).where(webhook_t.c.id == webhook_id).values(values))


def set_last_event(connection: Connection, webhook_ids: Sequence[int], event_id: int) -> None:
    """Store the last event that was sent to webhooks."""
    chosen = update(webhook_t).where(webhook_t.c.id.in_(webhook_ids))
    connection.execute(chosen.values(event_id=event_id))


def last_event(connection: Connection) -> int:
    """The id of the newest event of `ACTIONS`; 0 if there is none."""
    newest = select(func.max(event_t.c.id)).where(event_t.c.action.in_(ACTIONS))
    return int(connection.execute(newest).scalar() or 0)


def events_after(connection: Connection, event_id: int, most: int) -> list[NewEvent]:
    """The oldest events of `ACTIONS` after one, except those of deleted collections."""
    of_collection = {"collection": collection_t.c.name, "access": collection_t.c.access}
    rows = (
        select(*fields(NewEvent, event_t, **of_collection))
        .join(collection_t, collection_t.c.id == event_t.c.collection_id)
        .where(event_t.c.id > event_id, event_t.c.action.in_(ACTIONS))
        .order_by(event_t.c.id)
        .limit(most)
    )
    return [NewEvent(*row) for row in connection.execute(rows)]
