"""The qrels of a store: list, choose the default, rename, remove, restore, purge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import check_name, natural
from evalstore.errors import Conflict, NotFound, did_you_mean
from evalstore.store import Store
from evalstore.store.models import qrels_t
from evalstore.store.queries import events
from evalstore.store.queries.drafts import drafts_after
from evalstore.store.queries.qrels import (
    QrelsSummary,
    StoredQrels,
    set_default_qrels,
    summarize_qrels,
)
from evalstore.store.rows import change_row, delete_row


def list_qrels(
    store: Store, collection: str | None = None, *, removed: bool = False
) -> list[QrelsSummary]:
    """Active or removed qrels by collection in natural order; the default first, then by age."""
    with store.read() as connection:
        if collection is not None:
            find_collection_id(connection, collection)
        stored = summarize_qrels(connection, collection, removed=removed)
    return sorted(stored, key=lambda qrels: natural(qrels.collection))


def origin_name(qrels: QrelsSummary | StoredQrels) -> str:
    """The origin of all judgments of a qrels: `file`, `people`, `model NAME` or `mixed`."""
    if len(qrels.origins.keys() - {"pool"}) > 1:
        return "mixed"
    if "model" in qrels.origins:
        return f"model {(qrels.origin or {}).get('model', '')}".rstrip()
    return "people" if "person" in qrels.origins else "file"


def origin_note(qrels: QrelsSummary | StoredQrels) -> str | None:
    """A sentence for where figures are shown: its judgments are of a model, or of several origins.

    None if they all come from files, or all from people.
    """
    facts = qrels.origin or {}
    model = f"the model {facts['model']}" if "model" in facts else "a model"
    origins = {kind: count for kind, count in qrels.origins.items() if kind != "pool"}
    if set(origins) == {"model"}:
        return f"qrels {qrels.name!r} was judged by {model}"
    if len(origins) < 2:
        return None
    words = {"file": "from a file", "person": "by people", "model": f"by {model}"}
    parts = ", ".join(f"{count:,} {words[kind]}" for kind, count in origins.items())
    note = f"the judgments of qrels {qrels.name!r} have different origins: {parts}"
    unjudged = unjudged_note(qrels.origins)
    return note if unjudged is None else f"{note}; {unjudged}"


def unjudged_note(origins: Mapping[str, int]) -> str | None:
    """A sentence on the documents of the pool that nobody judged; None if there are none."""
    count = origins.get("pool", 0)
    verb = "document of the pool has" if count == 1 else "documents of the pool have"
    return f"{count:,} {verb} no judgment" if count else None


def facts_of(qrels: QrelsSummary) -> dict[str, Any]:
    """The facts of a qrels for JSON: all but its id, and `removed_at`."""
    facts = {name: value for name, value in vars(qrels).items() if name not in ("id", "removed_at")}
    return {**facts, "created_at": qrels.created_at.isoformat()}


def set_default(store: Store, name: str, collection: str | None = None) -> QrelsSummary:
    """Make a qrels the default of its collection; returns the qrels as it was before."""

    def work(connection: Connection) -> QrelsSummary:
        qrels = find_qrels(connection, name, collection)
        if not qrels.is_default:
            _set_default(connection, qrels.collection, qrels.id)
            events.log(connection, "default", qrels.collection, qrels.name, kind="qrels")
        return qrels

    return store.transact(work)


def rename_qrels(store: Store, name: str, new: str, collection: str | None = None) -> QrelsSummary:
    """Give a qrels a name that no other one has, even removed; returns the qrels as it was."""
    check_name("qrels", new)

    def work(connection: Connection) -> QrelsSummary:
        qrels = find_qrels(connection, name, collection)
        if qrels.name == new:
            return qrels
        names = {q.name for q in summarize_qrels(connection, qrels.collection, removed=None)}
        if new in names:
            raise Conflict(f"collection {qrels.collection!r} has a qrels named {new!r} already")
        change_row(connection, qrels_t, qrels.id, name=new)
        events.log(connection, "rename", qrels.collection, new, kind="qrels", before=qrels.name)
        return qrels

    return store.transact(work)


def remove_qrels(
    store: Store, names: Sequence[str], collection: str | None = None
) -> list[QrelsSummary]:
    """Mark qrels as removed: they and the values under them are no longer shown. All or none.

    If the default of a collection is removed, the newest remaining one becomes the default.
    """
    return _mark(store, names, collection, removed=True)


def restore_qrels(
    store: Store, names: Sequence[str], collection: str | None = None
) -> list[QrelsSummary]:
    """Restore removed qrels; the default stays the same. All of them or none."""
    return _mark(store, names, collection, removed=False)


def _mark(
    store: Store, names: Sequence[str], collection: str | None, *, removed: bool
) -> list[QrelsSummary]:
    def work(connection: Connection) -> list[QrelsSummary]:
        now = datetime.now(UTC)
        marked = _several(connection, names, collection, removed=not removed)
        for qrels in marked:
            change_row(connection, qrels_t, qrels.id, deleted_at=now if removed else None)
            if removed and qrels.is_default:
                _set_default(connection, qrels.collection, None)
            others = () if removed else summarize_qrels(connection, qrels.collection)
            if others and not any(other.is_default for other in others):
                _set_default(connection, qrels.collection, qrels.id)
            action: events.Action = "rm" if removed else "restore"
            events.log(connection, action, qrels.collection, qrels.name, now, kind="qrels")
        return marked

    return store.transact(work)


def purge_qrels(
    store: Store, names: Sequence[str] = (), collection: str | None = None
) -> list[QrelsSummary]:
    """Delete removed qrels and their values permanently: the named ones, or all.

    Conflict: a draft continues one of them, and would hold its own judgments alone.
    """

    def work(connection: Connection) -> list[QrelsSummary]:
        if names:
            purged = _several(connection, names, collection, removed=True)
        else:
            purged = summarize_qrels(connection, collection, removed=True)
        for qrels in purged:
            if drafts := drafts_after(connection, qrels.id):
                raise Conflict(
                    f"draft {drafts[0]!r} continues qrels {qrels.name!r}: restore the qrels, or "
                    "remove the draft first"
                )
            delete_row(connection, qrels_t, qrels.id)
            events.log(connection, "purge", qrels.collection, qrels.name, kind="qrels")
        return purged

    purged = store.transact(work)
    if purged:
        store.reclaim_space()
    return purged


def find_qrels(
    connection: Connection, name: str, collection: str | None = None, *, removed: bool = False
) -> QrelsSummary:
    """The active qrels with that name, or with `removed` the removed one.

    NotFound is also raised if several collections have one and no collection is named.
    """
    where = "in the store" if collection is None else f"in collection {collection!r}"
    summaries = summarize_qrels(connection, collection, removed=None)
    named = [qrels for qrels in summaries if qrels.name == name]
    matching = [qrels for qrels in named if (qrels.removed_at is not None) == removed]
    if len(matching) > 1:
        names = ", ".join(repr(qrels.collection) for qrels in matching)
        raise NotFound(f"several collections have a qrels {name!r}: name one of {names}")
    if matching:
        return matching[0]
    if named:
        state = "is not removed" if removed else "was removed, and can be restored"
        raise NotFound(f"qrels {name!r} {where} {state}")
    others = [q.name for q in summaries if (q.removed_at is not None) == removed]
    raise NotFound(f"there is no qrels {name!r} {where}{did_you_mean(name, others)}")


def _several(
    connection: Connection, names: Sequence[str], collection: str | None, *, removed: bool
) -> list[QrelsSummary]:
    qrels = [find_qrels(connection, name, collection, removed=removed) for name in names]
    return list({one.id: one for one in qrels}.values())


def _set_default(connection: Connection, collection: str, qrels_id: int | None) -> None:
    set_default_qrels(connection, find_collection_id(connection, collection), qrels_id)
