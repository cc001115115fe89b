"""Stamps of files, by which a file is known to be the same: size, times, and a hash of its bytes.

A file system counts time in steps, of 2 seconds at worst (FAT). A file that was changed that short
before its stamp was taken could change again in the same step, so its times prove nothing: only its
bytes do (git calls such entries of its index racy).
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from evalstore.errors import DataError
from evalstore.formats.reading.paths import is_url, unsigned_url
from evalstore.formats.reading.remote import describe

COARSEST_STEP = 2_000_000_000
"""Nanoseconds."""


@dataclass(frozen=True)
class FileStamp:
    """A file at some moment.

    Attributes:
        path_hash: SHA-256 of the absolute path, or of the URL without signatures: a store is read
            by others, whom the folders of this machine do not concern.
        version: inode and times of the last changes of the content and of the inode, or the ETag
            of a URL; None if these prove nothing.
        bytes_hash: SHA-256 of the bytes of the file, packed as it is; empty if not computed, as
            for a URL.
    """

    path_hash: str
    size: int
    version: str | None
    bytes_hash: str = ""


def stamp(path: str) -> FileStamp | None:
    """The stamp of a regular file, or of a URL with an ETag, without the hash; else None."""
    if is_url(path):
        return _stamp_of_url(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if path == "-" or not stat.S_ISREG(status.st_mode):  # `-` is standard input, not a file
        return None
    changed = max(status.st_mtime_ns, status.st_ctime_ns)
    version = f"{status.st_ino} {status.st_mtime_ns} {status.st_ctime_ns}"
    is_settled = time.time_ns() - changed > COARSEST_STEP
    path_hash = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()
    return FileStamp(path_hash, status.st_size, version if is_settled else None)


def hashed(path: str, before: FileStamp) -> FileStamp | None:
    """The stamp with the hash of the bytes; None if the file changed. A URL is not read again."""
    if is_url(path):
        return before if stamp(path) == before else None
    bytes_hash = _hash(path)
    after = stamp(path)
    is_same = after is not None and after.size == before.size
    if not is_same or bytes_hash is None or (before.version and after != before):
        return None
    return replace(before, bytes_hash=bytes_hash)


@dataclass
class Watched:
    """The stamp of a file that was read; see `watched`."""

    stamp: FileStamp | None = None


@contextmanager
def watched(path: str) -> Iterator[Watched]:
    """Read a file within this context; afterwards `stamp` is that of the content that was read.

    None if the file changed meanwhile, or is no regular file.
    """
    before = stamp(path)
    result = Watched()
    if before is None:
        yield result
    elif before.version is None:  # only equal hashes show that nothing changed
        first = hashed(path, before)
        yield result
        if first is not None and hashed(path, before) == first:
            result.stamp = first
    else:
        yield result
        result.stamp = hashed(path, before)


def _stamp_of_url(url: str) -> FileStamp | None:
    try:
        now = describe(url)
    except DataError:  # reading it reports why
        return None
    if now.size is None or now.version is None:
        return None
    path_hash = hashlib.sha256(unsigned_url(url).encode(errors="surrogateescape")).hexdigest()
    return FileStamp(path_hash, now.size, f"ETag {now.version}")


def _hash(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
