"""Events, the log of changes with actor and time, written in the transaction of the change."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from evalstore.store.models import collection_t, event_t, view_t
from evalstore.store.restriction import OF_SERVER
from evalstore.store.rows import fields, find_row

Action = (
    Literal["ingest", "replace", "measure", "reevaluate", "edit", "rm", "restore", "purge"]
    | Literal["rename", "tag", "copy", "default", "facts", "annotate", "rank", "baseline", "gate"]
    | Literal["comment", "uncomment", "view", "unview", "publish"]
    | Literal["new", "server", "account", "password", "role", "token", "session", "job", "access"]
)

ACTING: ContextVar[str | None] = ContextVar("evalstore_acting", default=None)
"""The account that sent the current request to the server; each thread has its own value."""


@dataclass(frozen=True)
class Event:
    """An event; `subject` is the name of the run or qrels at the time of the event."""

    at: datetime
    who: str
    action: str
    collection: str | None
    subject: str
    details: dict[str, Any] | None


ADD = insert(event_t).values(
    collection_id=select(collection_t.c.id)
    .where(collection_t.c.name == bindparam("named"))
    .scalar_subquery()
)

_COLUMNS = fields(Event, event_t)


def log(
    connection: Connection,
    action: Action,
    collection: str | None,
    subject: str,
    now: datetime | None = None,
    /,
    **details: object,
) -> None:
    """Record an event: of this moment, unless a time is given that its rows have too."""
    event = Event(now or datetime.now(UTC), who(), action, collection, subject, details or None)
    add(connection, event)


@contextmanager
def acting(account: str) -> Iterator[None]:
    """Record the events of this thread under an account of the server."""
    token = ACTING.set(account)
    try:
        yield
    finally:
        ACTING.reset(token)


def who() -> str:
    """The account that acts through the server, or else the user and host of this process."""
    return ACTING.get() or f"{user()}@{socket.gethostname()}"


def user() -> str:
    """The account that this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in many containers
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def add(connection: Connection, event: Event) -> None:
    """Add an event, even one of another store, unchanged; it belongs to the collection it names."""
    connection.execute(ADD, {**vars(event), "named": event.collection})


def events_before(
    connection: Connection,
    before: int | None,
    last: int,
    *,
    account: str | None = None,
    collection: str | None = None,
    collection_id: int | None = None,
) -> list[tuple[int, Event]]:
    """The latest events with their ids, the newest first.

    Args:
        connection: to the whole store.
        before: only events older than the one with this id; None for all.
        last: the largest number of events.
        account: only events by this account, or about it.
        collection: only events of collections that had this name.
        collection_id: only events of this collection, under any name.
    """
    chosen = select(event_t.c.id, *_COLUMNS).order_by(event_t.c.id.desc()).limit(last)
    if before is not None:
        chosen = chosen.where(event_t.c.id < before)
    if account is not None:
        of_account = (event_t.c.subject == account) & event_t.c.action.in_(OF_SERVER)
        chosen = chosen.where((event_t.c.who == account) | of_account)
    if collection is not None:
        chosen = chosen.where(event_t.c.collection == collection)
    if collection_id is not None:
        chosen = chosen.where(event_t.c.collection_id == collection_id)
    return [(row[0], Event(*row[1:])) for row in connection.execute(chosen)]


def events(
    connection: Connection,
    *,
    collection: str | None = None,
    subject: str | None = None,
    last: int | None = None,
    without: Collection[str] = (),
) -> list[Event]:
    """The events, oldest first; only the newest `last` of them unless `last` is None.

    Events with an action in `without` are left out.
    """
    chosen = select(*_COLUMNS).order_by(event_t.c.at.desc(), event_t.c.id.desc())
    if collection is not None:
        chosen = chosen.where(event_t.c.collection == collection)
    if subject is not None:
        chosen = chosen.where(event_t.c.subject == subject)
    if without:
        chosen = chosen.where(event_t.c.action.not_in(without))
    rows = connection.execute(chosen.limit(last)).all()
    return [Event(*row) for row in reversed(rows)]


def events_since(
    connection: Connection, time: datetime, actions: Collection[Action], last: int
) -> list[tuple[int, Event]]:
    """The latest events in collections after a time, each with the id of its collection.

    Only those with these actions, at most `last`, the newest first. An event has the name that its
    collection had then.
    """
    rows = connection.execute(
        select(event_t.c.collection_id, *_COLUMNS)
        .where(
            event_t.c.at > time,
            event_t.c.action.in_(actions),
            event_t.c.collection_id.is_not(None),
        )
        .order_by(event_t.c.at.desc(), event_t.c.id.desc())
        .limit(last)
    )
    return [(row[0], Event(*row[1:])) for row in rows]


# Saved views: short keys for long addresses of the dashboard


class StoredView(NamedTuple):
    """An address (path and query string), its key, its collection, and the time it was saved.

    A view that a person named has a name, and who gave it; its time is that of the name.
    """

    key: str
    address: str
    collection_id: int | None
    created_at: datetime
    name: str | None = None
    who: str | None = None


VIEWS = select(*fields(StoredView, view_t))


def find_view(connection: Connection, key: str) -> StoredView | None:
    """The view that is saved under a key."""
    return find_row(connection, StoredView, VIEWS.where(view_t.c.key == key))


def add_view(connection: Connection, view: StoredView) -> None:
    """Save a view whose key is not taken."""
    connection.execute(insert(view_t).values(view._asdict()))


def set_view_collection(connection: Connection, key: str, collection_id: int | None) -> None:
    """Set the collection that a saved view belongs to."""
    there = update(view_t).where(view_t.c.key == key)
    connection.execute(there.values(collection_id=collection_id))


def set_view_name(
    connection: Connection, key: str, name: str | None, who: str | None, created_at: datetime
) -> None:
    """Name a saved view; without a name it is only linked."""
    there = update(view_t).where(view_t.c.key == key)
    connection.execute(there.values(name=name, who=who, created_at=created_at))


def list_named_views(connection: Connection, collection_id: int) -> list[StoredView]:
    """The saved views of a collection that have names."""
    named = VIEWS.where(view_t.c.collection_id == collection_id, view_t.c.name.is_not(None))
    return [StoredView(*row) for row in connection.execute(named)]


def list_views(connection: Connection) -> list[StoredView]:
    """Every saved view, by key."""
    return [StoredView(*row) for row in connection.execute(VIEWS.order_by(view_t.c.key))]
