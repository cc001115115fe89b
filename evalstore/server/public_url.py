"""The address at which people reach the server: it decides hosts, cookies and redirects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from evalstore.errors import DataError

PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class PublicUrl:
    """A URL without query, user and fragment.

    Attributes:
        scheme: http or https.
        host: the name in small letters, or the address; IPv6 in brackets.
        port: as in the URL, or that of the scheme.
        prefix: the path before every path of the server; "" for none, else like `/eval`.
    """

    scheme: str
    host: str
    port: int
    prefix: str

    @property
    def origin(self) -> str:
        """As browsers write it in the header Origin."""
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """As browsers write it in the header Host: without the port that the scheme has."""
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether the connection of browsers is encrypted."""
        return self.scheme == "https"

    def __str__(self) -> str:
        return self.origin + self.prefix

    def names(self, host: str) -> bool:
        """Whether a Host header names this server."""
        given = host.lower()
        with_port = f"{self.host}:{self.port}"
        return given == with_port or (given == self.host and self.port == PORTS[self.scheme])


def parse_public_url(text: str) -> PublicUrl:
    """Read a public URL.

    Raises:
        DataError: it is none.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise DataError(f"{text!r} is no URL: {error}") from None
    if parts.scheme not in PORTS or not re.fullmatch(r"[a-z0-9.:_-]+", host):
        raise DataError(f"{text!r} is no URL of a server: write it like https://eval.example.org")
    if parts.query or parts.fragment or parts.username is not None:
        raise DataError(f"{text!r} has more than a host, a port and a path")
    prefix = parts.path.rstrip("/")
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", prefix) or "/.." in prefix or "/./" in prefix:
        raise DataError(f"{text!r}: the path may have letters, digits and - . _ ~ only")
    shown = f"[{host}]" if ":" in host else host
    return PublicUrl(parts.scheme, shown, port or PORTS[parts.scheme], prefix)
