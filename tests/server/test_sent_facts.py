"""Facts of a collection are sent as files: on each database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from api_client import Team
from sending import Sender, run_file, sha256
from two_collections import OPEN, PRIVATE, id_of
from werkzeug.test import TestResponse

from evalstore.server.api import storing
from evalstore.server.jobs.uploads import sweep
from evalstore.server.jobs.worker import Worker
from evalstore.store import Store
from evalstore.store.models import subtopic_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.facts import load_judgments, load_known, load_times
from evalstore.store.queries.runs import lookup_run

SUBTOPICS = b"q1 a d1 1\nq1 b d2 1\n"
KNOWN = b"q1 d1\nq1 d9\n"


def file(content: bytes, name: str) -> dict[str, str]:
    return {"blob": f"sha256:{sha256(content)}", "file": name}


def store_facts(sender: Sender, collection: str = OPEN, **content: Any) -> TestResponse:
    return sender.ask("POST", f"/api/v1/collections/{collection}/facts", json=content)


def subtopics_of(store: Store) -> set[bytes]:
    with store.read() as connection:
        judgments = load_judgments(connection, id_of(store, OPEN), subtopic_t)
    return set() if judgments is None else set(judgments.subtopics.to_pylist())


def size_of(store: Store) -> int | None:
    with store.read() as connection:
        return next(c.documents for c in list_collections(connection) if c.name == OPEN)


@pytest.mark.usefixtures("works")
@pytest.mark.each_database
def test_facts_replace_those_that_are_stored_and_the_event_names_who_sent_them(
    api: Team, sender: Sender
) -> None:
    for content in (SUBTOPICS, KNOWN):
        sender.send(content)
    given = {"subtopics": file(SUBTOPICS, "aspects"), "known": file(KNOWN, "known")}
    answer = store_facts(sender, **given, collection_size=77)
    assert answer.status_code == 201, answer.text
    assert (answer.json["status"], answer.json["collection"]) == ("stored", OPEN)
    assert answer.json["warnings"] == []
    assert subtopics_of(api.store) == {b"a", b"b"}
    assert size_of(api.store) == 77
    with api.store.read() as connection:
        assert load_known(connection, id_of(api.store, OPEN)) == {"q1": {"d1", "d9"}}
        last = events.events(connection, subject=OPEN, last=1)[0]
    assert (last.who, last.action) == ("ci", "facts")
    assert last.details["stored"] == ["subtopics", "known", "collection_size"]


@pytest.mark.usefixtures("works")
def test_what_was_replaced_since_is_stored_again_where_it_is_asked_for_again(
    api: Team, sender: Sender
) -> None:
    for size in (5, 6, 5):
        assert store_facts(sender, collection_size=size).status_code == 201
        assert size_of(api.store) == size


@pytest.mark.usefixtures("works")
def test_where_one_file_is_broken_none_is_stored(api: Team, sender: Sender) -> None:
    before = (subtopics_of(api.store), size_of(api.store))
    bad = b"q1 d1\nq1\n"
    subtopics = b"q1 never d1 1\n"
    for content in (bad, subtopics):
        sender.send(content)
    given = {"subtopics": file(subtopics, "aspects"), "known": file(bad, "<b>.txt")}
    answer = store_facts(sender, **given, collection_size=123)
    assert answer.status_code == 422
    assert answer.json["detail"].startswith("<b>.txt:2: ")
    qrels = b"q1 0 d1 1\nq1 0 d79 1\n"
    answer = sender.store(sender.send(qrels), "qrels", file="79.qrels", **given)
    assert answer.status_code == 422
    assert answer.json["detail"].startswith("<b>.txt:2: ")
    broken = sender.send(b"q1 0 d1\n")
    given["known"] = file(KNOWN, "known")
    sender.send(KNOWN)
    answer = sender.store(broken, "qrels", file="bad.qrels", **given)
    assert (answer.status_code, answer.json["detail"][:12]) == (422, "bad.qrels:1:")
    assert (subtopics_of(api.store), size_of(api.store)) == before


@pytest.mark.usefixtures("works")
def test_warnings_name_the_file_as_its_sender_does(sender: Sender) -> None:
    twice = b"q1 a d1 1\nq1 a d1 1\n"
    sender.send(twice)
    answer = store_facts(sender, subtopics=file(twice, "=twice"), judgment_groups=file(twice, "x"))
    assert answer.status_code == 201, answer.text
    assert [text.split(":")[0] for text in answer.json["warnings"]] == ["=twice", "x"]


@pytest.mark.usefixtures("works")
@pytest.mark.each_database
def test_response_times_are_stored_with_their_run_or_neither(api: Team, sender: Sender) -> None:
    run = run_file("timed")
    for content, name in ((b"q1 10\nzz 5\n", "'zz'"), (b"q1 soon\n", "t.txt:1: ")):
        sender.send(run)
        sender.send(content)
        answer = sender.store(sha256(run), file="timed.run", times=file(content, "t.txt"))
        assert answer.status_code == 422
        assert name in answer.json["detail"]
        assert times_of(api.store, "timed") is None
    for milliseconds, status in ((10.0, "stored"), (20.0, "already stored")):
        times = f"q1 {milliseconds}\n".encode()
        sender.send(run)
        sender.send(times)
        answer = sender.store(sha256(run), file="timed.run", times=file(times, "t.txt"))
        assert answer.json["status"] == status, answer.text
        assert times_of(api.store, "timed") == {"q1": milliseconds}


def times_of(store: Store, name: str) -> dict[str, float] | None:
    with store.read() as connection:
        run = lookup_run(connection, id_of(store, OPEN), name=name)
        return None if run is None else load_times(connection, run.id)


def test_the_files_of_a_job_are_kept_while_it_waits_and_then_deleted(
    api: Team, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    worker = Worker.of(api.store)
    hashes = {sender.send(SUBTOPICS), sender.send(KNOWN)}
    same = file(SUBTOPICS, "aspects")
    answer = store_facts(sender, subtopics=same, judgment_groups=same, known=file(KNOWN, "known"))
    assert answer.status_code == 202
    assert answer.json["file"] is None
    sweep(api.store, worker.spool, replace(worker.limits, keep_hours=0))
    assert hashes <= {name for _, name in worker.spool.files()}
    while worker.do_next():
        pass
    assert not hashes & {name for _, name in worker.spool.files()}
    job = sender.ask("GET", f"/api/v1/jobs/{answer.json['id']}").json
    assert (job["state"], job["result"]["status"]) == ("done", "stored")


@pytest.mark.parametrize(
    ("content", "status", "sentence"),
    [
        ({}, 400, "nothing is given to store"),
        ({"known": None}, 400, "nothing is given to store"),
        ({"collection_size": 0}, 400, "parameter 'collection_size': "),
        ({"collection_size": 2**63}, 400, "parameter 'collection_size': "),
        ({"collection_size": "5"}, 400, "parameter 'collection_size': "),
        ({"known": "known.txt"}, 400, "parameter 'known': "),
        ({"known": {"blob": "0" * 64}}, 400, "the parameter 'known.file' is missing"),
        ({"knwon": {}}, 400, "there is no parameter 'knwon'; did you mean 'known'?"),
        ({"known": {"blob": "0" * 64, "file": "k\x1b"}}, 400, "the name of the file"),
        ({"known": {"blob": "0" * 64, "file": "known"}}, 409, "the file sha256:0000"),
    ],
)
def test_a_request_that_can_not_be_is_refused_before_it_is_a_job(
    sender: Sender, content: dict[str, Any], status: int, sentence: str
) -> None:
    answer = store_facts(sender, **content)
    assert answer.status_code == status
    assert answer.json["detail"].startswith(sentence)


def test_no_facts_are_sent_into_a_collection_that_one_may_not_know_of(sender: Sender) -> None:
    answers = [store_facts(sender, name, collection_size=1) for name in (PRIVATE, "qqqqqqqq")]
    details = [answer.json["detail"].replace(PRIVATE, "qqqqqqqq") for answer in answers]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert details[0] == details[1]


def test_a_reader_stores_no_facts(api: Team) -> None:
    path = f"/collections/{OPEN}/facts"
    assert api.reader.refused(path, "POST", json={"collection_size": 1})[0] == 403
