"""The server as a process: it starts, answers, logs, and ends when it is told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from free_ports import free_port

from evalstore.cli import cli
from evalstore.server.setup import set_up
from evalstore.store import Store

pytestmark = pytest.mark.slow  # processes are started

PATIENCE = 300


@pytest.fixture
def process(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    database = tmp_path / "store.db"
    with Store.open(str(database)) as store:
        set_up(store, url, "ann", "correct horse battery")
    command = [sys.executable, "-m", "evalstore", "server", "start", "--port", str(port)]
    started = subprocess.Popen(
        [*command, "--db", str(database)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(started, url)
        yield started, url
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate(timeout=PATIENCE)


def test_a_request_computes_in_one_thread(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The server answers many at once, in processes and threads of its own.
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")  # so that what is set is taken back afterwards
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    threads: list[str | None] = []
    monkeypatch.setattr(
        "evalstore.server.app.serve",
        lambda *_, **__: threads.append(os.environ.get("OPENBLAS_NUM_THREADS")),
    )
    database = tmp_path / "store.db"
    with Store.open(str(database)) as store:
        set_up(store, "https://eval.example", "ann", "correct horse battery")
    CliRunner().invoke(cli, ["server", "start", "--db", str(database)], catch_exceptions=False)
    assert threads == ["1"]


def status_of(url: str, path: str) -> int:
    """What a request is answered."""
    address = f"http://{url.removeprefix('http://')}{path}"
    try:
        with urllib.request.urlopen(address) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return int(error.code)


def wait_for(started: subprocess.Popen[str], url: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            assert status_of(url, "/healthz") == 200
            return
        except OSError:
            assert started.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)


def test_it_ends_without_an_error_when_it_is_told_to(
    process: tuple[subprocess.Popen[str], str],
) -> None:
    """By SIGTERM; that Ctrl-C ends gunicorn too is tested in tests/dashboard/test_server.py."""
    started, url = process
    assert status_of(url, "/_dash-layout?token=secret") == 401
    started.terminate()
    out, err = started.communicate(timeout=PATIENCE)
    assert started.returncode == 0
    assert out == f"server at {url} (Ctrl-C stops it)\n"
    assert [json.loads(line)["status"] for line in err.splitlines()] == [200, 401]
    assert "secret" not in err
