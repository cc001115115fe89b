"""Requests that the server itself sends: to addresses that an administrator allowed, and no others.

A name can lead anywhere, and elsewhere a moment later. So it is resolved once, each of its
addresses is checked, and the connection is made to the address that was checked. No redirect is
followed, no proxy of the environment is used, and of the answer only the status is read.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import SplitResult, urlsplit

from evalstore.errors import DataError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Iterable[str]]
"""The addresses of a host name, for a port."""

SECONDS_TO_CONNECT = 5
SECONDS_IN_ALL = 10
MOST_ADDRESSES = 4
"""Of a name, which are tried one after the other."""

PORTS = {"http": 80, "https": 443}

NEVER_BY_NAME = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.0/24",
        "168.63.129.16/32", "::/127", "fe80::/10", "fd00:ec2::/32",
    )
)  # fmt: skip
"""This machine, and where clouds keep the credentials of machines: an allowed host name may not
lead there, only an allowed network."""

NOT_GLOBAL = tuple(ip_network(text) for text in ("192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10"))
"""What some versions of Python take for the internet, and is not: old and local networks."""

NAT64 = ip_network("64:ff9b::/96")
IPV4_COMPATIBLE = ip_network("::/96")


class NotAllowed(DataError):
    """The address is none that may be used."""


class NotDelivered(DataError):
    """There was no answer, or none that is a success."""


@dataclass(frozen=True)
class Allowed:
    """Addresses that an administrator allowed beyond https to the internet.

    Attributes:
        hosts: names, in small letters; they may have private addresses, and be used by http.
        networks: addresses that may be used, whatever their name.
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    def permits(self, host: str, address: Address) -> bool:
        """Whether a host may be used at one of its addresses."""
        inner = embedded(address)
        every, meant = [address, *inner], inner or [address]
        if self._has(address) or all(self._has(one) for one in meant):
            return True
        if all(is_public(one) for one in meant):
            return True
        is_unsafe = any(one in network for one in every for network in NEVER_BY_NAME)
        return host in self.hosts and not is_unsafe and not any(one.is_multicast for one in every)

    def _has(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def permits_http(self, host: str) -> bool:
        """Whether a host may be used without encryption."""
        literal = _literal(host)
        return host in self.hosts or (literal is not None and self._has(literal))


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet, for a single machine."""
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in (*NEVER_BY_NAME, *NOT_GLOBAL))
    )


def embedded(address: Address) -> list[Address]:
    """The IPv4 address that an IPv6 address stands for or leads to: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in NAT64 or (address in IPV4_COMPATIBLE and int(address) > 1):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return []


def check_url(url: str, allowed: Allowed) -> SplitResult:
    """The parts of a URL that may be used, as far as the URL itself tells.

    Raises NotAllowed, or DataError if it is none.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise DataError(f"{url!r} is no URL: {error}") from None
    if parts.scheme not in PORTS or not host or not url.isascii() or not url.isprintable():
        raise DataError(f"{url!r} is no URL of a webhook: write it like https://host.example/path")
    if " " in url or "\\" in url or parts.username is not None or parts.fragment:
        raise DataError(f"{url!r}: a webhook has no user, no fragment and no spaces in its URL")
    if parts.scheme == "http" and not allowed.permits_http(host):
        raise NotAllowed(f"{url!r} is not encrypted: take https, or allow the host {host!r}")
    literal = _literal(host)
    if literal is not None:
        _check_address(host, literal, allowed)
    return parts


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host name, as this machine resolves it."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


@dataclass(frozen=True)
class Sender:
    """Sends requests to addresses that are allowed; each takes so many `seconds` at most."""

    allowed: Allowed
    resolve: Resolve = resolve
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS_IN_ALL

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a body; returns the status of the answer, which is a success (2xx).

        Raises NotAllowed, or NotDelivered without such an answer.
        """
        parts = check_url(url, self.allowed)
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        connection: http.client.HTTPConnection
        if parts.scheme == "https":
            connection = http.client.HTTPSConnection(host, port, context=self.context)
        else:
            connection = http.client.HTTPConnection(host, port)
        limit = _TimeLimit(self._addresses(host, port))
        # How http.client makes its connection: here, to an address that was checked.
        connection._create_connection = limit.connect  # type: ignore[attr-defined]  # not in the stubs
        connection.timeout = SECONDS_TO_CONNECT
        timer = threading.Timer(self.seconds, limit.end)
        timer.daemon = True
        timer.start()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", path, body, dict(headers))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = "it took too long" if limit.is_over else _reason(error)
            raise NotDelivered(f"no answer: {reason}") from None
        finally:
            timer.cancel()
            connection.close()
            limit.close()
        if 300 <= status < 400:
            raise NotDelivered(f"answered {status}: redirects are not followed")
        if not 200 <= status < 300:
            raise NotDelivered(f"answered {status}")
        return status

    def _addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to: all that a name has must be allowed."""
        literal = _literal(host)
        try:
            addresses = [str(literal)] if literal is not None else list(self.resolve(host, port))
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise NotDelivered(f"there is no host {host!r}")
        for text in addresses:
            _check_address(host, ip_address(text), self.allowed)
        return list(dict.fromkeys(addresses))[:MOST_ADDRESSES]


class _TimeLimit:
    """A connection to one of some addresses, which ends after a time whatever its other end does.

    A timeout of a socket is that of each read: a byte now and then never reaches it.
    """

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses
        self._over = threading.Event()
        self._copy: socket.socket | None = None

    def connect(self, target: tuple[str, int], timeout: float, _: object = None) -> socket.socket:
        """Connect to the first address that answers."""
        error: OSError = TimeoutError()
        for address in self._addresses:
            if self._over.is_set():
                break
            try:
                made = socket.create_connection((address, target[1]), timeout)
            except OSError as failure:
                error = failure
                continue
            self._copy = made.dup()  # TLS takes the socket itself away
            if self._over.is_set():
                self.end()
            return made
        raise error

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self._over.is_set()

    def end(self) -> None:
        """Break the connection off."""
        self._over.set()
        if self._copy is not None:
            with suppress(OSError):
                self._copy.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the copy of the socket back."""
        if self._copy is not None:
            self._copy.close()


def _check_address(host: str, address: Address, allowed: Allowed) -> None:
    if not allowed.permits(host, address):
        where = "" if str(address) == host else f"{host!r} is at "
        raise NotAllowed(f"{where}{address}, which is not an address of the internet, nor allowed")


def _literal(host: str) -> Address | None:
    """The address that a host is written as; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or 'failed'}".lower().replace("tls", "TLS", 1)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return type(error).__name__
