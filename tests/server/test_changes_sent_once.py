"""A change is sent again only where the server says that it has not made it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evalstore.client.connection import Server, parse_address
from evalstore.client.remote_store import RemoteStore
from evalstore.errors import StoreError

DONE = {"runs": [{"collection": "test", "run": "bm25"}]}


class Scripted(BaseHTTPRequestHandler):
    """Answers each request with the next status; where that is 0 it breaks the connection."""

    statuses: list[int]
    asked: list[str]

    def do_POST(self) -> None:
        self.asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        status = self.statuses.pop(0)
        if status == 0:
            self.close_connection = True
            return
        problem = {"detail": "not now", "status": status}
        body = json.dumps(DONE if status == 200 else problem).encode()
        self.send_response(status)
        kind = "application/json" if status == 200 else "application/problem+json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def scripted(*statuses: int) -> Iterator[tuple[RemoteStore, list[str]]]:
    """What changes a store through a server that answers so, and the bodies that it got."""
    asked: list[str] = []
    handler = type("Handler", (Scripted,), {"statuses": list(statuses), "asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listens:
        thread = threading.Thread(target=listens.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{listens.server_port}"
        try:
            with closing(Server(parse_address(url), pause=lambda _: None)) as server:
                yield RemoteStore(server), asked
        finally:
            listens.shutdown()
            thread.join()


@pytest.mark.parametrize("status", [429, 503])
def test_a_change_that_the_server_can_not_make_now_is_sent_again(status: int) -> None:
    with scripted(status, status, 200) as (changer, asked):
        (removed,) = changer.remove_runs(["bm25"])
    assert (removed.collection, removed.name) == ("test", "bm25")
    assert asked == ['{"runs": ["bm25"]}'] * 3


@pytest.mark.parametrize("status", [0, 500, 502, 504])
def test_a_change_that_may_have_been_made_is_not_sent_again(status: int) -> None:
    with scripted(status, 200) as (changer, asked):
        with pytest.raises(StoreError):
            changer.remove_runs(["bm25"])
        assert len(asked) == 1
