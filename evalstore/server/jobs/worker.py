"""A worker: it takes jobs out of the queue, one after the other, and runs them.

`evalstore server start` starts one in its own process, `evalstore server worker` adds others.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any

from evalstore.errors import EvalstoreError, StoreError
from evalstore.server.jobs.queue import JobQueue, blobs_of, check_permission, named_files
from evalstore.server.jobs.sent_files import (
    SentFile,
    SentRequest,
    ingest_sent_documents,
    ingest_sent_facts,
    ingest_sent_qrels,
    ingest_sent_queries,
    ingest_sent_run,
    sent_file,
)
from evalstore.server.jobs.uploads import (
    Limits,
    Spool,
    load_limits,
    remove_unknown,
    spool_folder,
    sweep,
)
from evalstore.server.webhooks import add_deliveries, deliver
from evalstore.store import Store
from evalstore.store.access.jobs import DELIVERY, StoredJob
from evalstore.store.queries import events

KINDS = {
    "ingest run": ingest_sent_run,
    "ingest qrels": ingest_sent_qrels,
    "ingest queries": ingest_sent_queries,
    "ingest documents": ingest_sent_documents,
    "ingest facts": ingest_sent_facts,
}
"""The function for each kind of job."""

SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_BETWEEN_SWEEPS = 600
SECONDS_BETWEEN_MESSAGES = 1
"""Seconds between looks for events that webhooks get."""
SECONDS_AFTER_FAULT = 3
BEATS_IN_LEASE = 5
NICENESS = 10
"""A low priority, so that the processes that answer people come first."""
DB_VARIABLE = "EVALSTORE_DB"
LOG = logging.getLogger("evalstore.worker")


@dataclass(frozen=True)
class Worker:
    """Runs the jobs of a store, with files of the spool."""

    store: Store
    spool: Spool
    limits: Limits
    queue: JobQueue

    @classmethod
    def of(cls, store: Store) -> Worker:
        """A worker for a store by its server's settings; EvalstoreError without its spool."""
        limits = load_limits(store)
        spool = Spool(spool_folder(store, limits))
        spool.prepare()
        return cls(store, spool, limits, JobQueue(store))

    def run(self, must_end: Callable[[], bool]) -> None:
        """Run jobs until `must_end()`; the current job is finished."""
        swept: float | None = None
        messages_asked = 0.0
        while not must_end():
            try:
                if swept is None or time.monotonic() - swept > SECONDS_BETWEEN_SWEEPS:
                    sweep(self.store, self.spool, self.limits)
                    swept = time.monotonic()
                if time.monotonic() - messages_asked > SECONDS_BETWEEN_MESSAGES:
                    add_deliveries(self.store)
                    messages_asked = time.monotonic()
                did_job = self.do_next()
            except StoreError as error:  # for example a database that restarts, or a full disk
                LOG.warning("%s", error)
                time.sleep(SECONDS_AFTER_FAULT)
                continue
            if not did_job:
                time.sleep(SECONDS_BETWEEN_LOOKS)

    def do_next(self) -> bool:
        """Run the next job; False if there is none. StoreError: the job will be started again."""
        job = self.queue.take()
        if job is None:
            return False
        try:
            with events.acting(job.who), self._heartbeats(job):
                result = self._do(job)
        except StoreError:
            with suppress(StoreError):
                self.queue.release(job)
            raise
        except EvalstoreError as error:
            self.queue.end(job, error=str(error), result={"problem": error.problem})
            return True
        except Exception:
            LOG.exception("job %s", job.id)
            self.queue.end(job, error="the program has a fault: its log tells more")
            return True
        if self.queue.end(job, result) and job.collection_id is not None:
            for blob in blobs_of(job.payload):
                remove_unknown(self.store, self.spool, job.collection_id, blob)
        return True

    def _do(self, job: StoredJob) -> dict[str, Any]:
        if job.kind == DELIVERY:
            return deliver(self.store, job)
        if job.collection is None or job.collection_id is None:
            raise EvalstoreError("the collection is not there any more")
        with self.store.read() as connection:
            check_permission(connection, job, job.collection_id, datetime.now(UTC))
        files = {
            name: self._file(job.collection_id, sent)
            for name, sent in named_files(job.payload).items()
        }
        sent = SentRequest(self.store, job.collection, job.payload, files, self.limits)
        return with_own_status(self.store, job, KINDS[job.kind](sent))

    def _file(self, collection_id: int, sent: Mapping[str, Any]) -> SentFile:
        """A file of a job; `sent` has its hash and the name that its sender gave it."""
        path = self.spool.path(collection_id, sent["blob"])
        if not path.is_file():
            raise EvalstoreError(f"{sent['file']}: the file is not here any more")
        return sent_file(sent, path, self.limits)

    @contextmanager
    def _heartbeats(self, job: StoredJob) -> Iterator[None]:
        """Renew the lease of a job from another thread."""
        over = threading.Event()
        pause = self.queue.lease.total_seconds() / BEATS_IN_LEASE

        def beat() -> None:
            while not over.wait(pause):
                # On SQLite the job's own transaction may block the heartbeat, but then nobody else
                # can take the job either.
                with suppress(StoreError):
                    self.queue.renew(job)

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


class Ending:
    """Whether a worker must end: after a signal, or when its parent process has ended."""

    def __init__(self, parent: int | None = None) -> None:
        self._parent = parent
        self._is_signalled = False

    def listen(self) -> None:
        """End on SIGTERM and on Ctrl-C, after the current job; at once on the second signal."""
        signal.signal(signal.SIGTERM, self._tell)
        signal.signal(signal.SIGINT, self._tell)

    def __call__(self) -> bool:
        """Whether the worker must end now."""
        return self._is_signalled or (self._parent is not None and os.getppid() != self._parent)

    def _tell(self, number: int, _: FrameType | None) -> None:
        if self._is_signalled:
            raise KeyboardInterrupt
        self._is_signalled = True


class WorkerProcess:
    """A worker in its own process, which is started again when it ends by itself."""

    def __init__(self, store: Store) -> None:
        self._command = [sys.executable, "-m", "evalstore.server.jobs.worker", str(os.getpid())]
        # Not in the command, which everyone on the machine can read: the URL may have a password.
        self._environment = {**os.environ, DB_VARIABLE: store.url}
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self) -> None:
        """Start the process if it does not run."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603  (our own program)
                self._command, env=self._environment, stdin=subprocess.DEVNULL
            )

    def stop(self, seconds: float) -> None:
        """End the process after its job or after `seconds`; then the job is started again later."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(parent: int) -> None:
    """Run the worker of `evalstore server start`, for as long as that process runs."""
    logging.basicConfig(format="worker: %(message)s")
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    ending = Ending(parent)
    ending.listen()
    if ending():
        return
    try:
        with Store.open(os.environ[DB_VARIABLE], create=False) as store:
            Worker.of(store).run(ending)
    except EvalstoreError as error:  # such as a database that restarts: it is tried again
        LOG.warning("%s", error)
        time.sleep(SECONDS_AFTER_FAULT)
        sys.exit(1)


# The result of a job that was started again: its first worker may have ended after storing it

STORES = ("ingest", "replace")


def with_own_status(store: Store, job: StoredJob, result: dict[str, Any]) -> dict[str, Any]:
    """The result of a job; "already stored" is replaced if an earlier attempt of the job stored it.

    The event of the earlier attempt has the right status; the account of the job wrote it.
    """
    if job.attempts == 1 or result["status"] != "already stored":
        return result
    kind = "run" if "run" in result else "qrels"
    with store.read() as connection:
        written = events.events(connection, collection=job.collection, subject=result[kind]["name"])
    for event in reversed(written):
        details = event.details or {}
        is_own = event.who == job.who and event.at >= job.created_at
        if is_own and event.action in STORES and details.get("kind") == kind:
            return {**result, "status": details.get("status", "stored")}
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]))
