"""A job is done if its account may still store: roles count when it is done, not when asked."""

from __future__ import annotations

import pytest
from sending import Sender, run_file
from team_server import Served

from evalstore.server.api import runs_post
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.accounts import grant, remove_account, set_disabled, withdraw
from evalstore.server.people.tokens import create_token
from evalstore.store.runs import list_runs
from evalstore.usecases.collections import set_collection_access


@pytest.fixture
def sender(served: Served, monkeypatch: pytest.MonkeyPatch) -> Sender:
    """A program that may write into every collection, and does not wait for its jobs."""
    monkeypatch.setattr(runs_post, "SECONDS_TO_WAIT", 0)
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
