"""A job is done if its account may still store: roles count when it is done, not when asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sending import Sender, run_file
from team_server import PASSWORD, Served

from evalstore.catalog.collections import set_collection_access
from evalstore.errors import EvalstoreError
from evalstore.server.api import storing
from evalstore.server.jobs.queue import JobQueue, check_permission
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.accounts import (
    add_person,
    grant,
    remove_account,
    set_disabled,
    withdraw,
)
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store import Store, models
from evalstore.store.access.jobs import StoredJob
from evalstore.store.access.sessions import find_token
from evalstore.store.queries import events
from evalstore.store.queries.runs import list_runs


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write into every collection, and does not wait for its jobs."""
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    return Sender(served, create_token(served.store, "ci", "contributor"))


def names(served: Served) -> list[str]:
    with served.store.read() as connection:
        return sorted(run.name for run in list_runs(connection))


@pytest.mark.parametrize("lost", ["disabled", "removed", "no role", "a reader", "private"])
def test_a_job_does_not_run_whose_account_may_not_store_any_more(sender: Sender, lost: str) -> None:
    store = sender.served.store
    asked = sender.store(sender.send(run_file()))
    assert asked.status_code == 202
    match lost:
        case "disabled":
            set_disabled(store, "ci", True)
        case "removed":
            remove_account(store, "ci")
        case "no role":
            withdraw(store, "ci")
        case "a reader":
            grant(store, "ci", "reader")
        case "private":
            set_collection_access(store, "test", "private")
    worker = Worker.of(store)
    assert worker.do_next()
    job = worker.queue.find(asked.json["id"])
    assert job is not None
    assert job.state == "failed"
    assert job.error == (
        "ci may not store anything here any more: the account was disabled or removed, or lost "
        "its role"
    )
    assert names(sender.served) == ["bm25"]


@pytest.mark.parametrize("lost", ["revoked", "expired", "another of its name"])
def test_a_job_does_not_run_whose_token_does_not_count_any_more(sender: Sender, lost: str) -> None:
    store = sender.served.store
    asked = sender.store(sender.send(run_file()))
    assert asked.status_code == 202
    if lost == "expired":
        token = models.table(models.Token)
        with store.write() as connection:
            connection.execute(token.update().values(expires_at=datetime.now(UTC)))
    else:
        revoke_token(store, "ci")
    again = "ci" if lost == "another of its name" else "ci2"
    create_token(store, again, "contributor")
    worker = Worker.of(store)
    assert worker.do_next()
    job = worker.queue.find(asked.json["id"])
    assert job is not None
    assert (job.state, job.error) == (
        "failed",
        "the token 'ci' that asked for this does not count any more: it was revoked or has expired",
    )
    assert names(sender.served) == ["bm25"]


def test_the_same_request_by_another_token_of_the_account_is_a_job_of_its_own(
    sender: Sender,
) -> None:
    store = sender.served.store
    first = sender.store(sender.send(run_file()))
    assert sender.store(sender.send(run_file())).json["id"] == first.json["id"]
    revoke_token(store, "ci")
    other = Sender(sender.served, create_token(store, "ci", "contributor"))
    second = other.store(other.send(run_file()))
    worker = Worker.of(store)
    assert worker.do_next()
    assert worker.do_next()
    states = [worker.queue.find(each.json["id"]) for each in (first, second)]
    assert [job and job.state for job in states] == ["failed", "done"]
    assert names(sender.served) == ["bm25", "other"]


def test_a_job_has_the_limits_of_the_token_that_asked_for_it(sender: Sender) -> None:
    """Its account may do more meanwhile; and what a session asked for has no such limits."""
    store = sender.served.store
    add_person(store, "bob", "contributor", None, PASSWORD)
    job_of_bob = ask_as(store, "bob", None)
    create_token(store, "narrow", "reader")
    grant(store, "narrow", "administrator")
    with store.read() as connection:
        token = find_token(connection, "narrow")
    assert token is not None
    job_of_narrow = ask_as(store, "narrow", token.id)
    with store.read() as connection:
        now = datetime.now(UTC)
        check_permission(connection, job_of_bob, 1, now)
        with pytest.raises(EvalstoreError, match="narrow may not store anything here"):
            check_permission(connection, job_of_narrow, 1, now)


def ask_as(store: Store, name: str, token_id: int | None) -> StoredJob:
    queue = JobQueue(store)
    with events.acting(name):
        job = queue.find(queue.add("ingest run", 1, {"blob": name}, token_id))
    assert job is not None
    return job


def test_a_job_runs_whose_account_has_its_role_in_the_collection_now(sender: Sender) -> None:
    store = sender.served.store
    asked = sender.store(sender.send(run_file()))
    assert asked.status_code == 202
    withdraw(store, "ci")
    grant(store, "ci", "contributor", "test")
    set_collection_access(store, "test", "private")
    assert Worker.of(store).do_next()
    assert names(sender.served) == ["bm25", "other"]


def new_account_of_the_same_name(sender: Sender) -> Sender:
    remove_account(sender.served.store, "ci")
    return Sender(sender.served, create_token(sender.served.store, "ci", "contributor"))


def test_jobs_of_a_removed_account_are_not_those_of_a_new_one_of_its_name(sender: Sender) -> None:
    asked = sender.store(sender.send(run_file()))
    path = f"/api/v1/jobs/{asked.json['id']}"
    assert sender.ask("GET", path).status_code == 200
    other = new_account_of_the_same_name(sender)
    assert other.ask("GET", "/api/v1/jobs").json["jobs"] == []
    assert [other.ask(method, path).status_code for method in ("GET", "DELETE")] == [404, 404]
    own = other.store(other.send(run_file()))
    assert [job["id"] for job in other.ask("GET", "/api/v1/jobs").json["jobs"]] == [own.json["id"]]
    assert own.json["id"] != asked.json["id"]


def test_a_job_of_a_removed_account_is_not_done_as_a_new_one_of_its_name(sender: Sender) -> None:
    asked = sender.store(sender.send(run_file()))
    new_account_of_the_same_name(sender)
    worker = Worker.of(sender.served.store)
    assert worker.do_next()
    job = worker.queue.find(asked.json["id"])
    assert job is not None
    assert job.state == "failed"
    assert names(sender.served) == ["bm25"]
