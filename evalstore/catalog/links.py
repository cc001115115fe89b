"""Find the run that a link names: it may be removed, replaced, deleted, or have another id."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from evalstore.store import Store
from evalstore.store.queries.comparison import (
    IdentifiedRun,
    find_run_by_id,
    find_run_by_name,
    find_runs_by_name,
    list_runs_by_content,
)
from evalstore.store.queries.events import Event, events

Status = Literal["stored", "removed", "moved", "replaced", "deleted", "other", "unknown"]


@dataclass(frozen=True)
class TracedRun:
    """The state of a run that a link names.

    Attributes:
        status: `stored` under its id or name; `removed` (marked as such); `moved`: stored under
            another id or name; `replaced` by another run of its name; `deleted` for good; `other`:
            not stored, and its id or name belongs to another run; `unknown`.
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
        by_id = find_run_by_id(connection, run_id)
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


def trace_named_run(store: Store, collection: str, text: str) -> TracedRun:
    """The state of the run that a link names: `bm25`, or `bm25~3f9a` with the start of its hash.

    `moved` means here that the run has another name now. A run whose whole name is `text` is meant
    before one whose hash is.
    """
    with store.read() as connection:
        return trace_named_runs(connection, collection, [text])[text]


def trace_named_runs(
    connection: Connection, collection: str, texts: Collection[str]
) -> dict[str, TracedRun]:
    """By text, the same of several runs: most are found by one statement."""
    parts = {text: split_hash(text) for text in texts}
    names = {*parts, *(name for name, _ in parts.values())}
    by_name = find_runs_by_name(connection, collection, names)
    return {
        text: _stored("stored", by_name[text])
        if text in by_name
        else _trace_by_parts(connection, collection, *of, by_name.get(of[0]))
        for text, of in parts.items()
    }


def _trace_by_parts(
    connection: Connection,
    collection: str,
    name: str,
    content: str,
    by_name: IdentifiedRun | None,
) -> TracedRun:
    """The state of the run with a name and the start of a hash; `by_name` has that name now."""
    if by_name is not None and by_name.content_hash.startswith(content):
        return _stored("stored", by_name)
    if content:
        alike = list_runs_by_content(connection, content)
        here = [run for run in alike if run.collection == collection]
        if here:
            return _stored("moved", here[0])
        event = _last_event_of(connection, content)
        if event is not None:
            return _gone(connection, event)
        return TracedRun("unknown") if by_name is None else TracedRun("other", by_name)
    renamed = _renamed(connection, collection, name)
    return TracedRun("unknown", None, name, collection) if renamed is None else renamed


def split_hash(text: str) -> tuple[str, str]:
    """A run of a link as its name and the start of its content hash, which may be left out."""
    name, mark, content = text.rpartition("~")
    is_hash = mark and name and 4 <= len(content) <= 64 and set(content) <= set("0123456789abcdef")
    return (name, content) if is_hash else (text, "")


def _renamed(connection: Connection, collection: str, name: str) -> TracedRun | None:
    """The run that had a name once and has another one now."""
    for event in events(connection, collection=collection):  # the oldest first
        if event.action == "rename" and (event.details or {}).get("before") == name:
            name = event.subject
    run = find_run_by_name(connection, collection, name)
    return None if run is None else _stored("moved", run)


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
