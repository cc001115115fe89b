"""Connections and requests in other pieces than usual, against the server as it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from server_process import ServerProcess, answer_of, serving, status_of

pytestmark = pytest.mark.slow  # processes are started

MANY = 60
"""Connections: more than three for each thread of the server."""

AT_ONCE = 200
"""Seconds within which an answer has not waited: here each slow client would take 300."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that the tests of this file share."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serving(folder) as running:
        yield running


@pytest.mark.nightly
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


def test_who_sends_too_much_is_told_that_the_connection_closes(served: ServerProcess) -> None:
    path = f"/api/v1/collections/test/blobs/sha256:{'0' * 64}"
    with served.begin("PUT", path, f"Content-Length: {1 << 45}") as connection:
        answer = answer_of(connection)
        assert status_of(answer) == 413
        assert "\r\nConnection: close\r\n" in answer
        while connection.recv(65536):
            pass


def test_headers_set_neither_path_nor_scheme(served: ServerProcess) -> None:
    for header in (
        "SCRIPT_NAME: /_dash-layout",
        "PATH_INFO: /login",
        "X-Forwarded-Proto: https",
        "X-Script-Name: /x",
    ):
        connection = served.connect()
        head = f"GET /_dash-layout HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n{header}\r\n\r\n"
        with connection:
            connection.sendall(head.encode())
            assert status_of(answer_of(connection)) in {400, 401}, header
