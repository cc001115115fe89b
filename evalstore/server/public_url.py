"""The address at which people reach the server: it decides hosts, cookies and redirects."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from evalstore.client.address import PORTS, Address, bracketed, is_host, is_prefix
from evalstore.errors import DataError


@dataclass(frozen=True)
class PublicUrl(Address):
    """The address of this server, and what browsers make of it."""

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
    if parts.scheme not in PORTS or not is_host(host):
        raise DataError(f"{text!r} is no URL of a server: write it like https://eval.example.org")
    if parts.query or parts.fragment or parts.username is not None:
        raise DataError(f"{text!r} has more than a host, a port and a path")
    prefix = parts.path.rstrip("/")
    if not is_prefix(prefix):
        raise DataError(f"{text!r}: the path may have letters, digits and - . _ ~ only")
    return PublicUrl(parts.scheme, bracketed(host), port or PORTS[parts.scheme], prefix)
