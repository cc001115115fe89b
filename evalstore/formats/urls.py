"""Paths that are URLs of object stores and web servers: which are, and how they are shown."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

SCHEMES = ("s3", "gs", "az", "https", "http")
URL = re.compile(rf"({'|'.join(SCHEMES)})://", re.IGNORECASE)
WEB = ("https", "http")


def is_url(path: str) -> bool:
    """Whether a path is a URL that is read; any other path is one of this machine."""
    return URL.match(path) is not None


def scheme_of(url: str) -> str:
    """The scheme, in lower case."""
    return url.partition("://")[0].lower()


def is_object(path: str) -> bool:
    """Whether a path is a URL of an object store, whose objects can be listed."""
    return is_url(path) and scheme_of(path) not in WEB


def shown_path(path: str) -> str:
    """A path as messages and names show it: of a URL without what may be secret.

    That is the user and the password before the host, and the query (where signatures stand) and
    fragment. A name of an object may have a `?`, which is then cut too.
    """
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    # A password may hold slashes that should have been written %2F.
    return f"{scheme}://{rest.rpartition('@')[2] if scheme.lower() in WEB else rest}"


def file_name(path: str) -> str:
    """The last part of a URL's path, decoded where it is of a web server."""
    shown = shown_path(path).rstrip("/")
    name = PurePosixPath(shown.partition("://")[2]).name
    return unquote(name) if scheme_of(path) in WEB else name
