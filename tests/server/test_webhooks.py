"""Webhooks: who is told of what, signed, and again after a failure."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import Tokens
from changed_runs import rename_run
from click.testing import CliRunner
from receiver import receiving
from samples import write_run
from team_server import URL, Served
from two_collections import OPEN, PRIVATE

from evalstore.catalog.collections import set_collection_access
from evalstore.catalog.runs import remove_runs
from evalstore.cli import cli
from evalstore.comparison.choosing.baselines import unset_baseline
from evalstore.errors import DataError, NotFound
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_public_url
from evalstore.server.webhooks import (
    DELAYS,
    MOST_TRIES,
    add_deliveries,
    add_webhook,
    allow,
    forbid,
    list_webhooks,
    remove_webhook,
)
from evalstore.store import Store, models
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # messages are sent


@pytest.fixture
def store(api_files: tuple[Path, Tokens], tmp_path: Path) -> Iterator[Store]:
    """A store with an open and a private collection; receivers on loopback are allowed."""
    shutil.copytree(api_files[0], tmp_path, dirs_exist_ok=True)
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as made:
        allow(made, "127.0.0.0/8")
        yield made


def work(store: Store) -> int:
    """Do what a worker does until nothing is left; returns how many jobs there were."""
    worker, done = Worker.of(store), 0
    add_deliveries(store)
    while worker.do_next():
        done += 1
    return done


def store_run(store: Store, folder: Path, name: str, collection: str = OPEN) -> None:
    write_run(folder, {"q1": [f"{name}-d1", "d1"]}, name=f"{name}.run")
    path = str(folder / f"{name}.run")
    ingest(store, IngestOptions(collection), [path], qrels=store_qrels(store, collection))


def bring_forward(store: Store) -> None:
    """Let all that waits for its time be begun now."""
    job_t = models.table(models.Job)
    with store.write() as connection:
        connection.execute(job_t.update().values(not_before=datetime.now(UTC) - timedelta(1)))


def gate(served: Served, token: str, collection: str, **content: Any) -> Any:
    return served.app.test_client().post(
        f"/api/v1/collections/{collection}/gates",
        base_url=URL,
        headers={"Authorization": f"Bearer {token}"},
        json=content,
    )


def test_a_new_run_is_told_with_a_link_and_a_signature(store: Store, tmp_path: Path) -> None:
    with receiving() as receiver:
        secret = add_webhook(store, receiver.url).secret
        store_run(store, tmp_path, "fresh")
        assert work(store) == 1
    [(headers, body)] = receiver.came
    message = json.loads(body)
    assert (message["event"], message["collection"], message["run"]) == ("run", OPEN, "fresh")
    assert message["link"] == f"{URL}/c/{OPEN}/run/fresh"
    assert message["who"]
    assert headers["evalstore-event"] == "run"
    assert headers["content-type"] == "application/json"
    # As docs/serving.md says it, written without the program.
    parts = dict(part.split("=", 1) for part in headers["evalstore-signature"].split(","))
    inner = hashlib.sha256()
    key = secret.encode().ljust(64, b"\0")
    inner.update(bytes(b ^ 0x36 for b in key) + parts["t"].encode() + b"." + body)
    outer = hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner.digest())
    assert parts["v1"] == outer.hexdigest()
    assert abs(int(parts["t"]) - datetime.now(UTC).timestamp()) < 600


def test_the_receiver_of_the_documentation_takes_a_message_and_refuses_a_forged_one(
    store: Store, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
    source = page.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(compile(source, "docs/serving.md", "exec"), names)  # noqa: S102  (our documentation)
    with receiving() as receiver:
        secret = add_webhook(store, receiver.url).secret
        store_run(store, tmp_path, "fresh")
        work(store)
    [(headers, body)] = receiver.came
    signature = headers["evalstore-signature"]
    assert names["is_genuine"](secret, signature, body)
    assert not names["is_genuine"](secret, signature, body + b" ")
    assert not names["is_genuine"]("evh_other", signature, body)
    old = hmac.new(secret.encode(), b"1000." + body, "sha256").hexdigest()
    assert not names["is_genuine"](secret, f"t=1000,v1={old}", body)


def test_a_new_run_is_told_with_what_may_be_claimed_beside_the_baseline(
    store: Store, tmp_path: Path
) -> None:
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        work(store)
    comparison = receiver.messages[0]["comparison"]
    assert comparison["baseline"] == "bm25"
    assert comparison["measure"] == "AP"
    assert "fresh" in comparison["claim"]
    assert comparison["is_shown"] is False


def test_without_a_baseline_nothing_is_claimed(store: Store, tmp_path: Path) -> None:
    unset_baseline(store, OPEN)
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        work(store)
    assert receiver.messages[0]["comparison"] is None


def test_a_run_is_told_once_and_nothing_from_before_the_webhook(
    store: Store, tmp_path: Path
) -> None:
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        assert work(store) == 0
        store_run(store, tmp_path, "fresh")
        work(store)
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")  # it is there already
        assert work(store) == 0
        assert work(store) == 0
    assert [message["run"] for message in receiver.messages] == ["fresh"]


def test_other_changes_of_a_run_are_not_told(store: Store) -> None:
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        rename_run(store, "plain", "plainer", collection=OPEN)
        remove_runs(store, ["plainer"], collection=OPEN)
        assert work(store) == 0
    assert receiver.came == []


def test_a_private_collection_is_told_to_its_own_webhooks_only(
    store: Store, tmp_path: Path
) -> None:
    with receiving() as of_all, receiving() as of_open, receiving() as of_private:
        add_webhook(store, of_all.url)
        add_webhook(store, of_open.url, OPEN)
        add_webhook(store, of_private.url, PRIVATE)
        store_run(store, tmp_path, "secret", PRIVATE)
        store_run(store, tmp_path, "fresh")
        work(store)
    assert [message["run"] for message in of_all.messages] == ["fresh"]
    assert [message["run"] for message in of_open.messages] == ["fresh"]
    assert [message["run"] for message in of_private.messages] == ["secret"]


def test_a_delivery_that_fails_is_tried_again_with_the_same_body_after_growing_delays(
    store: Store, tmp_path: Path
) -> None:
    assert list(DELAYS) == sorted(set(DELAYS))
    with receiving(500, 404, 200) as receiver:
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        for tries in (1, 2):
            assert work(store) == 1
            assert work(store) == 0, "not before its time"
            [hook] = list_webhooks(store)
            assert f"(try {tries} of {MOST_TRIES}, again after " in (hook.last_result or "")
            bring_forward(store)
        assert work(store) == 1
    [hook] = list_webhooks(store)
    assert hook.last_result == "run: answered 200"
    assert len({body for _, body in receiver.came}) == 1
    assert len({headers["evalstore-delivery"] for headers, _ in receiver.came}) == 1


def test_a_delivery_is_given_up_after_its_last_try(store: Store, tmp_path: Path) -> None:
    with receiving(500) as receiver:
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        for _ in range(MOST_TRIES + 2):
            work(store)
            bring_forward(store)
        [hook] = list_webhooks(store)
    assert len(receiver.came) == MOST_TRIES
    assert hook.last_result == f"answered 500 (try {MOST_TRIES} of {MOST_TRIES}, given up)"


def test_what_is_no_longer_allowed_is_told_nothing_and_not_tried_again(
    store: Store, tmp_path: Path
) -> None:
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        forbid(store, "127.0.0.0/8")
        store_run(store, tmp_path, "fresh")
        assert work(store) == 1
        bring_forward(store)
        assert work(store) == 0
        [hook] = list_webhooks(store)
    assert receiver.came == []
    assert "is not encrypted" in (hook.last_result or "")


def test_a_collection_that_became_private_is_not_told_by_a_later_try(
    store: Store, tmp_path: Path
) -> None:
    with receiving(500) as receiver:
        add_webhook(store, receiver.url)
        own = add_webhook(store, receiver.url, OPEN)
        store_run(store, tmp_path, "fresh")
        assert work(store) == 2
        set_collection_access(store, OPEN, "private")
        bring_forward(store)
        assert work(store) == 2
        bring_forward(store)
        assert work(store) == 1  # that of the collection's own webhook
        results = {hook.id: hook.last_result for hook in list_webhooks(store)}
    assert len(receiver.came) == 4
    assert "try 3 of 6" in (results.pop(own.id) or "")
    assert list(results.values()) == ["run: not sent, the collection became private or was deleted"]


def test_a_webhook_that_was_removed_is_told_nothing(store: Store, tmp_path: Path) -> None:
    with receiving() as receiver:
        new = add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        add_deliveries(store)
        remove_webhook(store, new.id)
        work(store)
    assert receiver.came == []
    with pytest.raises(NotFound):
        remove_webhook(store, new.id)


def test_a_private_address_is_refused_until_it_is_allowed(store: Store) -> None:
    with pytest.raises(DataError, match=r"10\.0\.0\.1, which is not an address of the internet"):
        add_webhook(store, "https://10.0.0.1/")
    assert allow(store, "10.0.0.1") == "10.0.0.1/32"
    add_webhook(store, "https://10.0.0.1/")


@pytest.mark.parametrize("name", ["", "10.0.0.1/33", "10.0.0.1/8", "a b", "https://h/", "*", "a/b"])
def test_what_is_neither_host_nor_network_can_not_be_allowed(store: Store, name: str) -> None:
    with pytest.raises(DataError, match="is no host name and no network"):
        allow(store, name)


@pytest.mark.parametrize("outcome", ["failed", "undecided", "not comparable", "passed"])
def test_a_gate_is_recorded_and_told_where_it_did_not_pass(store: Store, outcome: str) -> None:
    served, token = Served(store), create_token(store, "ci", "contributor", OPEN)
    with receiving() as receiver:
        add_webhook(store, receiver.url, kinds=("gate",))
        rules = [{"rule": "AP drop > 0.01", "fails": outcome == "failed"}]
        content = {"run": "plain", "outcome": outcome, "baseline": "bm25", "rules": rules}
        answer = gate(served, token, OPEN, **content, summary="plain against bm25")
        assert (answer.status_code, answer.get_json()["run"]) == (200, "plain")
        work(store)
    with store.read() as connection:
        newest = next(e for e in events.events(connection) if e.action == "gate")
    assert (newest.action, newest.subject, newest.who) == ("gate", "plain", "ci")
    expected = {"outcome": outcome, "baseline": "bm25", "summary": "plain against bm25"}
    assert newest.details == {**expected, "rules": rules}
    gates = [message["gate"] for message in receiver.messages]
    of_gate = {**expected, "rules": rules, "is_stored": True}
    assert gates == ([] if outcome == "passed" else [of_gate])


def test_a_gate_of_a_file_that_is_not_stored_is_told_with_a_link_to_the_collection(
    store: Store,
) -> None:
    served, token = Served(store), create_token(store, "ci", "contributor", OPEN)
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        content = {"run": "new.run", "is_stored": False, "outcome": "failed"}
        answer = gate(served, token, OPEN, **content)
        assert (answer.status_code, answer.get_json()["run"]) == (200, "new.run")
        work(store)
    [message] = receiver.messages
    assert (message["run"], message["gate"]["is_stored"]) == ("new.run", False)
    assert message["link"] == f"{URL}/c/{OPEN}"


def test_a_gate_takes_the_right_to_write_into_the_collection(store: Store) -> None:
    served, content = Served(store), {"run": "plain", "outcome": "failed"}
    reader = create_token(store, "other", "reader", OPEN)
    writer = create_token(store, "writer", "contributor", OPEN)
    assert gate(served, reader, OPEN, **content).status_code == 403
    assert gate(served, writer, PRIVATE, **content).status_code == 404
    missing = gate(served, writer, "no-such", **content).get_json()["detail"]
    hidden = gate(served, writer, PRIVATE, **content).get_json()["detail"]
    assert hidden.replace(PRIVATE, "no-such") == missing
    assert gate(served, writer, OPEN, run="nothing", outcome="failed").status_code == 404
    assert gate(served, writer, OPEN, run="plain", outcome="great").status_code == 400
    assert gate(served, writer, OPEN, run="pl\0ain", outcome="failed").status_code == 400


def test_the_job_of_a_delivery_is_shown_to_administrators_only(
    store: Store, tmp_path: Path
) -> None:
    served = Served(store)
    token = create_token(store, "ci", "contributor", OPEN)
    with receiving(500) as receiver:
        add_webhook(store, receiver.url)
        gate(served, token, OPEN, run="plain", outcome="failed")
        work(store)
    job_t = models.table(models.Job)
    with store.read() as connection:
        job = connection.execute(job_t.select().order_by(job_t.c.id)).first()
    assert job is not None
    assert (job.kind, job.who) == ("webhook", "ci")
    for name, status in ((token, 404), (create_token(store, "all", "administrator"), 200)):
        headers = {"Authorization": f"Bearer {name}"}
        client = served.app.test_client()
        answer = client.get(f"/api/v1/jobs/{job.id}", base_url=URL, headers=headers)
        assert answer.status_code == status


def test_the_link_of_a_message_has_the_path_of_the_public_url(store: Store, tmp_path: Path) -> None:
    set_public_url(store, f"{URL}/evalstore")
    with receiving() as receiver:
        add_webhook(store, receiver.url)
        store_run(store, tmp_path, "fresh")
        work(store)
    assert receiver.messages[0]["link"] == f"{URL}/evalstore/c/{OPEN}/run/fresh"


def program(store: Store, *words: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, ["server", "webhooks", *words, "--db", store.url])
    assert result.exit_code == status, result.output
    return result.stdout if status == 0 else result.output


def test_the_command_prints_the_secret_once_and_lists_what_came_of_it(store: Store) -> None:
    with receiving() as receiver:
        secret = program(store, "add", receiver.url, "--collection", OPEN, "--on", "gate").strip()
        assert secret.startswith("evh_")
        assert program(store, "test", "1") == "webhook 1 answered 204\n"
        assert receiver.messages[0]["event"] == "test"
    listed = program(store)
    assert secret not in listed
    for text in (receiver.url, OPEN, "gate", "test: answered 204"):
        assert text in listed
    [row] = json.loads(program(store, "--format", "json"))
    assert row["tells of"] == "gate"
    assert "no answer: connection refused" in program(store, "test", "1", status=1)
    assert program(store, "rm", "1") == "removed webhook 1\n"
    program(store, "rm", "1", status=1)
    program(store, "test", "1", status=1)


def test_the_command_lists_and_takes_back_what_is_allowed(store: Store) -> None:
    assert program(store, "allow", "Hook.Example") == "hook.example is allowed\n"
    assert program(store, "allow") == "127.0.0.0/8\nhook.example\n"
    program(store, "allow", "hook.example", "--withdraw")
    program(store, "allow", "hook.example", "--withdraw", status=1)
    program(store, "allow", "--withdraw", status=2)
    program(store, "add", "http://hook.example/", status=1)
    program(store, "add", "https://hook.example/", "--on", "other", status=2)
