"""Requests while the database can't be read, as when PostgreSQL is restarted: 503, never 500."""

from __future__ import annotations

import json

import pytest
from team_server import PASSWORD, URL, Served

from evalstore.server.accounts import add_person

WRITES = {
    "/login": {"name": "ann", "password": PASSWORD},
    "/logout": {},
    "/account/password": {"password": PASSWORD, "new": PASSWORD * 2, "again": PASSWORD * 2},
    "/admin/accounts": {"name": "zoe", "role": "reader"},
}
READS = (
    *("/", "/sql?s=SELECT+1", "/account", "/admin", "/_dash-layout", "/_dash-dependencies"),
    *("/export/measures/measures.csv", "/api/v1/collections", "/api/v1/jobs", "/metrics"),
)


@pytest.fixture
def gone(served: Served) -> Served:
    """A server whose database went away after people have logged in."""
    add_person(served.store, "bob", "reader", None, PASSWORD)
    assert served.log_in().status_code == 303
    assert served.log_in("bob", browser=served.new_browser()).status_code == 303
    assert served.store.file is not None
    served.store.file.rename(served.store.file.with_suffix(".away"))
    return served


@pytest.mark.parametrize("path", READS)
def test_what_reads_is_answered_503_with_when_to_come_again(gone: Served, path: str) -> None:
    answer = gone.get(path)
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) > 0
    assert str(gone.store.file) not in answer.text


@pytest.mark.parametrize("path", WRITES)
def test_what_changes_something_is_answered_503(gone: Served, path: str) -> None:
    answer = gone.browser.post(path, base_url=URL, data=WRITES[path])
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) > 0


def test_a_callback_is_answered_503(gone: Served) -> None:
    answer = gone.browser.post("/_dash-update-component", base_url=URL, json={"output": ""})
    assert answer.status_code == 503
    assert json.loads(answer.text)["detail"] == "The store can't be read."


def test_it_goes_on_when_the_database_is_back(gone: Served) -> None:
    assert gone.get("/").status_code == 503
    assert gone.store.file is not None
    gone.store.file.with_suffix(".away").rename(gone.store.file)
    assert gone.get("/").status_code == 200


def test_the_reason_is_in_the_log_and_not_in_the_answer(gone: Served) -> None:
    gone.get("/")
    lines = [json.loads(line) for line in gone.log.getvalue().splitlines()]
    assert any("no store at" in str(line.get("message")) for line in lines)
