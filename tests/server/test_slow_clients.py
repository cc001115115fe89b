"""Clients that send a byte now and then, 200 of them, against the server as it runs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from server_process import ServerProcess, answer_of, serving, status_of

pytestmark = pytest.mark.slow  # processes are started

MANY = 200
"""Connections: more than twelve for each thread of the server."""

AT_ONCE = 200
"""Seconds within which an answer has not waited: here each slow client would take 300."""

LOGIN = "POST /login HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n"
BEGUN = {
    "nothing": "",
    "a part of a head": "GET /healthz HTTP/1.1\r\nHos",
    "a head and no body": LOGIN,
    "a large body that nobody wants": LOGIN.replace("100", "9000000"),
    "a body that nobody wants": LOGIN.replace("POST", "GET").replace("100", "9000000"),
    "a body of unknown length": LOGIN.replace("Content-Length: 100", "Transfer-Encoding: chunked"),
}
"""What each of the slow clients has sent, before it sends a byte now and then."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that the tests of this file share."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serving(folder) as running:
        yield running


@contextmanager
def slow_clients(served: ServerProcess, begun: str) -> Iterator[list[socket.socket]]:
    """Many clients that have sent this, and send a byte now and then."""
    over = threading.Event()
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(served.connect())) for _ in range(MANY)]

        def drip() -> None:
            while not over.wait(0.5):
                for client in clients:
                    try:
                        client.send(b"x")
                    except OSError:
                        continue

        for client in clients:
            client.sendall(begun.format(host=f"127.0.0.1:{served.port}").encode())
        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield clients
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("begun", BEGUN)
def test_200_slow_clients_keep_nobody_waiting(served: ServerProcess, begun: str) -> None:
    with slow_clients(served, BEGUN[begun] if begun != "nothing" else ""):
        for path in ("/healthz", "/login", "/healthz"):
            with served.begin("GET", path, "Connection: close") as connection:
                connection.settimeout(AT_ONCE)
                assert status_of(answer_of(connection)) == 200


def test_clients_that_do_not_close_their_connection_keep_nobody_waiting(
    served: ServerProcess,
) -> None:
    with ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(served.begin("GET", "/healthz", "Connection: close"))
        with served.begin("GET", "/healthz") as connection:
            connection.settimeout(AT_ONCE)
            assert status_of(answer_of(connection)) == 200


def test_a_request_in_many_pieces_is_answered_as_in_one(served: ServerProcess) -> None:
    form = b"name=nobody&password=wrong+password+here"
    head = (
        f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Origin: http://127.0.0.1:{served.port}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n"
    ).encode()
    for size in (len(head) + len(form), 50):
        with served.connect() as connection:
            data = head + form
            for first in range(0, len(data), size):
                connection.sendall(data[first : first + size])
                time.sleep(0.02)
            assert status_of(answer_of(connection)) == 403


def test_two_requests_in_one_piece_are_both_answered(served: ServerProcess) -> None:
    request = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
    with served.connect() as connection:
        connection.sendall(request + request)
        data = b""
        while data.count(b"HTTP/1.1 200") < 2:
            piece = connection.recv(65536)
            assert piece
            data += piece


def test_who_waits_to_be_told_to_go_on_is_told(served: ServerProcess) -> None:
    with served.begin("POST", "/login", "Content-Length: 5", "Expect: 100-continue") as connection:
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"name=")
        data = b""
        while b"HTTP/1.1 4" not in data:
            piece = connection.recv(65536)
            assert piece
            data += piece


def test_a_form_of_unknown_length_is_refused(served: ServerProcess) -> None:
    origin = f"Origin: http://127.0.0.1:{served.port}"
    with served.begin("POST", "/login", "Transfer-Encoding: chunked", origin) as connection:
        assert status_of(answer_of(connection)) == 411
