"""The files that are sent, until they are stored: on disk, named by nothing but their hash.

No name that a client gives becomes a part of a path. The folder is for the account of the server
alone. What is in it can be deleted at any time: its senders send it again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from evalstore.errors import EvalstoreError

PIECE = 1 << 18
"""The bytes that are hashed at a time."""

SECONDS_FOR_REMOVAL = 1.0
"""How long to wait for who has a file at the moment: a worker that removes it takes far less."""

SHA256 = re.compile(r"[0-9a-f]{64}")


class InUse(EvalstoreError):
    """Another request writes the file."""


@dataclass(frozen=True)
class Spool:
    """A folder of files, by collection and hash."""

    folder: Path

    def prepare(self) -> None:
        """Make the folder, where it is missing, and close it to other accounts.

        Raises:
            EvalstoreError: it can't be made, or is not this account's.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.chmod(self.folder, 0o700)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            what = f"the files that are sent can't be kept in {self.folder}: {reason}"
            raise EvalstoreError(what, problem="no spool") from None

    def path(self, collection_id: int, sha256: str) -> Path:
        """Where a file of a collection is."""
        assert SHA256.fullmatch(sha256)  # noqa: S101  (whoever asks has checked it)
        return self.folder / str(int(collection_id)) / sha256

    def size(self, collection_id: int, sha256: str) -> int:
        """The bytes of a file that are here."""
        try:
            return self.path(collection_id, sha256).stat().st_size
        except FileNotFoundError:
            return 0

    def free(self) -> int:
        """The bytes that are free on the disk."""
        return shutil.disk_usage(self.folder).free

    @contextmanager
    def writing(self, collection_id: int, sha256: str) -> Iterator[FileIO]:
        """A file to go on with at its end; made where there is none. One may write at a time.

        Raises:
            InUse: another request writes it.
        """
        path = self.path(collection_id, sha256)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        file = _locked(path)
        try:
            file.seek(0, os.SEEK_END)
            yield file
        finally:
            file.close()

    def remove(self, collection_id: int, sha256: str) -> None:
        """Delete a file, if it is here."""
        self.path(collection_id, sha256).unlink(missing_ok=True)

    def files(self) -> Iterator[tuple[int, str]]:
        """Every file, as the id of its collection and its hash."""
        for folder in self.folder.iterdir():
            if folder.name.isdigit() and folder.is_dir():
                for path in folder.iterdir():
                    if SHA256.fullmatch(path.name):
                        yield int(folder.name), path.name


def digest(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    hash_ = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while piece := file.read(PIECE):
            hash_.update(piece)
    return hash_.hexdigest()


def _locked(path: Path) -> FileIO:
    """The file at a path, made where there is none, and locked.

    Raises:
        InUse: another one has it for `SECONDS_FOR_REMOVAL`.
    """
    end = time.monotonic() + SECONDS_FOR_REMOVAL
    while True:
        file = _open(path)
        try:
            if _lock(file) and _is_at(path, file):
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
    """Whether a file was not deleted between opening and locking it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    return False
