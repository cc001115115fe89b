"""Store what belongs to a collection beside its judgments, from files that were sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalstore.formats import Queries
from evalstore.server.jobs.limits import Limits
from evalstore.server.jobs.sent_files import SentFile, checked, read_sent_queries
from evalstore.store import Store
from evalstore.usecases.facts import FACT_READERS, CollectionFacts, store_collection_facts
from evalstore.usecases.queries import store_queries
from evalstore.usecases.query_ids import with_query_ids


def ingest_facts(
    store: Store,
    collection: str,
    payload: Mapping[str, Any],
    files: Mapping[str, SentFile],
    limits: Limits,
) -> dict[str, Any]:
    """Read and store facts of a collection, and queries; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    queries = read_sent_queries(files["queries"], limits) if "queries" in files else None
    facts, warnings = read_sent_facts(store, collection, payload, files, limits, queries)
    if queries is not None:
        store_queries(store, collection, queries)
        warnings.extend(queries.warnings)
    return {
        "status": "stored",
        "collection": collection,
        "deleted": store_collection_facts(store, collection, facts),
        "warnings": warnings,
    }


def read_sent_facts(
    store: Store,
    collection: str,
    payload: Mapping[str, Any],
    files: Mapping[str, SentFile],
    limits: Limits,
    queries: Queries | None,
) -> tuple[CollectionFacts, list[str]]:
    """Read the facts of a collection that a job has, and give their warnings.

    Args:
        store: where the collection is.
        collection: its name.
        payload: of the job.
        files: those of the job, as the worker names them.
        limits: what they may hold.
        queries: texts that are stored with the facts; judgment groups may name queries by these.

    Raises:
        DataError: the first line that breaks a rule, with the sender's name of the file.
    """
    facts: dict[str, Any] = {"collection_size": payload.get("collection_size")}
    warnings: list[str] = []
    for name, read in FACT_READERS.items():
        if name not in files:
            continue
        file = files[name]
        with checked(file, limits):
            path, options = str(file.path), file.options
            if name == "judgment_groups":
                options = with_query_ids(
                    store, collection, [path], "judgment groups", options, queries
                )
            facts[name] = read(path, options)
        warnings.extend(map(file.in_words, getattr(facts[name], "warnings", ())))
    return CollectionFacts(**facts), warnings
