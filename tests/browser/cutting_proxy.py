"""A proxy that can cut every connection at once, as a network does that breaks."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BLOCK = 1 << 16


class CuttingProxy:
    """Passes bytes on to a port of this machine, and counts those that go there.

    Attributes:
        port: where it listens.
        sent: the bytes that clients have sent to the server.
        cut_at: when so many were sent, all connections end, once, and so does the next one: by it
            a browser sends again, without a word, what broke on a connection used before. None
            for never.
        cuts: how often that was.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.sent = 0
        self.cut_at: int | None = None
        self.cuts = 0
        self._refuses = False
        self._target = 0
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def start(self, target: int) -> None:
        """Pass on to that port from now on."""
        self._target = target
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """End everything."""
        self._listener.close()
        self._cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._refuses:
                    self._refuses = False
                    client.close()
                    continue
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """Pass on what comes from both ends; close them when both have ended, and no earlier."""
        with client, socket.create_connection(("127.0.0.1", self._target)) as server:
            with self._lock:
                self._open |= {client, server}
            back = threading.Thread(target=self._pass, args=(server, client, False), daemon=True)
            back.start()
            self._pass(client, server, True)
            back.join()
            with self._lock:
                self._open -= {client, server}

    def _pass(self, one: socket.socket, other: socket.socket, counts: bool) -> None:
        with suppress(OSError):
            while data := one.recv(BLOCK):
                other.sendall(data)
                if counts:
                    self._count(len(data))
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _count(self, bytes_: int) -> None:
        with self._lock:
            self.sent += bytes_
            is_over = self.cut_at is not None and self.sent >= self.cut_at
            if is_over:
                self.cut_at, self.cuts = None, self.cuts + 1
                self._refuses = True
        if is_over:
            self._cut()

    def _cut(self) -> None:
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy() -> Iterator[CuttingProxy]:
    """A proxy, ended afterwards."""
    made = CuttingProxy()
    try:
        yield made
    finally:
        made.stop()
