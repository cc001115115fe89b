"""Store runs through a server: files are sent, and its reader checks them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, Any, NamedTuple, Protocol

from evalstore.catalog.collection_facts import FACT_READERS
from evalstore.catalog.queries import with_query_ids
from evalstore.client.connection import Server
from evalstore.client.remote_store import RemoteStore
from evalstore.client.sending import FileToSend, opened, store_file
from evalstore.errors import DataError, EvalstoreError, NotFound, QrelsMissing, StoreError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import ReadOptions, read_documents, read_qrels, read_queries, read_times
from evalstore.formats.source import path_text
from evalstore.formats.sources import RunSource
from evalstore.ingest.documents import StoredDocuments
from evalstore.ingest.ingest import Ingested, Interrupted, Outcome, Progress, find_common_tag


class Sending(Progress, Protocol):
    """Receives the progress of an ingest through a server."""

    def sent(self, count: int) -> None:
        """Called when so many further bytes of the file are on the server."""


def ingest(
    server: Server,
    request: IngestOptions,
    sources: Sequence[RunSource],
    *,
    qrels: str | None,
    progress: Sending,
    times: FileToSend | None = None,
    standard_input: IO[bytes] | None = None,
) -> Ingested:
    """Store runs, one after the other; an error in one does not affect the others.

    Nothing is sent that is stored already. Where the server can't be reached any more, the runs
    that are left fail without being tried.

    Args:
        server: the server.
        request: the collection, names and options; how files are read is the server's to decide,
            but for the formats that are named.
        sources: what `ingest.ingest.find_sources` gives.
        qrels: the name of the judgments, which the collection has; None for its default ones.
        progress: called for each file when it is begun, with what of it is sent, and when it is
            done.
        times: the file of the response times of the run, where there is one run.
        standard_input: what `-` reads.

    Raises:
        Interrupted: on Ctrl-C; its `result` tells which files are stored.
    """
    paths = [source.path for source in sources if source.engine is None and source.error is None]
    tag = None if request.engine is not None else find_common_tag(paths, request.options)
    request = replace(request, engine_after_run=tag is not None)
    outcomes: list[Outcome] = []
    warnings: set[str] = set()
    is_lost = False
    try:
        for source in sources:
            progress.started(source.path)
            if is_lost:
                outcome = _failed(
                    source, DataError(f"{path_text(source.label)}: not tried any more")
                )
            else:
                send = partial(
                    send_run, server, request, source, qrels, progress.sent, times, standard_input
                )
                outcome, is_lost = _outcome(send, source)
            # Judgments that were chosen are told of with every run: once is enough.
            new = tuple(text for text in outcome.warnings if text not in warnings)
            warnings.update(new)
            outcomes.append(replace(outcome, warnings=new))
            progress.finished(outcomes[-1])
    except KeyboardInterrupt:
        left = tuple(source.label for source in sources[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, tag)) from None
    return Ingested(tuple(outcomes), common_tag=tag)


def _outcome(send: Callable[[], Outcome], source: RunSource) -> tuple[Outcome, bool]:
    """What became of a run, and whether the server is lost to the others too."""
    try:
        return send(), False
    except StoreError as error:
        return _failed(source, error), True
    except EvalstoreError as error:
        return _failed(source, error), False


@contextmanager
def opened_times(path: str, standard_input: IO[bytes] | None = None) -> Iterator[FileToSend]:
    """A file of response times, which is read here before anything is sent.

    Raises:
        FileError: it can't be read, or breaks a rule.
    """
    with opened(path, standard_input or sys.stdin.buffer, read_times) as file:
        with file.errors_name_it():
            read_times(file.path_here)
        yield file


def send_run(
    server: Server,
    request: IngestOptions,
    source: RunSource,
    qrels: str | None,
    sent: Callable[[int], None] = lambda _: None,
    times: FileToSend | None = None,
    standard_input: IO[bytes] | None = None,
) -> Outcome:
    """Store one run; arguments are those of `ingest`.

    Raises:
        DataError: the run can't be stored.
        StoreError: the server can't be reached, or refuses the token.
    """
    if source.error is not None:
        raise source.error
    body = request.for_run(source).to_json()
    if source.part:
        body["part"] = list(source.part)
    if qrels is not None:
        body["qrels"] = qrels
    with opened(source.path, standard_input or sys.stdin.buffer) as file:
        beside = {} if times is None else {"times": times}
        content = store_file(
            server, request.collection, "runs", file, body, beside=beside, sent=sent
        )
    return Outcome(
        source.path,
        content["status"],
        content["run"]["name"],
        (*source.warnings, *content["warnings"]),
        format=content["format"],
        values_only=content.get("values_only", False),
    )


def _failed(source: RunSource, error: EvalstoreError) -> Outcome:
    message = str(error)
    named = source.path in message or path_text(source.path) in message
    detail = message if named else f"{source.label}: {message}"
    return Outcome(source.path, "failed", detail, source.warnings, problem=error.problem)


# Store judgments, queries, documents and facts of a collection through a server

SECONDS_TO_START = 2.0
"""For which a server that can't be reached at first is tried again: it may be starting."""

Warn = Callable[[str], None]

READERS: Mapping[str, Callable[[str, ReadOptions], Any]] = {"queries": read_queries, **FACT_READERS}
"""How the files are read that belong to a collection beside its judgments."""


class SentQrels(NamedTuple):
    """Judgments that are on a server now: their name there, and the format of their file."""

    name: str
    format: str


def send_qrels(
    server: Server,
    collection: str,
    path: str,
    *,
    options: ReadOptions,
    beside: Mapping[str, str],
    collection_size: int | None = None,
    default_qrels: bool = False,
    allow_disjoint: bool = False,
    warn: Warn = lambda _: None,
    standard_input: IO[bytes] | None = None,
) -> SentQrels:
    """Store judgments, in a collection that is made if there is none.

    Args:
        server: the server.
        collection: the name of the collection.
        path: the file of the judgments.
        options: how files are read.
        beside: files of queries and facts by the names of `READERS`, which are stored with the
            judgments or not at all.
        collection_size: how many documents the collection has, if that is stored too.
        default_qrels: whether these judgments become the default.
        allow_disjoint: whether they may share no query with those of the collection.
        warn: called with a sentence for each oddity that was accepted.
        standard_input: what `-` reads.

    Raises:
        DataError: a file breaks a rule; nothing is stored then.
        StoreError: no collection may be made, or the server can't be reached.
    """
    _reach(server)
    body: dict[str, Any] = {"default": default_qrels, "allow_disjoint": allow_disjoint}
    if options.formats:
        body |= {"format": list(options.formats)}
    if collection_size is not None:
        body |= {"collection_size": collection_size}
    given = standard_input or sys.stdin.buffer
    with _opened_beside(beside, given) as files, opened(path, given) as file:
        if all(row.name != collection for row in RemoteStore(server).collections()):
            _check_files(collection, file, files, options)
            server.post("/collections", name=collection)
        content = store_file(server, collection, "qrels", file, body, beside=files)
    for warning in content["warnings"]:
        warn(warning)
    return SentQrels(content["qrels"]["name"], content["format"])


@contextmanager
def _opened_beside(
    paths: Mapping[str, str], standard_input: IO[bytes]
) -> Iterator[dict[str, FileToSend]]:
    """The files of queries and facts, by the names of `READERS`."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(opened(paths[name], standard_input, read))
            for name, read in READERS.items()
            if name in paths
        }


def _check_files(
    collection: str,
    qrels: FileToSend | None,
    beside: Mapping[str, FileToSend],
    options: ReadOptions,
) -> None:
    """Read files here, where there is no collection yet that could take them.

    Raises:
        DataError: a file breaks a rule.
    """
    texts = None
    for name, file in beside.items():
        path, reading = file.path_here, options
        with file.errors_name_it():
            if name == "judgment_groups":
                groups = [path]
                reading = with_query_ids(
                    None, collection, groups, "judgment groups", options, texts
                )
            content = READERS[name](path, reading)
        if name == "queries":
            texts = content
    if qrels is not None:
        path = qrels.path_here
        with qrels.errors_name_it():
            read_qrels(path, with_query_ids(None, collection, [path], "qrels", options, texts))


def send_facts(
    server: Server,
    collection: str,
    *,
    options: ReadOptions,
    beside: Mapping[str, str],
    collection_size: int | None = None,
    warn: Warn = lambda _: None,
    standard_input: IO[bytes] | None = None,
) -> None:
    """Store queries and facts of a collection that has judgments; nothing where none are given.

    Arguments are those of `send_qrels`.

    Raises:
        DataError: a file breaks a rule; nothing is stored then.
        QrelsMissing: there is no such collection, or it has no judgments.
        StoreError: the server can't be reached, or refuses the token.
    """
    _reach(server)
    body = {} if collection_size is None else {"collection_size": collection_size}
    with _opened_beside(beside, standard_input or sys.stdin.buffer) as files:
        lacking = _lack_of_qrels(server, collection)
        if lacking is not None:
            _check_files(collection, None, files, options)
            raise QrelsMissing(lacking)
        if not files and not body:
            return
        content = store_file(server, collection, "facts", None, body, beside=files)
    for warning in content["warnings"]:
        warn(warning)


def _lack_of_qrels(server: Server, collection: str) -> str | None:
    """Why a collection has no judgments, in words; None where it has some."""
    try:
        stored = RemoteStore(server).list_qrels(collection)
    except NotFound as error:
        return str(error)
    return None if stored else f"collection {collection!r} has no qrels yet"


def send_documents(
    server: Server,
    collection: str,
    path: str,
    *,
    every: bool,
    max_bytes: int,
    warn: Warn = lambda _: None,
    sent: Callable[[int], None] = lambda _: None,
    standard_input: IO[bytes] | None = None,
) -> StoredDocuments:
    """Store the texts of documents, as `ingest.documents.store_texts` does.

    Args:
        server: the server.
        collection: the name of the collection.
        path: the file of the documents.
        every: whether all documents are stored.
        max_bytes: the most bytes of title and text together; longer documents are cut.
        warn: called with a sentence where documents were cut.
        sent: called with the number of further bytes that are on the server.
        standard_input: what `-` reads.

    Returns:
        How many were read, stored and cut.

    Raises:
        DataError: the file breaks a rule; nothing is stored then.
        StoreError: the server can't be reached, or refuses the token.
    """
    body = {"every": every, "max_bytes": max_bytes}
    with opened(path, standard_input or sys.stdin.buffer, _first_document) as file:
        content = store_file(server, collection, "documents", file, body, sent=sent)
    for warning in content["warnings"]:
        warn(warning)
    return StoredDocuments(content["documents"], content["stored"], content["cut"])


def _first_document(path: str, options: ReadOptions) -> object:
    return next(read_documents(path, options))


def _reach(server: Server) -> None:
    """Wait a moment for a server that is starting.

    Raises:
        StoreError: it can't be reached.
    """
    server.ask("GET", "/health", patience=SECONDS_TO_START, while_down=True)
