"""Store runs, judgments, queries, facts and documents from files that were sent.

They are read as on the command line. A file is in the spool under its hash; messages, run tags and
names use the file name that the sender gave, which is never part of a path on the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.collection_facts import (
    FACT_READERS,
    RUN_FACT_READERS,
    CollectionFacts,
    RunCosts,
    store_collection_facts,
)
from evalstore.catalog.names import check_name
from evalstore.catalog.queries import store_queries, with_query_ids
from evalstore.comparison.cached import kept_qrels
from evalstore.errors import DataError, EvalstoreError, StoreError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import (
    Queries,
    ReadOptions,
    read_documents,
    read_qrels,
    read_queries,
)
from evalstore.formats.facts.judged_by import parse_judged_by
from evalstore.formats.reading.source import blocks, path_text
from evalstore.formats.sources import RunSource, file_sources
from evalstore.ingest.documents import MAX_DOCUMENT, store_texts
from evalstore.ingest.ingest import ingest_run
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels
from evalstore.server.jobs.queue import FILE, named_files
from evalstore.server.jobs.uploads import Limits
from evalstore.store import Store
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.qrels import list_qrels
from evalstore.store.queries.runs import lookup_run

LONGEST_FILE_NAME = 1024
MOST_KEPT = 1_000_000
"""Maximum number of documents of a ranking that become rows."""

ROWS_AT_ONCE = 1 << 20
"""Rows of a run file in memory: a server can spare less memory than a command."""


@dataclass(frozen=True)
class SentFile:
    """A file in the spool, the name that its sender gave it, and the options to read it."""

    path: Path
    name: str
    options: ReadOptions = field(default_factory=ReadOptions)

    def in_words(self, message: str) -> str:
        """A message about the file, with the name that its sender gave it."""
        named = message.replace(path_text(self.path), path_text(self.name))
        return named.replace(self.path.name, path_text(self.name))


@dataclass(frozen=True)
class SentRequest:
    """The request of a job.

    Attributes:
        payload: the request without the contents of its files.
        files: the files by the parameters that name them (`named_files`).
        limits: limits on the contents of the files.
    """

    store: Store
    collection: str
    payload: Mapping[str, Any]
    files: Mapping[str, SentFile]
    limits: Limits


def check_request(kind: str, payload: Mapping[str, Any]) -> None:
    """Check a request before its job; DataError for an invalid name or fact, or if it is empty."""
    if not payload:
        raise DataError("nothing is given to store")
    for file in named_files(payload).values():
        check_name("file", file["file"])
    if "judged_by" in payload:
        parse_judged_by(payload["judged_by"], only_hash=True)
    if kind == "ingest run":
        IngestOptions.from_json("collection", payload)


def sent_file(payload: Mapping[str, Any], path: Path, limits: Limits) -> SentFile:
    """A file of a job, with limits on its content."""
    size = path.stat().st_size
    formats, maps = tuple(payload.get("format", ())), tuple(payload.get("map", ()))
    judge = payload.get("judged_by")
    options = ReadOptions(
        max_bytes=limits.most_unpacked(size),
        formats=formats,
        maps=maps,
        rows_at_once=ROWS_AT_ONCE,
        judged_by=None if judge is None else parse_judged_by(judge, only_hash=True),
    )
    return SentFile(path, payload["file"], options)


@contextmanager
def checked(file: SentFile, limits: Limits) -> Iterator[None]:
    """Check the number of lines, then run the block with errors that name the file as its sender.

    A StoreError stays unchanged: the file did not cause it.
    """
    try:
        _check_lines(file, limits)
        yield
    except StoreError:
        raise  # it names the database, and the job must be started again
    except EvalstoreError as error:
        raise DataError(file.in_words(str(error)), problem=error.problem) from None


def _check_lines(file: SentFile, limits: Limits) -> None:
    """Refuse a file of too many lines before it is read into memory."""
    if file.options.max_bytes <= limits.lines:
        return
    lines = 0
    for block in blocks(str(file.path), file.options):
        lines += block.count(b"\n")
        if lines > limits.lines:
            what = f"more than {limits.lines:,} lines, which this server takes"
            raise DataError(f"{path_text(file.path)}: {what}")


def ingest_sent_run(sent: SentRequest) -> dict[str, Any]:
    """Read, check, evaluate and store a run; return the result for the API."""
    store, collection, payload, files = sent.store, sent.collection, sent.payload, sent.files
    file, request = files[FILE], IngestOptions.from_json(collection, payload)
    facts: dict[str, Any] = {}
    for name, read in RUN_FACT_READERS.items():
        if name in files:
            with checked(files[name], sent.limits):
                facts[name] = read(str(files[name].path), files[name].options)
    if facts:
        request = replace(request, run_facts=RunCosts(**facts))
    with checked(file, sent.limits):
        warnings: list[str] = []
        qrels = _qrels(store, collection, payload.get("qrels"), warnings)
        path = str(file.path)
        options = with_query_ids(store, collection, [path], "run", file.options)
        source = _source(file, tuple(payload.get("part", ())), options)
        outcome = ingest_run(store, qrels, replace(request, options=options), source)
        with store.read() as connection:
            run = lookup_run(connection, qrels.collection_id, outcome.detail)
    run_id = None if run is None else run.id
    return {
        "status": outcome.status,
        "run": {"id": run_id, "name": outcome.detail, "collection": collection},
        "qrels": qrels.qrels_name,
        "format": outcome.format,
        "values_only": outcome.values_only,
        "same_as": outcome.same_as,
        "keeps_facts": outcome.keeps_facts,
        "warnings": [file.in_words(text) for text in (*warnings, *outcome.warnings)],
    }


def read_sent_queries(file: SentFile, limits: Limits) -> Queries:
    """Read queries; errors and warnings use the file name of the sender."""
    with checked(file, limits):
        queries = read_queries(str(file.path), file.options)
    return replace(queries, warnings=tuple(map(file.in_words, queries.warnings)))


def _qrels(store: Store, collection: str, name: str | None, warnings: list[str]) -> CollectionQrels:
    """The judgments to evaluate a run with: the named ones, or the default ones."""
    if name is None:
        return store_qrels(store, collection, warn=warnings.append)
    with store.read() as connection:
        collection_id, chosen = choose_qrels(connection, collection, name)
    return CollectionQrels(collection_id, chosen.id, chosen.name, kept_qrels(store, chosen))


def _source(file: SentFile, part: tuple[str, ...], options: ReadOptions) -> RunSource:
    """The run in a file, or the requested part of a file of several runs.

    Only the file itself is read: no folder, and no database that names other files.
    """
    path = str(file.path)
    parts = [source for source in file_sources(path, options) if source.part]
    if not parts and not part:
        return RunSource(path, sent_as=file.name)
    for source in parts:
        if source.part == part:
            return replace(source, name=None, sent_as=file.name)
    known = ", ".join(repr(list(source.part)) for source in parts[:20])
    if not parts:
        raise DataError(f"{path_text(path)}: this file has no parts")
    raise DataError(f"{path_text(path)}: {len(parts):,} runs: say which part is meant: {known}")


# Facts of a collection, judgments, queries and documents


def ingest_sent_facts(sent: SentRequest) -> dict[str, Any]:
    """Read and store facts of a collection, and queries; return the result for the API."""
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


def read_sent_facts(
    sent: SentRequest,
) -> tuple[CollectionFacts, tuple[str, ...], Queries | None]:
    """The facts of a job, their warnings, and its queries, which are read first."""
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
    return CollectionFacts(**facts), tuple(warnings), queries


def ingest_sent_qrels(sent: SentRequest) -> dict[str, Any]:
    """Read, check and store judgments and what is sent with them; return the result for the API."""
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


def ingest_sent_queries(sent: SentRequest) -> dict[str, Any]:
    """Read and store queries with their attributes; return the result for the API."""
    queries = read_sent_queries(sent.files[FILE], sent.limits)
    store_queries(sent.store, sent.collection, queries)
    return {
        "status": "stored",
        "collection": sent.collection,
        "queries": len(queries),
        "warnings": list(queries.warnings),
    }


def ingest_sent_documents(sent: SentRequest) -> dict[str, Any]:
    """Read documents and store their texts; return the result for the API."""
    file, most = sent.files[FILE], sent.payload.get("max_bytes", MAX_DOCUMENT)
    with checked(file, sent.limits):
        documents = read_documents(str(file.path), file.options)
        every = sent.payload.get("every", False)
        texts = store_texts(sent.store, sent.collection, documents, every=every, max_bytes=most)
    return {
        "status": "stored",
        "collection": sent.collection,
        "documents": texts.read,
        "stored": texts.stored,
        "cut": texts.cut,
        "warnings": texts.warnings(file.name, most),
    }
