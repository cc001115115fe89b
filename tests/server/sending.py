"""Sending files to a server without a network, and a worker beside it."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient
from samples import Rankings, run_text
from team_server import URL, Served
from werkzeug.test import TestResponse

from evalstore.server.jobs.queue import JobQueue
from evalstore.server.jobs.worker import Worker
from evalstore.store import Store
from evalstore.store.access.jobs import StoredJob

OTHER: Rankings = {"q1": ["d2", "d1"], "q2": ["d4"], "q3": ["d6", "d7"]}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def run_file(tag: str = "other", rankings: Rankings = OTHER) -> bytes:
    return run_text(rankings, tag).encode()


@dataclass
class Sender:
    """A program with a token."""

    served: Served
    token: str
    collection: str = "test"

    def __post_init__(self) -> None:
        self.client: FlaskClient = self.served.app.test_client()

    def ask(self, method: str, path: str, **sent: Any) -> TestResponse:
        """A request with the token."""
        headers = {"Authorization": f"Bearer {self.token}", **sent.pop("headers", {})}
        return self.client.open(path, method=method, base_url=URL, headers=headers, **sent)

    def blob(self, method: str, hash_: str, **sent: Any) -> TestResponse:
        """A request about a file."""
        path = f"/api/v1/collections/{self.collection}/blobs/sha256:{hash_}"
        return self.ask(method, path, **sent)

    def send(self, content: bytes, **sent: Any) -> str:
        """Send a whole file; returns its hash."""
        hash_ = sha256(content)
        answer = self.blob("PUT", hash_, data=content, **sent)
        assert answer.status_code == 201, answer.text
        return hash_

    def piece(self, content: bytes, first: int, last: int) -> TestResponse:
        """Send bytes of a file, from `first` to before `last`."""
        range_ = f"bytes {first}-{last - 1}/{len(content)}"
        headers = {"Content-Range": range_}
        return self.blob("PUT", sha256(content), data=content[first:last], headers=headers)

    def store(self, hash_: str, kind: str = "runs", **content: Any) -> TestResponse:
        """Ask for a run, or judgments, to be stored."""
        body = {"blob": f"sha256:{hash_}", "file": "other.run", **content}
        return self.ask("POST", f"/api/v1/collections/{self.collection}/{kind}", json=body)


@contextmanager
def working(store: Store) -> Iterator[Worker]:
    """A worker in a thread, which looks for a job as soon as a request waits for it.

    A request waits for its job for longer than the server's do: a busy machine may need that.
    """
    worker, over, wanted = Worker.of(store), threading.Event(), threading.Event()
    wait = JobQueue.wait

    def wanting(queue: JobQueue, job_id: int, seconds: float) -> StoredJob | None:
        wanted.set()
        return wait(queue, job_id, seconds)

    def pause(seconds: float) -> None:
        wanted.wait(seconds)
        wanted.clear()

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=pause)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobQueue, "wait", wanting)
        patch.setattr("evalstore.server.jobs.worker.time", clock)
        patch.setattr("evalstore.server.jobs.worker.SECONDS_BETWEEN_LOOKS", 0.05)
        patch.setattr("evalstore.server.api.storing.SECONDS_TO_WAIT", 300)
        thread = threading.Thread(target=worker.run, args=[over.is_set])
        thread.start()
        try:
            yield worker
        finally:
            over.set()
            wanted.set()
            thread.join()
