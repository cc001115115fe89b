"""Store judgments, queries and documents of a collection through a server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import IO, Any, NamedTuple

from evalstore.client.connection import Server
from evalstore.client.reader import ServerReader
from evalstore.client.sending import FileToSend, opened
from evalstore.client.stored_file import store_file
from evalstore.errors import NotFound, QrelsMissing
from evalstore.formats import ReadOptions, read_qrels, read_queries
from evalstore.usecases.documents import StoredDocuments
from evalstore.usecases.query_ids import with_query_ids

SECONDS_TO_START = 2.0
"""For which a server that can't be reached at first is tried again: it may be starting."""

Warn = Callable[[str], None]


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
    queries: str | None = None,
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
        queries: a file of queries, which is stored with the judgments or not at all.
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
    given = standard_input or sys.stdin.buffer
    with ExitStack() as files:
        sent_queries = None
        if queries is not None:
            sent_queries = files.enter_context(opened(queries, given, "queries"))
        file = files.enter_context(opened(path, given))
        if all(row.name != collection for row in ServerReader(server).collections()):
            _check_files(collection, file, sent_queries, options)
            server.post("/collections", name=collection)
        content = store_file(server, collection, "qrels", file, body, queries=sent_queries)
    for warning in content["warnings"]:
        warn(warning)
    return SentQrels(content["qrels"]["name"], content["format"])


def _check_files(
    collection: str, qrels: FileToSend, queries: FileToSend | None, options: ReadOptions
) -> None:
    """Read files before a collection is made for what can't be stored.

    Raises:
        DataError: a file breaks a rule.
    """
    texts = None
    if queries is not None:
        with queries.errors_name_it():
            texts = read_queries(queries.path_here, options)
    path = qrels.path_here
    with qrels.errors_name_it():
        read_qrels(path, with_query_ids(None, collection, [path], "qrels", options, texts))


def check_qrels(server: Server, collection: str) -> None:
    """Refuse a collection without judgments, before anything is sent.

    Raises:
        QrelsMissing: there is no such collection, or it has none.
        StoreError: the server can't be reached.
    """
    _reach(server)
    try:
        stored = ServerReader(server).list_qrels(collection)
    except NotFound:
        stored = []
    if not stored:
        raise QrelsMissing(f"collection {collection!r} has no qrels yet")


def send_queries(
    server: Server,
    collection: str,
    path: str,
    *,
    warn: Warn = lambda _: None,
    standard_input: IO[bytes] | None = None,
) -> None:
    """Store texts and attributes of queries in a collection that is there.

    Raises:
        DataError: the file breaks a rule; nothing is stored then.
        StoreError: the server can't be reached, or refuses the token.
    """
    with opened(path, standard_input or sys.stdin.buffer, "queries") as file:
        content = store_file(server, collection, "queries", file, {})
    for warning in content["warnings"]:
        warn(warning)


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
    """Store the texts of documents, as `usecases.documents.store_texts` does.

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
    with opened(path, standard_input or sys.stdin.buffer, "documents") as file:
        content = store_file(server, collection, "documents", file, body, sent=sent)
    for warning in content["warnings"]:
        warn(warning)
    return StoredDocuments(content["documents"], content["stored"], content["cut"])


def _reach(server: Server) -> None:
    """Wait a moment for a server that is starting.

    Raises:
        StoreError: it can't be reached.
    """
    server.ask("GET", "/health", patience=SECONDS_TO_START, while_down=True)
