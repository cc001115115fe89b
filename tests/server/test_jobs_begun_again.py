"""A job that the database broke off is begun again, and does not tell where the database is."""

from __future__ import annotations

from typing import Any

import pytest
from sending import Sender, run_file
from team_server import Served

from evalstore.errors import StoreError
from evalstore.server.api import runs_post
from evalstore.server.jobs import sent_files
from evalstore.server.jobs.queue import MOST_ATTEMPTS
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token

WHERE = "postgresql://evalstore@db.internal/team"


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write, and does not wait for its jobs."""
    monkeypatch.setattr(runs_post, "SECONDS_TO_WAIT", 0)
    return Sender(served, create_token(served.store, "ci", "contributor"))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[StoreError]:
    """The errors of the database that the next runs meet while they are stored, one each."""
    errors: list[StoreError] = []
    store_run = sent_files.store_run

    def store(*given: Any) -> Any:
        if errors:
            raise errors.pop()
        return store_run(*given)

    monkeypatch.setattr(sent_files, "store_run", store)
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
