"""Store queries, or the texts of documents, from a file that was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalstore.formats import read_documents
from evalstore.server.jobs.limits import Limits
from evalstore.server.jobs.queue import FILE
from evalstore.server.jobs.sent_files import SentFile, checked, read_sent_queries
from evalstore.store import Store
from evalstore.usecases.documents import MAX_DOCUMENT, store_texts
from evalstore.usecases.queries import store_queries


def ingest_queries(
    store: Store,
    collection: str,
    payload: Mapping[str, Any],
    files: Mapping[str, SentFile],
    limits: Limits,
) -> dict[str, Any]:
    """Read and store queries with their attributes; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    queries = read_sent_queries(files[FILE], limits)
    store_queries(store, collection, queries)
    return {
        "status": "stored",
        "collection": collection,
        "queries": len(queries),
        "warnings": list(queries.warnings),
    }


def ingest_documents(
    store: Store,
    collection: str,
    payload: Mapping[str, Any],
    files: Mapping[str, SentFile],
    limits: Limits,
) -> dict[str, Any]:
    """Read documents and store their texts; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    file, most = files[FILE], payload.get("max_bytes", MAX_DOCUMENT)
    with checked(file, limits):
        documents = read_documents(str(file.path), file.options)
        every = payload.get("every", False)
        texts = store_texts(store, collection, documents, every=every, max_bytes=most)
    warnings = []
    if texts.cut:
        warnings.append(
            f"{payload['file']}: documents are cut at {most:,} bytes: {texts.cut:,} of them, the "
            f"first is {texts.first_cut!r}"
        )
    return {
        "status": "stored",
        "collection": collection,
        "documents": texts.read,
        "stored": texts.stored,
        "cut": texts.cut,
        "warnings": warnings,
    }
