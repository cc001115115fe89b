"""`evalstore check --db URL`: the server records the result, and tells webhooks of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from listening import Listening, listening
from receiver import Receiver, receiving, wait_for
from samples import BM25, QRELS, TFIDF, add, write_qrels, write_run

from evalstore.cli import cli
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token
from evalstore.server.webhooks import add_deliveries, add_webhook, allow
from evalstore.store import Store
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # many commands through a server

FAILS = ("--fail-if", "AP drop > 0.01")
PASSES = ("--fail-if", "AP drop > 9")


@pytest.fixture
def served(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Listening]:
    """A server whose collection `test` has the runs bm25 and tfidf; its caller contributes."""
    folder = tmp_path_factory.mktemp("server")
    monkeypatch.chdir(tmp_path)
    with Store.open(str(folder / "store.db")) as store:
        add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))
        with listening(store) as listens:
            allow(store, "127.0.0.0/8")
            monkeypatch.setenv("EVALSTORE_TOKEN", create_token(store, "ci", "contributor"))
            yield listens


@pytest.fixture
def receiver(served: Listening) -> Iterator[Receiver]:
    with receiving() as receives:
        add_webhook(served.store, receives.url, kinds=("gate",))
        yield receives


def check(served: Listening, *arguments: str) -> Result:
    command = ["check", *arguments, "--baseline", "bm25", "--db", served.url]
    return CliRunner().invoke(cli, command, catch_exceptions=False)


def deliver(served: Listening) -> None:
    add_deliveries(served.store)
    worker = Worker.of(served.store)
    while worker.do_next():
        pass


def gates(served: Listening) -> list[events.Event]:
    with served.store.read() as connection:
        return [event for event in events.events(connection) if event.action == "gate"]


def test_a_failed_gate_of_a_stored_run_is_told_to_webhooks(
    served: Listening, receiver: Receiver
) -> None:
    done = check(served, "tfidf", *FAILS)
    assert (done.exit_code, done.stderr) == (1, "")
    [event] = gates(served)
    assert (event.subject, event.who) == ("tfidf", "ci")
    deliver(served)
    wait_for(receiver)
    [message] = receiver.messages
    assert (message["run"], message["link"]) == ("tfidf", f"{served.url}/c/test/run/tfidf")
    assert message["gate"] == {
        "outcome": "failed",
        "baseline": "bm25",
        "summary": "tfidf against bm25: 1 of 1 rule failed",
        "rules": [{"rule": "AP drop > 0.01", "fails": True}],
        "is_stored": True,
    }


def test_a_failed_gate_of_a_file_is_told_by_the_name_of_the_file(
    served: Listening, receiver: Receiver, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    file = write_run(tmp_path / "out", {"q1": ["d9", "d1"]}, "new.run", "new")
    assert check(served, file, *FAILS).exit_code == 1
    [event] = gates(served)
    assert (event.collection, event.subject) == ("test", "new.run")
    deliver(served)
    wait_for(receiver)
    [message] = receiver.messages
    assert (message["run"], message["gate"]["is_stored"]) == ("new.run", False)
    assert message["link"] == f"{served.url}/c/test"


def test_a_gate_that_passed_is_recorded_and_not_told(served: Listening, receiver: Receiver) -> None:
    assert check(served, "tfidf", *PASSES).exit_code == 0
    [event] = gates(served)
    assert (event.details or {})["outcome"] == "passed"
    deliver(served)
    assert receiver.came == []


@pytest.mark.parametrize("rule", [FAILS, PASSES])
def test_a_token_that_may_only_read_records_nothing_and_changes_neither_output_nor_status(
    served: Listening, monkeypatch: pytest.MonkeyPatch, rule: tuple[str, str]
) -> None:
    before = check(served, "tfidf", *rule)
    assert len(gates(served)) == 1
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(served.store, "reads", "reader"))
    done = check(served, "tfidf", *rule)
    assert (done.exit_code, done.output) == (before.exit_code, before.output)
    assert len(gates(served)) == 1


@pytest.mark.parametrize(("rule", "status"), [(FAILS, 1), (PASSES, 0)])
def test_a_result_that_can_not_be_recorded_is_a_warning(
    served: Listening, monkeypatch: pytest.MonkeyPatch, rule: tuple[str, str], status: int
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr("evalstore.server.api.changes.events.log", refuse)
    monkeypatch.setattr("evalstore.client.remote_store.PATIENCE", 0.0)
    done = check(served, "tfidf", *rule)
    assert done.exit_code == status
    assert done.stderr.startswith("warning: the result of this gate is not recorded: ")
    assert gates(served) == []


def test_on_the_store_itself_a_gate_writes_nothing(served: Listening) -> None:
    command = ["check", "tfidf", "--baseline", "bm25", *FAILS, "--db", str(served.store.file)]
    assert CliRunner().invoke(cli, command, catch_exceptions=False).exit_code == 1
    assert gates(served) == []


def test_files_under_judgments_of_a_file_are_no_matter_of_the_server(
    served: Listening, tmp_path: Path
) -> None:
    qrels = str(write_qrels(tmp_path, QRELS, "test.qrels"))
    old = write_run(tmp_path, BM25, "old.run", "old")
    new = write_run(tmp_path, TFIDF, "new.run", "new")
    command = ["check", new, "--baseline", old, "--qrels", qrels, *FAILS, "--db", served.url]
    done = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (1, "")
    assert served.requests == []


def test_a_hostile_name_of_a_file_is_recorded_and_printed_as_text(
    served: Listening, tmp_path: Path
) -> None:
    name = "<b>\x1b[31m=1+1.run"
    write_run(tmp_path, TFIDF, name, "x")
    assert check(served, name, *FAILS).exit_code == 1
    [event] = gates(served)
    assert event.subject == name
    listed = CliRunner().invoke(cli, ["db", "events", "--db", str(served.store.file)])
    assert "\x1b" not in listed.output
