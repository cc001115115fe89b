"""Store what belongs to a collection beside its judgments, from files that were sent."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalstore.catalog.collection_facts import FACT_READERS, CollectionFacts, store_collection_facts
from evalstore.catalog.queries import store_queries
from evalstore.catalog.query_ids import with_query_ids
from evalstore.formats import Queries
from evalstore.server.jobs.sent_files import SentRequest, checked, read_sent_queries


class SentFacts(NamedTuple):
    """Facts of a collection that were sent, and queries.

    Attributes:
        facts: those that were sent; each of the others is None.
        warnings: of the files of facts.
        queries: None where none were sent; judgments may name queries by their texts.
    """

    facts: CollectionFacts
    warnings: tuple[str, ...]
    queries: Queries | None


def ingest_facts(sent: SentRequest) -> dict[str, Any]:
    """Read and store facts of a collection, and queries; returns what the API says of them.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    facts, warnings, queries = read_sent_facts(sent)
    if queries is not None:
        store_queries(sent.store, sent.collection, queries)
        warnings += queries.warnings
    return {
        "status": "stored",
        "collection": sent.collection,
        "deleted": store_collection_facts(sent.store, sent.collection, facts),
        "warnings": list(warnings),
    }


def read_sent_facts(sent: SentRequest) -> SentFacts:
    """Read the queries, and then the facts, of a job that has them.

    Raises:
        DataError: the first line that breaks a rule, with the sender's name of the file.
    """
    files, limits = sent.files, sent.limits
    queries = read_sent_queries(files["queries"], limits) if "queries" in files else None
    facts: dict[str, Any] = {"collection_size": sent.payload.get("collection_size")}
    warnings: list[str] = []
    for name, read in FACT_READERS.items():
        if name not in files:
            continue
        file = files[name]
        with checked(file, limits):
            path, options = str(file.path), file.options
            if name == "judgment_groups":
                options = with_query_ids(
                    sent.store, sent.collection, [path], "judgment groups", options, queries
                )
            facts[name] = read(path, options)
        warnings.extend(map(file.in_words, getattr(facts[name], "warnings", ())))
    return SentFacts(CollectionFacts(**facts), tuple(warnings), queries)
