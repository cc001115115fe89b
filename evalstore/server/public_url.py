"""The address at which people reach the server: it decides hosts, cookies and redirects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dashboard.serving.access import AS_SENT
from evalstore.client.connection import PORTS, Address, bracketed, is_host, is_prefix
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


# The path and the scheme of the public URL, for what is behind: a layer before the app.
#
# The app has its own paths, without the prefix. A proxy in front takes the prefix off, or passes it
# on: as no path of the app begins with the prefix, both are told apart by the path itself, and no
# header of a request has a say in it.


class AtPublicUrl:
    """A layer that takes the prefix off the path of a request, where it is there.

    Args:
        app: the WSGI app behind it.
        url: of the server.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], url: PublicUrl) -> None:
        self._app = app
        self._url = url

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, as WSGI asks."""
        prefix = self._url.prefix
        environ["wsgi.url_scheme"] = self._url.scheme
        environ["SCRIPT_NAME"] = prefix
        path = environ.get("PATH_INFO", "")
        if prefix and _is_below(path, prefix):
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
            for name in AS_SENT:
                sent = environ.pop(name, "")
                # A prefix with encoded letters in it: then the decoded path has to do.
                if _is_below(sent.partition("?")[0], prefix):
                    sent = sent.removeprefix(prefix)
                    environ[name] = sent if sent.startswith("/") else f"/{sent}"
        return self._app(environ, start_response)


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
