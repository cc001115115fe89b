"""A job that the database broke off is begun again, and does not tell where the database is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from samples import add, write_run
from sending import OTHER, Sender, run_file
from team_server import Served

from evalstore.errors import StoreError
from evalstore.ingest import ingest
from evalstore.server.api import storing
from evalstore.server.jobs.queue import MOST_ATTEMPTS, JobQueue
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token
from evalstore.store import models

WHERE = "postgresql://evalstore@db.internal/team"


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write, and does not wait for its jobs."""
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    return Sender(served, create_token(served.store, "ci", "contributor"))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[StoreError]:
    """The errors of the database that the next runs meet while they are stored, one each."""
    errors: list[StoreError] = []
    store_run = ingest.store_run

    def store(*given: Any) -> Any:
        if errors:
            raise errors.pop()
        return store_run(*given)

    monkeypatch.setattr(ingest, "store_run", store)
    return errors


def test_a_job_is_done_whose_database_was_started_again(
    sender: Sender, broken: list[StoreError]
) -> None:
    broken.append(StoreError(f"{WHERE}: the server closed the connection unexpectedly"))
    job = sender.store(sender.send(run_file())).headers["Location"]
    worker = Worker.of(sender.served.store)
    with pytest.raises(StoreError):
        worker.do_next()
    assert sender.ask("GET", job).json["state"] == "waiting"
    assert worker.do_next()
    done = sender.ask("GET", job).json
    assert (done["state"], done["result"]["run"]["name"]) == ("done", "other")


@pytest.mark.parametrize("kind", ["runs", "qrels"])
def test_a_job_whose_worker_ended_after_it_stored_says_that_it_stored(
    sender: Sender, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    class Killed(BaseException):
        """The end of the process of a worker."""

    def end(*_: Any, **__: Any) -> bool:
        raise Killed

    content = run_file() if kind == "runs" else b"q1 0 d9 1\n"
    job = sender.store(sender.send(content), kind).headers["Location"]
    store = sender.served.store
    with monkeypatch.context() as patch:
        patch.setattr(JobQueue, "end", end)
        with pytest.raises(Killed):
            Worker.of(store).do_next()
    assert sender.ask("GET", job).json["state"] == "running"
    with store.write() as connection:
        table = models.table(models.Job)
        connection.execute(table.update().values(lease_until=datetime.now(UTC)))
    assert Worker.of(store).do_next()
    done = sender.ask("GET", job).json
    assert (done["state"], done["attempts"], done["result"]["status"]) == ("done", 2, "stored")


def test_a_job_that_is_begun_again_says_of_what_others_stored_that_it_was_there(
    sender: Sender, broken: list[StoreError], tmp_path: Path
) -> None:
    store = sender.served.store
    broken.append(StoreError("the server closed the connection unexpectedly"))
    job = sender.store(sender.send(run_file())).headers["Location"]
    worker = Worker.of(store)
    with pytest.raises(StoreError):
        worker.do_next()
    add(store, tmp_path, write_run(tmp_path, OTHER, "other.run", "other"))  # by another account
    assert worker.do_next()
    done = sender.ask("GET", job).json
    assert (done["state"], done["result"]["status"]) == ("done", "already stored")


def test_a_job_that_the_database_refuses_each_time_is_given_up(
    sender: Sender, broken: list[StoreError]
) -> None:
    broken += [StoreError(f"{WHERE}: a text has NUL") for _ in range(MOST_ATTEMPTS)]
    job = sender.store(sender.send(run_file())).headers["Location"]
    worker = Worker.of(sender.served.store)
    for _ in range(MOST_ATTEMPTS):
        with pytest.raises(StoreError):
            worker.do_next()
    assert not worker.do_next()
    failed = sender.ask("GET", job)
    assert failed.json["state"] == "failed"
    assert failed.json["error"].startswith(f"given up: {MOST_ATTEMPTS} ")
    assert "db.internal" not in failed.text
