"""`evalstore server start` as a process, over a store with one run."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from free_ports import free_port
from samples import add, write_run

from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store

PATIENCE = 300

SECONDS_TO_FINISH = 200
"""How long a server that is told to end, and not killed, may go on with requests."""

PROGRAM = (
    "from dashboard.serving import workers; from evalstore.server import app; "
    "from evalstore.server.api import storing; from evalstore.server.jobs import uploads; "
    "storing.SECONDS_TO_WAIT = 300; "
    "uploads.SECONDS_FOR_PIECE = {seconds}; "
    f"app.SECONDS_TO_FINISH = {SECONDS_TO_FINISH}; workers.SECONDS_SILENT = 300; "
    "from evalstore.cli import main; main()"
)
PATIENT = PROGRAM.format(seconds=300)
"""The program, which gives clients more time than any of them takes on a busy machine."""

IMPATIENT = PROGRAM.format(seconds=4)
"""The program, which ends bodies that stall sooner than it usually does."""


@dataclass(frozen=True)
class ServerProcess:
    """A server that listens, and a token of a contributor."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    database: Path

    def connect(self) -> socket.socket:
        """A connection on which nothing was sent."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def begin(self, method: str, path: str, *headers: str) -> socket.socket:
        """A connection on which the head of a request was sent, and no body."""
        connection = self.connect()
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {self.token}",
            *headers,
        ]
        connection.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
        return connection

    def ask(self, method: str, path: str, *headers: str, body: bytes = b"") -> str:
        """The whole answer to a request."""
        with self.begin(method, path, f"Content-Length: {len(body)}", *headers) as connection:
            connection.sendall(body)
            return answer_of(connection)


def answer_of(connection: socket.socket) -> str:
    """The head of an answer, and what comes of its body with it."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    return data.decode()


def status_of(answer: str) -> int:
    return int(answer.split(" ", 2)[1])


@contextmanager
def serving(
    folder: Path, public_url: str = "", *options: str, program: str = PATIENT
) -> Iterator[ServerProcess]:
    """A server on a free port, ended afterwards; its public URL is that port's where none is given.

    `options` are those of `evalstore server start`.
    """
    port = free_port()
    database = folder / "store.db"
    with Store.open(str(database)) as store:
        add(store, folder, write_run(folder))
        set_up(store, public_url or f"http://127.0.0.1:{port}", "ann", "correct horse battery")
        token = create_token(store, "ci", "contributor")
    process = start(port, database, *options, program=program)
    try:
        served = ServerProcess(process, port, token, database)
        wait_for(served)
        yield served
    finally:
        end(process)


def start(
    port: int, database: Path, *options: str, program: str = PATIENT
) -> subprocess.Popen[bytes]:
    """Start `evalstore server start`, in a process group of its own."""
    command = [sys.executable, "-c", program, "server", "start", "--port", str(port), *options]
    return subprocess.Popen(
        [*command, "--db", str(database)], stderr=subprocess.DEVNULL, start_new_session=True
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Let a server finish, or end it."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    finally:
        process.kill()


def wait_for(served: ServerProcess) -> None:
    """Return when a server answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            assert status_of(served.ask("GET", "/healthz")) == 200
            return
        except OSError:
            assert served.process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
