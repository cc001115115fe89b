"""Receiving files piece by piece: an upload that broke off goes on at its end.

The size of the file in the spool tells how much of it is here, so the end of a process at any
moment loses nothing. Once all of it is here its hash is checked; `server_upload.received` says so
from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import FileIO
from typing import NamedTuple

from sqlalchemy import Connection

from evalstore.server.jobs.queue import needed_files
from evalstore.server.jobs.spool import InUse, Limits, Spool, digest
from evalstore.server.problems import HttpError
from evalstore.server.retry import retry
from evalstore.store import Store
from evalstore.store.access import blobs, jobs
from evalstore.store.access.blobs import StoredBlob
from evalstore.store.queries import events

OFFSET = "Upload-Offset"
JOBS_KEPT_DAYS = 30
SECONDS_TO_WAIT = 5
"""Retry-After of a file that another request sends, and of too many files."""


class Piece(NamedTuple):
    """A part of a file: `length` bytes from `first`, of `total`."""

    first: int
    length: int
    total: int


class Progress(NamedTuple):
    """The number of bytes of a file that are here, of how many, and whether they were checked."""

    offset: int
    total: int
    is_whole: bool


@dataclass(frozen=True)
class Uploads:
    """Receives files: their rows are in the store, their bytes in the spool."""

    store: Store
    spool: Spool
    limits: Limits

    def progress(self, collection_id: int, sha256: str) -> Progress | None:
        """The progress of a file; None if nothing of it is here."""
        with self.store.read() as connection:
            blob = blobs.find_blob(connection, collection_id, sha256)
        if blob is None:
            return None
        size = self.spool.size(collection_id, sha256)
        if blob.is_whole and size == blob.size:
            return Progress(size, blob.size, True)
        if size == blob.size:
            # The server was killed before it checked the file: the last byte comes once more.
            size -= 1
        # What is longer than it should be is begun anew.
        return Progress(size if size < blob.size else 0, blob.size, False)

    def receive(
        self, collection_id: int, sha256: str, piece: Piece, content: Iterable[bytes]
    ) -> Progress:
        """Write a piece of a file behind its end; check the whole at its end.

        HttpError: a limit is reached, the piece does not begin at the end of the file, is shorter
        or longer than it should be, or the whole has another hash. The bytes of a piece that came
        stay; a file with another hash is deleted.
        """
        self.spool.prepare()
        self._check_size(piece)
        try:
            with self.spool.writing(collection_id, sha256) as file:
                before = self._begin(collection_id, sha256, piece)
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
                return self._end(collection_id, sha256, Progress(offset, piece.total, False))
        except InUse as error:
            raise HttpError(409, str(error), {"Retry-After": str(SECONDS_TO_WAIT)}) from None
        except OSError as error:
            if error.errno is None or isinstance(error, TimeoutError | ConnectionError):
                raise
            raise HttpError(507, "The disk of the server can't take the file.") from error

    def _check_size(self, piece: Piece) -> None:
        """Refuse a file that is too large before any of it is taken."""
        if piece.total > self.limits.upload_bytes:
            raise HttpError(
                413,
                f"the file has {piece.total:,} bytes, and the server takes "
                f"{self.limits.upload_bytes:,}: pack it with gzip",
            )
        if self.spool.free() - piece.length < self.limits.free_bytes:
            raise HttpError(507, "the disk of the server is full: tell its administrator")

    def _begin(self, collection_id: int, sha256: str, piece: Piece) -> Progress:
        """The progress of a file, with a row for it from now on."""
        now = datetime.now(UTC)

        def work(connection: Connection) -> bool:
            blob = blobs.find_blob(connection, collection_id, sha256)
            if blob is not None and blob.size == piece.total:
                if blob.is_whole and self.spool.size(collection_id, sha256) != blob.size:
                    blobs.set_received(connection, collection_id, sha256, 0, now)
                return False
            if blob is not None:
                if piece.first != 0:
                    raise HttpError(409, f"this file has {blob.size:,} bytes, not {piece.total:,}")
                blobs.delete_blob(connection, collection_id, sha256)
            sent = blobs.bytes_of_collection(connection, collection_id)
            if sent + piece.total > self.limits.quota_bytes:
                raise HttpError(
                    507,
                    f"the files sent into this collection and not stored yet have {sent:,} bytes, "
                    f"and together may have {self.limits.quota_bytes:,}",
                )
            who = events.who()
            blobs.add_blob(connection, collection_id, sha256, piece.total, who, now)
            return blob is None

        is_new = retry(lambda: self.store.transact(work))
        # What is in the spool of a file that is new is left of an earlier one.
        progress = None if is_new else retry(lambda: self.progress(collection_id, sha256))
        return progress or Progress(0, piece.total, False)

    def _end(self, collection_id: int, sha256: str, progress: Progress) -> Progress:
        """Check a file that is all here; of others store when the last piece came."""
        is_whole = progress.offset == progress.total
        is_right = is_whole and digest(self.spool.path(collection_id, sha256)) == sha256
        now = datetime.now(UTC)

        def work(connection: Connection) -> None:
            if is_whole and not is_right:
                blobs.delete_blob(connection, collection_id, sha256)
                return
            # A part is never as long as the whole, so `received` says what was checked.
            blobs.set_received(connection, collection_id, sha256, progress.offset, now)

        retry(lambda: self.store.queue(work))
        if is_whole and not is_right:
            self.spool.remove(collection_id, sha256)
            raise HttpError(422, "the file that came has another SHA-256: send it again")
        return progress._replace(is_whole=is_whole)


def sweep(store: Store, spool: Spool, limits: Limits) -> int:
    """Delete abandoned files, and old jobs; the number of files."""
    now = datetime.now(UTC)
    before = now - timedelta(hours=limits.keep_hours)

    def work(connection: Connection) -> list[StoredBlob]:
        needed = needed_files(connection)
        old = blobs.list_blobs(connection, before=before)
        abandoned = [blob for blob in old if (blob.collection_id, blob.sha256) not in needed]
        for blob in abandoned:
            blobs.delete_blob(connection, blob.collection_id, blob.sha256)
        jobs.delete_old_jobs(connection, now - timedelta(days=JOBS_KEPT_DAYS))
        return abandoned

    abandoned = store.queue(work)
    for collection_id, sha256 in spool.files():  # of purged collections, too
        remove_unknown(store, spool, collection_id, sha256)
    return len(abandoned)


def remove_unknown(store: Store, spool: Spool, collection_id: int, sha256: str) -> None:
    """Delete a file that has no row, unless a request begins it at this moment."""
    with store.read() as connection:
        if blobs.find_blob(connection, collection_id, sha256) is not None:
            return
    with suppress(InUse), spool.writing(collection_id, sha256):
        with store.read() as connection:
            is_known = blobs.find_blob(connection, collection_id, sha256) is not None
        if not is_known:
            spool.remove(collection_id, sha256)


def _write(file: FileIO, part: bytes) -> int:
    """Write all of a part: a file without a buffer may take less at once."""
    view = memoryview(part)
    while view:
        view = view[file.write(view) :]
    return len(part)
