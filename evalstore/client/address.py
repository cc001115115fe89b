"""The address of a server: where a store is that is reached over HTTP."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from evalstore.errors import StoreError

PORTS = {"http": 80, "https": 443}
EXAMPLE = "write it like https://eval.example.org"


@dataclass(frozen=True)
class Address:
    """A URL without query, user and fragment.

    Attributes:
        scheme: http or https.
        host: in small letters; IPv6 in brackets.
        port: as in the URL, or that of the scheme.
        prefix: the path before every path of the server; "" for none, else like `/eval`.
    """

    scheme: str
    host: str
    port: int
    prefix: str

    def __str__(self) -> str:
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.prefix}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine itself."""
        return is_loopback(self.host.strip("[]"))

    @property
    def is_safe(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.scheme == "https" or self.is_loopback


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server at this host, IPv6 without brackets."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_address(text: str) -> bool:
    """Whether a text is meant as the address of a server, and not of a database."""
    return re.match(r"\s*https?:", text, re.IGNORECASE) is not None


def parse_address(text: str) -> Address:
    """Read the address of a server.

    Raises:
        StoreError: it is none, or it holds a name or a password, which is not in the message.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise StoreError(f"the address of the server is no URL: {EXAMPLE}") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise StoreError(
            f"the address of a server has neither a name, a password nor parameters: {EXAMPLE}",
            problem="token needed",
        )
    if parts.scheme not in PORTS or not is_host(host):
        raise StoreError(f"{text!r} is no address of a server: {EXAMPLE}")
    prefix = parts.path.rstrip("/")
    if not is_prefix(prefix):
        raise StoreError(f"{text!r}: the path of a server has letters, digits and - . _ ~ only")
    return Address(parts.scheme, bracketed(host), port or PORTS[parts.scheme], prefix)


def is_host(text: str) -> bool:
    """Whether a text in small letters can be the host of a server."""
    return re.fullmatch(r"[a-z0-9.:_-]+", text) is not None


def is_prefix(path: str) -> bool:
    """Whether a path without a slash at its end can stand before every path of a server."""
    is_plain = re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path)
    return is_plain is not None and not {".", ".."} & set(path.split("/"))


def bracketed(host: str) -> str:
    """A host as it stands in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host
