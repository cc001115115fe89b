"""Store queries, or the texts of documents, from a file that was sent."""

from __future__ import annotations

from typing import Any

from evalstore.catalog.queries import store_queries
from evalstore.formats import read_documents
from evalstore.ingest.documents import MAX_DOCUMENT, store_texts
from evalstore.server.jobs.queue import FILE
from evalstore.server.jobs.sent_files import SentRequest, checked, read_sent_queries


def ingest_queries(sent: SentRequest) -> dict[str, Any]:
    """Read and store queries with their attributes; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    queries = read_sent_queries(sent.files[FILE], sent.limits)
    store_queries(sent.store, sent.collection, queries)
    return {
        "status": "stored",
        "collection": sent.collection,
        "queries": len(queries),
        "warnings": list(queries.warnings),
    }


def ingest_documents(sent: SentRequest) -> dict[str, Any]:
    """Read documents and store their texts; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    file, most = sent.files[FILE], sent.payload.get("max_bytes", MAX_DOCUMENT)
    with checked(file, sent.limits):
        documents = read_documents(str(file.path), file.options)
        every = sent.payload.get("every", False)
        texts = store_texts(sent.store, sent.collection, documents, every=every, max_bytes=most)
    warnings = []
    if texts.cut:
        warnings.append(
            f"{sent.payload['file']}: documents are cut at {most:,} bytes: {texts.cut:,} of them, "
            f"the first is {texts.first_cut!r}"
        )
    return {
        "status": "stored",
        "collection": sent.collection,
        "documents": texts.read,
        "stored": texts.stored,
        "cut": texts.cut,
        "warnings": warnings,
    }
