"""Running the app for one person or a team on a local network, on waitress, without debug mode."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import Any

from waitress import create_server, wasyncore

from evalstore.errors import EvalstoreError

# The address that people can open instead of one that means all addresses of this machine.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - names, no bind

# Requests computed at once; others wait in a queue.
_THREADS = 8

# Responses of up to this size wait for the network in memory, larger ones in a temporary file.
_BYTES_IN_MEMORY = 64 * 1024 * 1024


class AddressUnavailable(EvalstoreError):
    """The address to serve on is taken or is not this machine's."""


class Server:
    """A server that listens on its port from the beginning, and answers once it runs.

    Raises:
        AddressUnavailable: the port is taken or not allowed, or the address is not this machine's.
    """

    def __init__(self, wsgi: Any, host: str, port: int) -> None:
        ipv6 = ":" in host
        self._sockets: dict[int, Any] = {}
        try:
            self._server = create_server(
                wsgi,
                map=self._sockets,
                host=host,
                port=port,
                # One socket: with port 0 two would have two ports.
                ipv4=not ipv6,
                ipv6=ipv6,
                threads=_THREADS,
                outbuf_overflow=_BYTES_IN_MEMORY,
                ident=None,  # no header that names the server's version
            )
        except (OSError, OverflowError, ValueError) as error:
            wasyncore.close_all(self._sockets)
            raise AddressUnavailable(_reason(error, host, port)) from error

    @property
    def port(self) -> int:
        """The port, also where any free one was asked for."""
        return int(self._server.effective_port)

    def run(self) -> None:
        """Answer requests until Ctrl-C or `stop`."""
        self._server.run()

    def stop(self) -> None:
        """Let `run` end; from any thread."""
        self._server.trigger.pull_trigger(lambda: wasyncore.close_all(self._sockets))

    def close(self) -> None:
        """Close all connections and free the port, once `run` has ended."""
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets)


def address(host: str, port: int) -> str:
    """Return the address for people: one they can open, on this machine if it is bound to all."""
    name = _EVERYWHERE.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def run(wsgi: Any, host: str, port: int, on_ready: Callable[[str], object] | None) -> None:
    """Serve until interrupted (Ctrl-C), which ends it without a traceback."""
    server = Server(wsgi, host, port)
    try:
        if on_ready is not None:
            on_ready(address(host, server.port))
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _reason(error: OSError | OverflowError | ValueError, host: str, port: int) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} is in use: try --port {port + 1}"
    if number == errno.EACCES:
        return f"port {port} needs privileges: try --port 8050"
    # waitress reports a name that can't be resolved as a ValueError.
    unresolved = isinstance(error, socket.gaierror | ValueError)
    if number == errno.EADDRNOTAVAIL or unresolved:
        return f"{host!r} is not an address of this machine: try --host 127.0.0.1"
    return f"can't serve on {host} port {port}: {error}"
