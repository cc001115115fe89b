"""A file that grows line by line, is locked by who writes it, and outlives a crash.

A line is handed to the operating system before `append` returns, so it survives the death of the
process (kill -9). It is on disk, and survives a loss of power, within `SYNC_EVERY` seconds of
further lines, and after `sync`.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import FileIO
from pathlib import Path

from evalstore.errors import FileError
from evalstore.formats.lines import MAX_TEXT_LINE
from evalstore.formats.source import path_text

SYNC_EVERY = 5.0
"""Seconds between two calls of fsync while lines are appended."""


class Locked(Exception):
    """Another process, or another object of this one, has the file."""


class LineFile:
    """A file of JSON lines, open for appending; not for several threads at once.

    A forked process has it closed.
    """

    def __init__(self, path: Path, *, new: bool) -> None:
        """Open a file, or make it where it is missing, and its folder.

        Args:
            path: where it is.
            new: whether it must not be there yet.

        Raises:
            FileExistsError: it is there and must not be.
            Locked: as said.
            FileError: it can't be made or written.
        """
        self.path = path
        self._synced_at = time.monotonic()
        with self._errors():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except FileExistsError:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
            self._file = FileIO(path, "x+" if new else "a+")
            if not (_lock(self._file) and _is_at(path, self._file)):
                self._file.close()
                raise Locked
            if new:
                _sync_folder(path.parent)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_close_in_child, weakref.ref(self)))

    @property
    def closed(self) -> bool:
        """Whether nothing can be appended any more."""
        return self._file.closed

    def mend(self, beginning: bytes) -> int:
        """Remove the part of a line that a crash left at the end; returns the size in bytes.

        Args:
            beginning: how such a file begins; another file is left as it is.

        Raises:
            FileError: the file begins otherwise.
        """
        with self._errors():
            self._file.seek(0)
            if not beginning.startswith(self._file.read(len(beginning))):
                text = beginning.decode()
                raise FileError(path_text(self.path), 1, f"a line that begins with {text} is first")
            size = self._file.seek(0, os.SEEK_END)
            self._file.seek(max(0, size - MAX_TEXT_LINE - 1))
            rest = self._file.readall().rpartition(b"\n")[2]
            if not _is_json(rest):
                self._file.truncate(size - len(rest))
                return size - len(rest)
        self.append(b"\n")  # the line lacks its end alone
        return size

    def append(self, line: bytes) -> None:
        """Write a line as a whole, or nothing of it.

        Raises:
            FileError: the file can't be written, as on a full disk.
        """
        with self._errors():
            size = self._file.seek(0, os.SEEK_END)
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except BaseException:
                self._file.truncate(size)
                raise
        if time.monotonic() - self._synced_at >= SYNC_EVERY:
            self.sync()

    def sync(self) -> None:
        """Write the file to disk.

        Raises:
            FileError: that can't be done.
        """
        with self._errors():
            os.fsync(self._file.fileno())
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Close the file, so that others can open it."""
        self._file.close()

    def delete(self) -> None:
        """Delete the file.

        Raises:
            FileError: it can't be deleted.
        """
        with self._errors():
            self.path.unlink()  # before closing it gives up the lock
        self._file.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise
        except OSError as error:
            what = (error.strerror or str(error)).lower()
            raise FileError(path_text(self.path), None, what) from None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _lock(file: FileIO) -> bool:
    """Lock a file until it is closed; False where another one has it. On Windows nothing locks."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415  (not on every system)

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _is_at(path: Path, file: FileIO) -> bool:
    """Whether a file was not deleted between opening and locking it, by who was done with it."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    """Write a folder to disk, so that a loss of power does not lose a file just made in it."""
    if sys.platform != "win32":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _close_in_child(reference: weakref.ref[LineFile]) -> None:
    """Close the file in a forked process, which would keep it locked after its parent has died."""
    line_file = reference()
    if line_file is not None:
        line_file.close()
