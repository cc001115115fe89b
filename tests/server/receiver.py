"""A receiver of webhooks on this machine, in a thread of the test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


@dataclass
class Receiver:
    """What came, and with which statuses it is answered, the last one for all that follow."""

    statuses: list[int] = field(default_factory=lambda: [204])
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.came]


@contextmanager
def receiving(*statuses: int) -> Iterator[Receiver]:
    receiver = Receiver(list(statuses) or [204])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that the library asks for
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.came.append(({k.lower(): v for k, v in self.headers.items()}, body))
            left = receiver.statuses
            self.send_response(left.pop(0) if len(left) > 1 else left[0])
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join(10)


def wait_for(receiver: Receiver) -> None:
    """Wait until something came."""
    end = time.monotonic() + 300
    while not receiver.came:
        assert time.monotonic() < end
        time.sleep(0.02)
