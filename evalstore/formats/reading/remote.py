"""Files by URL, as bytes: streamed, with retries, and checked by size and hash at the end."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import Any, Protocol, TypeVar

from evalstore.errors import EvalstoreError, FileError, MissingExtra
from evalstore.formats.reading.paths import (
    WEB,
    is_object,
    is_url,
    lower_scheme,
    natural,
    scheme_of,
    shown_path,
)

T = TypeVar("T")
ATTEMPTS = 5
"""To ask for the same bytes."""
FIRST_DELAY = 0.5
"""Seconds before the second attempt; each further delay is twice as long."""
CHANGED = "the file changed while it was read"


class _Retries:
    """The attempts since something came, and the time between them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.failed = 0

    def wait(self, error: Exception) -> None:
        """Wait before the next attempt; raise if it would not help, or if there were enough."""
        if isinstance(error, EvalstoreError) or not is_of_library(error):
            raise error
        what = what_is_wrong(error)
        if what is not None:
            raise _missing(self._url) if what == MISSING_FILE else _fault(self._url, what)
        self.failed += 1
        if self.failed == ATTEMPTS:
            raise _fault(self._url, f"{why_broken(error)}, {ATTEMPTS} times")
        time.sleep(FIRST_DELAY * 2 ** (self.failed - 1))


def chunks(url: str) -> Generator[bytes, None, None]:
    """Yield the content of a file, in pieces of at most some MiB.

    After a break the reading goes on from there, or begins again if the server knows no ranges or
    sends nothing that is certain to change with the file: then the bytes read before are compared.
    At the end size and hash are compared with those that the server sends.
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
                    retries.failed = 0
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
    """The server's description of a file; its FileError is `several runs` for a folder."""
    return _asked(url, remote_file(url).describe)


def is_folder(url: str) -> bool:
    """Whether an object store has a folder by this URL, and no object."""
    try:
        describe(url)
    except FileError as error:
        return error.problem == "several runs"
    return False


def folder_entries(url: str) -> tuple[list[str], list[str]]:
    """The names of the objects in a folder of an object store, and of the folders in it."""
    system = filesystem(scheme_of(url))
    folder = str(system._strip_protocol(lower_scheme(url))).rstrip("/") + "/"
    names: tuple[list[str], list[str]] = ([], [])
    for info in _asked(url, lambda: system.ls(folder, detail=True)):
        # An object with the name of a folder represents it in the consoles of object stores.
        name = str(info["name"]).removeprefix(folder).rstrip("/")
        if name and name != folder.rstrip("/"):
            names[info.get("type") == "directory"].append(name)
    return names


def matching_objects(pattern: str) -> list[str]:
    """The URLs of the objects that a pattern matches, by the rules of `matching_files`."""
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
    """The answer of a server, at one of the attempts."""
    retries = _Retries(url)
    while True:
        try:
            return ask()
        except Exception as error:
            retries.wait(error)


def _check(url: str, described: Described, size: int, md5: str) -> None:
    if described.size is not None and size != described.size:
        raise _fault(url, f"{size:,} bytes came, and the server told {described.size:,}")
    if described.md5 is not None and md5 != described.md5:
        raise _fault(url, "the bytes that came are not those of the hash that the server tells")
    if describe(url).is_other_than(described):
        raise _fault(url, CHANGED)


def _missing(url: str) -> FileError:
    """The error of a missing file, of a missing bucket if that is known, or of a folder."""
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
        with suppress(Exception):
            try:
                file.check_bucket()
            except FileNotFoundError:
                return _fault(url, "no such bucket")
    return _fault(url, MISSING_FILE)


def _fault(url: str, what: str) -> FileError:
    return FileError(shown_path(url), None, what)


# Files of web servers and object stores, opened by fsspec from any byte on

BLOCK = 8 << 20
"""Bytes of an object in one request."""
FIRST_BLOCK = 256 << 10
"""Bytes in the first request: often only the beginning is read, to recognise a format."""
CONNECT_SECONDS, SILENT_SECONDS = 20, 60
"""Limits for a connection, and for a server that sends nothing."""
MD5 = re.compile("[0-9a-f]{32}")
MD5_BYTES = 16


@dataclass(frozen=True)
class Described:
    """The server's description of a file.

    Attributes:
        size: in bytes.
        version: changes with the content (a strong ETag).
        md5: of the content, in hex.
        weak_version: may stay when the content changes (a weak ETag).
        modified: when the file was changed, as the server writes it.
    """

    size: int | None
    version: str | None = None
    md5: str | None = None
    weak_version: str | None = None
    modified: str | None = None

    def is_other_than(self, before: Described) -> bool:
        """Whether the file is another one than before; a description may lack some fields."""
        tags = (self.version, self.weak_version) != (before.version, before.weak_version)
        pairs = ((self.size, before.size), (self.modified, before.modified))
        return tags or any(now != old for now, old in pairs if None not in (now, old))


@dataclass(frozen=True)
class Body:
    """The content of a file from the byte `start` on, in pieces, until `close`."""

    described: Described
    start: int
    pieces: Iterator[bytes]
    close: Callable[[], None]


class RemoteFile(Protocol):
    """A file that is read by URL; the errors are those of the library that reads it."""

    def describe(self) -> Described:
        """Ask the server for a description."""

    def open(self, start: int) -> Body:
        """The content from a byte on, or from an earlier one."""


def remote_file(url: str) -> RemoteFile:
    """The file of a URL; nothing is requested yet."""
    files = {"s3": S3File, "gs": GoogleFile, "az": AzureFile}
    return files.get(scheme_of(url), WebFile)(url)


@cache
def filesystem(scheme: str) -> Any:
    """The file system of fsspec for a scheme, without its own retries and caches of listings."""
    try:
        import fsspec  # noqa: PLC0415  (an extra, and only URLs need it)

        more: dict[str, Any] = {}
        if scheme == "s3":
            once = {"total_max_attempts": 1}
            seconds = {"connect_timeout": CONNECT_SECONDS, "read_timeout": SILENT_SECONDS}
            more["config_kwargs"] = {"retries": once, **seconds}
        elif scheme in WEB:
            import aiohttp  # noqa: PLC0415  (as fsspec)

            timeout = aiohttp.ClientTimeout(
                total=None, sock_connect=CONNECT_SECONDS, sock_read=SILENT_SECONDS
            )
            more["client_kwargs"] = {"timeout": timeout, "auto_decompress": False}
        system = fsspec.filesystem(
            scheme, use_listings_cache=False, skip_instance_cache=True, **more
        )
    except ImportError:
        raise MissingExtra(f"{scheme}://", "remote", "fsspec") from None
    if scheme == "s3":
        system.retries = 1
    return system


class WebFile:
    """A file of a web server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._system = filesystem("https")
        self._version: str | None = None

    def describe(self) -> Described:
        """By the headers of an answer whose body is not read."""
        body = self.open(0)
        body.close()
        return body.described

    def open(self, start: int) -> Body:
        """One request; the answer begins at byte 0 if the server knows no ranges or strong ETag."""
        import aiohttp  # noqa: PLC0415  (as fsspec)
        from fsspec.asyn import sync  # noqa: PLC0415  (as fsspec)

        loop = self._system.loop
        headers = {"Accept-Encoding": "identity"}
        if start and self._version is not None:
            headers |= {"Range": f"bytes={start}-", "If-Range": self._version}

        async def ask() -> Any:
            session = await self._system.set_session()
            response = await session.get(self._system.encode_url(self._url), headers=headers)
            response.raise_for_status()
            if response.status >= 300:  # a redirect without an address is no error for aiohttp
                response.close()
                raise aiohttp.ClientResponseError(
                    response.request_info, response.history, status=response.status
                )
            return response

        async def close() -> None:
            response.close()

        response = sync(loop, ask)
        given = re.match(r"bytes (\d+)-\d*/(\d+|\*)", response.headers.get("Content-Range", ""))
        is_part = response.status == 206 and given is not None
        length = response.headers.get("Content-Length", "")
        size = int(length) if length.isdecimal() else None
        if is_part and given is not None:
            size = int(given[2]) if given[2].isdecimal() else None
        etag = response.headers.get("ETag", "")
        described = Described(
            size,
            etag if etag.startswith('"') else None,
            None if is_part else _md5_of_headers(response.headers),
            etag if etag.startswith("W/") else None,
            response.headers.get("Last-Modified"),
        )
        self._version = described.version

        def pieces() -> Iterator[bytes]:
            while piece := sync(loop, response.content.read, 1 << 20):
                yield piece

        first = int(given[1]) if is_part and given is not None else 0
        return Body(described, first, pieces(), lambda: sync(loop, close))


def _md5_of_headers(headers: Any) -> str | None:
    """The MD5 of the whole content, if the server sends it."""
    text = headers.get("Content-MD5", "")
    for part in headers.get("x-goog-hash", "").split(","):
        name, _, value = part.strip().partition("=")
        text = value if name == "md5" else text
    return _hex(text)


def _hex(md5: str | bytes | None) -> str | None:
    """An MD5 in base64, or as bytes, in hex; None for anything else."""
    with suppress(ValueError):
        data = base64.b64decode(md5, validate=True) if isinstance(md5, str) else bytes(md5 or b"")
        return data.hex() if len(data) == MD5_BYTES else None
    return None


class _Object:
    """An object of an object store, read by ranges."""

    scheme = ""

    def __init__(self, url: str) -> None:
        self._system = filesystem(self.scheme)
        self._path = str(self._system._strip_protocol(lower_scheme(url)))

    def describe(self) -> Described:
        raise NotImplementedError

    def open(self, start: int) -> Body:
        described = self.describe()
        if described.size is None:
            raise BrokenError("the object store tells no size")
        return Body(described, start, self._pieces(start, described.size), lambda: None)

    def _pieces(self, start: int, size: int) -> Iterator[bytes]:
        at, block = start, FIRST_BLOCK
        while at < size:
            end = min(at + block, size)
            piece: bytes = self._system.cat_file(self._path, start=at, end=end)
            if len(piece) != end - at:
                raise BrokenError(f"{at + len(piece):,} of {size:,} bytes came")
            yield piece
            at, block = end, BLOCK

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = self._system.info(self._path)
        if info.get("type") == "directory":
            raise FileNotFoundError(self._path)
        return info


class S3File(_Object):
    """An object of S3, or of a store that speaks its protocol."""

    scheme = "s3"

    def describe(self) -> Described:
        """With the ETag as MD5, unless the object was sent in parts or has a key of its own."""
        bucket, key, version = self._system.split_path(self._path)
        which = {"VersionId": version} if version else {}
        if not key:
            raise FileNotFoundError(self._path)
        head = self._system.call_s3("head_object", Bucket=bucket, Key=key, **which)
        etag = str(head.get("ETag", "")).strip('"')
        is_plain = head.get("ServerSideEncryption") in (None, "AES256")
        is_md5 = is_plain and "SSECustomerAlgorithm" not in head and MD5.fullmatch(etag)
        return Described(int(head["ContentLength"]), etag or None, etag if is_md5 else None)

    def check_bucket(self) -> None:
        """Raise the error of the library if there is no such bucket."""
        self._system.call_s3("head_bucket", Bucket=self._system.split_path(self._path)[0])


class GoogleFile(_Object):
    """An object of Google Cloud Storage."""

    scheme = "gs"

    def describe(self) -> Described:
        """With the generation as version, which differs for every content."""
        info = self._info()
        version = info.get("generation") or info.get("etag")
        md5 = _hex(info.get("md5Hash"))
        return Described(int(info["size"]), str(version) if version else None, md5)


class AzureFile(_Object):
    """An object of Azure's Blob Storage."""

    scheme = "az"

    def describe(self) -> Described:
        """With the MD5 of blobs that were sent with it."""
        info = self._info()
        settings = info.get("content_settings") or {}
        md5 = settings.get("content_md5") if isinstance(settings, dict) else None
        etag = info.get("etag")
        return Described(int(info["size"]), str(etag) if etag else None, _hex(md5))


# The errors of the libraries as sentences for people. Their own texts are not shown: they hold URLs
# with signatures, and pages of XML.

BUSY = (408, 425, 429, *range(500, 600))
"""HTTP statuses that may differ a moment later."""
DENIED = (401, 403)
MISSING = (404, 410)
UNRESOLVED = {"ClientConnectorDNSError"}
CERTIFICATE = {"ClientConnectorCertificateError", "ClientConnectorSSLError", "SSLError"}
NO_CREDENTIALS = {
    *("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"),
    *("CredentialUnavailableError", "ProfileNotFound"),
}
MISUSED = {"InvalidURL", "ParamValidationError", "InvalidUrlClientError", "NonHttpUrlClientError"}
MISSING_FILE = "no such file"


class BrokenError(Exception):
    """A connection ended before all was read, or a server asks to come again later."""


LIBRARIES = (
    *("aiobotocore", "aiohttp", "aiohttp_retry", "adlfs", "azure", "botocore", "fsspec", "gcsfs"),
    *("google", "requests", "s3fs", "urllib3", "yarl"),
)


def is_of_library(error: BaseException) -> bool:
    """Whether an error is about a file or a connection, and no mistake of this program."""
    known = isinstance(error, OSError | ValueError | BrokenError)
    return known or type(error).__module__.partition(".")[0] in LIBRARIES


def status_of(error: BaseException) -> int | None:
    """The HTTP status of an error, if any."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        else:
            status = getattr(one, "status", None) or getattr(one, "status_code", None)
            if type(one).__module__.startswith(("gcsfs", "google")):
                status = status or getattr(one, "code", None)
        if isinstance(status, int) and 300 <= status < 600:
            return status
    return None


def what_is_wrong(error: BaseException) -> str | None:
    """The cause of an error, if trying again would not help; else None."""
    chain = list(_chain(error))
    names = {cls.__name__ for one in chain for cls in type(one).__mro__}
    if redirect := _redirect(chain, names):
        return redirect
    status = status_of(error)
    unresolved = any(isinstance(one, socket.gaierror) for one in chain)
    sentences = {
        "no credentials for this object store: set those of its own tools": names & NO_CREDENTIALS,
        "the name of the host can't be resolved": unresolved or names & UNRESOLVED,
        "the certificate of the host is not valid": names & CERTIFICATE,
        MISSING_FILE: isinstance(error, FileNotFoundError) or status in MISSING,
        "access denied: check the credentials and the rights on the file": (
            isinstance(error, PermissionError) or status in DENIED
        ),
        "this is no URL that can be read": names & MISUSED or isinstance(error, ValueError),
        f"the server answers with status {status}": status is not None and status not in BUSY,
    }
    return next((sentence for sentence, is_so in sentences.items() if is_so), None)


def _redirect(chain: list[BaseException], names: set[str]) -> str | None:
    """The reason why a URL of a redirect is not read; None for another error."""
    give = "give that of the file itself"
    if "TooManyRedirects" in names:
        return f"the server leads on from one URL to another without end: {give}"
    if "InvalidUrlRedirectClientError" in names:
        return f"the server leads on to what is no URL: {give}"
    if "NonHttpUrlRedirectClientError" in names:
        url = str(next(one.args[0] for one in chain if "NonHttpUrl" in type(one).__name__))
        scheme = url.partition(":")[0]
        return (
            f"the server leads on to a URL that is not read ({scheme}:): give one of https or http"
        )
    return None


def why_broken(error: BaseException) -> str:
    """The cause of an error that remained after all attempts."""
    status = status_of(error)
    if isinstance(error, BrokenError):
        return str(error)
    if status is not None:
        return f"the server answers with status {status}"
    names = {cls.__name__ for one in _chain(error) for cls in type(one).__mro__}
    if names & {"ClientConnectorError", "EndpointConnectionError", "ConnectionRefusedError"}:
        return "can't connect to the server"
    if names & {"TimeoutError", "ServerTimeoutError", "ReadTimeoutError", "ConnectTimeoutError"}:
        return "the server does not answer in time"
    return "the connection broke"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


# The files of a pattern (`runs/**/*.gz`) that the shell has not expanded

ANY_FOLDERS = "**"
MAGIC = re.compile(r"[*?]|\[[^\]]+\]")
NO_MATCH = "no such file or directory, and none matches it as a pattern"


def is_pattern(path: str) -> bool:
    """Whether a path has `*`, `?` or `[...]` and is no URL of a web server."""
    return MAGIC.search(path) is not None and (not is_url(path) or is_object(path))


def matching_files(pattern: str) -> list[str]:
    """The files that a pattern matches, in natural order of their paths.

    `*`, `?` and `[...]` match within a name; `**` matches any number of folders within each other,
    none included, without following links to folders. Names that begin with a point match only
    if the pattern has the point. Folders are matched if no file is and the pattern has no `**`. A
    file that has the pattern as its name is the only match.
    """
    if pattern == "-" or not is_pattern(pattern) or os.path.lexists(pattern):
        return [pattern]
    if is_url(pattern):
        return matching_objects(pattern)
    drive, path = os.path.splitdrive(pattern)
    names = re.split(r"[\\/]+" if os.sep == "\\" else "/+", path)
    root = drive + os.sep if names[0] == "" else drive
    is_deep = ANY_FOLDERS in names
    if names[-1] == ANY_FOLDERS:
        names.append("*")
    paths = list(dict.fromkeys(_matches(root, [name for name in names if name])))
    files = [path for path in paths if not os.path.isdir(path)]
    chosen = files if files or is_deep else paths
    return sorted(chosen, key=lambda path: [natural(name) for name in path.split(os.sep)])


def _matches(folder: str, names: list[str]) -> Iterator[str]:
    """The paths in a folder whose names match, one after the other, those of a pattern."""
    name, *others = names
    if name == ANY_FOLDERS:
        yield from _matches(folder, others)
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _matches(os.path.join(folder, entry.name), names)
    elif is_pattern(name):
        matches = re.compile(translate(os.path.normcase(name))).match
        for entry in _entries(folder):
            is_hidden = entry.name.startswith(".") and not name.startswith(".")
            if not is_hidden and matches(os.path.normcase(entry.name)):
                yield from _within(os.path.join(folder, entry.name), others)
    else:
        yield from _within(os.path.join(folder, name), others)


def _within(path: str, others: list[str]) -> Iterator[str]:
    """The matches within a path that has matched so far."""
    if not others:
        if os.path.lexists(path):
            yield path
    elif os.path.isdir(path):
        yield from _matches(path, others)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """The entries of a folder; none if it can't be read, as in a shell."""
    try:
        with os.scandir(folder or os.curdir) as entries:
            return list(entries)
    except OSError:
        return []
