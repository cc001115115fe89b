"""`evalstore server start` where nothing forks, as on Windows: waitress answers, in one process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from free_ports import free_port
from samples import add, write_run
from sending import run_file, sha256
from server_process import PATIENCE, ServerProcess, answer_of, status_of, wait_for

from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store

pytestmark = [
    pytest.mark.slow,  # processes are started
    pytest.mark.skipif(os.name != "posix", reason="sends signals as POSIX does"),
]

PROGRAM = (
    "import os, sys; del os.fork; sys.modules['gunicorn'] = None; "
    "from evalstore.server.api import storing; storing.SECONDS_TO_WAIT = 300; "
    "from evalstore.cli import main; main()"
)
"""The program where processes can't fork, and gunicorn can't be imported."""

BLOBS = "/api/v1/collections/test/blobs/sha256:"
LOGIN = "Content-Type: application/x-www-form-urlencoded"


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[ServerProcess]:
    """A server, ended afterwards; what it writes on standard error is in `folder/log`."""
    port, database = free_port(), folder / "store.db"
    with Store.open(str(database)) as store:
        add(store, folder, write_run(folder))
        set_up(store, f"http://127.0.0.1:{port}", "ann", "correct horse battery")
        token = create_token(store, "ci", "contributor")
    command = [sys.executable, "-c", PROGRAM, "server", "start", "--port", str(port), *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--db", str(database)], stderr=log, start_new_session=True
        )
    try:
        served = ServerProcess(process, port, token, database)
        wait_for(served)
        yield served
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[ServerProcess]:
    """A server that the tests of this file share."""
    with serving(folder) as running:
        yield running


def logged(folder: Path) -> list[dict[str, Any]]:
    """The lines of the log: each is JSON, or this fails."""
    return [json.loads(line) for line in (folder / "log").read_text("utf-8").splitlines()]


def test_it_answers_and_writes_a_line_of_each_request(served: ServerProcess, folder: Path) -> None:
    assert status_of(served.ask("GET", "/login?next=/secret")) == 200
    assert status_of(served.ask("GET", "/api/v1/collections")) == 200
    page, listed = logged(folder)[-2:]
    assert (page["path"], page["status"], page["address"]) == ("/login", 200, "127.0.0.1")
    assert (listed["token"], listed["status"]) == ("ci", 200)
    assert "secret" not in str(page)


def test_a_slash_in_a_name_is_told_from_one_between_names(served: ServerProcess) -> None:
    assert status_of(served.ask("GET", "/api/v1/collections/te%73t/leaderboard")) == 200
    assert status_of(served.ask("GET", "/api/v1/collections/test%2Fleaderboard")) == 404


def test_a_form_is_taken_and_a_body_of_more_than_1_mib_refused(served: ServerProcess) -> None:
    origin = f"Origin: http://127.0.0.1:{served.port}"
    form = b"name=nobody&password=wrong+password"
    assert status_of(served.ask("POST", "/login", LOGIN, origin, body=form)) == 403
    body = form.ljust((1 << 20) + 1, b"x")
    assert status_of(served.ask("POST", "/login", LOGIN, origin, body=body)) == 413


def test_a_larger_body_than_any_piece_is_refused_before_it_comes(served: ServerProcess) -> None:
    length = f"Content-Length: {(64 << 20) + 1}"
    with served.begin("PUT", BLOBS + "0" * 64, length) as connection:
        assert status_of(answer_of(connection)) == 413


def test_a_run_is_sent_in_pieces_and_stored(served: ServerProcess) -> None:
    content = run_file()
    path, size = BLOBS + sha256(content), len(content)
    first, rest = content[:10], content[10:]
    assert status_of(served.ask("PUT", path, f"Content-Range: bytes 0-9/{size}", body=first)) == 202
    range_ = f"Content-Range: bytes 10-{size - 1}/{size}"
    assert status_of(served.ask("PUT", path, range_, body=rest)) == 201
    body = json.dumps({"blob": f"sha256:{sha256(content)}", "file": "other.run"}).encode()
    type_ = "Content-Type: application/json"
    status = 202  # on a busy machine the job takes longer than a request waits for it
    while status == 202:
        status = status_of(served.ask("POST", "/api/v1/collections/test/runs", type_, body=body))
    assert status in (200, 201)


def test_after_ctrl_c_what_is_being_sent_is_taken_to_its_end_and_nothing_new(
    tmp_path: Path,
) -> None:
    """And behind a proxy what it says of the address counts; for SIGTERM see tests/dashboard."""
    content = run_file()
    headers = (f"Content-Length: {len(content)}", "Expect: 100-continue")
    with serving(tmp_path, "--behind-proxy") as served:
        path = BLOBS + sha256(content)
        with served.begin("PUT", path, *headers, "X-Forwarded-For: 192.0.2.7") as sending:
            assert sending.recv(100).startswith(b"HTTP/1.1 100 ")
            os.kill(served.process.pid, signal.SIGINT)
            while takes_connections(served.port):
                pass
            sending.sendall(content)
            assert status_of(answer_of(sending)) == 201
        assert served.process.wait(PATIENCE) == 0
    assert (logged(tmp_path)[-1]["status"], logged(tmp_path)[-1]["address"]) == (201, "192.0.2.7")
    assert warnings_in(tmp_path) == 0


def takes_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
    except ConnectionError:
        return False
    return True


def warnings_in(folder: Path) -> int:
    return [line.get("level") for line in logged(folder)].count("warning")


def test_what_is_said_of_the_address_of_a_client_does_not_count(
    served: ServerProcess, folder: Path
) -> None:
    assert status_of(served.ask("GET", "/login", "X-Forwarded-For: 192.0.2.7")) == 200
    assert logged(folder)[-1]["address"] == "127.0.0.1"
    assert warnings_in(folder) == 1
