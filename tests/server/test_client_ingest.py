"""`evalstore ingest --db URL`: prints and stores what it does on the store itself."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner, Result
from listening import Listening, listening
from own_store import filled
from samples import QRELS, TFIDF, run_text, write_qrels, write_run

from evalstore.catalog.collections import collections, set_collection_access, set_mapping
from evalstore.cli import cli
from evalstore.server.people.tokens import create_token
from evalstore.store import Store
from evalstore.store.queries.collections import ensure_collection
from evalstore.tracking.run_overview import run_facts

pytestmark = pytest.mark.slow  # many commands through a server

TO = ("--collection", "test")


@pytest.fixture
def served(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Listening]:
    """A server whose collection `test` has judgments and the run bm25; its caller contributes."""
    folder = tmp_path_factory.mktemp("server")
    monkeypatch.chdir(tmp_path)
    (folder / "store.db").write_bytes(filled())
    with Store.open(str(folder / "store.db")) as store, listening(store) as listens:
        token = create_token(store, "ci", "contributor")
        monkeypatch.setenv("EVALSTORE_TOKEN", token)
        yield listens


@pytest.fixture
def own(served: Listening, tmp_path: Path) -> str:
    """A store here with the same content."""
    write_run(tmp_path)
    Path("own.db").write_bytes(filled())
    return "own.db"


def call(*arguments: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(cli, ["ingest", *arguments], input=given, catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def write_files(folder: Path) -> None:
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    (folder / "packed.run.gz").write_bytes(gzip.compress(run_text(TFIDF, "packed").encode()))
    (folder / "bad.run").write_text("q1 Q0 d1 1 2.5\n")
    write_run(folder, {"q1": ["d1"]}, "other.run", "other")
    (folder / "two.json").write_text('{"q1": {"d1": 1.5}, "q2": {"d4": 2}}')
    write_run(folder, {"zz": ["d1"]}, "far.run", "far")
    write_qrels(folder, {"q1": {"d9": 1}, "q2": {"d9": 1}}, "second.qrels")
    (folder / "broken.qrels").write_text("q1 0 d1\n")
    (folder / "llm.qrels").write_text("q1 0 d1 1\nq1 0 d2 no idea\nq2 0 d4 1\n")
    (folder / "empty.run").write_text("")


CALLS = [
    ("tfidf.run",),
    ("bm25.run",),
    ("tfidf.run", "bad.run", "other.run"),
    ("packed.run.gz", "two.json", "missing.run"),
    ("tfidf.run", "--name", "bm25"),
    ("tfidf.run", "--name", "bm25", "--replace"),
    ("tfidf.run", "--engine", "lucene", "--experiment", "june", "--tag", "nightly", "--note", "x"),
    ("far.run",),
    ("far.run", "--allow-disjoint"),
    ("tfidf.run", "--qrels", "second.qrels"),
    ("tfidf.run", "--qrels", "second.qrels", "--default-qrels"),
    ("tfidf.run", "--qrels", "broken.qrels"),
    ("tfidf.run", "--qrels", "llm.qrels", "--judged-by", "model=gpt-4o,repeat=2"),
    ("tfidf.run", "--collection", "new"),
    ("tfidf.run", "--collection", "tset"),
    ("tfidf.run", "--collection", "tset", "--collection-size", "9"),
    ("tfidf.run", "other.run", "--collection", "new", "--qrels", "test.qrels"),
    ("tfidf.run", "--collection", "new", "--qrels", "broken.qrels"),
    ("two.json", "--format", "run-json"),
    ("tfidf.run", "--format", "run-json"),
]
SENT_AGAIN = {
    ("tfidf.run", "bad.run", "other.run"),
    ("packed.run.gz", "two.json", "missing.run"),
    ("tfidf.run", "--name", "bm25", "--replace"),
    ("tfidf.run", "--qrels", "second.qrels", "--default-qrels"),
    ("tfidf.run", "other.run", "--collection", "new", "--qrels", "test.qrels"),
}
"""Of runs, faults and judgments that are stored in each way, the same again."""


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_ingest_prints_through_a_server_what_it_prints_on_the_store(
    served: Listening, own: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    write_files(tmp_path)
    write_qrels(tmp_path, QRELS, "test.qrels")
    for is_again in (False, True) if arguments in SENT_AGAIN else (False,):
        # The store itself does not read again what is unchanged, unless it is told to.
        here = call(*TO, *arguments, "--db", own, *(["--recheck"] if is_again else []))
        there = call(*TO, *arguments, "--db", served.url)
        assert there.stdout == here.stdout
        assert there.exit_code == here.exit_code
        if not is_again:  # a server tells what it told of judgments that it has already
            assert there.stderr == here.stderr


def test_a_collection_is_not_made_for_judgments_of_a_model_that_are_refused(
    served: Listening, own: str, tmp_path: Path
) -> None:
    write_files(tmp_path)
    model = ("--collection", "new", "--qrels", "llm.qrels", "--judged-by", "model=gpt-4o")
    for db in (own, served.url):
        refused = call("tfidf.run", *model, "--db", db)
        assert refused.exit_code == 1
        assert refused.stderr.splitlines()[-1].startswith(
            "llm.qrels: a model's judgments would be the first of collection 'new'"
        )
    assert [one.name for one in collections(served.store)] == ["test"]


def test_a_saved_mapping_is_read_by_its_name_through_a_server(
    served: Listening, tmp_path: Path
) -> None:
    set_mapping(served.store, "test", "rag", "qid=query,docno=hits[].id,score=hits[].score")
    line = '{"query": "q1", "hits": [{"id": "d1", "score": 2}]}\n'
    (tmp_path / "answers.jsonl").write_text(line)
    done = call(*TO, "--map", "rag", "answers.jsonl", "--db", served.url)
    assert done.stdout.startswith("stored          answers")
    failed = call(*TO, "--map", "rga", "answers.jsonl", "--db", served.url)
    assert failed.exit_code == 1
    assert "collection 'test' has no mapping 'rga'; did you mean 'rag'?" in failed.stderr


def test_standard_input_is_sent_and_named_as_on_the_store(served: Listening) -> None:
    assert served.store.file is not None
    text = run_text(TFIDF, "tfidf")
    done = call(*TO, "-", "--db", served.url, given=text)
    assert done.stdout == "stored          stdin\n"
    bad = call(*TO, "-", "--db", served.url, given="q1 Q0 d1\n")
    own = call(*TO, "-", "--db", str(served.store.file), given="q1 Q0 d1\n")
    assert (bad.exit_code, bad.stderr) == (1, own.stderr)


def test_what_is_stored_is_sent_once(served: Listening, tmp_path: Path) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    assert call(*TO, file, "--db", served.url).stdout == "stored          tfidf\n"
    sent = [path for method, path, _ in served.requests if method == "PUT"]
    assert len(sent) == 1
    assert call(*TO, file, "--db", served.url).stdout == "already stored  tfidf\n"
    assert [path for method, path, _ in served.requests if method == "PUT"] == sent


def test_facts_of_a_run_and_of_where_it_was_made_are_sent(
    served: Listening, tmp_path: Path
) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    facts = ("--param", "k1=0.9", "--tag", "a", "--money", "0.5", "EUR", "--index-bytes", "1K")
    call(*TO, file, *facts, "--started-at", "2026-01-02T03:04:05+01:00", "--db", served.url)
    stored = run_facts(served.store, "tfidf")
    assert (stored.parameters, stored.tags, stored.money) == ({"k1": 0.9}, ("a",), 0.5)
    assert stored.index_bytes == 1024
    assert str(stored.started_at) == "2026-01-02 02:04:05+00:00"
    assert stored.host
    assert stored.started_by


@pytest.mark.parametrize(
    "option",
    [
        ("--encoding", "latin-1"),
        ("--max-bytes", "1M"),
        ("--jobs", "2"),
        ("--unfinished",),
    ],
    ids=" ".join,
)
def test_an_option_that_can_not_be_sent_is_refused_by_name(
    served: Listening, tmp_path: Path, option: tuple[str, ...]
) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    done = call(*TO, file, *option, "--db", served.url)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{option[0]} can't be sent to a server" in done.stderr
    assert served.requests == []


def test_a_collection_is_made_only_by_who_may_write_into_the_whole_store(
    served: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    new = ("--collection", "new", "--qrels", write_qrels(tmp_path, QRELS, "new.qrels"))
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(served.store, "one", "contributor", "test"))
    done = call(*new, file, "--db", served.url)
    assert (done.exit_code, done.stdout) == (1, "")
    sentence = "A new collection takes the role contributor in the whole store.\n"
    assert done.stderr == sentence
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(served.store, "all", "contributor"))
    assert call(*new, file, "--db", served.url).stdout == "stored          tfidf\n"


def test_a_mistyped_collection_is_told_by_the_names_that_one_may_read(
    served: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    with served.store.write() as connection:
        for name in ("secret", "bare"):
            ensure_collection(connection, name, datetime.now(UTC))
    set_collection_access(served.store, "secret", "private")
    absent = "there is no collection '{}' in the store{}\n"
    sentences = {
        "tset": absent.format("tset", "; did you mean 'test'?"),
        **{name: absent.format(name, ": give --qrels FILE") for name in ("secret", "secrte")},
        "bare": "collection 'bare' has no qrels yet: give --qrels FILE\n",
    }
    for name, sentence in sentences.items():
        done = call("--collection", name, file, "--db", served.url)
        assert (done.exit_code, done.stdout, done.stderr) == (1, "", sentence)
        body = {"blob": "0" * 64, "file": "a"}
        headers = {"Authorization": f"Bearer {os.environ['EVALSTORE_TOKEN']}"}
        address = f"{served.url}/api/v1/collections/{name}/runs"
        answer = requests.post(address, json=body, headers=headers, timeout=60)
        if name != "bare":
            detail = sentence.strip().removesuffix(": give --qrels FILE")
            assert (answer.status_code, answer.json()["detail"]) == (404, detail)


def test_a_reader_is_told_that_it_may_not_write(
    served: Listening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_run(tmp_path, TFIDF, name, "x") for name in ("a.run", "b.run")]
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(served.store, "reader", "reader"))
    done = call(*TO, *files, "--db", served.url)
    assert done.exit_code == 1
    assert "reader may not do that" in done.stderr
    assert f"failed          {files[1]}: not tried any more" in done.stderr
