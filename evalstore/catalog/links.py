"""The runs named in links (even removed, replaced, deleted or renamed ones), and saved views."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id, kept_collection
from evalstore.catalog.names import check_name, natural
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.queries.collections import access_of_collections, find_collection
from evalstore.store.queries.comparison import (
    IdentifiedRun,
    find_runs_by_name,
    list_runs_by_content,
)
from evalstore.store.queries.events import (
    Event,
    StoredView,
    add_view,
    events,
    find_view,
    list_named_views,
    list_views,
    log,
    set_view_collection,
    set_view_name,
    who,
)
from evalstore.store.queries.runs import (
    engines_of,
    list_runs,
    list_values_only,
    load_slots,
    newer_than,
)

Status = Literal["stored", "removed", "moved", "replaced", "deleted", "other", "unknown"]


@dataclass(frozen=True)
class TracedRun:
    """The state of a run that is named in a link.

    Attributes:
        status: `stored` under its name; `removed` (marked as such); `moved`: stored under another
            name; `replaced` by another run with its name; `deleted` permanently; `other`: not
            stored, and its name belongs to another run; `unknown`.
        run: the run itself (stored, removed, moved), or the run that has its name now (replaced,
            other).
        name, collection: the run's name and collection, if known.
        at: the time when it was removed, replaced or deleted.
    """

    status: Status
    run: IdentifiedRun | None = None
    name: str | None = None
    collection: str | None = None
    at: datetime | None = None


def trace_named_runs(
    connection: Connection, collection: str, texts: Collection[str]
) -> dict[str, TracedRun]:
    """The state of each run named in a link: `bm25`, or `bm25~3f9a` with the start of its hash.

    A run whose name is the whole text takes precedence. However many texts there are, the events
    are read once; only a text with a hash takes a statement of its own.
    """
    parts = {text: split_hash(text) for text in texts}
    names = {*parts, *(name for name, _ in parts.values())}
    by_name = find_runs_by_name(connection, collection, names)
    found: dict[str, TracedRun] = {}
    unknown: dict[str, str] = {}
    recorded = cache(lambda of: events(connection, collection=of))
    for text, (name, content) in parts.items():
        named = by_name.get(name)
        if text in by_name:
            found[text] = _stored("stored", by_name[text])
        elif named is not None and named.content_hash.startswith(content):
            found[text] = _stored("stored", named)
        elif content:
            found[text] = _trace_content(connection, collection, content, named, recorded)
        else:
            unknown[text] = name
    if unknown:
        now = _names_now(recorded(collection), unknown)
        renamed = find_runs_by_name(connection, collection, set(now.values()))
        for text, name in now.items():
            run = renamed.get(name)
            lost = TracedRun("unknown", None, unknown[text], collection)
            found[text] = lost if run is None else _stored("moved", run)
    return {text: found[text] for text in parts}


def _trace_content(
    connection: Connection,
    collection: str,
    content: str,
    by_name: IdentifiedRun | None,
    recorded: Callable[[str | None], Sequence[Event]],
) -> TracedRun:
    """The state of the run with the start of a hash; `by_name` has its name now."""
    alike = list_runs_by_content(connection, content)
    here = [run for run in alike if run.collection == collection]
    if here:
        return _stored("moved", here[0])
    for event in reversed(recorded(None)):  # the one that replaced or deleted the run
        deleted = (event.details or {}).get("deleted_content", "")
        if deleted.startswith(content) and deleted:
            return _gone(connection, event)
    return TracedRun("unknown") if by_name is None else TracedRun("other", by_name)


def _names_now(recorded: Sequence[Event], names: Mapping[str, str]) -> dict[str, str]:
    """The present names of runs that were renamed, from their earlier ones (both as values)."""
    now = dict(names)
    for event in recorded:  # from the oldest to the newest
        if event.action == "rename":
            before = (event.details or {}).get("before")
            now |= {text: event.subject for text, name in now.items() if name == before}
    return now


def split_hash(text: str) -> tuple[str, str]:
    """The name of a run in a link, and the start of its content hash, which may be missing."""
    name, mark, content = text.rpartition("~")
    is_hash = mark and name and 4 <= len(content) <= 64 and set(content) <= set("0123456789abcdef")
    return (name, content) if is_hash else (text, "")


def _stored(status: Status, run: IdentifiedRun) -> TracedRun:
    if run.removed_at is not None:
        return TracedRun("removed", run, run.name, run.collection, run.removed_at)
    return TracedRun(status, run, run.name, run.collection)


def _gone(connection: Connection, event: Event) -> TracedRun:
    successor = None
    if event.action == "replace":
        named = find_runs_by_name(connection, event.collection or "", [event.subject])
        successor = named.get(event.subject)
    if successor is not None and successor.removed_at is None:
        return TracedRun("replaced", successor, event.subject, event.collection, event.at)
    return TracedRun("deleted", None, event.subject, event.collection, event.at)


# The runs named in an address, with their engines and slots


@dataclass(frozen=True)
class LinkedRun:
    """A stored run, for a page.

    `slot` is its engine's number in the collection, from 0, and `newer` the number of newer active
    runs of that engine there.
    """

    id: int
    name: str
    engine: str
    content_hash: str
    slot: int
    newer: int = 0


@dataclass(frozen=True)
class LinkedRuns:
    """The runs named in an address.

    Attributes:
        runs: the stored runs, each once, in the order of the address.
        renamed: the stored runs that have another name now, by their text in the address.
        lost: the states of all other runs, by their text in the address.
    """

    runs: tuple[LinkedRun, ...]
    renamed: dict[str, LinkedRun]
    lost: dict[str, TracedRun]


def find_linked_runs(store: Store, collection: str, texts: Sequence[str]) -> LinkedRuns:
    """The runs of a collection named in an address: `bm25`, or `bm25~3f9a` with its hash."""
    with store.read() as connection:
        kept_collection(store, collection)
        slots = load_slots(connection, collection)
        traced = trace_named_runs(connection, collection, list(dict.fromkeys(texts)))
        stored = {
            text: trace.run
            for text, trace in traced.items()
            if trace.run is not None and trace.status in ("stored", "moved")
        }
        ids = [run.id for run in stored.values()]
        engines, newer = engines_of(connection, ids), newer_than(connection, ids)
    linked = {
        text: LinkedRun(
            run.id, run.name, engines[run.id], run.content_hash,
            slots.get(engines[run.id], 0), newer[run.id],
        )
        for text, run in stored.items()
    }  # fmt: skip
    return LinkedRuns(
        tuple(dict.fromkeys(linked.values())),
        {text: linked[text] for text in linked if traced[text].status == "moved"},
        {text: trace for text, trace in traced.items() if text not in linked},
    )


def run_names(store: Store, collection: str) -> tuple[str, ...]:
    """The names of the active runs of a collection, in natural order."""

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            runs = list_runs(connection, collection=collection)
        return tuple(sorted((run.name for run in runs), key=natural))

    return store.keep(("run names", collection), read, bytes_of)


def have_rankings(store: Store, run_ids: Sequence[int]) -> bool:
    """Whether all these runs have rankings, so that every ranking measure can be computed."""
    with store.read() as connection:
        return not list_values_only(connection, run_ids)


def engine_slots(store: Store, collection: str) -> dict[str, int]:
    """The slot of every engine of a collection, by the engine's name."""
    with store.read() as connection:
        return load_slots(connection, collection)


# Save a long address of the dashboard under a short key

LONGEST = 100_000
"""The largest number of characters in an address."""
SHORTEST_KEY = 4


def save_view(
    store: Store, address: str, collection: str | None = None, *, whole: Store | None = None
) -> str:
    """Save an address (path and query string, beginning with /); returns its key.

    The key is the start of a hash of the address, as long as needed to be unique, so the same
    address always has the same key. Everyone who may read the collection can open the key. An
    address without a collection can name any collection, so only users who may read all of them can
    save one. DataError for other users, and for a text that isn't an address. `store` is the part
    of `whole` that the user may read.
    """
    if not address.startswith("/") or address.startswith(("//", "/\\")):
        raise DataError("a saved view is an address that begins with /")
    if len(address) > LONGEST:
        raise DataError(f"the address has more than {LONGEST:,} characters")
    digest = hashlib.sha256(address.encode()).digest()
    hashed = base64.b32encode(digest).decode().rstrip("=").lower()

    def work(connection: Connection) -> str:
        collection_id = None if collection is None else find_collection(connection, collection)
        everything = frozenset(access_of_collections(connection))
        readable = everything if store.collections is None else store.collections
        if collection is None and not everything <= readable:
            raise DataError("only a page of a collection can be saved in a part of the store")
        if collection is not None and collection_id not in readable:
            raise NotFound(f"there is no collection {collection!r} in the store")
        for length in range(SHORTEST_KEY, len(hashed) + 1):
            key = hashed[:length]
            stored = find_view(connection, key)
            if stored is None:
                view = StoredView(key, address, collection_id, datetime.now(UTC))
                add_view(connection, view)
            elif stored.address == address and stored.collection_id != collection_id:
                set_view_collection(connection, key, collection_id)
            if stored is None or stored.address == address:
                return key
        raise DataError("the address can't be saved")

    return (whole or store).transact(work)


def saved_view(store: Store, key: str) -> str:
    """The address that is saved under a key."""
    with store.read() as connection:
        view = find_view(connection, key)
    if view is None:
        raise NotFound(f"no view is saved under {key!r}")
    return view.address


# Saved views with names, which a team finds in a list; naming and removing one is an event


def named_views(store: Store, collection: str) -> list[StoredView]:
    """The saved views of a collection that have names, in natural order of these."""
    with store.read() as connection:
        named = list_named_views(connection, find_collection_id(connection, collection))
    return sorted(named, key=lambda view: natural(view.name or ""))


TOUR = "Tour "
"""The beginning of the names of views that the home page lists as a tour, in natural order."""


def tour(store: Store) -> list[StoredView]:
    """The saved views, of all collections, whose names begin with `Tour `, in natural order."""
    with store.read() as connection:
        views = list_views(connection)
    stops = [view for view in views if (view.name or "").startswith(TOUR)]
    return sorted(stops, key=lambda view: natural(view.name or ""))


def name_view(store: Store, address: str, name: str, collection: str) -> str:
    """Save an address of a page of a collection under a name; returns its key.

    An address has one name, the last given. Conflict if another address has this name.
    """
    name = check_name("view", name.strip())
    key = save_view(store, address, collection)

    def work(connection: Connection) -> None:
        views = list_named_views(connection, find_collection_id(connection, collection))
        if any(view.name == name and view.key != key for view in views):
            raise Conflict(f"another view of collection {collection!r} has the name {name!r}")
        now = datetime.now(UTC)
        set_view_name(connection, key, name, who(), now)
        log(connection, "view", collection, name, now, key=key)

    store.transact(work)
    return key


def unname_view(store: Store, key: str, collection: str) -> None:
    """Take a view of a collection out of the list of those with names; its short link stays."""

    def work(connection: Connection) -> None:
        views = list_named_views(connection, find_collection_id(connection, collection))
        view = next((view for view in views if view.key == key), None)
        if view is None:
            raise NotFound(f"no named view {key!r} is in collection {collection!r}")
        set_view_name(connection, key, None, None, view.created_at)
        log(connection, "unview", collection, view.name or "", datetime.now(UTC), key=key)

    store.transact(work)
