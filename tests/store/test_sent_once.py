"""What is sent is stored once, whenever workers are killed, on each database."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from databases import both_databases
from samples import BM25, add, run_text, write_run

from evalstore.server.jobs.queue import MOST_ATTEMPTS, JobQueue
from evalstore.server.jobs.uploads import Limits, Piece, Spool, Uploads, sweep
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.accounts import add_person
from evalstore.store import Store, models
from evalstore.store.access.jobs import DELIVERY, add_job
from evalstore.store.access.settings import set_settings
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.transfer.db_check import db_check

PATIENCE = 300
RUNS = 8


@pytest.fixture
def spool(store: Store, tmp_path: Path) -> Spool:
    """The folder of the files that are sent, set in the store; and a collection with a run."""
    add(store, tmp_path, write_run(tmp_path))
    add_person(store, "ci", "contributor", password="correct horse battery")
    folder = tmp_path / "spool"
    with store.write() as connection:
        set_settings(connection, {"limit_spool": str(folder)})
    return Spool(folder)


def ask(store: Store, spool: Spool, name: str) -> int:
    """Send a run, and ask for it to be stored; returns the job's id."""
    content = run_text(BM25, name).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    with store.read() as connection:
        collection_id = find_collection(connection, "test")
    assert collection_id is not None
    piece = Piece(0, len(content), len(content))
    with events.acting("ci"):
        Uploads(store, spool, Limits()).receive(collection_id, sha256, piece, [content])
        payload = {"blob": sha256, "file": f"{name}.run"}
        return JobQueue(store).add("ingest run", collection_id, payload)


def states(store: Store) -> list[str]:
    job = models.table(models.Job)
    with store.read() as connection:
        return [row.state for row in connection.execute(job.select().order_by(job.c.id))]


def names_and_events(store: Store) -> tuple[list[str], list[str]]:
    """The names of the runs, and of those that an event of the sender's says were stored."""
    run = models.table(models.Run)
    with store.read() as connection:
        names = sorted(row.name for row in connection.execute(run.select()))
        logged = events.events(connection, collection="test")
    return names, sorted(e.subject for e in logged if (e.who, e.action) == ("ci", "ingest"))


@both_databases
def test_a_message_that_waits_for_its_next_try_keeps_no_worker_from_its_jobs(
    store: Store, spool: Spool
) -> None:
    now = datetime.now(UTC)
    with store.write() as connection:
        later = now + timedelta(days=1)
        add_job(connection, DELIVERY, None, "ci", {"webhook": 1}, "0" * 64, now, later)
    ask(store, spool, "sent")
    worker = Worker.of(store)
    assert worker.do_next()
    assert list(spool.files()) == []
    assert sweep(store, spool, worker.limits) == 0


def test_a_job_stores_its_run_and_deletes_the_file(store: Store, spool: Spool) -> None:
    id_ = ask(store, spool, "sent")
    assert len(list(spool.files())) == 1
    assert Worker.of(store).do_next()
    assert list(spool.files()) == []
    job = JobQueue(store).find(id_)
    assert job is not None
    assert job.state == "done"
    assert names_and_events(store) == (["bm25", "sent"], ["sent"])


@both_databases
def test_a_run_that_two_workers_store_is_there_once(store: Store, spool: Spool) -> None:
    """The first was taken for dead while it worked."""
    ask(store, spool, "sent")
    worker = Worker.of(store)
    slow = JobQueue(store, lease=timedelta(0)).take()
    assert slow is not None
    with events.acting(slow.who):
        worker._do(slow)
    assert worker.do_next()
    assert not JobQueue(store).end(slow, {})
    assert states(store) == ["done"]
    assert names_and_events(store) == (["bm25", "sent"], ["sent"])


@pytest.fixture
def start(store: Store) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a worker in a process."""
    started = []

    def begin() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "evalstore.server.jobs.worker", str(os.getpid())]
        started.append(subprocess.Popen(command, env={**os.environ, "EVALSTORE_DB": store.url}))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.nightly
@pytest.mark.slow
def test_runs_are_stored_once_whenever_workers_are_killed(
    store: Store, spool: Spool, start: Callable[[], subprocess.Popen[bytes]]
) -> None:
    expected = sorted(f"run{number}" for number in range(RUNS))
    for name in expected:
        ask(store, spool, name)
    for _ in range(MOST_ATTEMPTS - 1):  # a job may be in a worker's hands each time
        workers = [start(), start()]
        wait_for_done(store, min(states(store).count("done") + 1, RUNS))
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        end_leases(store)
    start()
    wait_for_done(store, RUNS)
    assert list(db_check(store).problems) == []
    assert names_and_events(store) == (["bm25", *expected], expected)


def wait_for_done(store: Store, number: int) -> None:
    end = time.monotonic() + PATIENCE
    while states(store).count("done") < number:
        assert time.monotonic() < end
        time.sleep(0.02)


def end_leases(store: Store) -> None:
    """As if the lease of every job were over."""
    job = models.table(models.Job)
    past = datetime.now(UTC) - timedelta(seconds=1)
    with store.write() as connection:
        connection.execute(job.update().values(lease_until=past))
