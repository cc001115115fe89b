"""Queries and documents are sent, jobs are listed: on each database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from api_client import Team
from sending import Sender, run_file, sha256
from two_collections import OPEN, PRIVATE, id_of, markers_in

from evalstore.catalog.queries import list_queries
from evalstore.server.api import storing
from evalstore.server.jobs.uploads import sweep
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store.queries import events
from evalstore.store.queries.documents import load_documents

pytestmark = pytest.mark.slow  # a worker stores what is sent


@pytest.mark.usefixtures("works")
@pytest.mark.each_database
def test_queries_are_stored_with_their_texts_and_what_is_there_stays(
    api: Team, sender: Sender
) -> None:
    content = b'{"_id": "q1", "text": "what is new?"}\n{"_id": "q9", "text": "a query more"}\n'
    answer = sender.store(sender.send(content), "queries", file="queries.jsonl")
    assert answer.status_code == 201, answer.text
    assert (answer.json["status"], answer.json["queries"]) == ("stored", 2)
    stored = {query.qid: query for query in list_queries(api.store, OPEN)}
    assert (stored["q1"].text, stored["q9"].text) == ("what is new?", "a query more")
    assert stored["q1"].attributes["lang"] == "en"
    with api.store.read() as connection:
        last = events.events(connection, subject=OPEN, last=1)[0]
    assert (last.who, last.action, last.details) == (
        "ci",
        "facts",
        {"kind": "queries", "changed": 2},
    )


@pytest.mark.usefixtures("works")
@pytest.mark.each_database
def test_documents_are_stored_that_are_judged_or_all(api: Team, sender: Sender) -> None:
    lines = [
        '{"_id": "d1", "title": "One", "text": "first"}',
        '{"_id": "zz", "title": "", "text": "never judged"}',
    ]
    hash_ = sender.send("\n".join(lines).encode())
    answer = sender.store(hash_, "documents", file="corpus.jsonl")
    assert answer.status_code == 201, answer.text
    assert (answer.json["documents"], answer.json["stored"]) == (2, 1)
    hash_ = sender.send("\n".join(lines).encode())
    answer = sender.store(hash_, "documents", file="corpus.jsonl", every=True, max_bytes=5)
    assert (answer.json["stored"], answer.json["cut"]) == (2, 2)
    assert answer.json["warnings"] == [
        "corpus.jsonl: documents are cut at 5 bytes: 2 of them, the first is 'd1'",
        "corpus.jsonl: 5 judged documents have no text: 'd2', 'd3', 'd4', ...",
    ]
    with api.store.read() as connection:
        stored = {row[0]: row[1:] for row in load_documents(connection, id_of(api.store, OPEN))}
    assert (stored["d1"], stored["zz"]) == (("One", "fi"), ("", "never"))


@pytest.mark.usefixtures("works")
@pytest.mark.parametrize("kind", ["queries", "documents"])
def test_a_fault_is_told_with_its_line_and_nothing_is_stored(
    api: Team, sender: Sender, kind: str
) -> None:
    before = list_queries(api.store, OPEN)
    content = b'{"_id": "q1", "text": "other"}\n{"_id": "q2"\n'
    answer = sender.store(sender.send(content), kind, file="<b>.jsonl")
    assert answer.status_code == 422
    assert answer.json["detail"].startswith("<b>.jsonl:2: ")
    assert list_queries(api.store, OPEN) == before


@pytest.mark.usefixtures("works")
def test_judgments_and_queries_of_one_request_are_stored_or_neither(
    api: Team, sender: Sender
) -> None:
    before = list_queries(api.store, OPEN)
    queries = b'{"_id": "q1", "text": "what is old?"}\n'
    qrels = b"q1 0 d1 1\nq1 0 d77 1\n"
    given = {"blob": f"sha256:{sha256(queries)}", "file": "queries.jsonl"}
    sender.send(qrels)
    answer = sender.store(sha256(qrels), "qrels", file="77.qrels", queries=given)
    assert answer.status_code == 409
    assert sha256(queries) in answer.json["detail"]
    sender.send(queries)
    broken = sender.send(b"q1 0 d1\n")
    answer = sender.store(broken, "qrels", file="bad.qrels", queries=given)
    assert (answer.status_code, answer.json["detail"][:12]) == (422, "bad.qrels:1:")
    bad = sender.send(b'{"_id": "q1"\n')
    wrong = {"blob": f"sha256:{bad}", "file": "<b>.jsonl"}
    answer = sender.store(sha256(qrels), "qrels", file="77.qrels", queries=wrong)
    assert (answer.status_code, answer.json["detail"][:12]) == (422, "<b>.jsonl:1:")
    assert list_queries(api.store, OPEN) == before
    answer = sender.store(sha256(qrels), "qrels", file="77.qrels", queries=given)
    assert answer.status_code == 201, answer.text
    stored = {query.qid: query.text for query in list_queries(api.store, OPEN)}
    assert stored["q1"] == "what is old?"


def test_the_files_of_judgments_and_queries_are_kept_while_their_job_waits_and_then_deleted(
    api: Team, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    worker = Worker.of(api.store)
    queries, qrels = b"q1\twhat is kept?\n", b"q1 0 d1 1\nq1 0 d78 1\n"
    hashes = {sender.send(queries), sender.send(qrels)}
    given = {"blob": f"sha256:{sha256(queries)}", "file": "queries.tsv"}
    answer = sender.store(sha256(qrels), "qrels", file="78.qrels", queries=given)
    assert answer.status_code == 202
    sweep(api.store, worker.spool, replace(worker.limits, keep_hours=0))
    assert hashes <= {name for _, name in worker.spool.files()}
    while worker.do_next():
        pass
    assert not hashes & {name for _, name in worker.spool.files()}


@pytest.mark.parametrize(
    ("queries", "sentence"),
    [
        ({"blob": "0" * 64}, "the parameter 'queries.file' is missing"),
        ({"blob": "x", "file": "q.tsv"}, "parameter 'queries.blob': string should match pattern"),
        ({"blob": "0" * 64, "file": "q", "every": True}, "there is no parameter 'queries.every'"),
        ("q.tsv", "parameter 'queries': "),
    ],
)
def test_queries_of_judgments_are_named_as_a_file_is(
    sender: Sender, queries: object, sentence: str
) -> None:
    answer = sender.store("0" * 64, "qrels", file="x.qrels", queries=queries)
    assert answer.status_code == 400
    assert answer.json["detail"].startswith(sentence)


@pytest.mark.parametrize("kind", ["runs", "qrels", "queries", "documents"])
def test_nothing_can_be_sent_into_a_collection_that_one_may_not_know_of(
    sender: Sender, kind: str
) -> None:
    content = {"blob": f"sha256:{'0' * 64}", "file": "x"}
    answers = [
        sender.ask("POST", f"/api/v1/collections/{name}/{kind}", json=content)
        for name in (PRIVATE, "qqqqqqqq")
    ]
    details = [answer.json["detail"].replace(PRIVATE, "qqqqqqqq") for answer in answers]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert details[0] == details[1]


@pytest.mark.each_database
def test_jobs_are_listed_to_who_asked_for_them_and_all_to_administrators(
    api: Team, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)
    own = []
    for number in range(3):
        content = run_file(f"job-{number}")
        own.append(sender.store(sender.send(content), file=f"job-{number}.run").json["id"])
    token = create_token(api.store, "other", "contributor", PRIVATE)
    other = Sender(api.reader.served, token, PRIVATE)
    hidden = other.store(other.send(run_file("zanzibar")), file="zanzibar.run").json["id"]
    listed = sender.ask("GET", "/api/v1/jobs").json["jobs"]
    assert [job["id"] for job in listed[:3]] == own[::-1]
    assert {job["who"] for job in listed} == {"ci"}
    assert listed[0]["file"] == "job-2.run"
    assert markers_in(listed) == []
    assert [job["id"] for job in other.ask("GET", "/api/v1/jobs").json["jobs"]] == [hidden]
    everyone = api.administrator.get("/jobs?limit=4")
    assert [job["id"] for job in everyone["jobs"]] == [hidden, *own[::-1]]
    page = sender.ask("GET", "/api/v1/jobs?limit=2").json
    following = sender.ask("GET", f"/api/v1/jobs?limit=2&cursor={page['next']}").json["jobs"]
    assert following[0]["id"] == own[0]
    for job in (*own, hidden):
        assert api.administrator.ask(f"/jobs/{job}", "DELETE").status_code == 200
    revoke_token(api.store, "other")


def test_who_may_read_only_has_no_jobs(api: Team) -> None:
    assert api.reader.refused("/jobs")[0] == 403


def test_a_file_that_is_not_here_is_not_stored(sender: Sender) -> None:
    for kind in ("queries", "documents"):
        answer = sender.store(sha256(b"nothing"), kind, file="x")
        assert (answer.status_code, "send it first" in answer.json["detail"]) == (409, True)
