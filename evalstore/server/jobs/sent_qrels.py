"""Store judgments from a file that was sent, with queries and facts of their collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evalstore.catalog.collection_facts import store_collection_facts
from evalstore.catalog.query_ids import with_query_ids
from evalstore.formats import read_qrels
from evalstore.formats.source import path_text
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.jobs.queue import FILE
from evalstore.server.jobs.sent_facts import read_sent_facts
from evalstore.server.jobs.sent_files import SentRequest, checked
from evalstore.store import Store
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.qrels import list_qrels


def ingest_qrels(sent: SentRequest) -> dict[str, Any]:
    """Read, check and store judgments, and what is sent with them.

    Returns:
        What the API says of the judgments.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    store, collection, payload, file = sent.store, sent.collection, sent.payload, sent.files[FILE]
    facts, warnings, queries = read_sent_facts(sent)
    with checked(file, sent.limits):
        path = str(file.path)
        options = with_query_ids(store, collection, [path], "qrels", file.options, queries)
        qrels = replace(read_qrels(path, options), path=path_text(file.name))
        before = _qrels_ids(store, collection)
        accepted: list[str] = []
        stored = store_qrels(
            store,
            collection,
            qrels=qrels,
            queries=queries,
            default_qrels=payload.get("default", False),
            allow_disjoint=payload.get("allow_disjoint", False),
            warn=accepted.append,
        )
        store_collection_facts(store, collection, facts)
    return {
        "status": "already stored" if stored.qrels_id in before else "stored",
        "qrels": {"id": stored.qrels_id, "name": stored.qrels_name, "collection": collection},
        "judgments": len(qrels.grades),
        "queries": len(qrels.qids),
        "format": qrels.format,
        "warnings": [*warnings, *map(file.in_words, accepted)],
    }


def _qrels_ids(store: Store, collection: str) -> set[int]:
    with store.read() as connection:
        collection_id = find_collection(connection, collection)
        qrels = [] if collection_id is None else list_qrels(connection, collection_id)
        return {stored.id for stored in qrels}
