"""Sent files until they are stored: their folder, their limits, uploads, and bodies of requests.

The spool has them on disk, named only by their hash: no name that a client gives becomes part of a
path. Only the account of the server may use the folder. Everything in it can be deleted at any
time: the senders send it again.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from flask import request
from sqlalchemy import Connection
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from evalstore.errors import DataError, EvalstoreError, did_you_mean
from evalstore.ingest.log_run import is_at, lock
from evalstore.server.jobs.queue import needed_files
from evalstore.server.problems import HttpError
from evalstore.server.retry import retry
from evalstore.server.setup import settings
from evalstore.store import Store
from evalstore.store.access import jobs
from evalstore.store.access.jobs import StoredBlob
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.queries import events

SECONDS_FOR_REMOVAL = 1.0
"""Seconds to wait for a locked file: a worker that removes it takes far less."""

SHA256 = re.compile(r"[0-9a-f]{64}")
IN_SPOOL = re.compile(r"([0-9a-f]{64})(\.[0-9a-f]{16})?")
"""The name of a file in the spool: its hash, and for a part of it who sends it, as a hash."""


class InUse(EvalstoreError):
    """Another request writes the file."""


@dataclass(frozen=True)
class Spool:
    """A folder of files, by collection and hash.

    What has arrived of a file is a file of its own for each sender, so that nobody spoils what a
    colleague sends; the complete file gets its name when its hash was checked.
    """

    folder: Path

    def prepare(self) -> None:
        """Make the folder, if missing, and close it to others; EvalstoreError if that fails."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.chmod(self.folder, 0o700)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            what = f"the files that are sent can't be kept in {self.folder}: {reason}"
            raise EvalstoreError(what, problem="no spool") from None

    def path(self, collection_id: int, sha256: str, sender: str = "") -> Path:
        """The path of a file of a collection, or of what a sender sent of it."""
        assert SHA256.fullmatch(sha256)  # noqa: S101  (the caller has checked it)
        part = f".{hashlib.sha256(sender.encode()).hexdigest()[:16]}" if sender else ""
        return self.folder / str(int(collection_id)) / (sha256 + part)

    def paths(self, collection_id: int, sha256: str) -> list[Path]:
        """The paths of a file that are there: the whole one, and parts."""
        whole = self.path(collection_id, sha256)
        return [path for path in (whole, *whole.parent.glob(f"{sha256}.*")) if path.exists()]

    def size(self, collection_id: int, sha256: str, sender: str = "") -> int:
        """The number of bytes of a file that have arrived."""
        try:
            return self.path(collection_id, sha256, sender).stat().st_size
        except FileNotFoundError:
            return 0

    def free(self) -> int:
        """The free bytes on the disk."""
        return shutil.disk_usage(self.folder).free

    @contextmanager
    def writing(self, collection_id: int, sha256: str, sender: str) -> Iterator[FileIO]:
        """Open a sender's part at its end, made if missing; InUse while a request writes it."""
        path = self.path(collection_id, sha256, sender)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        file = _locked(path)
        try:
            file.seek(0, os.SEEK_END)
            yield file
        finally:
            file.close()

    def remove(self, path: Path) -> None:
        """Delete a file if it is there."""
        path.unlink(missing_ok=True)

    def files(self) -> Iterator[tuple[int, str]]:
        """Every file, also of parts, as the id of its collection and its hash."""
        for folder in self.folder.iterdir():
            if folder.name.isdigit() and folder.is_dir():
                for path in folder.iterdir():
                    if name := IN_SPOOL.fullmatch(path.name):
                        yield int(folder.name), name[1]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _locked(path: Path) -> FileIO:
    """The file at a path, made if missing, and locked; InUse after `SECONDS_FOR_REMOVAL`."""
    end = time.monotonic() + SECONDS_FOR_REMOVAL
    while True:
        file = _open(path)
        try:
            if lock(file) and is_at(path, file):
                return file
        except BaseException:
            file.close()
            raise
        file.close()
        if time.monotonic() >= end:
            raise InUse("another request sends this file at the moment")
        time.sleep(0.01)


def _open(path: Path) -> FileIO:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return FileIO(os.open(path, flags, 0o600), "r+b")


# A mark in the folder for sent files, by which a worker recognises the folder of the server.
#
# A worker with another folder, on another machine or started with other settings, would end each
# job with an error because its file is not there.

SETTING = "spool mark"
FILE = "of-server"


def mark_spool(store: Store, spool: Spool) -> None:
    """Mark an existing folder as the one of the store's server.

    EvalstoreError if another store's server has marked it: each would delete the other's files.
    """

    def work(connection: Connection) -> str:
        mark = load_settings(connection).get(SETTING)
        if mark is None:
            mark = secrets.token_hex(16)
            set_settings(connection, {SETTING: mark})
        return mark

    mark, stored = store.transact(work), _mark_in(spool)
    if stored not in (None, mark):
        raise EvalstoreError(
            f"{spool.folder} is the folder of another store's server: name another one with "
            f"`evalstore server limits spool=FOLDER`, or delete {FILE} in it if that store is gone",
            problem="no spool",
        )
    (spool.folder / FILE).write_text(f"{mark}\n", "ascii")


def _mark_in(spool: Spool) -> str | None:
    """The mark in a folder; None if there is none."""
    try:
        return (spool.folder / FILE).read_bytes().decode("ascii", "replace").strip()
    except OSError:
        return None


def check_spool(store: Store, spool: Spool) -> None:
    """Check that a folder is the one that the store's server has marked, if it has marked one."""
    with store.read() as connection:
        mark = load_settings(connection).get(SETTING)
    if mark is not None and _mark_in(spool) != mark:
        raise EvalstoreError(
            f"{spool.folder} is not the folder where the server keeps the files that are sent: "
            "share that folder, and name it with `evalstore server limits spool=FOLDER`",
            problem="no spool",
        )


# Limits on sent files; stored with the other settings of the server

KEY = "limit_"
"""Prefix of the names of these settings in the store."""

MIB = 1 << 20
GIB = 1 << 30
LARGEST = 1 << 50


@dataclass(frozen=True)
class Limits:
    """Limits on what is sent; each one is a setting of the same name.

    Attributes:
        upload_bytes: bytes of one file, as it is sent.
        unpacked_bytes: bytes of one file, once unpacked.
        ratio: how many times larger than the sent file its unpacked content may be, if that is
            more than 64 MiB.
        lines: lines of one file.
        quota_bytes: bytes of all files of one collection that are being sent or wait to be stored;
            stored data has no limit.
        free_bytes: bytes that stay free on the disk of the spool.
        uploads: requests that send a file at once, in each process.
        waiting_jobs: jobs in the queue.
        keep_hours: hours after which a file that no job has stored is deleted.
        spool: the folder of the files; empty for the default of `spool_folder`.
    """

    upload_bytes: int = 2 * GIB
    unpacked_bytes: int = 8 * GIB
    ratio: int = 100
    lines: int = 100_000_000
    quota_bytes: int = 20 * GIB
    free_bytes: int = GIB
    uploads: int = 4
    waiting_jobs: int = 1000
    keep_hours: int = 24
    spool: str = ""

    def most_unpacked(self, sent: int) -> int:
        """The maximum of unpacked bytes for a file of `sent` bytes."""
        return min(self.unpacked_bytes, max(self.ratio * sent, 64 * MIB))


NAMES = tuple(field.name for field in fields(Limits))


def load_limits(store: Store) -> Limits:
    """The limits of a store's server."""
    with store.read() as connection:
        stored = load_settings(connection)
    return _limits({name: stored[KEY + name] for name in NAMES if KEY + name in stored})


def change_limits(store: Store, changes: Mapping[str, str]) -> Limits:
    """Change limits and return all of them. A server reads them when it starts.

    DataError if there is no such limit, or it can't have that value.
    """
    settings(store)
    for name in changes:
        if name not in NAMES:
            raise DataError(f"there is no limit {name!r}{did_you_mean(name, NAMES)}")
    limits = _limits(changes)
    values = {name: str(getattr(limits, name)) for name in changes}

    def work(connection: Connection) -> None:
        set_settings(connection, {KEY + name: value for name, value in values.items()})
        for name, value in values.items():
            events.log(connection, "server", None, name, change="limit", value=value)

    if values:
        store.transact(work)
    return load_limits(store)


def spool_folder(store: Store, limits: Limits) -> Path:
    """The folder of the spool: the one in the settings, or one beside the store's file.

    For a database on a server it is in the state folder of the account that runs this program;
    systemd names that folder in STATE_DIRECTORY.
    """
    if limits.spool:
        return Path(limits.spool)
    if store.file is not None:
        return store.file.resolve().with_name(f"{store.file.name}-spool")
    given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    kept = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return (Path(given) if given else Path(kept) / "evalstore") / f"{store.name}-spool"


def _limits(values: Mapping[str, str]) -> Limits:
    limits: dict[str, Any] = {}
    for name, value in values.items():
        if name == "spool":
            if value and not Path(value).is_absolute():
                raise DataError(f"the folder of the spool is an absolute path, not {value!r}")
            limits[name] = value
            continue
        is_number = value.isascii() and value.isdigit() and len(value) < 20
        number = int(value) if is_number else -1
        if not (number <= LARGEST and (number > 0 or (number == 0 and name == "free_bytes"))):
            raise DataError(f"the limit {name} can't be {value!r}: it is a whole number above 0")
        limits[name] = number
    return Limits(**limits)


# Receiving files piece by piece: an interrupted upload continues where it stopped.
#
# The size of the file in the spool shows how much has arrived, so nothing is lost if a process ends
# at any moment. When the whole file has arrived its hash is checked, and `server_upload.received`
# stores that it is complete.

OFFSET = "Upload-Offset"
JOBS_KEPT_DAYS = 30
SECONDS_TO_WAIT = 5
"""Seconds in Retry-After if another request sends the file, or too many files are sent."""


class Piece(NamedTuple):
    """A part of a file: `length` bytes from `first`, of `total`."""

    first: int
    length: int
    total: int


class Progress(NamedTuple):
    """The bytes of a file that have arrived, its size, and whether it is complete and checked."""

    offset: int
    total: int
    is_whole: bool


@dataclass(frozen=True)
class Uploads:
    """Receives files: their rows are in the store, their bytes in the spool."""

    store: Store
    spool: Spool
    limits: Limits

    def progress(self, collection_id: int, sha256: str, who: str | None = None) -> Progress | None:
        """The progress of a file that an account sends, the acting one if `who` is None.

        None if nothing of the file has arrived.
        """
        with self.store.read() as connection:
            blob = jobs.find_blob(connection, collection_id, sha256)
        if blob is None:
            return None
        if blob.is_whole and self.spool.size(collection_id, sha256) == blob.size:
            return Progress(blob.size, blob.size, True)
        size = self.spool.size(collection_id, sha256, who or events.who())
        if size == blob.size:
            # The server was killed before it checked the file: the last byte must be sent again.
            size -= 1
        # A file that is longer than it should be starts anew.
        return Progress(size if size < blob.size else 0, blob.size, False)

    def receive(
        self, collection_id: int, sha256: str, piece: Piece, content: Iterable[bytes]
    ) -> Progress:
        """Append a piece to a file, and check the whole file after its last piece.

        HttpError if a limit is reached, the piece does not begin at the end of the file, is shorter
        or longer than it should be, or the whole file has another hash. What has arrived of a piece
        stays; a file with another hash is deleted.
        """
        who = events.who()
        self.spool.prepare()
        self._check_size(piece)
        try:
            with self.spool.writing(collection_id, sha256, who) as file:
                before = self._begin(collection_id, sha256, piece, who)
                if before.is_whole:
                    return before
                if piece.first != before.offset:
                    raise HttpError(
                        409,
                        f"the next byte of this file is {before.offset:,}, not {piece.first:,}",
                        {OFFSET: str(before.offset)},
                    )
                file.truncate(before.offset)
                file.seek(before.offset)
                written = 0
                for part in content:
                    if written + len(part) > piece.length:
                        raise HttpError(400, f"more than the {piece.length:,} bytes of this piece")
                    written += _write(file, part)
                offset = before.offset + written
                if written < piece.length:
                    raise HttpError(
                        400,
                        f"the piece ends after {written:,} of {piece.length:,} bytes: go on at "
                        f"{offset:,}",
                        {OFFSET: str(offset)},
                    )
                progress = Progress(offset, piece.total, False)
                return self._end(collection_id, sha256, progress, who)
        except InUse as error:
            raise HttpError(409, str(error), retry_after=SECONDS_TO_WAIT) from None
        except OSError as error:
            if error.errno is None or isinstance(error, TimeoutError | ConnectionError):
                raise
            raise HttpError(507, "The disk of the server can't take the file.") from error

    def _check_size(self, piece: Piece) -> None:
        """Refuse a file that is too large before any of it is received."""
        if piece.total > self.limits.upload_bytes:
            raise HttpError(
                413,
                f"the file has {piece.total:,} bytes, and the server takes "
                f"{self.limits.upload_bytes:,}: pack it with gzip",
            )
        if self.spool.free() - piece.length < self.limits.free_bytes:
            raise HttpError(507, "the disk of the server is full: tell its administrator")

    def _begin(self, collection_id: int, sha256: str, piece: Piece, who: str) -> Progress:
        """The progress of a file; its row is added if missing."""
        now = datetime.now(UTC)

        def work(connection: Connection) -> bool:
            blob = jobs.find_blob(connection, collection_id, sha256)
            if blob is not None and blob.size == piece.total:
                if blob.is_whole and self.spool.size(collection_id, sha256) != blob.size:
                    jobs.set_received(connection, collection_id, sha256, 0, now)
                return False
            if blob is not None:
                # Only a checked file shows which size is right: until then each account has its own
                # part, and the size that was named last counts.
                if blob.is_whole or (blob.who == who and piece.first != 0):
                    raise HttpError(409, f"this file has {blob.size:,} bytes, not {piece.total:,}")
                jobs.delete_blob(connection, collection_id, sha256)
            sent = jobs.bytes_of_collection(connection, collection_id)
            if sent + piece.total > self.limits.quota_bytes:
                raise HttpError(
                    507,
                    f"the files sent into this collection and not stored yet have {sent:,} bytes, "
                    f"and together may have {self.limits.quota_bytes:,}",
                )
            jobs.add_blob(connection, collection_id, sha256, piece.total, who, now)
            return blob is None

        is_new = retry(lambda: self.store.transact(work))
        # If the row is new, bytes in the spool are left over from an earlier file.
        progress = None if is_new else retry(lambda: self.progress(collection_id, sha256, who))
        return progress or Progress(0, piece.total, False)

    def _end(self, collection_id: int, sha256: str, progress: Progress, who: str) -> Progress:
        """Check a complete file; for an incomplete one store when the last piece arrived."""
        is_whole = progress.offset == progress.total
        part = self.spool.path(collection_id, sha256, who)
        is_right = is_whole and digest(part) == sha256
        if is_right:
            whole = self.spool.path(collection_id, sha256)
            with closing(_locked(whole)):  # a worker may be removing it
                os.replace(part, whole)
        elif is_whole:
            part.unlink()
        is_sent_by_others = bool(self.spool.paths(collection_id, sha256))
        now = datetime.now(UTC)

        def work(connection: Connection) -> None:
            if is_whole and not is_right:
                if not is_sent_by_others:
                    jobs.delete_blob(connection, collection_id, sha256)
                return
            # A part is never as long as the whole, so `received` also shows what was checked.
            jobs.set_received(connection, collection_id, sha256, progress.offset, now)

        retry(lambda: self.store.queue(work))
        if is_whole and not is_right:
            raise HttpError(422, "the file that came has another SHA-256: send it again")
        return progress._replace(is_whole=is_whole)


def sweep(store: Store, spool: Spool, limits: Limits) -> int:
    """Delete abandoned files and old jobs; return the number of abandoned files."""
    now = datetime.now(UTC)
    before = now - timedelta(hours=limits.keep_hours)

    def work(connection: Connection) -> list[StoredBlob]:
        needed = needed_files(connection)
        old = jobs.list_blobs(connection, before=before)
        abandoned = [blob for blob in old if (blob.collection_id, blob.sha256) not in needed]
        for blob in abandoned:
            jobs.delete_blob(connection, blob.collection_id, blob.sha256)
        jobs.delete_old_jobs(connection, now - timedelta(days=JOBS_KEPT_DAYS))
        return abandoned

    abandoned = store.queue(work)
    for collection_id, sha256 in spool.files():  # also files of purged collections
        remove_unknown(store, spool, collection_id, sha256)
    return len(abandoned)


def remove_unknown(store: Store, spool: Spool, collection_id: int, sha256: str) -> None:
    """Delete a file that has no row, unless a request is starting it at this moment."""
    with store.read() as connection:
        if jobs.find_blob(connection, collection_id, sha256) is not None:
            return
    for path in spool.paths(collection_id, sha256):
        with suppress(InUse), closing(_locked(path)):
            with store.read() as connection:
                is_known = jobs.find_blob(connection, collection_id, sha256) is not None
            if not is_known:
                spool.remove(path)


def _write(file: FileIO, part: bytes) -> int:
    """Write the whole part: an unbuffered file may take only some of it at once."""
    view = memoryview(part)
    while view:
        view = view[file.write(view) :]
    return len(part)


# Reading the body of a request in pieces, from clients that may be slow or stop midway

OF_BODY = 1 << 16
"""Maximum bytes of a piece of a body."""

SECONDS_FOR_PIECE = 10
"""Seconds for a piece: a client slower than 6 KiB a second is cut off."""


def body_pieces(most: int) -> Iterator[bytes]:
    """Read the body of the request in pieces of up to `OF_BODY` bytes, `most` bytes in all.

    Under gunicorn a client that stalls, or sends a byte now and then, is cut off: it would keep a
    thread busy. HttpError if the client was too slow, stopped early or sent more.
    """
    request.max_content_length = most
    with _watched() as watch:
        while True:
            watch.came.set()
            try:
                piece = request.stream.read(OF_BODY)
            except RequestEntityTooLarge:
                raise HttpError(413, f"the body has more than {most:,} bytes") from None
            except Exception as error:
                if not _is_of_client(error):
                    raise
                watch.refuse_slow()
                raise HttpError(400, "the body ended too early") from None
            if not piece:
                watch.refuse_slow()
                return
            yield piece


def _is_of_client(error: Exception) -> bool:
    """Whether the client caused a read error; werkzeug turns an OSError into ClientDisconnected."""
    of_gunicorn = type(error).__module__.startswith("gunicorn.")
    of_program = isinstance(error, OSError | ValueError)
    return isinstance(error, ClientDisconnected) or (of_gunicorn and not of_program)


class _Watch:
    """Cuts off a client that sends no piece within `SECONDS_FOR_PIECE`, from another thread."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.over = threading.Event()
        self._is_slow = False

    def refuse_slow(self) -> None:
        """Raise HttpError if the client was cut off."""
        if self._is_slow:
            seconds = f"{SECONDS_FOR_PIECE} seconds"
            raise HttpError(
                408, f"nothing came for {seconds}, or a few bytes: the upload can go on"
            )

    def run(self, connection: socket.socket) -> None:
        """Watch until `over` is set."""
        while not self.over.is_set():
            self.came.clear()
            if self.over.wait(SECONDS_FOR_PIECE) or self.came.is_set():
                continue
            self._is_slow = True
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)  # the read ends; an answer can still be sent
            return


@contextmanager
def _watched() -> Iterator[_Watch]:
    watch, connection = _Watch(), request.environ.get("gunicorn.socket")
    if connection is not None:  # waitress reads the whole body before it calls the app
        threading.Thread(target=watch.run, args=(connection,), daemon=True).start()
    try:
        yield watch
    finally:
        watch.over.set()
