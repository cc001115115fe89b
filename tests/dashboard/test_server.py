from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from free_ports import free_port
from samples import add, write_run

from dashboard import app as dashboard_app
from dashboard.serving import server
from evalstore.errors import EvalstoreError
from evalstore.store import Store

PATIENCE = 300
"""Seconds until a test fails that would wait for ever."""


def hello(environ: dict[str, Any], start: Any) -> list[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


def test_the_address_is_told_once_the_port_is_held(capfd: pytest.CaptureFixture[str]) -> None:
    serving = server.Server(hello, "127.0.0.1", 0)
    thread = threading.Thread(target=serving.run)
    thread.start()
    try:
        address = server.address("127.0.0.1", serving.port)
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - our own
            assert answer.read() == b"hello"
    finally:
        serving.stop()
        thread.join()
        serving.close()
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_one_sentence_with_a_way_out(
    empty_store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EvalstoreError) as caught:
            dashboard_app.serve(empty_store, "127.0.0.1", port)
    assert str(caught.value) == f"port {port} is in use: try --port {port + 1}"
    assert capfd.readouterr() == ("", "")


def test_an_address_of_another_machine_is_one_sentence() -> None:
    with pytest.raises(EvalstoreError, match="not an address of this machine"):
        server.run(hello, "192.0.2.1", 8050, None)


def test_ctrl_c_ends_it_without_a_traceback(
    empty_store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    addresses: list[str] = []

    def interrupt(address: str) -> None:
        addresses.append(address)
        raise KeyboardInterrupt

    dashboard_app.serve(empty_store, "127.0.0.1", 0, on_ready=interrupt)
    assert addresses[0].startswith("http://127.0.0.1:")
    assert capfd.readouterr() == ("", "")
    # The port is free again.
    port = int(addresses[0].rpartition(":")[2])
    server.Server(hello, "127.0.0.1", port).close()


def test_a_name_that_is_no_host_is_one_sentence() -> None:
    with pytest.raises(EvalstoreError, match="'no.such.host.invalid' is not an address"):
        server.run(hello, "no.such.host.invalid", 8050, None)


def test_it_serves_on_ipv6_too() -> None:
    try:
        serving = server.Server(hello, "::1", 0)
    except server.AddressUnavailable:
        pytest.skip("this machine has no IPv6")
    try:
        assert serving.port > 0
        assert server.address("::1", serving.port) == f"http://[::1]:{serving.port}"
    finally:
        serving.close()


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:8050"),
        ("0.0.0.0", "http://127.0.0.1:8050"),  # noqa: S104
        ("::1", "http://[::1]:8050"),
        ("::", "http://[::1]:8050"),
    ],
)
def test_the_address_is_one_that_a_person_can_open(host: str, shown: str) -> None:
    assert server.address(host, 8050) == shown


def test_two_apps_in_one_process_are_independent(store: Store, empty_store: Store) -> None:
    first = dashboard_app.create_app(store)
    second = dashboard_app.create_app(empty_store)
    assert first.server is not second.server
    assert len(first.callback_map) <= len(second.callback_map)
    assert '"main"' in first.server.test_client().get("/_dash-layout").text
    assert '"empty"' in second.server.test_client().get("/_dash-layout").text


@pytest.fixture
def database(tmp_path: Path) -> Path:
    Store.open(f"sqlite:///{tmp_path / 'served.db'}").close()
    return tmp_path / "served.db"


def started(*program: str, **environment: str) -> subprocess.Popen[str]:
    """A process and its own group, as a terminal starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", *program],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until_read(connection: socket.socket) -> None:
    """Wait until a server of this machine has accepted a connection and read what was sent."""
    ends = (connection.getpeername(), connection.getsockname())
    wanted = [f"0100007F:{port:04X}" for _, port in ends]
    end = time.monotonic() + PATIENCE
    is_read = False
    while not is_read:
        assert time.monotonic() < end
        for line in Path("/proc/net/tcp").read_text().splitlines():
            columns = line.split()
            unread, inode = columns[4].rpartition(":")[2], columns[9]
            # A connection that was not accepted has no inode yet.
            is_read |= columns[1:3] == wanted and unread.strip("0") == "" and inode != "0"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """`evalstore dashboard` over a store with the collection `a/b`; its port."""
    folder = tmp_path_factory.mktemp("served")
    with Store.open(f"sqlite:///{folder / 'served.db'}") as store:
        add(store, folder, write_run(folder), collection="a/b")
    process = started("evalstore", "dashboard", "--port", "0", "--db", str(folder / "served.db"))
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline().split(":")[2].split()[0])
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "interrupt",
    [pytest.param(signal.SIGINT, marks=pytest.mark.nightly), signal.SIGTERM],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_the_command_ends_with_status_0_and_finishes_what_it_was_asked(
    database: Path, interrupt: signal.Signals
) -> None:
    process = started("evalstore", "dashboard", "--port", "0", "--db", str(database))
    assert process.stdout is not None
    port = int(process.stdout.readline().split(":")[2].split()[0])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as asking:
        # The server has accepted the connection and has half of a request when the signal comes.
        asking.sendall(b"GET /healthz HTTP/1.1\r\n")
        wait_until_read(asking)
        os.killpg(process.pid, interrupt)  # Ctrl-C goes to all processes of a terminal
        time.sleep(0.2)
        asking.sendall(b"Host: localhost\r\nConnection: close\r\n\r\n")
        answer = asking.makefile("rb").read()
    output, errors = process.communicate(timeout=PATIENCE)
    assert answer.startswith(b"HTTP/1.1 200")
    assert (process.returncode, output, errors) == (0, "", "")


@pytest.mark.slow
def test_a_collection_with_a_slash_in_its_name_has_its_pages(served: int) -> None:
    connection = HTTPConnection("127.0.0.1", served, timeout=PATIENCE)
    for name in ("a%2Fb", "a%2fb", "a%252Fb"):
        for path in (f"/c/{name}", f"/c/{name}/run/bm25", f"/export/c/{name}/leaderboard.csv"):
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.read()
            assert answer.status == 200, path
    connection.close()


@pytest.mark.slow
def test_gunicorn_runs_the_app_by_its_name(database: Path) -> None:
    port = free_port()
    options = ("--no-control-socket", "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread")
    process = started(
        "gunicorn", *options, "dashboard.app:create_app()", EVALSTORE_DB=str(database)
    )
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
                    assert answer.read() == b'{"status":"ok"}\n'
                break
            except OSError:
                assert process.poll() is None, process.stderr
                assert time.monotonic() < end
                time.sleep(0.1)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def test_without_fork_it_serves_in_its_own_process(
    empty_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork", raising=False)
    imported = set(sys.modules)
    asked: list[str] = []

    def interrupt(address: str) -> None:
        asked.append(address)
        raise KeyboardInterrupt

    dashboard_app.serve(empty_store, "127.0.0.1", 0, on_ready=interrupt)
    assert asked
    assert not {m for m in set(sys.modules) - imported if m.startswith("gunicorn")}


def test_requests_that_wait_for_a_thread_are_answered_and_not_written_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    some_wait = threading.Event()

    def slow(environ: dict[str, Any], start: Any) -> list[bytes]:
        some_wait.wait(PATIENCE)
        return hello(environ, start)

    serving = server.Server(slow, "127.0.0.1", 0)
    waiting = serving._server.task_dispatcher.queue
    thread = threading.Thread(
        target=serving.run, args=(lambda: some_wait.set() if len(waiting) == 4 else None,)
    )
    thread.start()
    try:
        connections = [HTTPConnection("127.0.0.1", serving.port, PATIENCE) for _ in range(12)]
        for connection in connections:
            connection.request("GET", "/")
        for connection in connections:
            with connection.getresponse() as answer:
                assert answer.read() == b"hello"
            connection.close()
    finally:
        some_wait.set()
        serving.stop()
        thread.join()
        serving.close()
    assert caplog.messages == []


def test_a_thread_whose_answer_was_sent_can_end_after_the_server_has_stopped(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its end it wakes the server, by a descriptor that nothing else may have by then."""
    serving = server.Server(hello, "127.0.0.1", 0)
    has_stopped = threading.Event()
    wake = serving._server.trigger._physical_pull

    def wake_late() -> None:
        if threading.current_thread().name.startswith("waitress"):
            has_stopped.wait(PATIENCE)
        wake()

    monkeypatch.setattr(serving._server.trigger, "_physical_pull", wake_late)
    thread = threading.Thread(target=serving.run)
    thread.start()
    address = server.address("127.0.0.1", serving.port)
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - our own
        assert answer.read() == b"hello"
    serving.stop()
    thread.join()
    has_stopped.set()
    serving.close()
    assert caplog.messages == []


WITHOUT_FORK = """
import os, sys, threading, time
del os.fork
from dashboard.serving import server

begun = threading.Event()

def slow(environ, start):
    print("begun", flush=True)
    time.sleep(2)
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"whole " * 100_000]

server.run(slow, "127.0.0.1", int(sys.argv[1]), lambda _: print("ready", flush=True),
           seconds_to_finish=30)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGTERM as POSIX does")
@pytest.mark.slow
def test_where_nothing_forks_a_request_is_answered_whole_after_sigterm_and_no_new_one_taken() -> (
    None
):
    port = free_port()
    command = [sys.executable, "-c", WITHOUT_FORK, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        idle = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as asking, idle:
            asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGTERM)
            answer = b""
            while piece := asking.recv(65536):
                answer += piece
        assert answer.count(b"whole ") == 100_000
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
