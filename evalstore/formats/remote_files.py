"""How the files of web servers and object stores are opened, by fsspec: from any byte on."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from evalstore.errors import DataError
from evalstore.formats.remote_errors import BrokenError
from evalstore.formats.urls import WEB, lower_scheme, scheme_of

BLOCK = 8 << 20
"""Bytes of an object that are asked for at a time."""
FIRST_BLOCK = 256 << 10
"""As many first: often only the beginning is read, to recognise a format."""
CONNECT_SECONDS, SILENT_SECONDS = 20, 60
"""How long a connection may take, and how long a server may send nothing."""
MD5 = re.compile("[0-9a-f]{32}")
MD5_BYTES = 16


class MissingExtraError(DataError):
    """What reads URLs is not installed."""


@dataclass(frozen=True)
class Described:
    """What the server tells of a file.

    Attributes:
        size: in bytes; None where it does not say.
        version: changes with the content (a strong ETag); None where there is none.
        md5: of the content, in hex; None where none is told.
        weak_version: may stay when the content changes (a weak ETag); None where there is none.
        modified: when the file was changed, as the server writes it; None where it does not say.
    """

    size: int | None
    version: str | None = None
    md5: str | None = None
    weak_version: str | None = None
    modified: str | None = None

    def is_other_than(self, before: Described) -> bool:
        """Whether the file is another one than before; a part of it need not tell all again."""
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
        """What the server tells of it now."""

    def open(self, start: int) -> Body:
        """Its content from a byte on, or from an earlier one."""


def remote_file(url: str) -> RemoteFile:
    """The file of a URL; nothing is asked of the server yet.

    Raises:
        MissingExtraError: a library is not installed.
    """
    scheme = scheme_of(url)
    files = {"s3": S3File, "gs": GoogleFile, "az": AzureFile}
    if scheme in WEB:
        return WebFile(url)
    return files[scheme](url)


@cache
def filesystem(scheme: str) -> Any:
    """The file system of fsspec for a scheme, without its own retries and caches of listings.

    Raises:
        MissingExtraError: a library is not installed.
    """
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
        what = f"{scheme}:// needs an extra: pip install 'evalstore[remote]'"
        raise MissingExtraError(what) from None
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
        """One request, whose answer may be from the first byte on.

        That is so where the server knows no ranges, or told no strong ETag before: nothing else
        is certain to be another one in a file that changed.
        """
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
    """The MD5 of the whole content as some servers tell it; None where they tell none."""
    text = headers.get("Content-MD5", "")
    for part in headers.get("x-goog-hash", "").split(","):
        name, _, value = part.strip().partition("=")
        text = value if name == "md5" else text
    return _hex(text)


def _hex(md5: str | bytes | None) -> str | None:
    """An MD5 of base64, or of bytes, in hex; None for what is none."""
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
        """What the store tells of it."""
        raise NotImplementedError

    def open(self, start: int) -> Body:
        """A request for each block."""
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
        """The ETag is the MD5 unless the object was sent in parts or has a key of its own."""
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
        """Raise the error of the library where there is no such bucket."""
        self._system.call_s3("head_bucket", Bucket=self._system.split_path(self._path)[0])


class GoogleFile(_Object):
    """An object of Google Cloud Storage."""

    scheme = "gs"

    def describe(self) -> Described:
        """The generation is another one for every content."""
        info = self._info()
        version = info.get("generation") or info.get("etag")
        md5 = _hex(info.get("md5Hash"))
        return Described(int(info["size"]), str(version) if version else None, md5)


class AzureFile(_Object):
    """An object of Azure's Blob Storage."""

    scheme = "az"

    def describe(self) -> Described:
        """The MD5 is told of blobs that were sent with it."""
        info = self._info()
        settings = info.get("content_settings") or {}
        md5 = settings.get("content_md5") if isinstance(settings, dict) else None
        etag = info.get("etag")
        return Described(int(info["size"]), str(etag) if etag else None, _hex(md5))
