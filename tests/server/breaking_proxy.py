"""A proxy that breaks connections in the middle of what a client sends."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 300
RESET = struct.pack("ii", 1, 0)
"""To close a connection at once, without a farewell."""


class BreakingProxy:
    """Passes bytes on; connections that send a file can end after so many bytes of the client.

    Attributes:
        limits: how many bytes each of the next connections passes on that begin with a PUT.
        broken: how many connections were broken.
        target: the port that bytes are passed on to.
    """

    def __init__(self, port: int) -> None:
        self.limits: list[int] = []
        self.broken = 0
        self.target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])

    def serve(self) -> None:
        """Take connections until the listener is closed."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def close(self) -> None:
        # shutdown wakes the thread that accepts; close alone does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            is_broken = threading.Event()
            answers = threading.Thread(target=_copy, args=(server, client, is_broken), daemon=True)
            answers.start()
            left: int | None = None
            with contextlib.suppress(OSError):
                while data := client.recv(65536):
                    if left is None and data.startswith(b"PUT ") and self.limits:
                        left = self.limits.pop(0)
                    if left is not None and left <= len(data):
                        is_broken.set()
                    server.sendall(data[:left])
                    if is_broken.is_set():
                        self.broken += 1
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        break
                    if left is not None:
                        left -= len(data)
                # Closing alone tells nobody while the other thread waits for bytes.
                server.shutdown(socket.SHUT_WR)
                # A client that is told sooner would ask while the server still waits for the rest.
                answers.join(PATIENCE)


def _copy(source: socket.socket, target: socket.socket, is_broken: threading.Event) -> None:
    """Pass on what the server answers, until it closes the connection."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            if not is_broken.is_set():
                target.sendall(data)


@contextmanager
def breaking_proxy() -> Iterator[BreakingProxy]:
    """A proxy that listens; set its `target` before the first connection."""
    proxy = BreakingProxy(0)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
