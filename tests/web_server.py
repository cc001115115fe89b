"""A web server with faults, and a proxy that cuts connections, for the tests of URLs."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler", int], None]
"""Answers a request; given also how many requests of this path there were before."""


class Handler(BaseHTTPRequestHandler):
    """A request; `answers` of the server say what becomes of it."""

    def do_GET(self) -> None:
        """Answer by the path."""
        server = self.server
        assert isinstance(server, FaultyServer)
        path = self.path.partition("?")[0]
        count = server.requests[path]
        server.requests[path] += 1
        self.close_connection = True
        with suppress(ConnectionError):
            server.answers[path](self, count)

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def answer(
        self, data: bytes, status: int = 200, length: int | None = None, **headers: str
    ) -> None:
        """Send data with these headers; `length` is what Content-Length says."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def part(self, data: bytes, **headers: str) -> None:
        """Send what is asked for by Range, or all."""
        given = self.headers.get("Range", "")
        start = int(given.removeprefix("bytes=").partition("-")[0] or 0)
        if start:
            headers["Content_Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self.answer(data[start:], 206 if start else 200, **headers)


class FaultyServer(ThreadingHTTPServer):
    """The server: what it answers by path, and how often each path was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Answer] = {}
        self.requests: Counter[str] = Counter()

    def url(self, path: str, user: str = "") -> str:
        """The URL of a path."""
        return f"http://{user}127.0.0.1:{self.server_address[1]}{path}"


@contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    """A server that runs in this context."""
    server = FaultyServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class CuttingProxy:
    """Forwards connections to a port; cuts some after so many bytes of their answers."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cuts = 0
        """How many further connections are cut."""
        self.after = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
                threading.Thread(target=self._back, args=(server, client), daemon=True).start()

    @staticmethod
    def _forward(client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        sent = 0
        with suppress(OSError), client, server:
            while data := server.recv(1 << 14):
                sent += len(data)
                if self.cuts and sent > self.after:
                    self.cuts -= 1
                    client.sendall(data[: len(data) // 2])
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(data)
