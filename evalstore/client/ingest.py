"""Store runs through a server: the client sends files, the server reads and checks them."""

from __future__ import annotations

import hashlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from evalstore.catalog.collection_facts import FACT_READERS, RUN_FACT_READERS
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
from evalstore.formats import (
    read_documents,
    read_qrels,
    read_queries,
)
from evalstore.formats.facts.judged_by import judged_by_text
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
from evalstore.ingest.store_qrels import check_first

if TYPE_CHECKING:
    import requests


def ingest(
    server: Server,
    request: IngestOptions,
    sources: Sequence[RunSource],
    *,
    qrels: str | None,
    progress: Progress,
    beside: Mapping[str, FileToSend] = MappingProxyType({}),
) -> Ingested:
    """Store runs one after the other; an error in one does not affect the others.

    Stored runs are not sent again. If the server can't be reached any more, the other runs fail
    without a try. The server decides how files are read, except for named formats. `qrels` is the
    name of stored judgments, None for the default ones; `beside` is for a single run. After Ctrl-C,
    Interrupted has a `result` that says which files are stored.
    """
    tag = common_tag(sources, request)
    request = replace(request, engine_after_run=tag is not None)
    outcomes: list[Outcome] = []
    is_lost = False
    try:
        for source in sources:
            progress.started(source.path)
            try:
                if is_lost:
                    raise DataError(f"{path_text(source.label)}: not tried any more")
                outcome = send_run(server, request, source, qrels, beside, progress.sent)
            except EvalstoreError as error:
                outcome = failed(source, error)
                is_lost = is_lost or isinstance(error, StoreError)
            outcomes.append(outcome)
            progress.finished(outcome)
    except KeyboardInterrupt:
        left = tuple(source.label for source in sources[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, tag)) from None
    return Ingested(tuple(outcomes), common_tag=tag)


@contextmanager
def opened_beside(paths: Mapping[str, str | None]) -> Iterator[dict[str, FileToSend]]:
    """The files of facts of a run, which are read locally before anything is sent."""
    with ExitStack() as stack:
        files = {}
        for name, read in RUN_FACT_READERS.items():
            if path := paths[name]:
                files[name] = stack.enter_context(opened(path, read))
                with files[name].errors_name_it():
                    read(files[name].path_here, ReadOptions())
        yield files


def send_run(
    server: Server,
    request: IngestOptions,
    source: RunSource,
    qrels: str | None,
    beside: Mapping[str, FileToSend] = MappingProxyType({}),
    sent: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Store one run; the arguments are as in `ingest`."""
    if source.error is not None:
        raise source.error
    body = request.for_run(source).to_json()
    if source.part:
        body["part"] = list(source.part)
    if qrels is not None:
        body["qrels"] = qrels
    with opened(source.path) as file:
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
        same_as=content.get("same_as", ""),
        keeps_facts=content.get("keeps_facts", False),
    )


# Store judgments, queries, documents and facts of a collection through a server

SECONDS_TO_START = 2.0
"""Seconds for which a server that can't be reached at first is tried: it may be starting."""

Warn = Callable[[str], None]

READERS: Mapping[str, Callable[[str, ReadOptions], Any]] = {"queries": read_queries, **FACT_READERS}
"""Readers of files that belong to a collection, apart from its judgments."""


@dataclass(frozen=True)
class CollectionFiles:
    """Files to store in a collection before its runs: all of them or none.

    `qrels` is a file of judgments, None for the collection's default ones; new judgments must share
    a query with these unless `allow_disjoint`. `beside` has files of queries and facts by
    the names in `READERS`.
    """

    qrels: str | None = None
    beside: Mapping[str, str] = field(default_factory=dict)
    collection_size: int | None = None
    default_qrels: bool = False
    allow_disjoint: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)


class SentQrels(NamedTuple):
    """Judgments that are stored on a server: their name there, and the format of their file."""

    name: str
    format: str


def send_collection(
    server: Server, collection: str, files: CollectionFiles, warn: Warn = lambda _: None
) -> SentQrels | None:
    """Store judgments (returned if given), queries and facts; nothing if a file breaks a rule.

    If judgments are given, the collection is made if missing. QrelsMissing if judgments are neither
    given nor stored. `warn` is called with a sentence for each oddity that was accepted.
    """
    # A server that can't be reached at first may be starting.
    server.ask("GET", "/health", patience=SECONDS_TO_START, while_down=True)
    body: dict[str, Any] = {}
    if files.collection_size is not None:
        body["collection_size"] = files.collection_size
    with ExitStack() as stack:
        beside = {
            name: stack.enter_context(opened(files.beside[name], read))
            for name, read in READERS.items()
            if name in files.beside
        }
        if files.qrels is None:
            kind, qrels = "facts", None
            lacking = _lack_of_qrels(server, collection)
            if lacking is not None:
                _check_files(collection, None, beside, files.options)
                raise QrelsMissing(lacking)
            if not beside and not body:
                return None
        else:
            kind, qrels = "qrels", stack.enter_context(opened(files.qrels))
            body |= {"default": files.default_qrels, "allow_disjoint": files.allow_disjoint}
            if files.options.formats:
                body["format"] = list(files.options.formats)
            if files.options.judged_by is not None:
                body["judged_by"] = judged_by_text(files.options.judged_by)
            if all(row.name != collection for row in RemoteStore(server).collections()):
                _check_files(collection, qrels, beside, files.options, files.default_qrels)
                server.post("/collections", name=collection)
        content = store_file(server, collection, kind, qrels, body, beside=beside)
    for warning in content["warnings"]:
        warn(warning)
    return None if qrels is None else SentQrels(content["qrels"]["name"], content["format"])


def _check_files(
    collection: str,
    qrels: FileToSend | None,
    beside: Mapping[str, FileToSend],
    options: ReadOptions,
    default_qrels: bool = False,
) -> None:
    """Read files locally if there is no collection yet that could receive them."""
    texts = None
    for name, file in beside.items():
        path, reading = file.path_here, options
        with file.errors_name_it():
            if name == "judgment_groups":
                reading = with_query_ids(
                    None, collection, [path], "judgment groups", options, texts
                )
            content = READERS[name](path, reading)
        if name == "queries":
            texts = content
    if qrels is not None:
        path = qrels.path_here
        with qrels.errors_name_it():
            read = read_qrels(
                path, with_query_ids(None, collection, [path], "qrels", options, texts)
            )
            if not default_qrels:
                check_first(read, collection)


def _lack_of_qrels(server: Server, collection: str) -> str | None:
    """The reason why a collection has no judgments; None if it has some."""
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
) -> StoredDocuments:
    """Store the texts of a file like `store_texts` does locally; nothing if the file breaks a rule.

    `warn` is called with a sentence if documents were cut, `sent` with the number of bytes that
    have newly arrived on the server.
    """
    body = {"every": every, "max_bytes": max_bytes}
    with opened(path, lambda path, options: next(read_documents(path, options))) as file:
        content = store_file(server, collection, "documents", file, body, sent=sent)
    for warning in content["warnings"]:
        warn(warning)
    return StoredDocuments(content["documents"], content["stored"], content["cut"])


# Send a file to a server by its hash: only missing bytes, continuing an interrupted upload

PIECE = 8 << 20
"""Bytes of a request: at most this much is sent again if the network breaks."""
BLOCK = 1 << 20
SHORTEST_PAUSE = 0.5
PATIENCE = 180.0
"""Seconds without a new byte on the server before sending is given up."""
OFFSET = "Upload-Offset"


class FileToSend(NamedTuple):
    """An open file; `path` is for messages (`-` is standard input), `path_here` to read again."""

    path: str
    path_here: str
    content: IO[bytes]
    size: int
    sha256: str

    @contextmanager
    def errors_name_it(self) -> Iterator[None]:
        """Name the file as its user does in errors of the block."""
        try:
            yield
        except DataError as error:
            message = str(error).replace(path_text(self.path_here), path_text(self.path))
            raise DataError(message, problem=error.problem) from None


@contextmanager
def opened(
    path: str, read: Callable[[str, ReadOptions], object] | None = None
) -> Iterator[FileToSend]:
    """A file and its hash; `-` is standard input, which is copied into a temporary file.

    If the file is empty, the error is that of its reader `read`.
    """
    try:
        with _temporary() if path == "-" else Path(path).open("rb") as content:
            if path == "-":
                shutil.copyfileobj(sys.stdin.buffer, content)
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
def _temporary() -> Iterator[IO[bytes]]:
    """A temporary file that can also be opened by its name, even on Windows."""
    with TemporaryDirectory() as folder, Path(folder, "stdin").open("w+b") as content:
        yield content


def send(
    server: Server,
    collection: str,
    file: FileToSend,
    sent: Callable[[int], None] = lambda _: None,
) -> None:
    """Send the part of a file that is not on the server yet.

    If a request breaks, or the server can't answer now, sending continues after a growing delay
    from the byte that the server has. `sent` is called with the number of newly arrived bytes.
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
    """Sending was interrupted, and may continue after some seconds."""

    def __init__(self, why: str, seconds: float = 0) -> None:
        super().__init__(why)
        self.seconds = seconds


def _pieces(server: Server, path: str, file: FileToSend) -> Iterator[int]:
    """Send missing pieces; yield the number of bytes on the server after each."""
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
    """The number of bytes on the server, from its answer.

    TryAgain if it can't answer now, or the piece did not begin at the end of its file.
    """
    if answer.status_code < 300 and answer.headers.get(OFFSET, "").isdecimal():
        return int(answer.headers[OFFSET])
    refused = server.http_error(answer)
    may_pass = "Retry-After" in answer.headers or OFFSET in answer.headers
    if answer.status_code in TRY_AGAIN or may_pass:
        raise TryAgain(str(refused), seconds_to_wait(answer, 0))
    raise refused


# Let a server store files, which are sent if the server lacks them

MOST_SENDINGS = 3
"""Maximum of times that files are sent: a cleanup of the server may delete one again."""
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
    """Let the server store a file and those in `beside`; they are sent if it lacks them.

    `kind` is `runs`, `qrels`, `documents` or `facts`. Facts have no `file`, only files in `beside`,
    by the parameters that name them. `sent` is called with the number of newly arrived bytes.
    Returns the server's answer.
    """
    path = f"/collections/{in_path(collection)}/{kind}"
    further = beside or {}
    parameters = {**body, **{name: _named(each) for name, each in further.items()}}
    files = [*further.values()]
    if file is not None:
        parameters |= _named(file)
        files.insert(0, file)
    sendings = 0
    while True:
        accept = (409,) if sendings < MOST_SENDINGS else ()
        answer = server.ask(
            "POST", path, patience=PATIENCE, while_down=True, accept=accept, json=parameters
        )
        if answer.status_code == 409:
            sendings += 1
            for each in files:
                send(server, collection, each, sent)
            continue
        content: dict[str, Any] = answer.json()
        if answer.status_code == 202:
            return _ended(server, content["id"])
        if sendings and content["status"] == "already stored":
            # The file was missing at the first request, so an earlier answer may have got lost.
            return _own_result(server, content["job"]) or content
        return content


def _named(file: FileToSend) -> dict[str, str]:
    return {"blob": f"sha256:{file.sha256}", "file": file.path}


def _own_result(server: Server, job: int) -> dict[str, Any] | None:
    """The result of a job of the caller; None if the job is somebody else's."""
    path = f"/jobs/{int(job)}"
    answer = server.ask("GET", path, patience=PATIENCE, while_down=True, accept=(404,))
    if answer.status_code == 404:
        return None
    result: dict[str, Any] | None = answer.json()["result"]
    return result


def _ended(server: Server, job: int) -> dict[str, Any]:
    """The result of a job, after waiting for its end."""
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
