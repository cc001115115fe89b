"""Files by URL, as bytes: streamed, with retries, and checked by size and hash at the end."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, TypeVar

from evalstore.errors import EvalstoreError, FileError
from evalstore.formats.natural_order import natural
from evalstore.formats.patterns import NO_MATCH, is_pattern
from evalstore.formats.remote_errors import (
    MISSING_FILE,
    BrokenError,
    is_of_library,
    what_is_wrong,
    why_broken,
)
from evalstore.formats.remote_files import (
    Described,
    S3File,
    filesystem,
    remote_file,
)
from evalstore.formats.urls import is_object, lower_scheme, scheme_of, shown_path

T = TypeVar("T")
ATTEMPTS = 5
"""How often the same bytes are asked for."""
FIRST_DELAY = 0.5
"""Seconds before the second attempt; each further delay is twice as long."""
CHANGED = "the file changed while it was read"


class _Retries:
    """Counts the attempts since something came, and waits between them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._failed = 0

    def went_on(self) -> None:
        """Something came."""
        self._failed = 0

    def wait(self, error: Exception) -> None:
        """Wait before the next attempt.

        Raises:
            FileError: another attempt would not help, or there were enough.
        """
        if isinstance(error, EvalstoreError) or not is_of_library(error):
            raise error
        what = what_is_wrong(error)
        if what is not None:
            raise _missing(self._url) if what == MISSING_FILE else _fault(self._url, what)
        self._failed += 1
        if self._failed == ATTEMPTS:
            raise _fault(self._url, f"{why_broken(error)}, {ATTEMPTS} times")
        time.sleep(FIRST_DELAY * 2 ** (self._failed - 1))


def chunks(url: str) -> Generator[bytes, None, None]:
    """Yield the content of a file, in pieces of at most some MiB.

    After a break the reading goes on where it was, or begins again where the server knows no
    ranges or tells nothing that is certain to change with the file: then what was read before is
    compared.

    Raises:
        FileError: there is no such file or bucket, access is denied, the host can't be reached,
            the connection broke too often, the file changed while it was read, or size or hash
            differ from what the server tells.
        MissingExtraError: the extra is not installed.
    """
    file = remote_file(url)
    retries = _Retries(url)
    first: Described | None = None
    position, read = 0, hashlib.md5(usedforsecurity=False)
    while True:
        body = None
        try:
            body = file.open(position)
            first = first or body.described
            if body.described.is_other_than(first):
                raise _fault(url, CHANGED)
            if body.start > position:
                raise _fault(url, "the server sent another part than was asked for")
            at, again = body.start, hashlib.md5(usedforsecurity=False)
            for piece in body.pieces:
                old = piece[: max(position - at, 0)]
                at += len(piece)
                if old and body.start == 0:
                    again.update(old)
                    if at >= position and again.digest() != read.digest():
                        raise _fault(url, CHANGED)
                if new := piece[len(old) :]:
                    position += len(new)
                    read.update(new)
                    retries.went_on()
                    yield new
            if first.size is not None and position < first.size:
                raise BrokenError(f"{position:,} of {first.size:,} bytes came")
            if at < position:
                raise _fault(url, CHANGED)
            break
        except Exception as error:
            retries.wait(error)
        finally:
            if body is not None:
                body.close()
    _check(url, first, position, read.hexdigest())


def describe(url: str) -> Described:
    """What the server tells of a file.

    Raises:
        FileError, MissingExtraError: as for `chunks`; `several runs` where it is a folder of an
            object store.
    """
    return _asked(url, remote_file(url).describe)


def is_folder(url: str) -> bool:
    """Whether an object store has a folder by this URL, and no object."""
    try:
        describe(url)
    except FileError as error:
        return error.problem == "several runs"
    return False


def folder_entries(url: str) -> tuple[list[str], list[str]]:
    """The names of the objects in a folder of an object store, and of the folders in it.

    Raises:
        FileError, MissingExtraError: as for `chunks`.
    """
    system = filesystem(scheme_of(url))
    folder = str(system._strip_protocol(lower_scheme(url))).rstrip("/") + "/"
    names: tuple[list[str], list[str]] = ([], [])
    for info in _asked(url, lambda: system.ls(folder, detail=True)):
        # An object that is called as the folder stands for it in the consoles of the stores.
        name = str(info["name"]).removeprefix(folder).rstrip("/")
        if name and name != folder.rstrip("/"):
            names[info.get("type") == "directory"].append(name)
    return names


def matching_objects(pattern: str) -> list[str]:
    """The URLs of the objects that a pattern matches, in natural order.

    An object that has it as its name is the only match. Folders are matched where no object is and
    the pattern has no `**`.

    Raises:
        FileError, MissingExtraError: as for `chunks`.
    """
    pattern, scheme = lower_scheme(pattern), scheme_of(pattern)
    system = filesystem(scheme)

    def matches() -> dict[str, dict[str, Any]] | None:
        try:
            return None if system.exists(pattern) else dict(system.glob(pattern, detail=True))
        except FileNotFoundError:
            return {}

    details = _asked(pattern, matches)
    if details is None:
        return [pattern]
    files = [path for path, info in details.items() if info.get("type") != "directory"]
    chosen = files if files or "**" in pattern else [path.rstrip("/") for path in details]
    visible = [path for path in chosen if "/." in pattern or "/." not in path]
    visible.sort(key=lambda path: [natural(name) for name in path.split("/")])
    return [f"{scheme}://{path}" for path in visible]


def _asked(url: str, ask: Callable[[], T]) -> T:
    """What a server answers, at one of the attempts.

    Raises:
        FileError: none of them helped.
    """
    retries = _Retries(url)
    while True:
        try:
            return ask()
        except Exception as error:
            retries.wait(error)


def _check(url: str, described: Described, size: int, md5: str) -> None:
    """Compare what was read with what the server told.

    Raises:
        FileError: they differ.
    """
    if described.size is not None and size != described.size:
        raise _fault(url, f"{size:,} bytes came, and the server told {described.size:,}")
    if described.md5 is not None and md5 != described.md5:
        raise _fault(url, "the bytes that came are not those of the hash that the server tells")
    if describe(url).is_other_than(described):
        raise _fault(url, CHANGED)


def _missing(url: str) -> FileError:
    """That there is no such file, or no such bucket where that is known, or that it is a folder."""
    if is_pattern(url):
        return _fault(url, NO_MATCH)
    if is_object(url):
        system = filesystem(scheme_of(url))
        with suppress(Exception):  # listing may be denied
            if system.isdir(lower_scheme(url)):
                files = shown_path(url).rstrip("/") + "/*"
                what = f"is a folder; the pattern for its files is {files}"
                return FileError(shown_path(url), None, what, problem="several runs")
    file = remote_file(url)
    if isinstance(file, S3File):
        try:
            file.check_bucket()
        except FileNotFoundError:
            return _fault(url, "no such bucket")
        except Exception:
            return _fault(url, MISSING_FILE)
    return _fault(url, MISSING_FILE)


def _fault(url: str, what: str) -> FileError:
    return FileError(shown_path(url), None, what)
