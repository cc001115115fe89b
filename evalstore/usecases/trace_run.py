"""Find the run that a link names: it may be removed, replaced, deleted, or have another id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from evalstore.store import Store
from evalstore.store.comparison import (
    IdentifiedRun,
    find_run_by_id,
    find_run_by_name,
    list_runs_by_content,
)
from evalstore.store.events import Event, events
from evalstore.usecases.compare import LARGEST_ID

Status = Literal["stored", "removed", "moved", "replaced", "deleted", "other", "unknown"]


@dataclass(frozen=True)
class TracedRun:
    """The state of a run that a link names.

    Attributes:
        status: `stored` under its id; `removed` (marked as such); `moved`: stored under another
            id; `replaced` by another run of its name; `deleted` for good; `other`: not stored, and
            its id belongs to another run; `unknown`.
        run: the run itself (stored, removed, moved), the one that has its name now (replaced), or
            the one that has its id (other).
        name, collection: of the run, where known.
        at: when it was removed, replaced or deleted.
    """

    status: Status
    run: IdentifiedRun | None = None
    name: str | None = None
    collection: str | None = None
    at: datetime | None = None


def trace_run(store: Store, run_id: int, start_of_hash: str = "") -> TracedRun:
    """The state of the run with this id whose content hash starts with `start_of_hash`.

    Without a hash, any run with the id matches.
    """
    with store.read() as connection:
        by_id = find_run_by_id(connection, run_id) if 0 < run_id <= LARGEST_ID else None
        if by_id is not None and by_id.content_hash.startswith(start_of_hash):
            return _stored("stored", by_id)
        if start_of_hash:
            alike = list_runs_by_content(connection, start_of_hash)
            if alike:
                return _stored("moved", alike[0])
            event = _last_event_of(connection, start_of_hash)
            if event is not None:
                return _gone(connection, event)
    if by_id is not None:
        return TracedRun("other", by_id)
    return TracedRun("unknown")


def _stored(status: Status, run: IdentifiedRun) -> TracedRun:
    if run.removed_at is not None:
        return TracedRun("removed", run, run.name, run.collection, run.removed_at)
    return TracedRun(status, run, run.name, run.collection)


def _last_event_of(connection: Connection, start_of_hash: str) -> Event | None:
    """The event that replaced or deleted the run whose content hash starts with this."""
    for event in reversed(events(connection)):
        content = (event.details or {}).get("deleted_content", "")
        if content.startswith(start_of_hash) and content:
            return event
    return None


def _gone(connection: Connection, event: Event) -> TracedRun:
    successor = None
    if event.action == "replace":
        successor = find_run_by_name(connection, event.collection or "", event.subject)
    if successor is not None and successor.removed_at is None:
        return TracedRun("replaced", successor, event.subject, event.collection, event.at)
    return TracedRun("deleted", None, event.subject, event.collection, event.at)
