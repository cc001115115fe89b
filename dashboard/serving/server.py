"""Running the app for one person or a team: on gunicorn where processes fork, else on waitress."""

from __future__ import annotations

import errno
import gc
import importlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.http.errors import LimitRequestLine
from gunicorn.workers.gthread import ThreadWorker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel

from evalstore.errors import EvalstoreError

# The address that people can open instead of one that means all addresses of this machine.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - names, no bind

# Connections that may wait until one is accepted.
_WAITING = 256

# Requests that waitress computes at once; others wait in a queue.
_THREADS = 8

# The largest body that waitress takes. It keeps the whole in a file before the app is asked who
# sends it. Larger files are sent in pieces.
_LARGEST_BODY = 64 * 1024 * 1024

# Responses of up to this size wait for the network in memory, larger ones in a temporary file.
_BYTES_IN_MEMORY = 64 * 1024 * 1024


class AddressUnavailable(EvalstoreError):
    """The address to serve on is taken or is not this machine's."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens: connections wait from now on until a server accepts them.

    Args:
        host: a name or an address of this machine, or one that means all of its addresses.
        port: 0 for any that is free.

    Raises:
        AddressUnavailable: the port is taken or not allowed, or the address is not this machine's.
    """
    try:
        family, kind, protocol, _, bound_to = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, ValueError) as error:
        raise AddressUnavailable(_reason(error, host, port)) from error
    try:
        if os.name == "posix":  # elsewhere it would let two programs have the same port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(bound_to)
        listening.listen(_WAITING)
    except (OSError, OverflowError) as error:
        listening.close()
        raise AddressUnavailable(_reason(error, host, port)) from error
    return listening


class Server:
    """A server in this process, with threads: it answers once `run` is called.

    Raises:
        AddressUnavailable: as `listen`.
    """

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
            # The app knows whether a proxy stands in front, and which header then counts.
            clear_untrusted_proxy_headers=False,
            ident=None,  # no header that names the server's version
        )
        # It would warn of each request that waits for a thread, and of one that comes while the
        # threads start. That is no fault, and gunicorn writes nothing of it either.
        self._server.task_dispatcher.queue_logger = logging.Logger("waitress.queue", logging.ERROR)

    @property
    def port(self) -> int:
        """The port, also where any free one was asked for."""
        return int(self._listening.getsockname()[1])

    def run(self, every_second: Callable[[], object] | None = None) -> None:
        """Answer requests until `stop`, or until those are answered that came before `finish`."""
        while self._sockets and not self._has_finished():
            if every_second is not None:
                every_second()
            wasyncore.loop(timeout=1, map=self._sockets, count=1)

    def finish(self, seconds: float) -> None:
        """Take no new connections, and let `run` end once all is answered or after so many seconds.

        It may be called by the handler of a signal: it takes no lock.
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
        """Let `run` end; from any thread. Then `close` is due."""
        self.finish(seconds=0)
        self._server.trigger.pull_trigger()

    def close(self) -> None:
        """Finish the requests that are being answered and free the port, once `run` has ended.

        A thread that has answered wakes the server: what it writes to for that is closed last.
        """
        self._server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets)
        self._listening.close()


def address(host: str, port: int) -> str:
    """Return the address for people: one they can open, on this machine if it is bound to all."""
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

    Args:
        wsgi: the app.
        host: as `listen`.
        port: as `listen`.
        on_ready: is called with the address for people, once it listens there.
        seconds_to_finish: how long requests that are being answered may take then.
        every_second: is called about every second from when it listens.

    Raises:
        AddressUnavailable: as `listen`.
    """
    if hasattr(os, "fork"):
        _run_workers(wsgi, host, port, on_ready, seconds_to_finish, every_second)
    else:
        _run_here(wsgi, host, port, on_ready, seconds_to_finish, every_second)


def _run_workers(
    wsgi: Any,
    host: str,
    port: int,
    on_ready: Callable[[str], object] | None,
    seconds_to_finish: int,
    every_second: Callable[[], object] | None,
) -> None:

    with listen(host, port) as listening:
        try:
            if on_ready is not None:
                on_ready(address(host, int(listening.getsockname()[1])))
            run_processes(wsgi, listening, seconds_to_finish, every_second)
        except KeyboardInterrupt:
            pass


def _run_here(
    wsgi: Any,
    host: str,
    port: int,
    on_ready: Callable[[str], object] | None,
    seconds_to_finish: int,
    every_second: Callable[[], object] | None,
) -> None:
    server = Server(wsgi, host, port)

    def end(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.default_int_handler)  # told twice: at once
        server.finish(seconds_to_finish)

    try:
        before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread, which alone may say what signals do
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
    # A name that can't be an address at all is a ValueError (UnicodeError).
    unresolved = isinstance(error, socket.gaierror | ValueError)
    if number == errno.EADDRNOTAVAIL or unresolved:
        return f"{host!r} is not an address of this machine: try --host 127.0.0.1"
    return f"can't serve on {host} port {port}: {error}"


# Running the app in several processes, which gunicorn starts, watches and ends.
#
# Python computes in one thread of a process at a time, so two processes use two cores. Each answers
# several requests at once by threads, most of which wait for the database. The app is made before
# the processes are started, so they share its memory; a store opens connections of its own in each
# (`evalstore.store.database.make_engine`). On SQLite many processes read at once.

PROCESSES = 2
THREADS = 8
SECONDS_KEPT = 30
"""How long a connection without requests stays open: longer than most think between clicks."""

LOADED_BEFORE = ("scipy.special", "plotly.graph_objs._figure", "plotly.graph_objs._scatter")
"""What pages load when they need it: in each process that would take the first visitor's time."""

SECONDS_SILENT = 60
"""A process whose main loop does not answer for so long is ended and replaced."""

SECONDS_WITHOUT_PARENT = 3
"""How long requests that are being answered may take once the parent process was killed."""

LONGEST_LINE = 8190
"""Bytes of an address, or of a header: the most that gunicorn allows."""
MOST_HEADERS = 60

CONNECTIONS = 400
"""Of one process: below the number of files that systems usually let one have open."""

TOO_LONG = (
    f"The dashboard reads addresses of up to {LONGEST_LINE:,} characters. Open it at its own "
    "address and choose or type the view there: a long address is then saved under a short one."
)


class _Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    def is_parent_alive(self) -> bool:
        """Whether the parent runs; if not, give the port back at once, and answer little more.

        gunicorn alone would keep the port for all the time that requests have, and the next server
        could not have it before.
        """
        if super().is_parent_alive():
            return True
        self.alive = False  # answers close their connections from now on
        self.set_accept_enabled(False)
        for listener in self.sockets:
            listener.close()
        self.cfg.set("graceful_timeout", SECONDS_WITHOUT_PARENT)
        return False

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Answer an address that is too long with a sentence; all else as gunicorn does."""
        if not isinstance(exc, LimitRequestLine):
            super().handle_error(req, client, addr, exc)
            return
        try:
            util.write_error(client, 414, "This address is too long", TOO_LONG)
        except OSError:
            self.log.debug("The browser had gone before it was told.")


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, wsgi: Any, listening: socket.socket, seconds_to_finish: int) -> None:
        self._wsgi = wsgi
        self._settings = {
            "bind": f"fd://{listening.detach()}",  # gunicorn closes it
            "worker_class": _Worker,
            "workers": PROCESSES,
            "threads": THREADS,
            "worker_connections": CONNECTIONS,
            "preload_app": True,
            "keepalive": SECONDS_KEPT,
            "graceful_timeout": seconds_to_finish,
            "timeout": SECONDS_SILENT,
            "limit_request_line": LONGEST_LINE,
            "limit_request_field_size": LONGEST_LINE,
            "limit_request_fields": MOST_HEADERS,
            # No header of a request sets the path or the scheme, whoever sends it.
            "forwarder_headers": "",
            "forwarded_allow_ips": "",
            "loglevel": "error",
            "control_socket_disable": True,
            "post_worker_init": _leave_interrupts_to_parent,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return self._wsgi


class _Arbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, app: Any, every_second: Callable[[], object] | None) -> None:
        super().__init__(app)
        self._every_second = every_second

    def manage_workers(self) -> None:
        """Start and end processes as needed, about every second."""
        super().manage_workers()
        if self._every_second is not None:
            self._every_second()

    def handle_int(self) -> None:
        """Finish requests on Ctrl-C too; a second Ctrl-C ends at once."""
        raise StopIteration


def run_processes(
    wsgi: Any,
    listening: socket.socket,
    seconds_to_finish: int,
    every_second: Callable[[], object] | None = None,
) -> None:
    """Serve on a socket that listens, until SIGINT or SIGTERM.

    Args:
        wsgi: the app.
        listening: the socket.
        seconds_to_finish: how long requests that are being answered may take then.
        every_second: is called about every second in this process, which answers no requests.

    Raises:
        SystemExit: the processes could not be started; gunicorn has logged why.
    """
    parent = os.getpid()
    for module in LOADED_BEFORE:
        importlib.import_module(module)
    # What is loaded by now stays. Collections that look through it took a quarter of the time of
    # a page, and wrote into memory that the processes share.
    gc.collect()
    gc.freeze()
    try:
        _Arbiter(_Application(wsgi, listening, seconds_to_finish), every_second).run()
    except SystemExit as end:
        if os.getpid() != parent:
            # A process that gunicorn started: what follows here is for its parent to do.
            os._exit(end.code if isinstance(end.code, int) else 1)
        if end.code:
            raise


def _leave_interrupts_to_parent(_worker: Any) -> None:
    # A terminal sends Ctrl-C to all processes; the parent then asks each to finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
