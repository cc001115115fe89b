"""Store runs through a server: files are sent, and its reader checks them."""

from __future__ import annotations

import hashlib
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from evalstore.catalog.collection_facts import FACT_READERS
from evalstore.catalog.queries import with_query_ids
from evalstore.client.connection import (
    LONGEST_PAUSE,
    TRY_AGAIN,
    Server,
    Unreachable,
    error_from,
    in_path,
    seconds_to_wait,
)
from evalstore.client.remote_store import RemoteStore
from evalstore.errors import (
    DataError,
    EvalstoreError,
    FileError,
    NotFound,
    QrelsMissing,
    StoreError,
)
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import read_documents, read_qrels, read_queries, read_times
from evalstore.formats.reading.source import ReadOptions, path_text
from evalstore.formats.sources import RunSource
from evalstore.ingest.documents import StoredDocuments
from evalstore.ingest.ingest import (
    Ingested,
    Interrupted,
    Outcome,
    Progress,
    common_tag,
    failed,
)

if TYPE_CHECKING:
    import requests


def ingest(
    server: Server,
    request: IngestOptions,
    sources: Sequence[RunSource],
    *,
    qrels: str | None,
    progress: Progress,
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
    tag = common_tag(sources, request)
    request = replace(request, engine_after_run=tag is not None)
    outcomes: list[Outcome] = []
    warnings: set[str] = set()
    is_lost = False
    try:
        for source in sources:
            progress.started(source.path)
            try:
                if is_lost:
                    raise DataError(f"{path_text(source.label)}: not tried any more")
                outcome = send_run(
                    server, request, source, qrels, progress.sent, times, standard_input
                )
            except EvalstoreError as error:
                outcome = failed(source, error)
                is_lost = is_lost or isinstance(error, StoreError)
            # Judgments that were chosen are told of with every run: once is enough.
            new = tuple(text for text in outcome.warnings if text not in warnings)
            warnings.update(new)
            outcomes.append(replace(outcome, warnings=new))
            progress.finished(outcomes[-1])
    except KeyboardInterrupt:
        left = tuple(source.label for source in sources[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, tag)) from None
    return Ingested(tuple(outcomes), common_tag=tag)


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


# Send a file to a server by its hash: only what is not there yet, going on where it broke off

PIECE = 8 << 20
"""Bytes of a request: so many are sent again at most where the network breaks."""
BLOCK = 1 << 20
SHORTEST_PAUSE = 0.5
PATIENCE = 180.0
"""Seconds without a new byte on the server after which sending is given up."""
OFFSET = "Upload-Offset"


class FileToSend(NamedTuple):
    """An open file.

    Attributes:
        path: its name, for messages; `-` for standard input.
        path_here: where it can be read again.
        content: its bytes.
        size: how many.
        sha256: their hash, 64 hexadecimal digits.
    """

    path: str
    path_here: str
    content: IO[bytes]
    size: int
    sha256: str

    @contextmanager
    def errors_name_it(self) -> Iterator[None]:
        """Name the file in errors of the block as its user does.

        Raises:
            DataError: with that name.
        """
        try:
            yield
        except DataError as error:
            message = str(error).replace(path_text(self.path_here), path_text(self.path))
            raise DataError(message, problem=error.problem) from None


@contextmanager
def opened(
    path: str, standard_input: IO[bytes], read: Callable[[str, ReadOptions], object] | None = None
) -> Iterator[FileToSend]:
    """A file, and its hash; `-` is standard input, which is kept in a temporary file meanwhile.

    Args:
        path: the file.
        standard_input: what `-` reads.
        read: the reader of such files, which refuses one that is empty in its own words.

    Raises:
        FileError: it can't be read, or is empty.
    """
    try:
        with _kept() if path == "-" else Path(path).open("rb") as content:
            if path == "-":
                while block := standard_input.read(BLOCK):
                    content.write(block)
                content.seek(0)
            sha256 = hashlib.sha256()
            size = 0
            while block := content.read(BLOCK):
                sha256.update(block)
                size += len(block)
            file = FileToSend(path, str(content.name), content, size, sha256.hexdigest())
            if size == 0:
                with file.errors_name_it():
                    if read is not None:
                        read(file.path_here, ReadOptions())
                raise FileError(path_text(path), None, "the file is empty")
            yield file
    except OSError as error:
        raise FileError(path_text(path), None, (error.strerror or str(error)).lower()) from None


@contextmanager
def _kept() -> Iterator[IO[bytes]]:
    """A temporary file that can be opened by its name too, also on Windows."""
    with TemporaryDirectory() as folder, Path(folder, "stdin").open("w+b") as content:
        yield content


def send(
    server: Server,
    collection: str,
    file: FileToSend,
    sent: Callable[[int], None] = lambda _: None,
) -> None:
    """Send what of a file is not on the server yet.

    Where a request breaks, or the server can't answer now, it goes on after a growing delay, from
    the byte that the server has.

    Args:
        server: where it is sent.
        collection: the collection that it is for.
        file: the file.
        sent: called with the number of further bytes that are on the server.

    Raises:
        StoreError: nothing comes through any more.
        EvalstoreError: the server refuses the file.
    """
    path = f"/collections/{in_path(collection)}/blobs/sha256:{file.sha256}"
    there = 0
    delay, end = SHORTEST_PAUSE, time.monotonic() + PATIENCE
    while True:
        try:
            for offset in _pieces(server, path, file):
                if offset > there:
                    sent(offset - there)
                    there = offset
                    delay, end = SHORTEST_PAUSE, time.monotonic() + PATIENCE
            return
        except TryAgain as interruption:
            wait = max(delay, interruption.seconds)
            if time.monotonic() + wait > end:
                raise StoreError(
                    f"{path_text(file.path)}: {interruption}; the server has {there:,} of "
                    f"{file.size:,} bytes, and the same command goes on from there"
                ) from None
        server.pause(wait)
        delay = min(2 * delay, LONGEST_PAUSE)


class TryAgain(Exception):
    """Sending was interrupted, and may go on after some seconds."""

    def __init__(self, why: str, seconds: float = 0) -> None:
        super().__init__(why)
        self.seconds = seconds


def _pieces(server: Server, path: str, file: FileToSend) -> Iterator[int]:
    """Send the pieces that are not there yet; gives how many bytes are there, again and again.

    Raises:
        TryAgain: it broke off.
        EvalstoreError: the server refuses the file.
    """
    answer = _once(server, "HEAD", path)
    offset = 0 if answer.status_code == 404 else _offset(server, answer)
    yield offset
    while answer.headers.get("Upload-Complete") != "?1":
        file.content.seek(offset)
        piece = file.content.read(PIECE)
        last = offset + len(piece) - 1
        headers = {"Content-Range": f"bytes {offset}-{last}/{file.size}"}
        answer = _once(server, "PUT", path, data=piece, headers=headers)
        offset = _offset(server, answer)
        yield offset


def _once(server: Server, method: str, path: str, **sent: Any) -> requests.Response:
    try:
        return server.once(method, path, **sent)
    except Unreachable as error:
        raise TryAgain(str(error)) from None


def _offset(server: Server, answer: requests.Response) -> int:
    """How many bytes are on the server, as it answers.

    Raises:
        TryAgain: it can't answer now, as while it waits for the rest of a piece that broke off; or
            the piece did not begin where its file ends.
        EvalstoreError: it refuses the file.
    """
    if answer.status_code < 300 and answer.headers.get(OFFSET, "").isdecimal():
        return int(answer.headers[OFFSET])
    refused = server.http_error(answer)
    may_pass = "Retry-After" in answer.headers or OFFSET in answer.headers
    if answer.status_code in TRY_AGAIN or may_pass:
        raise TryAgain(str(refused), seconds_to_wait(answer, 0))
    raise refused


# Let a server store files, which are sent where the server does not have them

MOST_SENDINGS = 3
"""A file that is sent may be gone before it is asked for: the server was cleaned up."""
SECONDS_BETWEEN_LOOKS = 1.0


def store_file(
    server: Server,
    collection: str,
    kind: str,
    file: FileToSend | None,
    body: Mapping[str, Any],
    *,
    beside: Mapping[str, FileToSend] | None = None,
    sent: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Ask for a file, and those beside it, to be stored, and send what is not there.

    Args:
        server: the server.
        collection: the collection.
        kind: what is stored: `runs`, `qrels`, `documents` or `facts`.
        file: the file; None for facts, which have files beside only.
        body: what else the request has.
        beside: further files, by the parameters that name them.
        sent: called with the number of further bytes that are on the server.

    Returns:
        What the server says of what it stored.

    Raises:
        DataError: it can't be stored.
        StoreError: the server can't be reached, or refuses the token.
    """
    path = f"/collections/{in_path(collection)}/{kind}"
    further = beside or {}
    asked = {**body, **{name: _named(each) for name, each in further.items()}}
    files = [*further.values()]
    if file is not None:
        asked |= _named(file)
        files.insert(0, file)
    was_missing = False
    for number in itertools.count():
        accept = (409,) if number < MOST_SENDINGS else ()
        answer = server.ask(
            "POST", path, patience=PATIENCE, while_down=True, accept=accept, json=asked
        )
        if answer.status_code == 409:
            was_missing = True
            for each in files:
                send(server, collection, each, sent)
            continue
        content: dict[str, Any] = answer.json()
        if answer.status_code == 202:
            return _ended(server, content["id"])
        if was_missing and content["status"] == "already stored":
            # The file was not there when it was asked for first: an answer may have got lost.
            return _own_result(server, content["job"]) or content
        return content
    raise AssertionError  # the loop ends with an answer


def _named(file: FileToSend) -> dict[str, str]:
    return {"blob": f"sha256:{file.sha256}", "file": file.path}


def _own_result(server: Server, job: int) -> dict[str, Any] | None:
    """What a job answered that is the caller's own; None where it is another's."""
    path = f"/jobs/{int(job)}"
    answer = server.ask("GET", path, patience=PATIENCE, while_down=True, accept=(404,))
    if answer.status_code == 404:
        return None
    result: dict[str, Any] | None = answer.json()["result"]
    return result


def _ended(server: Server, job: int) -> dict[str, Any]:
    """What came of a job, when it has ended."""
    while True:
        answer = server.ask("GET", f"/jobs/{int(job)}", patience=PATIENCE, while_down=True)
        content: dict[str, Any] = answer.json()
        if content["state"] == "done":
            result: dict[str, Any] = content["result"]
            return result
        if content["state"] in ("failed", "cancelled"):
            detail = content["error"] or "the job was cancelled"
            raise error_from(422, {"detail": detail, "problem": content.get("problem")})
        server.pause(SECONDS_BETWEEN_LOOKS)
