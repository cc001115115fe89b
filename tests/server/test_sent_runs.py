"""Runs and judgments are stored from files that were sent, as `evalstore ingest` stores them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import QRELS, add, qrels_text, write_run
from sending import OTHER, Sender, run_file, sha256, working
from sqlalchemy import select
from team_server import Served

from evalstore.server.api import storing
from evalstore.server.app import create_server
from evalstore.server.jobs.uploads import MIB, Limits, change_limits, load_limits, spool_folder
from evalstore.server.jobs.worker import Worker
from evalstore.server.people.tokens import create_token
from evalstore.store import models
from evalstore.store.queries import events
from evalstore.store.queries.qrels import summarize_qrels
from evalstore.store.queries.runs import find_run, list_runs

pytestmark = pytest.mark.slow  # a worker stores what is sent


@pytest.fixture
def sender(served: Served) -> Sender:
    """A program that may write into every collection."""
    return Sender(served, create_token(served.store, "ci", "contributor"))


@pytest.fixture
def worker(served: Served) -> Iterator[Worker]:
    """A worker in a thread."""
    with working(served.store) as made:
        yield made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that don't wait for their job."""
    monkeypatch.setattr(storing, "SECONDS_TO_WAIT", 0)


def names(served: Served) -> list[str]:
    with served.store.read() as connection:
        return sorted(run.name for run in list_runs(connection))


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("name", ["https://169.254.169.254/x.run", "s3://bucket/x.run", "x*.run"])
def test_a_url_or_pattern_as_the_name_of_a_file_is_not_opened(
    sender: Sender, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("evalstore.formats.reading.remote.remote_file", asked.append)
    monkeypatch.setattr("evalstore.formats.reading.remote.filesystem", asked.append)
    assert sender.store(sender.send(run_file()), file=name).status_code == 201
    assert asked == []


@pytest.mark.usefixtures("worker")
def test_a_small_run_is_stored_at_once(sender: Sender) -> None:
    hash_ = sender.send(run_file())
    answer = sender.store(
        hash_, engine="lucene", experiment="first", parameters={"k1": 0.9}, tags=["ci"], note="*n*"
    )
    assert answer.status_code == 201, answer.text
    assert answer.json["status"] == "stored"
    assert answer.json["run"]["name"] == "other"
    assert answer.json["qrels"] == "test"
    with sender.served.store.read() as connection:
        run = models.table(models.Run)
        stored = connection.execute(run.select().where(run.c.name == "other")).one()
        assert (stored.parameters, stored.note) == ({"k1": 0.9}, "*n*")
        last = events.events(connection, subject="other", last=1)[0]
    assert (last.who, last.action, last.collection) == ("ci", "ingest", "test")


@pytest.mark.usefixtures("worker")
def test_the_same_again_is_the_same_run_also_without_its_file(sender: Sender) -> None:
    first = sender.store(sender.send(run_file())).json
    for _ in range(2):
        answer = sender.store(sha256(run_file()))
        assert answer.status_code == 200
        assert answer.json["status"] == "already stored"
        assert answer.json["run"] == first["run"]
    # Its file is not kept, as the run is stored.
    assert sender.blob("HEAD", sha256(run_file())).status_code == 404
    sender.send(run_file())
    answer = sender.store(sha256(run_file()), file="again.run")
    assert answer.status_code == 201
    assert (answer.json["run"]["name"], answer.json["same_as"]) == ("again", first["run"]["name"])


@pytest.mark.usefixtures("worker")
def test_a_run_that_was_sent_is_the_run_that_the_command_line_stores(
    sender: Sender, tmp_path: Path
) -> None:
    content = json.dumps(
        {qid: {d: 9 - i for i, d in enumerate(docs)} for qid, docs in OTHER.items()}
    )
    file = tmp_path / "dense.json"
    file.write_text(content)
    (outcome,) = add(sender.served.store, tmp_path, str(file))
    assert outcome.status == "stored"
    answer = sender.store(sender.send(content.encode()), file="dense.json")
    assert (answer.status_code, answer.json["status"]) == (200, "already stored")
    assert answer.json["run"]["name"] == "dense"


@pytest.mark.usefixtures("worker")
def test_a_fault_of_the_file_is_told_with_its_line_and_the_name_the_client_gave(
    sender: Sender,
) -> None:
    content = run_file() + b"q3 Q0 d9 3 1.0\n"
    line = content.count(b"\n")
    answer = sender.store(sender.send(content), file="runs/bm25.run")
    assert answer.status_code == 422
    assert answer.mimetype == "application/problem+json"
    assert answer.json["detail"].startswith(
        f"runs/bm25.run:{line}: expected 6 columns, found 5; a line is: "
    )
    assert names(sender.served) == ["bm25"]


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "<script>x</script>", "x" * 1000, "a b:c", "קובץ.run", "/etc/passwd"],
)
def test_a_hostile_name_of_a_file_is_a_name_only(sender: Sender, name: str) -> None:
    answer = sender.store(sender.send(b"nonsense\n"), file=name)
    assert answer.status_code == 422
    assert answer.json["detail"].startswith(name)
    assert str(spool_folder(sender.served.store, Limits())) not in answer.text
    assert sha256(b"nonsense\n") not in answer.text


@pytest.mark.parametrize("name", ["a\nb", "a\r\nSet-Cookie: x=1", "\x1b[31m", "\0", "\ud800", ""])
def test_a_name_with_control_characters_is_refused(sender: Sender, name: str) -> None:
    body = json.dumps({"blob": f"sha256:{'0' * 64}", "file": name})
    for field in ("file", "engine"):
        text = body if field == "file" else body.replace('"file": ', '"file": "x", "engine": ')
        answer = sender.ask(
            "POST", "/api/v1/collections/test/runs", data=text, content_type="application/json"
        )
        assert answer.status_code == 400
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("text", ["\0", "\ud800"])
@pytest.mark.parametrize("field", ["qrels", "parent", "part", "format", "origin"])
def test_a_text_that_no_database_takes_is_refused(sender: Sender, field: str, text: str) -> None:
    content = {"part": [text], "format": [text], "origin": {"parent": text}}.get(field, text)
    body = {"blob": f"sha256:{'0' * 64}", "file": "x", field: content}
    path = "/api/v1/collections/test/runs"
    answer = sender.ask("POST", path, data=json.dumps(body), content_type="application/json")
    assert answer.status_code == 400


@pytest.mark.usefixtures("worker")
def test_a_gzip_bomb_is_refused(sender: Sender) -> None:
    bomb = gzip.compress(b"q1 Q0 d1 1 1.0 " + b"x" * (80 * MIB), 9)
    answer = sender.store(sender.send(bomb), file="bomb.gz")
    assert answer.status_code == 422
    assert "bomb.gz" in answer.json["detail"]


def test_what_a_file_unpacks_to_is_limited_by_its_size() -> None:
    limits = Limits(unpacked_bytes=1000 * MIB, ratio=10)
    assert limits.most_unpacked(1) == 64 * MIB
    assert limits.most_unpacked(50 * MIB) == 500 * MIB
    assert limits.most_unpacked(500 * MIB) == 1000 * MIB


def test_a_file_that_unpacks_to_more_than_its_limit_is_refused(sender: Sender) -> None:
    change_limits(sender.served.store, {"unpacked_bytes": "50"})
    with working(sender.served.store):
        answer = sender.store(sender.send(gzip.compress(run_file())))
    assert answer.status_code == 422
    assert "more than 50 bytes once unpacked" in answer.json["detail"]


def test_a_file_of_too_many_lines_is_refused(sender: Sender) -> None:
    change_limits(sender.served.store, {"lines": "3"})
    with working(sender.served.store):
        answer = sender.store(sender.send(run_file()))
    assert answer.status_code == 422
    assert answer.json["detail"] == "other.run: more than 3 lines, which this server takes"


@pytest.mark.usefixtures("worker")
def test_a_database_that_names_other_files_is_not_looked_into(
    sender: Sender, tmp_path: Path
) -> None:
    write_run(tmp_path, name="secret.run")
    answer = sender.store(sender.send(b"SQLite format 3\x00" + b"\0" * 4080), file="mlflow.db")
    assert answer.status_code == 422
    assert names(sender.served) == ["bm25"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"blob": "sha256:0", "file": "x"}, "parameter 'blob': string should match pattern"),
        ({"blob": "/etc/passwd", "file": "x"}, "parameter 'blob': string should match pattern"),
        ({"blob": "sha256:" + "0" * 64}, "the parameter 'file' is missing"),
        ({"path": "/etc/passwd"}, "the parameter 'blob' is missing"),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "pth": 1}, "there is no parameter 'pth'"),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "replace": 1}, "parameter 'replace': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "note": 3}, "parameter 'note': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "tags": ["a=\n"]}, "tag"),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "started_at": "now"}, "started_at is no time"),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "format": "qrels"}, "parameter 'format': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "keep_top": -1}, "parameter 'keep_top': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "compat": "no"}, "parameter 'compat': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "measures": "AP"}, "parameter 'measures': "),
        ({"blob": "sha256:" + "0" * 64, "file": "x", "measures": []}, "parameter 'measures': "),
        (
            {"blob": "sha256:" + "0" * 64, "file": "x", "measures": ["AP", "nDCGG"]},
            "no measure is called 'nDCGG'",
        ),
        (
            {"blob": "sha256:" + "0" * 64, "file": "x", "measures": ["alpha_nDCG@5"]},
            "an ingest can't store alpha_nDCG@5",
        ),
    ],
)
def test_a_request_that_can_not_be_is_refused_before_it_is_a_job(
    sender: Sender, content: dict[str, object], sentence: str
) -> None:
    answer = sender.ask("POST", "/api/v1/collections/test/runs", json=content)
    assert answer.status_code == 400
    assert sentence in answer.json["detail"]


@pytest.mark.parametrize(
    ("data", "type_", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"keep_top": NaN}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * (2 * MIB), "application/json", 413),
    ],
)
def test_a_body_that_is_no_object_of_json_is_refused(
    sender: Sender, data: bytes, type_: str, status: int
) -> None:
    answer = sender.ask("POST", "/api/v1/collections/test/runs", data=data, content_type=type_)
    assert answer.status_code == status
    assert answer.mimetype == "application/problem+json"


def test_a_file_that_is_not_here_whole_is_not_stored(sender: Sender) -> None:
    content = run_file()
    assert sender.store(sha256(content)).status_code == 409
    sender.piece(content, 0, 10)
    answer = sender.store(sha256(content))
    assert answer.status_code == 409
    assert "is not here: send it first" in answer.json["detail"]


@pytest.mark.usefixtures("impatient")
def test_what_takes_longer_is_a_job_to_ask_for(sender: Sender) -> None:
    answer = sender.store(sender.send(run_file()))
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/api/v1/jobs/{answer.json['id']}"
    assert answer.headers["Retry-After"] == "2"
    assert answer.json["state"] == "waiting"
    again = sender.store(sha256(run_file()))
    assert again.json["id"] == answer.json["id"]
    assert Worker.of(sender.served.store).do_next()
    job = sender.ask("GET", answer.headers["Location"]).json
    assert (job["state"], job["result"]["run"]["name"]) == ("done", "other")
    assert sender.store(sha256(run_file())).status_code == 200


@pytest.mark.usefixtures("impatient")
def test_a_job_is_told_to_who_asked_for_it_and_to_administrators(sender: Sender) -> None:
    job = sender.store(sender.send(run_file())).headers["Location"]
    store = sender.served.store
    other = Sender(sender.served, create_token(store, "other", "contributor"))
    ann = Sender(sender.served, create_token(store, "boss", "administrator"))
    hidden, none = other.ask("GET", job), other.ask("GET", "/api/v1/jobs/77")
    assert hidden.status_code == none.status_code == 404
    assert hidden.json["detail"] == "there is no job 1"
    assert other.ask("DELETE", job).status_code == 404
    assert ann.ask("GET", job).json["who"] == "ci"
    assert sender.ask("GET", f"/api/v1/jobs/{'9' * 30}").status_code == 404


@pytest.mark.usefixtures("impatient")
def test_a_job_that_waits_can_be_cancelled(sender: Sender) -> None:
    job = sender.store(sender.send(run_file())).headers["Location"]
    assert sender.ask("DELETE", job).json["state"] == "cancelled"
    assert not Worker.of(sender.served.store).do_next()
    assert sender.ask("DELETE", job).status_code == 409
    with sender.served.store.read() as connection:
        last = events.events(connection, last=1)[0]
    assert (last.who, last.action, last.details) == ("ci", "job", {"change": "cancelled"})
    assert sender.store(sha256(run_file())).status_code == 202


@pytest.mark.usefixtures("impatient")
def test_a_full_queue_says_when_to_come_again(sender: Sender) -> None:
    change_limits(sender.served.store, {"waiting_jobs": "1"})
    sender.served.app = create_server(sender.served.store, log=sender.served.log)
    sender = Sender(sender.served, sender.token)
    hash_ = sender.send(run_file())
    assert sender.store(hash_).status_code == 202
    answer = sender.store(hash_, name="second")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "10")


@pytest.mark.usefixtures("worker")
def test_judgments_are_stored_from_a_file_that_was_sent(sender: Sender) -> None:
    content = qrels_text({**QRELS, "q4": {"d1": 1}}).encode()
    answer = sender.store(sender.send(content), "qrels", file="new.qrels")
    assert answer.status_code == 201, answer.text
    assert answer.json["qrels"]["name"] == "new"
    assert answer.json["queries"] == 4
    assert any("shown under qrels 'test'" in text for text in answer.json["warnings"])
    assert sender.store(sha256(content), "qrels", file="new.qrels").status_code == 200
    answer = sender.store(sender.send(b"q1 0 d1 x\n"), "qrels", file="bad.qrels")
    assert answer.status_code == 422
    assert answer.json["detail"].startswith("bad.qrels:1: ")


@pytest.mark.usefixtures("worker")
def test_judgments_of_a_model_keep_who_judged_and_name_no_file_of_the_server(
    sender: Sender,
) -> None:
    hash_ = sender.send(b"q1 0 d1 1\nq1 0 d2 ?\n")
    judge = f"model=gpt-4o,prompt={'0' * 64},repeat=2"
    answer = sender.store(hash_, "qrels", file="llm.qrels", judged_by=judge)
    assert answer.status_code == 201, answer.text
    assert any("1 of 2 answers of the model" in text for text in answer.json["warnings"])
    with sender.served.store.read() as connection:
        (stored,) = (one for one in summarize_qrels(connection, "test") if one.name == "llm")
    assert stored.origin == {
        **{"kind": "model", "model": "gpt-4o", "prompt": "0" * 64, "repeat": 2}
    }
    for wrong in ("model=gpt-4o,prompt=/etc/hostname", "gpt-4o", ""):
        answer = sender.store(hash_, "qrels", file="llm.qrels", judged_by=wrong)
        assert answer.status_code == 400, wrong


@pytest.mark.usefixtures("worker")
def test_measures_are_stored_that_a_request_names(sender: Sender) -> None:
    asked = {"measures": ["P@3", "map"], "file": "new.run"}
    answer = sender.store(sender.send(run_file()), **asked)
    assert answer.status_code == 201, answer.text
    assert stored_measures(sender, "new") == {"P@3", "AP"}
    assert sender.store(sha256(run_file()), **asked).status_code == 200
    answer = sender.store(sender.send(run_file()), file="new.run", measures=["RR"])
    assert (answer.status_code, answer.json["status"]) == (200, "already stored")
    assert stored_measures(sender, "new") == {"P@3", "AP"}, "as `evalstore ingest` does"


def stored_measures(sender: Sender, run: str) -> set[str]:
    tables = [models.table(each) for each in (models.Run, models.Evaluation, models.Aggregate)]
    runs, evaluations, aggregates = tables
    measures = models.table(models.Measure)
    of_run = evaluations.c.content_id == runs.c.content_id
    joined = runs.join(evaluations, of_run).join(aggregates).join(measures)
    with sender.served.store.read() as connection:
        chosen = select(measures.c.name).select_from(joined).where(runs.c.name == run)
        return set(connection.execute(chosen).scalars())


@pytest.mark.usefixtures("worker")
def test_a_run_without_common_queries_needs_to_be_allowed(sender: Sender) -> None:
    hash_ = sender.send(b"other Q0 d1 1 1.0 t\n")
    answer = sender.store(hash_, file="far.run")
    assert answer.status_code == 422
    assert "far.run" in answer.json["detail"]
    assert sender.store(hash_, file="far.run", allow_disjoint=True).status_code == 201


def test_who_may_read_only_stores_nothing(served: Served) -> None:
    reader = Sender(served, create_token(served.store, "r", "reader"))
    assert reader.store("0" * 64).status_code == 403
    assert reader.store("0" * 64, "qrels").status_code == 403
    assert load_limits(served.store) == Limits()
    with served.store.read() as connection:
        find_run(connection, "bm25", "test")
