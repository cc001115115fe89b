"""Commands that change what is recorded do through a server what they do on its store."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from listening import Listening, listening
from samples import TFIDF, add, write_qrels, write_run

import evalstore as ev
from evalstore.catalog.annotate import RunChange
from evalstore.catalog.qrels import remove_qrels
from evalstore.cli import cli
from evalstore.client.connection import Server
from evalstore.errors import Conflict, DataError, NotFound, StoreError
from evalstore.judging.assessors import assessors
from evalstore.judging.drafts import next_documents
from evalstore.server.people.tokens import create_token
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.tracking.experiments import new_experiment

pytestmark = pytest.mark.slow  # many commands through a server

HEADER = "tag: bm25\nmethod:\n  name: BM25\n"
REEVALUATED = ["reevaluate"] * 3
ANNOTATE = ("runs", "edit", "bm25")
TEST = ("--collection", "test")
SCENARIOS: dict[str, list[tuple[str, ...]]] = {
    "facts are set, corrected and taken away": [
        (*ANNOTATE, "--param", "k1=0.9", "--param", "rerank=true", "--param", "name=a b"),
        (*ANNOTATE, "--param", "k1=1", "--unset-param", "rerank", "--note", "*good*\n\nlines"),
        (*ANNOTATE, "--started-at", "2026-11-21T14:30:05+01:00", "--ended-at", "2026-11-22"),
        (*ANNOTATE, "--started-at", "2026-11-21T14:30", "--unset", "ended_at"),
        (*ANNOTATE, "--money", "0.12", "EUR", "--energy-joules", "1e3", "--index-bytes", "4G"),
        (*ANNOTATE, "--memory-bytes", "9223372036854775807", "--commit", "abc", "--dirty"),
        (*ANNOTATE, "--tag", "paper", "--tag", "stage=dev", "--parent", "tfidf"),
        (*ANNOTATE, "--header", "header.yaml"),
        (*ANNOTATE, "--unset", "header", "--unset", "parent", "--unset", "tags", "--unset", "note"),
        (*ANNOTATE, "--commit", "abc"),
        ("runs", "show", "bm25"),
    ],
    "facts that can't be": [
        (*ANNOTATE, "--note", " "),
        (*ANNOTATE, "--note", "x", "--unset", "note"),
        (*ANNOTATE, "--unset-param", "k1"),
        (*ANNOTATE, "--param", "k1=1", "--param", "b=2"),
        (*ANNOTATE, "--param", "k1=2", "--unset-param", "kl"),
        (*ANNOTATE, "--param", "b=3", "--unset-param", "b"),
        (*ANNOTATE, "--parent", "bm25"),
        (*ANNOTATE, "--parent", "tfdif"),
        (*ANNOTATE, "--started-at", "2026-11-22"),
        (*ANNOTATE, "--ended-at", "2026-11-21"),
        ("runs", "edit", "bm52", "--note", "x"),
        ("runs", "edit", "bm25", "--note", "x", "--collection", "tset"),
        ("runs", "show", "bm25"),
    ],
    "tags": [
        ("runs", "tag", "bm25", "b", "a", "stage=dev"),
        ("runs", "tag", "bm25", "c", "--remove", "a", "--remove", "nothing"),
        ("runs", "tag", "1"),
        ("runs", "tag", "bm25", "--remove", "b", "--remove", "c", "--remove", "stage=dev"),
        ("runs", "tag", "bm25", ""),
        ("runs", "tag", "bm52", "a"),
    ],
    "comments": [
        ("runs", "comment", "bm25", "**why**\n\nü"),
        ("runs", "comment", "2", "no"),
        ("runs", "comment", "bm25", " "),
        ("runs", "comment", "bm25", "a\x01b"),
        ("runs", "comment", "bm52", "x"),
        ("runs", "comment", "bm25", "x", "--collection", "tset"),
        ("runs", "comment", "bm25", "x" * 10_001),
    ],
    "names": [
        ("runs", "edit", "bm25", "--name", "new/name"),
        ("runs", "edit", "new/name", "--name", "new/name"),
        ("runs", "edit", "new/name", "--name", "tfidf"),
        ("runs", "edit", "new/name", "--name", "\x1f"),
        ("runs", "edit", "bm25", "--name", "other"),
        ("runs", "edit", "new/name", "--engine", "lucene", "--experiment", "june"),
        ("runs", "edit", "new/name", "--engine", "lucene", "--experiment", "june"),
        ("runs", "edit", "new/name", "--experiment", "july"),
        ("runs", "edit", "new/name", "--experiment", ""),
        ("runs", "edit", "new/name", "--engine", ""),
        ("runs", "edit", "bm25", "--engine", "x"),
        ("runs",),
    ],
    "runs are removed and restored": [
        ("runs", "restore"),
        ("runs", "rm", "bm25", "tfdif"),
        ("runs", "rm", "bm25", "tfidf", "bm25"),
        ("runs", "rm", "bm25"),
        ("runs", "restore"),
        ("runs", "restore", "--collection", "tset"),
        ("runs", "edit", "bm25", "--note", "x"),
        ("runs", "edit", "tfidf", "--name", "x"),
        ("runs", "restore", "bm25", "tfdif"),
        ("runs", "restore", "tfidf", "bm25"),
        ("runs", "restore", "bm25"),
        ("runs",),
    ],
    "the name of a removed run": [
        ("runs", "rm", "tfidf"),
        ("runs", "edit", "bm25", "--name", "tfidf"),
    ],
    "the baseline": [
        ("runs", "baseline", "--unset", "--collection", "test"),
        ("runs", "baseline", "bm25"),
        ("runs", "baseline", "2"),
        ("runs", "baseline", "tfidf", "--collection", "test"),
        ("runs", "baseline"),
        ("runs", "baseline", "--unset", "--collection", "tset"),
        ("runs", "baseline", "--unset", "--collection", "test"),
        ("runs", "baseline", "bm52"),
        ("runs", "baseline"),
    ],
    "the default qrels": [
        ("qrels", "default", "second"),
        ("qrels", "default", "second"),
        ("qrels", "default", "test", "--collection", "test"),
        ("qrels", "default", "old"),
        ("qrels", "default", "tset"),
        ("qrels", "default", "test", "--collection", "tset"),
        ("qrels",),
    ],
    "judgments": [
        ("qrels", "edit", "test", "q1", "d1", "1", "--reason", "a typing error", *TEST),
        ("qrels", "edit", "test", "q1", "d1", "--unjudge", "--reason", "x", "--name", "n", *TEST),
        ("qrels", "edit", "test", "q1", "d1", "9", "--reason", "x", "--name", "nine", *TEST),
        ("qrels", "edit", "test", "q1", "d1", "2", "--reason", "x", *TEST),
        ("qrels", "edit", "test", "q1", "d1", "1", "--reason", " ", *TEST),
        ("qrels", "edit", "tset", "q1", "d1", "1", "--reason", "x", *TEST),
        ("qrels", "draft", *TEST),
        ("qrels", "draft", "new", "d", "bm25", "tfidf", "--depth", "3", "--seed", "2", *TEST),
        ("qrels", "draft", "new", "d", *TEST),
        ("qrels", "draft", "new", "e", "--documents", "pool", "--empty", "--overlap", "2", *TEST),
        ("qrels", "draft", "add", "d", "ann.qrels", "--assessor", "ann", *TEST),
        ("qrels", "draft", "add", "d", "bob.qrels", "--assessor", "bob", *TEST),
        ("qrels", "draft", "add", "f", "bob.qrels", "--assessor", "bob", *TEST),
        ("qrels", "draft", *TEST),
        ("qrels", "draft", "publish", "d", "--reason", "holes", "--rule", "adjudicated", *TEST),
        ("qrels", "draft", "publish", "e", "--reason", "holes", *TEST),
        ("qrels", "draft", "add", "e", "ann.qrels", "--assessor", "ann", *TEST),
        ("qrels", "draft", "publish", "e", "sample", "--reason", "strata", *TEST),
        ("export", "qrels", "test", "--qrels", "sample"),
        ("qrels", "draft", "publish", "d", "second", "--reason", "holes", *TEST),
        ("export", "qrels", "test", "--qrels", "test-3", "--format", "judgment-groups"),
        ("compare", "bm25", "tfidf", "--qrels", "test-3"),
        ("qrels", "draft", "rm", "d", *TEST),
        ("qrels", "draft", "show", "d", *TEST),
        ("qrels",),
    ],
    "a run of several collections": [
        ("runs", "tag", "dense", "x"),
        ("runs", "baseline", "dense"),
        ("runs", "rm", "dense"),
        ("qrels", "default", "common"),
        ("runs", "tag", "dense", "x", "--collection", "second"),
        ("runs", "rm", "dense", "--collection", "second"),
        ("runs", "tag", "dense", "y"),
        ("runs", "restore"),
        ("runs", "restore", "dense"),
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Twins:
    """The same store twice, one of them behind a server."""

    here: str
    there: Listening

    def events(self) -> tuple[list[events.Event], list[events.Event]]:
        """Those of each, without those of accounts."""
        with Store.open(self.here) as store:
            listed = [_events_of(each) for each in (store, self.there.store)]
        return listed[0], listed[1]


def _events_of(store: Store) -> list[events.Event]:
    with store.read() as connection:
        return events.events(connection, without=events.OF_SERVER)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two collections with a run of the same name."""
    folder = tmp_path_factory.mktemp("filled")
    dense = write_run(folder, {"q1": ["d2", "d1"], "q2": ["d4"]}, "dense.run", "dense")
    with Store.open(str(folder / "store.db")) as store:
        add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))
        for name in ("second", "old", "common"):
            qrels = write_qrels(folder, {"q1": {name: 1}, "q2": {name: 1}}, f"{name}.qrels")
            add(store, folder, dense, qrels=qrels)
        add(store, folder, dense, qrels=qrels, collection="second")
        remove_qrels(store, ["old"])
        new_experiment(store, "july", "what?")
    return folder / "store.db"


@pytest.fixture
def twins(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Twins]:
    monkeypatch.chdir(tmp_path)
    Path("header.yaml").write_text(HEADER, "utf-8")
    Path("pool").write_text("q1 d8\nq2 d9 top 0.5\nq2 d7 top 0\n", "utf-8")
    for assessor, grade in (("ann", 1), ("bob", 0)):
        grades = {"q1": {"d9": grade, "d8": 2}}
        write_qrels(Path(), grades, f"{assessor}.qrels")
    for name in ("here.db", "there.db"):
        shutil.copy(filled, name)
    with Store.open("there.db") as store, listening(store) as served:
        monkeypatch.setenv("EVALSTORE_TOKEN", create_token(store, "ci", "contributor"))
        yield Twins("here.db", served)


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "a time", text)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_commands_print_and_record_through_a_server_what_they_do_on_the_store(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, scenario: str
) -> None:
    filled = len(twins.events()[0])
    if scenario == "judgments":  # those of others
        token = create_token(twins.there.store, "boss", "administrator", ("second", "test"))
        monkeypatch.setenv("EVALSTORE_TOKEN", token)
    for arguments in SCENARIOS[scenario]:
        here = call(*arguments, "--db", twins.here)
        there = call(*arguments, "--db", twins.there.url)
        assert without_times(there.stdout) == without_times(here.stdout), arguments
        assert (there.stderr, there.exit_code) == (here.stderr, here.exit_code), arguments
    of_here, of_there = twins.events()
    recorded = [(each.action, each.collection, each.subject, each.details) for each in of_here]
    assert len(recorded) > filled
    assert recorded == [
        (each.action, each.collection, each.subject, each.details) for each in of_there
    ]


def test_a_run_is_shown_with_its_comments(twins: Twins) -> None:
    for db, who in ((twins.here, events.who()), (twins.there.url, "ci")):
        for text in ("**why**\nü", "no"):
            assert call("runs", "comment", "bm25", text, "--db", db).exit_code == 0
        shown = without_times(call("runs", "show", "bm25", "--db", db).stdout)
        assert shown.endswith(f"\n\n{who}, a time:\n**why**\nü\n\n{who}, a time:\nno\n")
        in_json = json.loads(call("runs", "show", "bm25", "--format", "json", "--db", db).stdout)
        said = [(each["who"], each["text"]) for each in in_json["comments"]]
        assert said == [(who, "**why**\nü"), (who, "no")]


def test_an_event_names_the_account_that_changed_something(twins: Twins) -> None:
    before = len(twins.events()[1])
    for arguments in (
        ("runs", "edit", "bm25", "--note", "x"),
        ("runs", "tag", "bm25", "x"),
        ("runs", "comment", "bm25", "x"),
        ("runs", "edit", "bm25", "--engine", "x"),
        ("runs", "edit", "bm25", "--name", "x"),
        ("runs", "baseline", "x"),
        ("runs", "baseline", "--unset", "--collection", "test"),
        ("runs", "rm", "x"),
        ("runs", "restore", "x"),
        ("qrels", "default", "second"),
        ("qrels", "edit", "test", "q1", "d1", "1", "--reason", "x", *TEST),
    ):
        assert call(*arguments, "--db", twins.there.url).exit_code == 0
    made = twins.events()[1][before:]
    actions = [
        "annotate",
        "tag",
        "comment",
        "edit",
        "rename",
        "baseline",
        "baseline",
        "rm",
        "restore",
    ]
    assert [each.action for each in made] == [*actions, "default", "publish", *REEVALUATED]
    assert {each.who for each in made} == {"ci"}


def test_who_may_only_read_changes_nothing(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", create_token(twins.there.store, "eve", "reader"))
    before = twins.events()[1]
    for arguments in (
        ("runs", "edit", "bm25", "--note", "x"),
        ("runs", "rm", "bm25"),
        ("runs", "baseline", "bm25"),
        ("qrels", "default", "second"),
        ("qrels", "edit", "test", "q1", "d1", "1", "--reason", "x", *TEST),
        ("qrels", "draft", "new", "d", *TEST),
    ):
        done = call(*arguments, "--db", twins.there.url)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr == (
            "eve may not do that, which takes the role contributor: ask an administrator for a "
            "token that has it.\n"
        )
    assert twins.events()[1] == before


def test_purge_does_not_work_through_a_server(twins: Twins) -> None:
    done = call("runs", "purge", "--db", twins.there.url)
    assert done.exit_code == 2
    assert "`evalstore runs purge` does not work through a server" in done.stderr


@pytest.fixture
def stores(twins: Twins) -> Iterator[tuple[ev.Store, ev.Store]]:
    """The stores of Python users."""
    token = create_token(twins.there.store, "python", "contributor")
    with ev.open(twins.here) as here, ev.open(twins.there.url, token=token) as there:
        yield here, there


def test_python_changes_facts_through_a_server_as_on_the_store(
    stores: tuple[ev.Store, ev.Store],
) -> None:
    asked: dict[str, Any] = {
        "params": {"k1": 0.9, "b": 1},
        "tags": ["paper"],
        "money": (0.5, "EUR"),
        "header": {"tag": "bm25", "method": {"name": "BM25", "k": [1, 2]}},
        "started_at": datetime(2026, 11, 21, 14, 30, 5, 678, timezone(timedelta(hours=1))),
    }
    here, there = (store.annotate("bm25", **asked) for store in stores)
    assert here == there
    assert here["parameters.k1"] == (None, 0.9)
    here, there = (store.annotate("bm25", "test", unset=["header"]) for store in stores)
    assert here == there
    assert here["header.method.k"] == ([1, 2], None)


def test_python_sets_and_unsets_the_baseline_through_a_server(
    stores: tuple[ev.Store, ev.Store],
) -> None:
    for store in stores:
        store.set_baseline("tfidf")
        assert store.baseline("test") == "tfidf"
        store.set_baseline(None, "test")
        store.set_baseline(None, "test")
        assert store.baseline("test") is None


def test_what_is_refused_raises_what_the_store_raises(stores: tuple[ev.Store, ev.Store]) -> None:
    for ask in (
        lambda store: store.annotate("bm52", note="x"),
        lambda store: store.annotate("dense", note="x"),
        lambda store: store.annotate("bm25", unset=["nothing"]),
        lambda store: store.annotate("bm25", unset_params=["nothing"]),
        lambda store: store.annotate("bm25", money=(-1.0, "EUR")),
        lambda store: store.set_baseline("bm52"),
        lambda store: store.set_baseline(None, "tset"),
        lambda store: store._changer().change_run("bm25", RunChange(name="tfidf")),
    ):
        errors = []
        for store in stores:
            with pytest.raises((NotFound, DataError)) as raised:
                ask(store)  # type: ignore[no-untyped-call]
            errors.append((type(raised.value), str(raised.value), raised.value.problem))
        assert errors[0] == errors[1]
    assert errors[0][0] is Conflict


def test_a_draft_of_many_documents_is_sent_in_parts_and_completed_after_a_break(
    stores: tuple[ev.Store, ev.Store], twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two requests, and one more as documents with long names are more than a request takes.
    sizes = {"q10": (100, 1), "q1": (900, 1), "q2": (900, 1), "q30": (600, 500)}
    pool = [(qid, f"{number:0{width}}") for qid, (n, width) in sizes.items() for number in range(n)]
    here, there = stores
    here.new_draft("test", "d", pool, seed=3)

    def breaks(*_: object, **__: object) -> None:
        raise StoreError("the connection broke")

    with monkeypatch.context() as patch:
        patch.setattr(Server, "post", breaks)
        with pytest.raises(StoreError) as raised:
            there.new_draft("test", "d", pool, seed=3)
    assert str(raised.value) == (
        "the connection broke; draft 'd' has 900 documents so far: the same call adds the others"
    )
    with pytest.raises(Conflict, match="has a draft named 'd' already"):
        there.new_draft("test", "d", pool, seed=4)
    there.new_draft("test", "d", pool, seed=3)
    assert [list(store.drafts("test")["documents"]) for store in stores] == [[2_500]] * 2
    with Store.open(twins.here) as store:
        of_here, of_there = (
            next_documents(each, "test", "d", "ann", 9_999) for each in (store, twins.there.store)
        )
    assert [one for one in of_here if one.qid != "q30"] == of_there[:1_900]
    assert sorted(of_here) == sorted(of_there)
    with pytest.raises(Conflict, match="has a draft named 'd' already"):
        there.new_draft("test", "d", pool, seed=3)


def test_a_draft_whose_name_cannot_stand_in_an_address_is_not_made(
    stores: tuple[ev.Store, ev.Store],
) -> None:
    with pytest.raises(DataError, match="can't stand in an address"):
        stores[1].new_draft("test", "..", [("q1", "d1")])
    assert stores[1].drafts("test").empty


def test_grades_that_are_sent_again_after_a_break_are_stored_once(
    stores: tuple[ev.Store, ev.Store], twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, grades = stores[1], {"q1": {str(number): 1.0 for number in range(1_500)}}
    there.new_draft("test", "d")
    change, parts = Server.change, count()

    def breaks(*given: Any, **content: Any) -> Any:
        if next(parts):
            raise StoreError("the connection broke")
        return change(*given, **content)

    with monkeypatch.context() as patch:
        patch.setattr(Server, "change", breaks)
        with pytest.raises(StoreError):
            there.judge("test", "d", grades, "python")
    for _ in range(2):
        there.judge("test", "d", grades, "python")
    (figures,) = assessors(twins.there.store, "test", "d")
    assert (figures.graded, figures.repeats) == (1_500, 0)
