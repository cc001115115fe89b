"""Running the app for one person or a team on a local network: a threaded server, no debug mode."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from typing import Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from evalstore.errors import EvalstoreError

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - names, no bind


class AddressUnavailable(EvalstoreError):
    """The address to serve on is taken or is not this machine's."""


class _QuietHandler(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing a request: the terminal belongs to whoever typed the command."""


def bind(wsgi: Any, host: str, port: int) -> BaseWSGIServer:
    """Return a server that holds its port already and serves once told to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Bound here rather than by werkzeug, which prints and exits where the port is taken.
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        try:
            if hasattr(socket, "SO_REUSEADDR") and socket.SO_REUSEADDR:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(128)
        except (OSError, OverflowError) as error:
            raise AddressUnavailable(_reason(error, host, port)) from error
        server = make_server(
            host,
            listening.getsockname()[1],
            wsgi,
            threaded=True,
            request_handler=_QuietHandler,
            # werkzeug takes a copy of the descriptor, so ours can be closed.
            fd=listening.fileno(),
        )
    server.daemon_threads = True  # type: ignore[attr-defined] # Ctrl-C waits for no one's download
    return server


def address(host: str, port: int) -> str:
    """Return the address for people: one they can open, on this machine if it is bound to all."""
    shown = _EVERYWHERE.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def run(wsgi: Any, host: str, port: int, on_ready: Callable[[str], object] | None) -> None:
    """Serve until interrupted (Ctrl-C), which ends it without a traceback."""
    server = bind(wsgi, host, port)
    try:
        if on_ready is not None:
            on_ready(address(host, server.port))
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def _reason(error: OSError | OverflowError, host: str, port: int) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} is in use: try --port {port + 1}"
    if number == errno.EACCES:
        return f"port {port} needs privileges: try --port 8050"
    if number == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"{host!r} is not an address of this machine: try --host 127.0.0.1"
    return f"can't serve on {host} port {port}: {error}"
