"""Store the judgments and queries for an ingest of runs, or find the stored ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import no_collection
from evalstore.catalog.names import check_name, free_name, qrels_name
from evalstore.catalog.queries import store_attributes, with_query_ids
from evalstore.catalog.unexpected import above_scale, highest_of_scale
from evalstore.errors import Conflict, DataError, Disjoint, QrelsMissing
from evalstore.formats import Qrels, Queries, ReadOptions, read_qrels
from evalstore.formats.facts.judged_by import is_of_model
from evalstore.formats.lists import qrels_hash
from evalstore.formats.reading.lines import texts
from evalstore.store import Store
from evalstore.store.database import lock_collection
from evalstore.store.models import qrels_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import (
    delete_collection,
    ensure_collection,
    find_collection,
)
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.qrels import (
    Origin,
    StoredQrels,
    add_origins,
    add_qrels,
    judged_queries,
    list_qrels,
    load_origins,
    load_qrels,
    set_default_qrels,
)
from evalstore.store.queries.queries import set_query_texts
from evalstore.store.rows import change_row, delete_row


@dataclass(frozen=True)
class CollectionQrels:
    """A stored collection and the stored qrels that runs are evaluated with.

    `made` is what `store_qrels` stored first: the qrels, or the collection with it.
    """

    collection_id: int
    qrels_id: int
    qrels_name: str
    qrels: Qrels
    made: Literal["nothing", "qrels", "collection"] = "nothing"


def store_qrels(
    store: Store,
    collection: str,
    *,
    qrels_path: str | None = None,
    qrels: Qrels | None = None,
    queries: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
    default_qrels: bool = False,
    allow_disjoint: bool = False,
    warn: Callable[[str], None] = lambda _: None,
) -> CollectionQrels:
    """Store the qrels and the queries, or find the collection's default qrels.

    The collection is created if it does not exist. `queries` has texts by query id, and the
    attributes of `Queries`; texts of other queries, and attributes with other names, are not
    changed. The first qrels of a collection always becomes its default. `warn` is called with a
    sentence for each accepted problem.

    Raises:
        FileError: the qrels file breaks a rule; then nothing is stored.
        Disjoint: the judgments share no query with the collection's existing ones.
        DataError: a model's judgments would be the collection's first, and so its default.
        Conflict: the collection is marked as removed.
        QrelsMissing: no qrels is given, and the collection doesn't exist or has no qrels.
    """
    check_name("collection", collection)
    if qrels_path is None:
        judgments = qrels
    else:
        options = with_query_ids(store, collection, [qrels_path], "qrels", options, queries)
        judgments = read_qrels(qrels_path, options)
    query_warnings = queries.warnings if isinstance(queries, Queries) else ()
    for warning in (*query_warnings, *(judgments.warnings if judgments else ())):
        warn(warning)
    with store.read() as connection:
        if find_collection(connection, collection, removed=True) is not None:
            raise Conflict(f"collection {collection!r} was removed, and can be restored")
        existing_id = find_collection(connection, collection)
        if judgments is None:
            if existing_id is None:
                raise QrelsMissing(no_collection(connection, collection))
            if not list_qrels(connection, existing_id):
                raise QrelsMissing(f"collection {collection!r} has no qrels yet")

    def work(connection: Connection) -> tuple[CollectionQrels, list[str]]:
        now = datetime.now(UTC)
        lock_collection(connection, collection)
        collection_id = ensure_collection(connection, collection, now)
        if queries:
            set_query_texts(connection, collection_id, queries)
        if isinstance(queries, Queries):
            store_attributes(connection, collection, collection_id, queries.attributes, now)
        if judgments is None:
            return _default(connection, collection, collection_id)
        stored, warnings = add_judgments(
            *(connection, collection, collection_id, judgments, now),
            allow_disjoint=allow_disjoint,
            default_qrels=default_qrels,
        )
        if default_qrels:
            set_default_qrels(connection, collection_id, stored.qrels_id)
        else:
            default = list_qrels(connection, collection_id)[0]
            if default.id != stored.qrels_id:
                warnings.append(
                    f"figures of collection {collection!r} are shown under qrels "
                    f"{default.name!r}, its default, not under {stored.qrels_name!r}"
                )
        return stored, warnings

    stored, warnings = store.transact_shared(work)
    for warning in warnings:
        warn(warning)
    if stored.made == "qrels" and existing_id is None:
        return replace(stored, made="collection")
    return stored


def withdraw(store: Store, collection: str, qrels: CollectionQrels) -> None:
    """Delete a qrels that was stored for runs of which none has its queries.

    So a wrong file does not become the default. What was there before, and what another process
    uses meanwhile, is kept.
    """
    if qrels.made == "nothing":
        return

    def work(connection: Connection) -> None:
        lock_collection(connection, collection)
        of_collection = list_evaluations(connection, None, collection, removed=None)
        if qrels.qrels_id in {one.qrels.id for one in of_collection}:
            return
        delete_row(connection, qrels_t, qrels.qrels_id)
        now, name = datetime.now(UTC), qrels.qrels_name
        events.log(connection, "purge", collection, name, now, kind="qrels")
        others = list_qrels(connection, qrels.collection_id, removed=None)
        if qrels.made == "collection" and not others and not of_collection:
            delete_collection(connection, qrels.collection_id)

    store.transact(work)


def add_judgments(
    connection: Connection,
    collection: str,
    collection_id: int,
    qrels: Qrels,
    now: datetime,
    *,
    allow_disjoint: bool,
    default_qrels: bool = False,
) -> tuple[CollectionQrels, list[str]]:
    """Store judgments, or find the same ones; also returns a sentence for each accepted problem."""
    warnings = _shared_queries(connection, collection_id, qrels, allow_disjoint)
    if not default_qrels and not list_qrels(connection, collection_id):
        check_first(qrels, collection)
    if is_of_model(qrels.origin):
        warnings += _off_the_scale(connection, collection_id, qrels)
    stored, more = _stored(connection, collection, collection_id, qrels, now)
    return stored, warnings + more


def _off_the_scale(connection: Connection, collection_id: int, qrels: Qrels) -> list[str]:
    """A sentence for a model's grades below 0, and for those above the scale of the default."""
    warnings = []
    below = int(np.count_nonzero(qrels.grades < 0))
    if below:
        are = "grade is below 0: it counts" if below == 1 else "grades are below 0: they count"
        warnings.append(f"{qrels.path}: {below:,} {are} as not judged")
    top = highest_of_scale(connection, collection_id)
    above = [] if top is None else qrels.grades[qrels.grades > top].tolist()
    if top is not None and above:
        warnings.append(f"{qrels.path}: {above_scale(above, top)}")
    return warnings


def check_first(qrels: Qrels, collection: str) -> None:
    """Refuse a model's judgments as the first of a collection, unless they are asked for."""
    if is_of_model(qrels.origin):
        raise DataError(
            f"{qrels.path}: a model's judgments would be the first of collection {collection!r}, "
            "and so its default: store people's first",
            problem="model first",
        )


def _default(
    connection: Connection, collection: str, collection_id: int
) -> tuple[CollectionQrels, list[str]]:
    """The collection's default qrels."""
    default, *others = list_qrels(connection, collection_id)
    warnings = []
    if others:
        warnings.append(
            f"collection {collection!r} has several qrels: using its default, {default.name!r}"
        )
    qrels = load_qrels(connection, default)
    return CollectionQrels(collection_id, default.id, default.name, qrels), warnings


def _shared_queries(
    connection: Connection, collection_id: int, qrels: Qrels, allow_disjoint: bool
) -> list[str]:
    """Warn if less than half of the smaller set of queries is shared; raise Disjoint if none is."""
    own = judged_queries(connection, collection_id)
    if not own:
        return []
    shared = len(own.intersection(qrels.qids))
    numbers = (
        f"{shared:,} of its {len(qrels.qids):,} queries are among the {len(own):,} that the "
        "collection has judgments of"
    )
    if not shared and not allow_disjoint:
        raise Disjoint(
            f"{qrels.path}: none of its {len(qrels.qids):,} queries is among the "
            f"{len(own):,} that the collection has judgments of: another collection?"
        )
    return [f"{qrels.path}: {numbers}"] if 2 * shared < min(len(own), len(qrels.qids)) else []


def _stored(
    connection: Connection,
    collection: str,
    collection_id: int,
    qrels: Qrels,
    now: datetime,
) -> tuple[CollectionQrels, list[str]]:
    """Store judgments, unless the same ones are stored; restore those if they were removed."""
    content_hash = qrels_hash(qrels)
    counting = {stored.id for stored in list_qrels(connection, collection_id)}
    taken: dict[str, StoredQrels] = {}
    for stored in list_qrels(connection, collection_id, removed=None):
        # A file that names no judge is that of a model if it holds the same judgments.
        if stored.content_hash in (content_hash, qrels_hash(qrels, qrels.origin or stored.origin)):
            if stored.id not in counting:
                change_row(connection, qrels_t, stored.id, deleted_at=None)
                if not counting:
                    set_default_qrels(connection, collection_id, stored.id)
                events.log(connection, "restore", collection, stored.name, now, kind="qrels")
            _add_strata(connection, collection_id, stored.id, stored.name, qrels)
            return CollectionQrels(collection_id, stored.id, stored.name, qrels), []
        taken[stored.name] = stored
    name = free_name(qrels_name(qrels.path), taken)
    qrels_id = add_qrels(connection, collection_id, name, qrels, now)
    _add_strata(connection, collection_id, qrels_id, name, qrels)
    events.log(
        connection, "ingest", collection, name, now, kind="qrels", judgments=len(qrels.grades)
    )
    warnings = []
    if taken:
        warnings.append(f"{qrels.path} is another set of judgments: kept as {name!r}")
    return CollectionQrels(collection_id, qrels_id, name, qrels, "qrels"), warnings


def _add_strata(
    connection: Connection, collection_id: int, qrels_id: int, name: str, qrels: Qrels
) -> None:
    """Store the strata of the judgments, if they have them and nothing is known of their origin."""
    if qrels.strata is None or load_origins(connection, qrels_id):
        return
    facts = qrels.origin or {}
    kind, source = str(facts.get("kind", "file")), str(facts.get("model", name))
    qids = np.repeat(np.array(qrels.qids, object), qrels.lengths).tolist()
    keys = zip(qids, texts(qrels.docnos), strict=True)
    origins = {
        key: Origin(kind, source, stratum=stratum)
        for key, stratum in zip(keys, texts(qrels.strata), strict=True)
    }
    add_origins(connection, collection_id, qrels_id, origins)
