"""Paths that are URLs of object stores and web servers, their shown form; the order of names."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

SCHEMES = ("s3", "gs", "az", "https", "http")
URL = re.compile(rf"({'|'.join(SCHEMES)})://", re.IGNORECASE)
WEB = ("https", "http")
OLD_SIGNATURE = "signature|expires|policy|awsaccesskeyid|googleaccessid|key-pair-id"
SIGNATURES = (
    ({"x-amz-signature"}, "x-amz-.*"),
    ({"x-goog-signature"}, "x-goog-.*"),
    ({"signature", "awsaccesskeyid"}, OLD_SIGNATURE + "|x-amz-.*"),
    ({"signature", "googleaccessid"}, OLD_SIGNATURE),
    ({"signature", "key-pair-id"}, OLD_SIGNATURE),
    ({"sig", "sv"}, "s(ig|v|s|rt|p|t|e|pr|r|ip|i|dd|koid|ktid|kt|ke|ks|kv|aoid|uoid|cid)|ses"),
)
"""Parameters that show that a URL is signed, and those that then belong to the signature: of S3,
Google (and both before), CloudFront, and Azure.
"""


def is_url(path: str) -> bool:
    """Whether a path is a URL that is read; any other path is one of this machine."""
    return URL.match(path) is not None


def scheme_of(url: str) -> str:
    """The scheme, in lower case."""
    return url.partition("://")[0].lower()


def lower_scheme(url: str) -> str:
    """A URL with its scheme in lower case."""
    return f"{scheme_of(url)}://{url.partition('://')[2]}"


def is_object(path: str) -> bool:
    """Whether a path is a URL of an object store, whose objects can be listed."""
    return is_url(path) and scheme_of(path) not in WEB


def shown_path(path: str) -> str:
    """A path in messages and names; a URL without user, password, query (signatures) and fragment.

    A name of an object may have a `?`, which is then cut too.
    """
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    # A password may hold slashes that should have been written %2F.
    return f"{scheme}://{rest.rpartition('@')[2] if scheme.lower() in WEB else rest}"


def unsigned_url(url: str) -> str:
    """A URL without the parts that may differ each time the same file is requested.

    Of a web server these are the user and the password, the fragment, and in the query the
    parameters of a known signature; in an object store every character belongs to the name.
    """
    url = lower_scheme(url)
    if is_object(url):
        return url
    query = url.partition("#")[0].partition("?")[2]
    parameters = [(text.partition("=")[0].lower(), text) for text in query.split("&")]
    names = {name for name, _ in parameters}
    signed = [re.compile(of) for signs, of in SIGNATURES if signs <= names]
    rest = "&".join(text for name, text in parameters if not any(s.fullmatch(name) for s in signed))
    return shown_path(url) + f"?{rest}" * bool(rest)


def file_name(path: str) -> str:
    """The last part of a URL's path, decoded if it is of a web server."""
    url = shown_path(path).rstrip("/")
    name = PurePosixPath(url.partition("://")[2]).name
    return unquote(name) if scheme_of(path) in WEB else name


NUMBERS = re.compile("([0-9]+)")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in natural order: numbers in names by value, so `run2` comes before `run10`.

    Of names that differ only in leading zeros, the longer one comes last.
    """
    if name.isascii() and name.isdigit():  # most query ids
        return _natural_part(name), (-1, len(name), name)
    parts = [part for part in NUMBERS.split(name.casefold()) if part]
    return (*map(_natural_part, parts), (-1, len(name), name))


def _natural_part(part: str) -> tuple[int, int, str]:
    """The key of a number (its digits, by their count first) or of a text between numbers."""
    digits = part.lstrip("0")
    return (1, len(digits), digits) if "0" <= part[0] <= "9" else (0, 0, part)
