"""Running the app for one person or a team: with gunicorn if the system has fork, else waitress."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel

from evalstore.errors import EvalstoreError

# For addresses that mean all addresses of this machine, one that users can open.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - names, no bind

# The most connections that wait to be accepted.
_WAITING = 256

# The most requests that waitress handles at once; others wait in a queue.
_THREADS = 8

# The largest body that waitress accepts. It stores the whole body in a file before the app checks
# the sender. Larger files are sent in pieces.
_LARGEST_BODY = 64 * 1024 * 1024

# Responses up to this size are buffered in memory, larger ones in a temporary file.
_BYTES_IN_MEMORY = 64 * 1024 * 1024


class AddressUnavailable(EvalstoreError):
    """The error if the address is in use or does not belong to this machine."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket: connections wait from now on until a server accepts them.

    Port 0 means any free port. Raises AddressUnavailable if the port is in use or not allowed, or
    if the address does not belong to this machine.
    """
    try:
        family, kind, protocol, _, bound_to = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, ValueError) as error:
        raise AddressUnavailable(_reason(error, host, port)) from error
    try:
        if os.name == "posix":  # on other systems it would let two programs use the same port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(bound_to)
        listening.listen(_WAITING)
    except (OSError, OverflowError) as error:
        listening.close()
        raise AddressUnavailable(_reason(error, host, port)) from error
    return listening


class Server:
    """A server in this process, with threads; it answers requests once `run` is called."""

    def __init__(self, wsgi: Any, host: str, port: int) -> None:
        self._listening = listen(host, port)
        self._sockets: dict[int, Any] = {}
        self._end: float | None = None
        self._server = create_server(
            wsgi,
            map=self._sockets,
            sockets=[self._listening],
            threads=_THREADS,
            outbuf_overflow=_BYTES_IN_MEMORY,
            max_request_body_size=_LARGEST_BODY,
            # The app knows whether there is a proxy in front, and which header to trust.
            clear_untrusted_proxy_headers=False,
            ident=None,  # no header with the server's version
        )
        # waitress would warn of each request that waits for a thread, and of requests during
        # startup. Neither is a fault, and gunicorn doesn't log them either.
        self._server.task_dispatcher.queue_logger = logging.Logger("waitress.queue", logging.ERROR)

    @property
    def port(self) -> int:
        """The port; the actual one if any free port was requested."""
        return int(self._listening.getsockname()[1])

    def run(self, every_second: Callable[[], object] | None = None) -> None:
        """Answer requests until `stop`, or after `finish` until the pending ones are answered."""
        while self._sockets and not self._has_finished():
            if every_second is not None:
                every_second()
            wasyncore.loop(timeout=1, map=self._sockets, count=1)

    def finish(self, seconds: float) -> None:
        """Accept no new connections, and end `run` when all is answered or after `seconds`.

        Signal handlers may call this: it takes no lock.
        """
        self._end = time.monotonic() + seconds

    def _has_finished(self) -> bool:
        if self._end is None:
            return False
        channels = []
        for part in list(self._sockets.values()):
            if isinstance(part, HTTPChannel):
                channels.append(part)
            elif part.accepting:
                wasyncore.dispatcher.close(part)
        is_busy = any(part.requests or part.request or part.total_outbufs_len for part in channels)
        return not is_busy or time.monotonic() >= self._end

    def stop(self) -> None:
        """End `run`, from any thread; `close` must be called afterwards."""
        self.finish(seconds=0)
        self._server.trigger.pull_trigger()

    def close(self) -> None:
        """Finish the pending requests and free the port, once `run` has ended."""
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets)
        self._listening.close()


def address(host: str, port: int) -> str:
    """A URL that users can open: the loopback address if the server listens on all addresses."""
    name = _EVERYWHERE.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def run(
    wsgi: Any,
    host: str,
    port: int,
    on_ready: Callable[[str], object] | None,
    *,
    seconds_to_finish: int = 5,
    every_second: Callable[[], object] | None = None,
) -> None:
    """Serve until interrupted (Ctrl-C) or told to end (SIGTERM), without a traceback.

    `on_ready` gets the address for users once the server listens; after that, `every_second` is
    called about once a second. Pending requests may take `seconds_to_finish`. Raises
    AddressUnavailable.
    """
    if not hasattr(os, "fork"):
        _run_here(Server(wsgi, host, port), host, on_ready, seconds_to_finish, every_second)
        return
    from dashboard.serving import workers  # noqa: PLC0415 - gunicorn needs a system with fork

    with listen(host, port) as listening:
        try:
            if on_ready is not None:
                on_ready(address(host, int(listening.getsockname()[1])))
            workers.run(wsgi, listening, seconds_to_finish, every_second)
        except KeyboardInterrupt:
            pass


def _run_here(
    server: Server,
    host: str,
    on_ready: Callable[[str], object] | None,
    seconds_to_finish: int,
    every_second: Callable[[], object] | None,
) -> None:
    def end(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.default_int_handler)  # a second signal ends at once
        server.finish(seconds_to_finish)

    try:
        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # only the main thread may set signal handlers
        before = {}
    try:
        if on_ready is not None:
            on_ready(address(host, server.port))
        server.run(every_second)
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        server.close()


def _reason(error: OSError | OverflowError | ValueError, host: str, port: int) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} is in use: try --port {port + 1}"
    if number == errno.EACCES:
        return f"port {port} needs privileges: try --port 8050"
    # A name that can't be an address at all raises ValueError (UnicodeError).
    unresolved = isinstance(error, socket.gaierror | ValueError)
    if number == errno.EADDRNOTAVAIL or unresolved:
        return f"{host!r} is not an address of this machine: try --host 127.0.0.1"
    return f"can't serve on {host} port {port}: {error}"
