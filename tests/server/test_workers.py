"""Workers as processes: they end when they are told to, and when nobody needs them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from sending import Sender, run_file
from team_server import Served

from evalstore.server.api import storing
from evalstore.server.jobs.queue import JobQueue
from evalstore.server.people.tokens import create_token
from evalstore.store import models

pytestmark = pytest.mark.slow  # processes of their own

PATIENCE = 300


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write, and does not wait for its jobs."""
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    return Sender(served, create_token(served.store, "ci", "contributor"))


@pytest.fixture
def start(served: Served) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a worker in a process."""
    started = []

    def begin() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "evalstore.server.jobs.worker", str(os.getpid())]
        environment = {**os.environ, "EVALSTORE_DB": served.store.url}
        started.append(subprocess.Popen(command, env=environment))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


def states_of(served: Served) -> list[str]:
    job = models.table(models.Job)
    with served.store.read() as connection:
        return [row.state for row in connection.execute(job.select().order_by(job.c.id))]


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_worker_ends_when_the_process_that_started_it_does(served: Served) -> None:
    code = (
        "import os, subprocess, sys\n"
        "worker = subprocess.Popen([sys.executable, '-m', 'evalstore.server.jobs.worker', "
        "str(os.getpid())])\n"
        "print(worker.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    environment = {**os.environ, "EVALSTORE_DB": served.store.url}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout
        worker = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: not is_running(worker))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Nobody may wait for it where it belongs to no one any more: it is ended all the same.
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_a_worker_finishes_its_job_when_it_is_told_to_end(
    sender: Sender, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    sender.store(sender.send(run_file()))
    worker = start()
    wait_until(lambda: states_of(sender.served) == ["done"])
    worker.terminate()
    assert worker.wait(PATIENCE) == 0
    assert JobQueue(sender.served.store).take() is None
