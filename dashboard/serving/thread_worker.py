"""gunicorn's worker with threads, for clients that send a byte now and then.

gunicorn gives a connection to a thread as soon as it is there, and the thread then reads until the
request has come: sixteen slow clients would keep all threads. Here a request gets a thread once its
head is there, and its body where that is small; until then the main loop of the worker collects
what comes. A large body is read by the view that takes it, which sets its own limits of time. The
main loop itself waits for no client either: gunicorn's waits two seconds for each that is to close
its connection.
"""

from __future__ import annotations

import re
import socket
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn import util
from gunicorn.http.errors import LimitRequestLine
from gunicorn.workers.gthread import _DEFER, ThreadWorker

from dashboard.serving.response_cache import COMPUTED, TAKEN, Turns

LONGEST_LINE = 8190
"""Bytes of an address, or of a header: the most that gunicorn allows."""
MOST_HEADERS = 60
LARGEST_HEAD = (MOST_HEADERS + 1) * (LONGEST_LINE + 2)
"""What is longer is given to gunicorn, which refuses it."""

SMALL_BODY = 1024 * 1024
"""The largest body that is collected: the most that pages, forms and callbacks take."""

SECONDS_FOR_REQUEST = 10
"""How long the head of a request and a small body may take from their first byte."""

SECONDS_WITHOUT_PARENT = 3
"""How long requests that are being answered may take once the parent process was killed."""

SECONDS_FOR_REST = 0.2
"""How long a thread reads a body that its view did not want, before the connection is closed."""

SECONDS_WITHOUT_ACCEPTING = 0.1
"""After which a process looks again whether it can accept connections."""

SECONDS_TO_CLOSE = 2
"""How long a client may take to close a connection after its last answer."""

CONNECTIONS = 400
"""Of one process: below the number of files that systems usually let one have open."""

TOO_LONG = (
    f"The dashboard reads addresses of up to {LONGEST_LINE:,} characters. Open it at its own "
    "address and choose or type the view there: a long address is then saved under a short one."
)
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

_PIECE = 1 << 16
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_EXPECTS = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Answers requests in threads, each once it has come."""

    _turns: Turns | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        """As gunicorn's, with connections that are being closed."""
        super().__init__(*args, **options)
        self._closing: deque[Any] = deque()

    @property
    def worker_connections(self) -> int:
        """The most connections; none are accepted while a new request would have to wait.

        They wait for the first process that has a turn for them, rather than for this one.
        """
        return 0 if self._turns is not None and self._turns.are_taken else self._most_connections

    @worker_connections.setter
    def worker_connections(self, most: int) -> None:
        self._most_connections = most

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Do what is due; return soon where no connections are accepted, to accept them again."""
        seconds = timeout if self._accepting else min(timeout, SECONDS_WITHOUT_ACCEPTING)
        super().wait_for_and_dispatch_events(timeout=seconds)

    def _note(self, turns: Turns) -> None:
        """Let the main loop see at once that a turn was taken."""
        self._turns = turns
        self.method_queue.defer(_nothing)

    def load_wsgi(self) -> None:
        """Load the app, and close connections on which an answer was computed."""
        super().load_wsgi()
        self.wsgi: Any = partial(closing_after_computing, self.wsgi, self._note)

    def handle(self, conn: Any) -> Any:
        """Collect what has come, without waiting; answer the request once it is whole."""
        conn.init()
        came = conn.parser.unreader.take_buffered()
        is_open = True
        try:
            conn.sock.setblocking(False)
            while is_open and not is_whole(came):
                piece = conn.sock.recv(_PIECE)
                is_open = bool(piece)
                came += piece
        except (BlockingIOError, InterruptedError):
            # A process that is about to end waits in its threads, as its main loop does not.
            if self.alive:
                return self._wait(conn, came)
        except OSError:
            return False
        conn.parser.unreader.unread(came)
        conn.request_end = None
        return super().handle(conn)

    def _wait(self, conn: Any, came: bytes) -> Any:
        """Let the main loop wait for more."""
        conn.parser.unreader.unread(came)
        if not came:  # a connection on which nothing comes is ended by gunicorn
            return _DEFER
        if _request_end(conn) is None:
            conn.request_end = time.monotonic() + SECONDS_FOR_REQUEST
            conn.was_told_to_go_on = False
        if not conn.was_told_to_go_on and expects_to_be_told(came):
            conn.was_told_to_go_on = True
            try:
                conn.sock.send(_CONTINUE)
            except OSError:
                return False
        return _DEFER

    def _keepalive_after(self, conn: Any, keepalive: bool) -> bool:
        """Whether the connection can have another request: what it sent was read."""
        end = time.monotonic() + SECONDS_FOR_REST
        return keepalive and bool(conn.parser.finish_body(deadline=end))

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Go on as gunicorn does, but close connections without waiting for the client."""
        if not fs.cancelled() and fs.exception() is None and fs.result():
            super().finish_request(conn, fs)
        else:
            self._end(conn)

    def _end(self, conn: Any) -> None:
        """Send the end of what is answered, and close the connection once the client does."""
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
            # Closed before it is read to its end, it could take the answer with it.
            self.poller.register(conn.sock, EVENT_READ, partial(self._read_on, conn))
        except (OSError, ValueError):
            self.nr_conns -= 1
            conn.close()
            return
        conn.timeout = time.monotonic() + SECONDS_TO_CLOSE
        conn.read_after_end = 0
        self._closing.append(conn)

    def _read_on(self, conn: Any, connection: socket.socket) -> None:
        """Read what a client still sends on a connection that is being closed."""
        try:
            piece = connection.recv(_PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        conn.read_after_end += len(piece)
        if not piece or conn.read_after_end > SMALL_BODY:
            self._closing.remove(conn)
            self._close(conn)

    def _close(self, conn: Any) -> None:
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """End requests that come too slowly, and close connections whose time is over."""
        super().murder_pending()
        now = time.monotonic()
        slow = [conn for conn in self.pending_conns if (_request_end(conn) or now) < now]
        for conn in slow:
            self.pending_conns.remove(conn)
            self.poller.unregister(conn.sock)
            with suppress(OSError):  # it has gone
                conn.sock.send(TOO_SLOW)
            self._end(conn)
        while self._closing and self._closing[0].timeout <= now:
            self._close(self._closing.popleft())

    def is_parent_alive(self) -> bool:
        """Whether the parent runs; if not, give the port back at once, and answer little more.

        gunicorn alone would go on with every connection that a client keeps open, for all the time
        that requests have, and the next server could not have the port before.
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


def closing_after_computing(
    app: Any, note: Callable[[Turns], None], environ: dict[str, Any], start_response: Any
) -> Any:
    """Answer by a WSGI app, and close the connection where the answer was computed.

    The client's next request then comes on a new connection, which the process accepts that is
    free. `note` is told of turns that are taken.
    """
    environ[TAKEN] = note

    def start(*arguments: Any) -> Any:
        if environ.get(COMPUTED):
            start_response.__self__.force_close()  # gunicorn's response
        return start_response(*arguments)

    return app(environ, start)


def _nothing() -> None:
    """What the main loop does when it is only to look again."""


def _request_end(conn: Any) -> float | None:
    """When the request must have come that is coming; None where none has begun."""
    end: float | None = getattr(conn, "request_end", None)
    return end


def is_whole(came: bytes) -> bool:
    """Whether a thread can go on with what came of a request, without waiting for the client.

    The head must be there, and as many bytes after it as it names, where these are few. Whether
    the request is valid is not asked here.
    """
    head, end, body = came.partition(b"\r\n\r\n")
    if not end:
        return len(came) > LARGEST_HEAD
    length = _LENGTH.search(head + b"\r\n")
    expected = int(length[1]) if length else 0
    return expected > SMALL_BODY or len(body) >= expected


def expects_to_be_told(came: bytes) -> bool:
    """Whether the client has sent the head, and sends the body once it is told to."""
    head, end, _ = came.partition(b"\r\n\r\n")
    return bool(end) and _EXPECTS.search(head + b"\r\n") is not None
