"""`evalstore ingest --db URL` of queries, documents and chosen measures: as on the store itself."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from listening import Listening
from nightly import one_in
from own_store import (
    OWN,
    Content,
    call,
    content,
    content_of_own,
    same_and_content,
    same_through_the_server,
    served_beside_own,
)
from samples import QRELS, TFIDF, write_qrels, write_run

from evalstore.server.people.tokens import create_token

pytestmark = pytest.mark.slow  # many commands through a server

TO = ("--collection", "test")
NEW = ("--collection", "new", "--qrels", "new.qrels")
RUN = "tfidf.run"
HOSTILE_NAME = "<b>&%s{0}\u202ecafé"


@pytest.fixture
def served(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Listening]:
    """A server whose collection `test` has judgments and the run bm25, and `own.db` the same."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    with served_beside_own(tmp_path_factory.mktemp("server"), monkeypatch) as listens:
        yield listens


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Listening, str]]:
    """The same for all tests after which it is as it was, and a token of a contributor."""
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with served_beside_own(tmp_path_factory.mktemp("server"), patch) as listens:
            yield listens, os.environ["EVALSTORE_TOKEN"]


@pytest.fixture(scope="module")
def before(shared: tuple[Listening, str]) -> Content:
    """What the shared server contains."""
    return content(shared[0].store)


@pytest.fixture
def unchanged(shared: tuple[Listening, str], monkeypatch: pytest.MonkeyPatch) -> Listening:
    """The shared server; the environment of each test is without the token otherwise."""
    listens, token = shared
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    return listens


def write_files(folder: Path) -> None:
    write_run(folder, TFIDF, RUN, "tfidf")
    write_qrels(folder, QRELS, "new.qrels")
    write_qrels(folder, {"q1": {"d9": 1}, "q2": {"d9": 1}}, "second.qrels")
    write_qrels(folder, {"zz": {"d9": 1}}, "far.qrels")
    texts = {
        "queries.tsv": "q1\twhat is new?\nq9\tnever judged\n",
        "queries.jsonl": '{"_id": "q1", "text": "one", "lang": "en", "tags": ["a", "b"]}\n'
        '{"_id": "q2", "text": "two", "lang": "de"}\n',
        "broken.jsonl": '{"_id": "q1", "text": "one"}\n{"_id": "q2"\n',
        "twice.tsv": "q1\tone\nq1\tone\n",
        f"{HOSTILE_NAME}.tsv": "q1\tone\nq1\tone\n",
        "empty.tsv": "",
        "broken.qrels": "q1 0 d1\n",
        "corpus.jsonl": '{"_id": "d1", "title": "One", "text": "the first"}\n'
        '{"_id": "zz", "title": "", "text": "never judged"}\n',
        "corpus.tsv": "d1\tthe first\nd2\tthe second\n",
        "twice.jsonl": '{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "a"}\n',
        f"{HOSTILE_NAME}.jsonl": '{"_id": "d1", "text": "long"}\n',
        "by-text.json": json.dumps(
            {
                "judgmentRatings": [
                    {"query": "one", "ratings": [{"docId": "d1", "rating": "2"}]},
                    {"query": "two", "ratings": [{"docId": "d4", "rating": "1"}]},
                ]
            }
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(texts["corpus.jsonl"].encode()))
    (folder / "beir" / "qrels").mkdir(parents=True)
    (folder / "beir" / "queries.jsonl").write_text(texts["queries.jsonl"])
    (folder / "beir" / "corpus.jsonl").write_text(texts["corpus.jsonl"])
    rows = [f"{qid}\t{docno}\t{g}\n" for qid, own in QRELS.items() for docno, g in own.items()]
    (folder / "beir" / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(rows)
    )


STORED = [
    (*TO, RUN, "--queries", "queries.tsv"),
    (*TO, RUN, "--queries", "queries.jsonl", "--qrels", "second.qrels"),
    (*TO, RUN, "--queries", "queries.jsonl", "--qrels", "by-text.json"),
    (*NEW, RUN, "--queries", "queries.jsonl"),
    ("--collection", "new", RUN, "--queries", "queries.jsonl", "--qrels", "by-text.json"),
    (*TO, RUN, "--documents", "corpus.tsv", "--keep-top", "0"),
    (*TO, RUN, "--documents", "corpus.jsonl.gz", "--all-documents"),
    (*TO, RUN, "--documents", "corpus.jsonl", "--all-documents", "--max-document-bytes", "5"),
    (*TO, RUN, "--documents", f"{HOSTILE_NAME}.jsonl", "--max-document-bytes", "2"),
    (*NEW, RUN, "--documents", "corpus.jsonl", "--queries", "queries.tsv"),
    ("--collection", "new", RUN, "--beir", "beir"),
    (*NEW, RUN, "--beir", "beir", "--queries", "queries.tsv", "--all-documents"),
    (*TO, RUN, "missing.run", "--documents", "corpus.jsonl", "--queries", "queries.tsv"),
    (*TO, RUN, "--measures", "map,P.5,10,nDCG@3"),
    (*TO, RUN, "--measures", "standard"),
]

REFUSED = [
    (*TO, RUN, "--queries", "broken.jsonl"),
    (*TO, RUN, "--queries", "twice.tsv"),
    (*TO, RUN, "--queries", f"{HOSTILE_NAME}.tsv"),
    (*TO, RUN, "--queries", "empty.tsv"),
    (*TO, RUN, "--queries", "missing.tsv"),
    (*TO, RUN, "--queries", "beir"),
    (*TO, RUN, "--queries", "queries.tsv", "--qrels", "broken.qrels"),
    (*TO, RUN, "--queries", "queries.tsv", "--qrels", "far.qrels"),
    (*TO, RUN, "--queries", "queries.tsv", "--qrels", "by-text.json"),
    (*TO, RUN, "--queries", "broken.jsonl", "--qrels", "broken.qrels"),
    (*NEW, RUN, "--queries", "broken.jsonl"),
    ("--collection", "new", RUN, "--queries", "queries.tsv"),
    ("--collection", "new", RUN, "--beir", "nothing"),
    (*TO, RUN, "--all-documents"),
    (*TO, RUN, "--measures", "nothing"),
    (*TO, RUN, "--measures", "AP,alpha_nDCG@5"),
    (*TO, RUN, "--measures", ""),
]

REFUSED_DOCUMENTS = ["broken.jsonl", "empty.tsv", "missing.jsonl"]


@pytest.mark.parametrize("arguments", one_in(2, STORED), ids=" ".join)
def test_the_same_is_printed_and_stored_through_a_server(
    served: Listening, arguments: tuple[str, ...]
) -> None:
    done, after = same_and_content(served, *arguments)
    assert "stored          tfidf\n" in done.stdout
    assert len(after["run"]) > 1


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_the_store_refuses_is_refused_with_its_sentence_and_nothing_is_stored(
    unchanged: Listening, before: Content, arguments: tuple[str, ...]
) -> None:
    done, after = same_and_content(unchanged, *arguments)
    assert done.exit_code in (1, 2)
    assert after == before


@pytest.mark.parametrize("documents", REFUSED_DOCUMENTS)
def test_runs_stay_where_their_documents_are_refused(served: Listening, documents: str) -> None:
    done, after = same_and_content(served, *TO, RUN, "--documents", documents)
    assert done.exit_code == 1
    assert after["document"] == []
    assert len(after["run"]) == 2


def test_texts_that_are_sent_again_are_stored_again(served: Listening) -> None:
    given = (*TO, RUN, "--queries", "queries.tsv", "--documents", "corpus.jsonl")
    same_through_the_server(served, *given)
    with_qrels = (*TO, RUN, "--qrels", "second.qrels", "--default-qrels", "--queries")
    for queries in ("queries.jsonl", "queries.tsv", "queries.jsonl"):
        same_through_the_server(served, *with_qrels, queries, "--recheck")


def test_queries_and_documents_are_read_from_standard_input(served: Listening) -> None:
    for option, file in (("--queries", "queries.tsv"), ("--documents", "corpus.jsonl")):
        text = Path(file).read_text()
        here = call(*TO, RUN, option, "-", "--db", OWN, given=text)
        there = call(*TO, RUN, option, "-", "--db", served.url, given=text)
        assert (there.stdout, there.exit_code) == (here.stdout, here.exit_code)
        assert content(served.store) == content_of_own()


@pytest.mark.parametrize(
    ("option", "file", "others"),
    [
        ("--qrels", "broken.qrels", ("--queries", "queries.tsv")),
        ("--queries", "broken.jsonl", ("--qrels", "new.qrels")),
        ("--queries", "queries.tsv", ("--qrels", "new.qrels")),
        ("--qrels", "second.qrels", ()),
    ],
)
def test_judgments_and_queries_of_a_new_collection_are_read_from_standard_input(
    served: Listening, option: str, file: str, others: tuple[str, ...]
) -> None:
    call_ = ("--collection", "new", RUN, option, "-", *others)
    text = Path(file).read_text()
    here = call(*call_, "--db", OWN, given=text)
    there = call(*call_, "--db", served.url, given=text)
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)
    assert content(served.store) == content_of_own()


def test_a_reader_sends_neither_queries_nor_documents(
    served: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(served.store)
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(served.store, "reader", "reader"))
    for option, file in (("--queries", "queries.tsv"), ("--documents", "corpus.jsonl")):
        for others in ((), ("--qrels", "second.qrels")):
            done = call(*TO, RUN, option, file, *others, "--db", served.url)
            assert done.exit_code == 1
            assert "reader may not do that" in done.stderr
    assert content(served.store) == before
    assert not [path for method, path, _ in served.requests if method == "PUT"]
