"""Files by URL on the command line, with moto's server of S3 and a proxy that cuts connections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from samples import BM25, QRELS, TFIDF, Program, dump, qrels_text, run_text
from web_server import CuttingProxy, FaultyServer, faulty_server

from evalstore.formats.reading import remote
from evalstore.store import Store

pytestmark = pytest.mark.slow  # a server is started

ASKED = ("ingest", "--collection", "test", "--qrels", "s3://runs/qrels.txt")


@pytest.fixture(scope="module")
def moto() -> Iterator[int]:
    """The port of a server of S3's protocol."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


class Bucket:
    """The bucket `runs`, behind a proxy."""

    def __init__(self, port: int, proxy: CuttingProxy) -> None:
        self.port, self.proxy = port, proxy

    def put(self, key: str, content: str | bytes = b"", **headers: str) -> None:
        data = content.encode() if isinstance(content, str) else content
        address = f"http://127.0.0.1:{self.port}/{key}"
        sent = {
            "Content-Type": "text/plain",
            "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/x",
        }
        with urlopen(Request(address, data, {**sent, **headers}, method="PUT")):
            pass


@pytest.fixture
def bucket(moto: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    proxy = CuttingProxy(moto)
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.001)
    remote.filesystem.cache_clear()
    with urlopen(Request(f"http://127.0.0.1:{moto}/moto-api/reset", method="POST")):
        pass
    bucket = Bucket(moto, proxy)
    bucket.put("runs")
    bucket.put("runs/qrels.txt", qrels_text(QRELS))
    bucket.put("runs/bm25.run", run_text(BM25))
    bucket.put("runs/old/tfidf.run", run_text(TFIDF, "tfidf"))
    yield bucket
    remote.filesystem.cache_clear()
    proxy.close()


@pytest.fixture
def web() -> Iterator[FaultyServer]:
    with faulty_server() as server:
        yield server


def test_runs_judgments_queries_and_documents_are_read_from_s3(
    program: Program, bucket: Bucket
) -> None:
    bucket.put("runs/queries.tsv", "q1\twhat?\n")
    bucket.put("runs/docs.tsv", "d1\ta text\n")
    texts = ("--queries", "s3://runs/queries.tsv", "--documents", "s3://runs/docs.tsv")
    done = program(*ASKED, *texts, "s3://runs/bm25.run")
    assert done.stdout.splitlines() == [
        "texts of 1 of 1 documents stored",
        "stored          bm25",
    ]
    with Store.open("sqlite:///evalstore.db") as store:
        assert "q1" in str(dump(store)["query"])


def test_the_values_are_those_of_the_same_files_here(
    program: Program, bucket: Bucket, folder: Path
) -> None:
    (folder / "qrels.txt").write_text(qrels_text(QRELS))
    (folder / "bm25.run").write_text(run_text(BM25))
    here = program("evaluate", "qrels.txt", "bm25.run").stdout
    assert program("evaluate", "s3://runs/qrels.txt", "s3://runs/bm25.run").stdout == here


def test_runs_in_s3_are_compared_and_checked(program: Program, bucket: Bucket) -> None:
    asked = ("--qrels", "s3://runs/qrels.txt", "--baseline", "s3://runs/bm25.run")
    assert "bm25" in program("compare", *asked, "s3://runs/old/tfidf.run").stdout
    program("check", *asked, "s3://runs/old/*.run", "--fail-if", "AP drop > 0.99")


def test_the_scheme_may_be_in_capitals(program: Program, bucket: Bucket) -> None:
    assert program(*ASKED, "S3://runs/bm25.run").stdout == "stored          bm25\n"
    assert program(*ASKED, "S3://runs/old/*.run").stdout == "stored          tfidf\n"
    assert program(*ASKED, "S3://runs/*.run").stdout == "already stored  bm25\n"


def test_a_pattern_lists_the_objects_of_a_bucket(program: Program, bucket: Bucket) -> None:
    bucket.put("runs/.hidden.run", run_text(BM25))
    done = program(*ASKED, "s3://runs/**/*.run")
    assert sorted(done.stdout.splitlines()[:-1]) == [
        "stored          bm25",
        "stored          tfidf",
    ]
    message = "s3://runs/*.gz: no such file or directory, and none matches it as a pattern"
    assert message in program(*ASKED, "s3://runs/*.gz", status=1).stderr


def test_connections_that_break_are_mended(program: Program, bucket: Bucket) -> None:
    rankings = {q: [f"d{i}" for i in range(20_000)] for q in QRELS}
    lines = run_text(rankings).encode()
    assert len(lines) > 1_000_000
    bucket.put("runs/long.run", lines)
    bucket.proxy.cuts, bucket.proxy.after = 4, 200_000
    done = program(*ASKED, "s3://runs/long.run")
    assert done.stdout == "stored          long\n"
    assert bucket.proxy.cuts == 0
    with Store.open("sqlite:///evalstore.db") as store:
        assert [row[-1] for row in [(len(dump(store)["ranking"]),)]] == [3]


def test_a_connection_that_always_breaks_is_told_and_nothing_is_stored(
    program: Program, bucket: Bucket
) -> None:
    bucket.put("runs/long.run", run_text({"q1": [f"d{i}" for i in range(40_000)]}))
    bucket.proxy.cuts, bucket.proxy.after = 10_000, 100_000
    done = program(*ASKED, "s3://runs/long.run", status=1)
    assert "s3://runs/long.run: the connection broke, 5 times" in done.stderr
    with Store.open("sqlite:///evalstore.db") as store:
        assert dump(store)["run"] == []


def test_what_is_not_there_is_told(program: Program, bucket: Bucket) -> None:
    asked = ("evaluate", "s3://runs/qrels.txt")
    assert program(*asked, "s3://runs/none.run", status=1).stderr == (
        "s3://runs/none.run: no such file\n"
    )
    assert program(*asked, "s3://nobody/x.run", status=1).stderr == (
        "s3://nobody/x.run: no such bucket\n"
    )
    for url in ("s3://runs/old", "s3://runs/old/"):
        assert program(*asked, url, status=1).stderr == (
            f"{url}: is a folder; the pattern for its files is s3://runs/old/*: "
            "`evalstore ingest` takes files and folders of several runs\n"
        )
    what = "s3://runs: is a folder; the pattern for its files is s3://runs/*"
    assert what in program("evaluate", "s3://runs", "s3://runs/bm25.run", status=1).stderr


def fill_folder(bucket: Bucket) -> None:
    for name in ("", "run10.run", "run2.run", ".hidden.run", "deep/x.run", "read#me?.txt"):
        ranking = {"q1": ["d1", "d2"], "q2": [f"d{len(name)}"]}
        content = run_text(ranking) if name.endswith("run") else "about these runs\n"
        bucket.put(f"runs/grid/{quote(name)}", content if name else "")
    bucket.put("runs/gridlock.run", run_text(TFIDF))


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("s3://runs/grid/", ()),
        pytest.param("S3://runs/g*d", (), marks=pytest.mark.nightly),
        ("s3://runs/grid", ("--input-format", "trec-run")),
        pytest.param("s3://runs/grid", (), marks=pytest.mark.nightly),
        pytest.param("s3://runs/grid", ("--input-format", "run-folder"), marks=pytest.mark.nightly),
    ],
)
def test_a_folder_of_a_bucket_is_read_as_one_of_this_machine(
    program: Program, bucket: Bucket, url: str, more: tuple[str, ...]
) -> None:
    fill_folder(bucket)
    done = program(*ASKED, url, *more)
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:3]] == ["run2", "run10"]
    assert done.stdout.splitlines()[0].endswith(": 2 runs read as run-folder")
    assert ": no runs, left out: read#me?.txt" in done.stderr
    assert ": folders within it are not read: deep" in done.stderr
    assert program(*ASKED, url, *more).stdout.splitlines()[-1].startswith("2 files unchanged")


def test_a_bucket_is_a_folder(program: Program, bucket: Bucket) -> None:
    bucket.put("runs/tfidf.run", run_text(TFIDF))
    done = program(*ASKED, "s3://runs")
    assert done.stdout.splitlines()[:3] == [
        "s3://runs: 2 runs read as run-folder",
        "stored          bm25",
        "stored          tfidf",
    ]


def test_a_folder_of_a_bucket_is_read_as_no_other_format(program: Program, bucket: Bucket) -> None:
    fill_folder(bucket)
    done = program(*ASKED, "s3://runs/grid", "--input-format", "tira-folder", status=1)
    assert (
        "s3://runs/grid: a folder of an object store is read as run-folder only: copy it to this "
        "machine to read it as tira-folder"
    ) in done.stderr


def test_a_file_of_a_folder_that_can_not_be_read_fails_by_itself(
    program: Program, bucket: Bucket
) -> None:
    bucket.put("runs/grid/a.run", run_text(BM25))
    bucket.put("runs/grid/b.zip", b"PK\x03\x04 and more")
    done = program(*ASKED, "s3://runs/grid", status=1)
    assert "stored          a\n" in done.stdout
    assert "s3://runs/grid/b.zip: this is" in done.stderr


def test_without_credentials_the_message_says_so(
    program: Program, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    remote.filesystem.cache_clear()
    done = program("evaluate", "s3://runs/qrels.txt", "s3://runs/bm25.run", status=1)
    assert done.stderr == (
        "s3://runs/qrels.txt: no credentials for this object store: set those of its own tools\n"
    )


def test_a_file_of_an_object_store_is_recognised_by_its_etag(
    program: Program, bucket: Bucket
) -> None:
    program(*ASKED, "s3://runs/**/*.run")
    recognised = "2 files unchanged since they were stored"
    assert program(*ASKED, "s3://runs/**/*.run").stdout.splitlines()[-1] == recognised
    bucket.put("runs/bm25.run", run_text(TFIDF))
    done = program(*ASKED, "s3://runs/**/*.run", "--replace")
    assert done.stdout.splitlines()[-1] == "1 file unchanged since it was stored"
    assert "replaced        bm25" in done.stdout


def test_runs_at_urls_that_differ_in_the_query_only_are_different_ones(
    program: Program, bucket: Bucket, web: FaultyServer
) -> None:
    runs = [run_text({**BM25, "q1": docnos}).encode() for docnos in (["d1", "d2"], ["d2", "d1"])]
    assert len(runs[0]) == len(runs[1])

    def answer(request: Any, _: int) -> None:
        request.answer(runs[request.path == "/id?id=2"], ETag='"1"')

    web.answers["/id"] = answer
    program(*ASKED, web.url("/id?id=1"))
    done = program(*ASKED, web.url("/id?id=2"), "--name", "second")
    assert done.stdout == "stored          second\n"
    again = program(*ASKED, web.url("/id?id=2"), web.url("/id?id=1"))
    assert again.stdout.splitlines() == [
        "already stored  second",
        "already stored  id",
        "2 already stored",
        "2 files unchanged since they were stored",
    ]


def test_no_secret_of_a_url_reaches_messages_names_or_the_store(
    program: Program, bucket: Bucket, web: FaultyServer
) -> None:
    def run(request: Any, _: int) -> None:
        request.answer(run_text({**BM25, "q9": ["d1"]}).encode(), ETag='"a"')

    web.answers["/bm25.run"] = run
    web.answers["/bad.run"] = lambda request, _: request.answer(b"q1 Q0 d1 1 nan t\n")
    web.answers["/denied.run"] = lambda request, _: request.answer(b"", status=403)
    names = ("bm25.run", "bad.run", "denied.run")
    urls = [web.url(f"/{name}?sig=hidden", "ann:secret@") for name in names]
    done = program(*ASKED, *urls, status=1)
    assert "stored          bm25" in done.stdout
    assert "/bad.run:1: " in done.stderr
    assert "/denied.run: access denied" in done.stderr
    again = program("evaluate", "s3://runs/qrels.txt", *urls, status=1)
    with Store.open("sqlite:///evalstore.db") as store:
        kept = repr(dump(store))
    for secret in ("secret", "hidden", "ann:"):
        assert secret not in done.output + again.output + kept


def test_parquet_is_read_by_url(program: Program, bucket: Bucket, folder: Path) -> None:
    import pandas as pd

    rows = [(q, d, 9.0 - i) for q, ds in BM25.items() for i, d in enumerate(ds)]
    pd.DataFrame(rows, columns=["qid", "docno", "score"]).to_parquet(folder / "r.parquet")
    bucket.put("runs/r.parquet", (folder / "r.parquet").read_bytes())
    here = program("evaluate", "s3://runs/qrels.txt", "r.parquet").stdout
    assert program("evaluate", "s3://runs/qrels.txt", "s3://runs/r.parquet").stdout == here


def test_a_file_that_can_not_be_had_is_asked_for_only_so_often(
    program: Program, bucket: Bucket, web: FaultyServer
) -> None:
    web.answers["/busy.run"] = lambda request, _: request.answer(b"", status=503)
    done = program(*ASKED, web.url("/busy.run"), status=1)
    assert "the server answers with status 503, 5 times" in done.stderr
    assert web.requests["/busy.run"] == 5
    program("evaluate", "s3://runs/qrels.txt", web.url("/busy.run"), status=1)
    assert web.requests["/busy.run"] == 10
