"""Send a file to a server by its hash: only what is not there yet, going on where it broke off."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from evalstore.client.connection import (
    LONGEST_PAUSE,
    TRY_AGAIN,
    Server,
    Unreachable,
    error_from,
    in_path,
    seconds_to_wait,
)
from evalstore.errors import DataError, FileError, StoreError
from evalstore.formats.source import ReadOptions, path_text

if TYPE_CHECKING:
    import requests


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
