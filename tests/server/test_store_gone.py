"""Requests while the database can't be read, as when PostgreSQL is restarted: 503, never 500."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from postgres import OwnServer, running_server
from team_server import ADMINISTRATOR, PASSWORD, URL, Served

from evalstore.server import gate, retry
from evalstore.server.people.accounts import add_person
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store
from evalstore.store.queries.collections import ensure_collection

pytestmark = pytest.mark.slow  # every address without its store

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


def test_what_reads_is_answered_503_with_when_to_come_again(gone: Served) -> None:
    for path in READS:
        answer = gone.get(path)
        assert answer.status_code == 503, (path, answer.text)
        assert int(answer.headers["Retry-After"]) > 0
        assert str(gone.store.file) not in answer.text


def test_what_changes_something_is_answered_503(gone: Served) -> None:
    for path, form in WRITES.items():
        answer = gone.browser.post(path, base_url=URL, data=form)
        assert answer.status_code == 503, (path, answer.text)
        assert int(answer.headers["Retry-After"]) > 0


def test_a_callback_is_answered_503(gone: Served) -> None:
    answer = gone.browser.post("/_dash-update-component", base_url=URL, json={"output": ""})
    assert answer.status_code == 503
    assert json.loads(answer.text)["detail"] == "The store can't be read or written."


def test_it_goes_on_when_the_database_is_back(gone: Served) -> None:
    assert gone.get("/").status_code == 503
    assert gone.store.file is not None
    gone.store.file.with_suffix(".away").rename(gone.store.file)
    assert gone.get("/").status_code == 200


def test_the_reason_is_in_the_log_and_not_in_the_answer(gone: Served) -> None:
    gone.get("/")
    lines = [json.loads(line) for line in gone.log.getvalue().splitlines()]
    assert any("no store at" in str(line.get("message")) for line in lines)


@pytest.fixture(scope="module")
def own_server() -> Iterator[OwnServer]:
    """A PostgreSQL server of this file alone, whose tests stop it."""
    with running_server() as server:
        if not isinstance(server, OwnServer):
            pytest.skip("the PostgreSQL of EVALSTORE_TEST_POSTGRES is not stopped")
        yield server


@pytest.fixture
def database(own_server: OwnServer) -> OwnServer:
    """A PostgreSQL server that runs, whatever the test before did to it."""
    if not own_server.is_running:
        own_server.start()
    return own_server


@pytest.mark.postgres
def test_it_goes_on_when_postgresql_was_restarted(
    database: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "SECONDS_FOR_RESTART", 0)
    with Store.open(database.new_store()) as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        add_person(store, "bob", "reader", None, PASSWORD)
        served = Served(store)
        for name in ("bob", ADMINISTRATOR):  # one reads a part of the store, one the whole
            browser = served.new_browser()
            assert served.log_in(name, browser=browser).status_code == 303
            for path in ("/", "/api/v1/collections"):
                assert served.get(path, browser, Accept="*/*").status_code == 200
            database.stop()
            for path in ("/", "/api/v1/collections"):
                assert served.get(path, browser, Accept="*/*").status_code == 503
            database.start()
            for path in ("/", "/api/v1/collections"):
                assert served.get(path, browser, Accept="*/*").status_code == 200


@pytest.mark.postgres
def test_a_request_waits_while_postgresql_is_restarted(
    database: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "SECONDS_FOR_RESTART", 60)
    with Store.open(database.new_store()) as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        served = Served(store)
        assert served.log_in(ADMINISTRATOR).status_code == 303
        database.stop()
        start = threading.Timer(1, database.start)
        start.start()
        assert served.get("/api/v1/collections", Accept="*/*").status_code == 200
        start.join()


@pytest.fixture
def stopped_once(
    database: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Call it to stop the database in the midst of the next request, and start it a second later.

    That is after the gate has let the request in.
    """
    monkeypatch.setattr(retry, "SECONDS_FOR_RESTART", 60)
    choose, starting, is_due = gate.Gate._choose_store, threading.Timer(1, database.start), [False]

    def stop_and_choose(self: gate.Gate, *given: object) -> object:
        chosen = choose(self, *given)  # type: ignore[arg-type]
        if is_due[0]:
            is_due[0] = False
            database.stop()
            starting.start()
        return chosen

    monkeypatch.setattr(gate.Gate, "_choose_store", stop_and_choose)
    yield lambda: is_due.__setitem__(0, True)
    starting.join()


@pytest.mark.postgres
@pytest.mark.parametrize("path", ["/api/v1/collections", "/admin"])
def test_a_request_that_is_being_answered_waits_too(
    database: OwnServer, stopped_once: Callable[[], None], path: str
) -> None:
    with Store.open(database.new_store()) as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        served = Served(store)
        assert served.log_in(ADMINISTRATOR).status_code == 303
        stopped_once()
        assert served.get(path, Accept="*/*").status_code == 200


@pytest.mark.postgres
def test_a_change_that_is_being_made_waits_too(
    database: OwnServer, stopped_once: Callable[[], None]
) -> None:
    with Store.open(database.new_store()) as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        served = Served(store)
        assert served.log_in(ADMINISTRATOR).status_code == 303
        stopped_once()
        answer = served.browser.post("/api/v1/collections", base_url=URL, json={"name": "new"})
        assert answer.status_code == 201, answer.text


@pytest.mark.postgres
def test_a_file_that_is_being_sent_is_taken(
    database: OwnServer, stopped_once: Callable[[], None]
) -> None:
    with Store.open(database.new_store()) as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        served = Served(store)
        store.transact(lambda writer: ensure_collection(writer, "test", datetime.now(UTC)))
        token = {"Authorization": f"Bearer {create_token(store, 'ci', 'contributor')}"}
        content = b"1 Q0 d1 1 2.5 bm25\n"
        address = f"/api/v1/collections/test/blobs/sha256:{sha256(content).hexdigest()}"
        stopped_once()
        answer = served.browser.put(address, base_url=URL, data=content, headers=token)
        assert answer.status_code == 201, answer.text
