"""Workers as processes: what they were doing when they are killed is done once, by another."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sending import Sender, run_file
from team_server import Served

from evalstore.server.api import runs_post
from evalstore.server.job_queue import JobQueue
from evalstore.server.tokens import create_token
from evalstore.store import models
from evalstore.usecases.db_check import db_check

pytestmark = pytest.mark.slow  # processes of their own

PATIENCE = 120
RUNS = 12


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write, and does not wait for its jobs."""
    monkeypatch.setattr(runs_post, "SECONDS_TO_WAIT", 0)
    return Sender(served, create_token(served.store, "ci", "contributor"))


@pytest.fixture
def start(served: Served) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a worker in a process."""
    started = []

    def begin() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "evalstore.server.worker", str(os.getpid())]
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


def end_leases(served: Served) -> None:
    """As if the lease of every job were over."""
    job = models.table(models.Job)
    past = datetime.now(UTC) - timedelta(seconds=1)
    with served.store.write() as connection:
        connection.execute(job.update().values(lease_until=past))


def test_runs_are_stored_once_whenever_workers_are_killed(
    sender: Sender, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    served = sender.served
    for number in range(RUNS):
        content = run_file(f"run{number}")
        answer = sender.store(sender.send(content), file=f"run{number}.run")
        assert answer.status_code == 202
    for _ in range(3):
        workers = [start(), start()]
        done = states_of(served).count("done")
        wait_until(lambda done=done: states_of(served).count("done") > done)  # type: ignore[misc]
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        end_leases(served)
    start()
    wait_until(lambda: set(states_of(served)) == {"done"})
    assert list(db_check(served.store).problems) == []
    run, event = models.table(models.Run), models.table(models.Event)
    with served.store.read() as connection:
        names = sorted(row.name for row in connection.execute(run.select()))
        ingests = [
            row.subject
            for row in connection.execute(event.select())
            if row.action == "ingest" and row.who == "ci"
        ]
    assert names == sorted(["bm25", *(f"run{number}" for number in range(RUNS))])
    assert sorted(ingests) == sorted(f"run{number}" for number in range(RUNS))


def test_a_worker_ends_when_the_process_that_started_it_does(served: Served) -> None:
    code = (
        "import os, subprocess, sys\n"
        "worker = subprocess.Popen([sys.executable, '-m', 'evalstore.server.worker', "
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
