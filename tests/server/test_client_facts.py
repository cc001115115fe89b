"""`evalstore ingest --db URL` of what some measures need: as on the store itself."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from listening import Listening
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

TEXTS = {
    "subtopics": "q1 a d1 1\nq1 b d2 1\nq2 a d4 1\n",
    "other-subtopics": "q1 c d1 2\n",
    "twice-subtopics": "q1 a d1 1\nq1 a d1 1\n",
    "bad-subtopics": "q1 a d1 1\nq1 b d2\n",
    HOSTILE_NAME: "q1 a d1 1\nq1 b d2\n",
    "groups": "q1 ann d1 2\nq1 bob d1 1\nq9 bob d7 1\n",
    "book.csv": "query,docid,Ann,Bob\none,d1,3,2\ntwo,d4,1,\n",
    "bad-groups": "q1 ann d1 2\nq1 ann d1 1\n",
    "preferences": "q1 ann 0 d1 2\nq1 ann 0 d2 1\n",
    "twice-preferences": "q1 ann 0 d1 2\nq1 ann 0 d1 2\n",
    "bad-preferences": "q1 ann 0 d1 2\nq1 ann 1 d1 0\n",
    "known": "q1 d1\nq1 d9\nq3 d6\n",
    "bad-known": "q1 d1 d2\n",
    "times": "q1 10\nq2 20.5\n",
    "other-times": "q1 1\n",
    "unanswered-times": "q1 10\nzz 1\n",
    "bad-times": "q1 10\nq2 soon\n",
    "queries.tsv": "q1\tone\nq2\ttwo\n",
    "bad-queries.tsv": "q1\tone\nq1\tone\n",
    "bad.qrels": "q1 0 d1\n",
    "empty": "",
    "blank": "\n\n",
}


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A server whose collection `test` has judgments and the run bm25, and `own.db` the same."""
    with serving(tmp_path_factory) as listens:
        yield listens


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Listening, str]]:
    """The same for all tests after which it is as it was, and a token of a contributor."""
    with serving(tmp_path_factory) as listens:
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


@contextmanager
def serving(folders: pytest.TempPathFactory) -> Iterator[Listening]:
    folder = folders.mktemp("files")
    write_run(folder, TFIDF, RUN, "tfidf")
    write_run(folder, {"q1": ["d1"]}, "other.run", "other")
    write_qrels(folder, QRELS, "new.qrels")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "subtopics.gz").write_bytes(gzip.compress(TEXTS["subtopics"].encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with served_beside_own(folders.mktemp("server"), patch) as listens:
            yield listens


ALL = (
    *("--subtopics", "subtopics", "--judgment-groups", "groups", "--preferences", "preferences"),
    *("--known", "known", "--collection-size", "100", "--times", "times"),
)
STORED = [
    (*TO, RUN, "--subtopics", "subtopics.gz"),
    (*TO, RUN, "--subtopics", "twice-subtopics"),
    (*TO, RUN, "--judgment-groups", "book.csv", "--queries", "queries.tsv"),
    (*TO, RUN, "--preferences", "twice-preferences", "--subtopics", "twice-subtopics"),
    (*TO, RUN, "--times", "times", "--index-bytes", "4K"),
    (*TO, RUN, "--subtopics", "subtopics", "--judgment-groups", "subtopics"),
    (*TO, RUN, *ALL),
    (*NEW, RUN, *ALL, "--queries", "queries.tsv"),
    (*NEW, RUN, "--judgment-groups", "book.csv", "--queries", "queries.tsv"),
    (*TO, RUN, "other.run", "--known", "known"),
    (*TO, RUN, "missing.run", "--known", "known"),
]

EVERY_FILE = ("--subtopics", "--judgment-groups", "--preferences", "--known", "--times")
REFUSED = [
    (*TO, RUN, "--subtopics", "bad-subtopics"),
    (*TO, RUN, "--subtopics", HOSTILE_NAME),
    (*TO, RUN, "--judgment-groups", "bad-groups"),
    (*TO, RUN, "--judgment-groups", "book.csv"),
    (*TO, RUN, "--preferences", "bad-preferences"),
    (*TO, RUN, "--known", "bad-known"),
    (*TO, RUN, "--times", "bad-times"),
    (*TO, RUN, "--times", "unanswered-times"),
    (*TO, RUN, "other.run", "--times", "times"),
    (*TO, RUN, "--collection-size", "0"),
    (*TO, RUN, "--collection-size", str(2**63)),
    *((*TO, RUN, option, "empty") for option in EVERY_FILE),
    *((*TO, RUN, option, file) for option in EVERY_FILE[::4] for file in ("blank", "missing")),
    (*TO, RUN, "--subtopics", "bad-subtopics", "--queries", "queries.tsv"),
    (*TO, RUN, "--subtopics", "subtopics", "--queries", "bad-queries.tsv"),
    (*TO, RUN, "--known", "bad-known", "--collection-size", "7", "--subtopics", "subtopics"),
    (*TO, RUN, "--known", "known", "--qrels", "bad.qrels"),
    (*TO, RUN, "--known", "bad-known", "--qrels", "new.qrels", "--queries", "queries.tsv"),
    (*TO, RUN, "--times", "bad-times", "--qrels", "new.qrels", "--known", "known"),
    (*NEW, RUN, "--known", "bad-known"),
    (*NEW, RUN, "--judgment-groups", "book.csv"),
    (*NEW, RUN, "--times", "bad-times"),
    ("--collection", "new", RUN, "--known", "known"),
    ("--collection", "new", RUN, "--known", "bad-known"),
]


@pytest.mark.parametrize("arguments", STORED, ids=" ".join)
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


def test_facts_that_are_sent_again_replace_the_earlier_ones(served: Listening) -> None:
    for which, size in (("", "100"), ("other-", "7"), ("", "100")):
        facts = ("--subtopics", f"{which}subtopics", "--times", f"{which}times")
        sizes = ("--collection-size", size, "--index-bytes", f"{size}K")
        same_through_the_server(served, *TO, RUN, *facts, *sizes, "--recheck")
    for size in ("7", "7", "100"):
        with_qrels = ("--qrels", "new.qrels", "--collection-size", size)
        same_through_the_server(served, *TO, RUN, *with_qrels, "--recheck")


@pytest.mark.parametrize(
    ("option", "file"),
    [
        ("--subtopics", "subtopics"),
        ("--known", "bad-known"),
        ("--times", "times"),
        ("--times", "bad-times"),
    ],
)
def test_facts_are_read_from_standard_input(served: Listening, option: str, file: str) -> None:
    asked = (*NEW, RUN, "--queries", "queries.tsv", option, "-")
    text = Path(file).read_text()
    here = call(*asked, "--db", OWN, given=text)
    there = call(*asked, "--db", served.url, given=text)
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)
    assert there.exit_code == here.exit_code
    assert content(served.store) == content_of_own()


def test_a_reader_sends_no_facts(
    unchanged: Listening, before: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = len(unchanged.requests)
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(unchanged.store, "reader", "reader"))
    for given in (ALL, ALL[:2], ("--collection-size", "5"), ("--times", "times")):
        for others in ((), ("--qrels", "new.qrels")):
            done = call(*TO, RUN, *given, *others, "--db", unchanged.url)
            assert done.exit_code == 1
            assert "reader may not do that" in done.stderr
    assert content(unchanged.store) == before
    assert not [path for method, path, _ in unchanged.requests[requests:] if method == "PUT"]
