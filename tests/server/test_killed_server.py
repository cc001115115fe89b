"""A server that is killed: its port is free again, and what was sent is stored once."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from samples import TFIDF, add, statuses, write_run
from server_process import PATIENCE, SECONDS_TO_FINISH, ServerProcess, end, serving, start

from evalstore.client import ingest as sending
from evalstore.client.connection import Server, parse_address
from evalstore.client.ingest import CollectionFiles, ingest, send_collection
from evalstore.errors import StoreError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats.sources import RunSource
from evalstore.ingest.ingest import Outcome
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.store import Store
from evalstore.store.queries.events import events

pytestmark = pytest.mark.slow  # processes are started


@contextmanager
def asking_again_and_again(port: int) -> Iterator[None]:
    """A client that keeps its connection, and asks on it without a pause."""
    over = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        while not over.is_set():
            try:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection.close()
                time.sleep(0.05)
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except OSError:
            return False
    return True


def test_the_port_of_a_killed_server_is_free_before_its_clients_are_gone(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.connect(), asking_again_and_again(served.port):
        served.process.kill()
        served.process.wait(PATIENCE)
        killed = time.monotonic()
        while not is_free(served.port):
            assert time.monotonic() - killed < 0.8 * SECONDS_TO_FINISH
            time.sleep(0.1)


class KillsInTheMiddle:
    """Kills a server when the first bytes of the second file are there, and starts another one."""

    def __init__(self, served: ServerProcess) -> None:
        self._served = served
        self._files = 0
        self._supervisor = threading.Thread(target=self._start_again)
        self._is_over = False
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def has_killed(self) -> bool:
        return self._supervisor.ident is not None

    def started(self, path: str) -> None:
        self._files += 1

    def sent(self, count: int) -> None:
        if self._files == 2 and not self.has_killed:
            os.killpg(self._served.process.pid, signal.SIGKILL)
            self._served.process.wait(PATIENCE)
            self._supervisor.start()

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""

    def _start_again(self) -> None:
        """As a supervisor does: a server ends at once for as long as the port is taken."""
        while not self._is_over:
            self.processes.append(start(self._served.port, self._served.database))
            self.processes[-1].wait()
            time.sleep(0.2)

    def close(self) -> None:
        self._is_over = True
        if self.has_killed:
            while self._supervisor.is_alive():
                end(self.processes[-1])
                self._supervisor.join(1)


def large_run(folder: Path) -> str:
    lines = (f"q{q} Q0 d{d} {d} {9000 - d} large\n" for q in (1, 2, 3) for d in range(1, 4001))
    path = folder / "large.run"
    path.write_text("".join(lines))
    return str(path)


@pytest.mark.nightly
def test_a_server_that_is_killed_in_an_upload_and_starts_again_stores_every_run_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "PIECE", 20_000)
    files = [
        write_run(tmp_path, TFIDF, "first.run", "first"),
        large_run(tmp_path),
        write_run(tmp_path, {"q1": ["d2", "d9"]}, "last.run", "last"),
    ]
    with serving(tmp_path) as served:
        server = Server(parse_address(f"http://127.0.0.1:{served.port}"), served.token)
        progress = KillsInTheMiddle(served)
        try:
            sources = [RunSource(file) for file in files]
            result = ingest(server, IngestOptions("test"), sources, qrels=None, progress=progress)
        finally:
            server.close()
            progress.close()
    assert progress.has_killed
    # A server may be killed after it stored a run, and before it answers.
    assert {outcome.status for outcome in result.outcomes} == {"stored"}
    with Store.open(str(served.database)) as store:
        names = ["bm25", "first", "large", "last"]
        assert sorted(run.run for run in list_runs(store, [], Choice())) == names
        with store.read() as connection:
            stored = [event.subject for event in events(connection) if event.action == "ingest"]
        assert sorted(name for name in stored if name in names) == names
        again = add(store, tmp_path, *files)
        assert statuses(again) == ["already stored"] * 3


def test_ingest_waits_for_a_server_that_is_starting_and_other_commands_do_not() -> None:
    pauses: list[float] = []
    server = Server(parse_address("http://127.0.0.1:1"), "evs_x", pause=pauses.append)
    with pytest.raises(StoreError, match="can't be reached: connection refused"):
        server.get("/runs")
    assert pauses == []
    with pytest.raises(StoreError, match="can't be reached: connection refused"):
        send_collection(server, "test", CollectionFiles())
    assert pauses
