"""Running the app in several processes, which gunicorn starts, monitors and ends.

Python computes in one thread of a process at a time, so two processes use two cores. Each process
handles several requests at once in threads, most of which wait for the database. The app is made
before the processes are started, so they share its memory; a store opens separate connections in
each process (`evalstore.store.database.make_engine`). On SQLite many processes read at once.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import ThreadWorker

PROCESSES = 2
THREADS = 8
SECONDS_KEPT = 30
"""The time for which an idle connection stays open: longer than most pauses between clicks."""

LOADED_BEFORE = ("plotly.graph_objs._figure", "plotly.graph_objs._scatter")
"""Modules that pages load late: loading them in each process would delay its first visitor."""

SECONDS_SILENT = 60
"""A process whose main loop does not respond for this long is ended and replaced."""

SECONDS_WITHOUT_PARENT = 3
"""The time for pending requests after the parent process was killed."""

LONGEST_LINE = 8190
"""The longest address or header in bytes: the most that gunicorn allows."""
MOST_HEADERS = 60

WITH_BODY_LEFT = ("408", "413", "507")
"""Statuses of a request whose body is not read: its connection is closed, and the client told."""

CONNECTIONS = 400
"""The most connections of a process: fewer than the usual limit on a process's open files."""


class _Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    def is_parent_alive(self) -> bool:
        """Check whether the parent runs; if not, free the port at once and end soon.

        gunicorn alone would block the port for the next server until all pending requests are
        answered.
        """
        if super().is_parent_alive():
            return True
        self.alive = False  # from now on, answers close their connections
        self.set_accept_enabled(False)
        for listener in self.sockets:
            listener.close()
        self.cfg.set("graceful_timeout", SECONDS_WITHOUT_PARENT)
        return False


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, wsgi: Any, listening: socket.socket, seconds_to_finish: int) -> None:
        self._wsgi = wsgi
        self._settings = {
            "bind": f"fd://{listening.detach()}",  # gunicorn closes the descriptor
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
            # No header of a request may set the path or the scheme, whoever sends it.
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
        """The app; gunicorn drops its `Connection: close`, so it is told in another way."""

        def app(environ: dict[str, Any], start_response: Any) -> Any:
            def start(status: str, *more: Any) -> Any:
                if status[:3] in WITH_BODY_LEFT:
                    start_response.__self__.force_close()
                return start_response(status, *more)

            return self._wsgi(environ, start)

        return app


class _Arbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, app: Any, every_second: Callable[[], object] | None) -> None:
        super().__init__(app)
        self._every_second = every_second

    def manage_workers(self) -> None:
        """Start and end processes as needed; called about every second."""
        super().manage_workers()
        if self._every_second is not None:
            self._every_second()

    def handle_int(self) -> None:
        """Finish requests on Ctrl-C too; a second Ctrl-C ends at once."""
        raise StopIteration


def run(
    wsgi: Any,
    listening: socket.socket,
    seconds_to_finish: int,
    every_second: Callable[[], object] | None = None,
) -> None:
    """Serve on a listening socket until SIGINT or SIGTERM.

    `every_second` is called in this process, which answers no requests itself. Raises SystemExit if
    the processes could not be started; gunicorn has logged the reason.
    """
    parent = os.getpid()
    for module in LOADED_BEFORE:
        importlib.import_module(module)
    # Objects loaded so far are permanent. Garbage collections over them took a quarter of the time
    # of a page, and wrote into memory that the processes share.
    gc.collect()
    gc.freeze()
    try:
        _Arbiter(_Application(wsgi, listening, seconds_to_finish), every_second).run()
    except SystemExit as end:
        if os.getpid() != parent:
            # This is a process that gunicorn started: the rest of this function is for its parent.
            os._exit(end.code if isinstance(end.code, int) else 1)
        if end.code:
            raise


def _leave_interrupts_to_parent(_worker: Any) -> None:
    # A terminal sends Ctrl-C to all processes; the parent then tells each one to finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
