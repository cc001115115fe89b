"""Heads and bodies that stall, drip, end too early or are chunked, sent to a running server."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sending import run_file, sha256
from server_process import IMPATIENT, ServerProcess, answer_of, serving, status_of

pytestmark = pytest.mark.slow  # processes are started

CONTENT = bytes(range(256)) * 400
LARGE = 2 << 20
"""Bytes of a body that a view reads as it comes."""

BLOBS = "/api/v1/collections/test/blobs/sha256:"
PATH = BLOBS + sha256(CONTENT)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that the tests of this file share."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serving(folder, program=IMPATIENT) as running:
        yield running


def offset_of(served: ServerProcess, path: str) -> str | None:
    answer = served.ask("HEAD", path)
    lines = [line for line in answer.splitlines() if line.lower().startswith("upload-offset:")]
    return lines[0].partition(": ")[2] if lines else None


def test_a_run_is_sent_and_stored_by_the_worker_of_the_server(served: ServerProcess) -> None:
    content = run_file()
    path = BLOBS + sha256(content)
    assert status_of(served.ask("PUT", path, body=content)) == 201
    body = json.dumps({"blob": f"sha256:{sha256(content)}", "file": "other.run"}).encode()
    type_ = "Content-Type: application/json"
    answers = [
        status_of(served.ask("POST", "/api/v1/collections/test/runs", type_, body=body))
        for _ in range(2)
    ]
    assert answers == [201, 200]


def test_a_chunked_body_is_taken_as_long_as_its_range_says(served: ServerProcess) -> None:
    content = b"chunked" * 30_000
    last, path = len(content) - 1, BLOBS + sha256(content)
    range_ = f"Content-Range: bytes 0-{last}/{len(content)}"
    with served.begin("PUT", path, "Transfer-Encoding: chunked", range_) as connection:
        connection.sendall(f"{len(content):x}\r\n".encode() + content + b"\r\n0\r\n\r\n")
        assert status_of(answer_of(connection)) == 201


def test_a_chunked_body_that_is_cut_off_is_no_whole_file_and_goes_on(
    served: ServerProcess,
) -> None:
    content = b"cut" * 100_000
    path, cut = BLOBS + sha256(content), 200_000
    range_ = f"Content-Range: bytes 0-{len(content) - 1}/{len(content)}"
    with served.begin("PUT", path, "Transfer-Encoding: chunked", range_) as connection:
        connection.sendall(f"{len(content):x}\r\n".encode() + content[:cut])
        connection.shutdown(socket.SHUT_WR)
        assert status_of(answer_of(connection)) == 400
    offset = int(offset_of(served, path) or -1)
    assert 0 < offset <= cut
    range_ = f"Content-Range: bytes {offset}-{len(content) - 1}/{len(content)}"
    assert status_of(served.ask("PUT", path, range_, body=content[offset:])) == 201


def test_a_chunked_body_that_is_longer_than_its_range_is_refused(served: ServerProcess) -> None:
    content = b"long" * 50_000
    path = BLOBS + sha256(content[:1000])
    with served.begin(
        "PUT", path, "Transfer-Encoding: chunked", "Content-Range: bytes 0-999/1000"
    ) as connection:
        connection.sendall(f"{len(content):x}\r\n".encode() + content + b"\r\n0\r\n\r\n")
        assert status_of(answer_of(connection)) in {400, 413}
    assert (offset_of(served, path) or "0") == "0"


def test_a_connection_that_is_lost_in_the_middle_goes_on(served: ServerProcess) -> None:
    content = b"lost" * 100_000
    path = BLOBS + sha256(content)
    with served.begin("PUT", path, f"Content-Length: {len(content)}") as connection:
        connection.sendall(content[:250_000])
        connection.shutdown(socket.SHUT_WR)
        assert status_of(answer_of(connection)) == 400
    offset = int(offset_of(served, path) or -1)
    assert 0 < offset <= 250_000
    range_ = f"Content-Range: bytes {offset}-{len(content) - 1}/{len(content)}"
    assert status_of(served.ask("PUT", path, range_, body=content[offset:])) == 201


def test_a_file_above_the_limit_is_refused_without_being_read(served: ServerProcess) -> None:
    with served.begin("PUT", PATH, f"Content-Length: {1 << 40}") as connection:
        assert status_of(answer_of(connection)) == 413


def test_bodies_that_stall_or_drip_are_ended_and_keep_no_thread(served: ServerProcess) -> None:
    """More of them than there are threads for; others are answered meanwhile."""
    stalled = [
        served.begin("PUT", PATH[:-4] + f"{number:04x}", f"Content-Length: {LARGE}")
        for number in range(20)
    ]
    over = threading.Event()

    def drip() -> None:
        while not over.wait(0.2):
            for connection in stalled[::2]:
                try:
                    connection.send(b"x")
                except OSError:
                    over.set()

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert status_of(served.ask("GET", "/healthz")) == 200
        statuses = {status_of(answer_of(connection)) for connection in stalled[1::2]}
        dripping = {status_of(answer_of(connection)) for connection in stalled[::2]}
    finally:
        over.set()
        thread.join()
        for connection in stalled:
            connection.close()
    assert statuses | dripping <= {400, 408, 429}
    assert {408, 429} <= statuses | dripping
    assert status_of(served.ask("PUT", PATH, body=CONTENT)) == 201


def test_a_json_body_that_stalls_is_ended(served: ServerProcess) -> None:
    type_ = "Content-Type: application/json"
    path = "/api/v1/collections/test/runs"
    with served.begin("POST", path, type_, "Content-Length: 100") as connection:
        connection.sendall(b"{")
        assert status_of(answer_of(connection)) == 408


def test_a_killed_worker_is_replaced(served: ServerProcess) -> None:
    content = run_file("later")
    assert status_of(served.ask("PUT", BLOBS + sha256(content), body=content)) == 201
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children")
    if not children.exists():
        pytest.skip("the system does not list the children of a process")
    workers = [pid for pid in children.read_text().split() if is_worker(pid)]
    assert len(workers) == 1
    os.kill(int(workers[0]), signal.SIGKILL)
    body = json.dumps({"blob": f"sha256:{sha256(content)}", "file": "later.run"}).encode()
    type_ = "Content-Type: application/json"
    answer = served.ask("POST", "/api/v1/collections/test/runs", type_, body=body)
    assert status_of(answer) in {201, 202}


def is_worker(pid: str) -> bool:
    return b"evalstore.server.jobs.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
