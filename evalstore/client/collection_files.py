"""Store judgments, queries, documents and facts of a collection through a server."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import IO, Any, NamedTuple

from evalstore.catalog.collection_facts import FACT_READERS
from evalstore.catalog.query_ids import with_query_ids
from evalstore.client.connection import Server
from evalstore.client.reader import ServerReader
from evalstore.client.sending import FileToSend, opened
from evalstore.client.stored_file import store_file
from evalstore.errors import NotFound, QrelsMissing
from evalstore.formats import ReadOptions, read_documents, read_qrels, read_queries
from evalstore.ingest.documents import StoredDocuments

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
        if all(row.name != collection for row in ServerReader(server).collections()):
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
        stored = ServerReader(server).list_qrels(collection)
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
