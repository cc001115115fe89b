"""Runs logged from code: stored when they end, resumed after a crash, ingested from a bundle."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from databases import both_databases, both_for_the_first
from samples import BM25, QRELS, add, counts, write_qrels, write_run

import evalstore as ev
from evalstore.errors import Conflict, DataError, NotFound, QrelsMissing, StoreError
from evalstore.store import Store
from evalstore.store.queries.facts import RunFacts, load_run_facts, load_times
from evalstore.store.queries.runs import find_run

ANSWERS = {
    qid: [(docno, 9.5 - rank) for rank, docno in enumerate(docnos)] for qid, docnos in BM25.items()
}
E: dict[str, Any] = {"engine": "bm25", "collection": "test"}


@pytest.fixture
def opened(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ev.Store]:
    """A store with judgments of the collection `test`; the current folder is another one."""
    add(store, tmp_path)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with ev.open(store.url) as python_store:
        yield python_store


def facts_of(store: Store, name: str) -> RunFacts:
    with store.read() as connection:
        return load_run_facts(connection, find_run(connection, name, "test").id)


# --- into a store --------------------------------------------------------------------------------


@both_databases
def test_a_run_is_stored_when_its_block_ends(store: Store, opened: ev.Store) -> None:
    before = datetime.now(UTC)
    with opened.start_run(**E, name="a", params={"k1": 0.9}, tags=["x"], experiment="e") as run:
        for qid, docs in ANSWERS.items():
            run.log(qid, docs, milliseconds=2.5)
        run.annotate(params={"b": 0.4}, tags=["y"], memory_bytes=4096)
        assert counts(store)["run"] == 0
        assert store.url not in run.path.read_text()  # it may hold a password
    assert run.outcome is not None
    assert (run.outcome.status, run.outcome.detail) == ("stored", "a")
    assert not run.path.exists()
    facts = facts_of(store, "a")
    assert (facts.engine, facts.tag, facts.experiment) == ("bm25", "bm25", "e")
    assert (facts.parameters, facts.tags, facts.memory_bytes) == (
        {"k1": 0.9, "b": 0.4},
        ("x", "y"),
        4096,
    )
    assert facts.started_at is not None
    assert facts.ended_at is not None
    assert before <= facts.started_at <= facts.ended_at <= datetime.now(UTC)
    assert facts.host is not None
    assert opened.run("a").ranking.to_dict() == {q: dict(docs) for q, docs in ANSWERS.items()}
    assert opened.leaderboard("test", measures="AP").loc["a", "AP"] == pytest.approx(7 / 9)
    with store.read() as connection:
        assert load_times(connection, facts.id) == dict.fromkeys(ANSWERS, 2.5)


@both_databases
def test_a_logged_run_is_the_run_of_a_file_with_the_same_lines(
    store: Store, opened: ev.Store, tmp_path: Path
) -> None:
    with opened.start_run(**E, name="a") as run:
        for qid, docnos in BM25.items():
            run.log(qid, {docno: 100 - rank for rank, docno in enumerate(docnos, 1)})
    (outcome,) = add(store, tmp_path, write_run(tmp_path))
    assert (outcome.status, outcome.same_as) == ("stored", "a")


@both_databases
def test_a_run_without_a_name_is_named_after_engine_and_time(opened: ev.Store) -> None:
    names = []
    for k1 in range(3):
        with opened.start_run(**E, params={"k1": k1}) as run:
            run.log("q1", {"d1": k1 + 1})
        names.append(run.name)
    assert len(set(names)) == 3
    assert all(name.startswith(f"bm25-{datetime.now(UTC):%Y}") for name in names)
    assert opened.runs("test")["run"].tolist() == names


@both_databases
def test_a_run_with_the_rankings_of_a_stored_one_is_a_run_of_its_own(
    store: Store, opened: ev.Store
) -> None:
    for name, note in (("a", "first"), ("b", "second")):
        with opened.start_run(**E, name=name, note=note) as run:
            run.log("q1", {"d1": 1})
    assert run.outcome is not None
    assert (run.outcome.status, run.outcome.detail) == ("stored", "b")
    assert run.outcome.same_as == "a"
    assert [facts_of(store, name).note for name in ("a", "b")] == ["first", "second"]


def test_what_could_not_be_stored_is_refused_before_the_run_begins(
    opened: ev.Store, tmp_path: Path
) -> None:
    with opened.start_run(**E, name="a") as run:
        run.log("q1", {"d1": 1})
    with pytest.raises(Conflict, match="run 'a' of collection 'test' is stored already"):
        opened.start_run(**E, name="a")
    with pytest.raises(NotFound, match="no run 'c' in collection 'test'"):
        opened.start_run(**E, name="b", parent="c")
    with pytest.raises(
        QrelsMissing, match=r"no collection 'other' in the store \(start_run and ingest take"
    ):
        opened.start_run("bm25", "other")
    with pytest.raises(DataError, match="the engine has an empty name"):
        opened.start_run(" ", "test")
    with pytest.raises(DataError, match="money is an amount with its currency"):
        opened.start_run(**E, money=(1.0, None))  # type: ignore[arg-type]  # what is tested
    assert list(tmp_path.glob("**/*.evalrun")) == []
    with opened.start_run(**E, name="a", replace=True) as run:
        run.log("q1", {"d2": 1})
    with opened.start_run(**E, name="b", parent="a") as run:
        run.log("q1", {"d3": 1})


def test_judgments_can_be_given_with_a_run_and_make_a_store(tmp_path: Path) -> None:
    with (
        ev.open(tmp_path / "new.db") as opened,
        opened.start_run(**E, qrels=QRELS, journal=tmp_path / "j") as run,
    ):
        run.log("q1", {"d1": 1})
        assert run.path.parent == tmp_path / "j"
    assert opened.runs("test")["queries"].tolist() == [3]


def test_a_store_that_is_not_there_is_not_made_by_a_run_without_judgments(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"new\.db"), ev.open(tmp_path / "new.db") as opened:
        opened.start_run(**E)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_beside_that_of_the_store_or_else_in_the_current_folder(
    store: Store, opened: ev.Store
) -> None:
    folder = Path.cwd() if store.file is None else store.file.absolute().parent
    with opened.start_run(**E, name="../a b") as run:
        assert run.path.parent == folder
        assert run.path.name.startswith(f"{store.name}.test..._a_b-")
        run.log("q1", {"d1": 1})
    assert opened.runs("test")["run"].tolist() == ["../a b"]


def test_a_run_that_can_not_be_stored_at_its_end_stays_in_its_file(
    store: Store, opened: ev.Store
) -> None:
    run = opened.start_run(**E, name="a")
    run.log("q1", {"d1": 1})
    with opened.start_run(**E, name="a", journal="other") as faster:
        faster.log("q1", {"d2": 1})
    with pytest.raises(Conflict, match="a run named 'a'") as error, run:
        pass
    assert f"the run is complete in {run.path}" in error.value.__notes__[0]
    done = opened.ingest(collection="test", runs=run.path, replace=True)
    assert [(outcome.status, outcome.detail) for outcome in done.outcomes] == [("replaced", "a")]
    assert facts_of(store, "a").engine == "bm25"


# --- after a crash -------------------------------------------------------------------------------


@both_databases
def test_a_run_that_broke_off_is_resumed_after_the_queries_that_are_logged(
    store: Store, opened: ev.Store
) -> None:
    run = opened.start_run(**E, name="a", params={"k1": 1})
    run.log("q1", ANSWERS["q1"])
    with pytest.raises(ZeroDivisionError) as error, run:
        raise ZeroDivisionError
    assert error.value.__notes__ == [
        f"run 'a' has 1 query so far, in {run.path}: start_run with name='a' and resume=True "
        "goes on with it"
    ]
    assert counts(store)["run"] == 0
    with opened.start_run(**E, name="a", params={"k1": 1}, resume=True, note="again") as resumed:
        assert resumed.logged == {"q1"}
        for qid in ANSWERS.keys() - resumed.logged:
            resumed.log(qid, ANSWERS[qid])
    with opened.start_run(**E, name="b", params={"k1": 1}) as whole:
        for qid, docs in ANSWERS.items():
            whole.log(qid, docs)
    assert whole.outcome is not None
    assert (whole.outcome.status, whole.outcome.same_as) == ("stored", "a")
    facts = facts_of(store, "a")
    assert (facts.parameters, facts.note) == ({"k1": 1}, "again")


def test_a_run_that_broke_off_before_its_first_query_leaves_nothing(
    opened: ev.Store, tmp_path: Path
) -> None:
    with pytest.raises(ZeroDivisionError), opened.start_run(**E, name="a"):
        raise ZeroDivisionError
    with (
        pytest.raises(DataError, match="run 'a' has ended without a query, and is not kept"),
        opened.start_run(**E, name="a"),
    ):
        pass
    assert list(tmp_path.glob("**/*.evalrun")) == []


def test_a_run_that_ended_and_was_not_stored_is_stored_when_it_is_resumed(
    opened: ev.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("evalstore.ingest.ingest.store_run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError), opened.start_run(**E, name="a") as run:
            run.log("q1", {"d1": 1})
    with opened.start_run(**E, name="a", resume=True) as run:
        run.log("q1", {"d1": 1})
        run.log("q2", {"d1": 1})
    assert opened.runs("test")["answered"].tolist() == [2]
    with pytest.raises(Conflict, match="stored already"):
        opened.start_run(**E, name="a", resume=True)


PROGRAM = """
import sys
import evalstore as ev
with ev.open(sys.argv[1]).start_run("bm25", "test", "a", resume=True, journal=".") as run:
    for number in range(120):
        if f"q{number}" not in run.logged:
            run.log(f"q{number}", {f"d{n}": n / 7 for n in range(20)}, milliseconds=number)
            print(number, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills as POSIX does")
def test_a_process_that_is_killed_and_resumed_gives_the_run_of_one_that_was_not(
    store: Store, opened: ev.Store
) -> None:
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), store.url]
    printed = []
    for kill_after in (7, 60):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout
            for line in worker.stdout:
                printed.append(int(line))
                if int(line) >= kill_after:
                    worker.kill()
                    break
            rest = [line for line in worker.stdout if line.endswith("\n")]
            printed += map(int, rest)
        [path] = Path().glob("*.evalrun")
        logged = path.read_bytes()
        assert all(f'"q{number}"'.encode() in logged for number in printed)
        path.write_bytes(logged + b'{"qid": "q19')  # as a write that was cut off
    assert counts(store)["run"] == 0
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with opened.start_run(**E, name="b") as run:
        for number in range(120):
            run.log(f"q{number}", {f"d{n}": n / 7 for n in range(20)})
    assert run.outcome is not None
    assert (run.outcome.status, run.outcome.same_as) == ("stored", "a")
    with store.read() as connection:
        times = load_times(connection, find_run(connection, "a").id)
    assert times == {f"q{number}": float(number) for number in range(120)}


# --- bundles -------------------------------------------------------------------------------------


@both_databases
def test_a_bundle_that_was_logged_offline_is_ingested_with_its_names_and_facts(
    store: Store, opened: ev.Store, tmp_path: Path
) -> None:
    start = datetime(2026, 1, 2, 3, tzinfo=UTC)
    offline = ev.offline(tmp_path / "bundles")
    with offline.start_run(
        "b m 25", "test", "a", params={"k1": 0.9}, commit="4f2a9c1", host="gpu-1", started_at=start
    ) as run:
        run.log("q1", {"d1": 1}, milliseconds=3)
    assert run.outcome is None
    other = tmp_path / "x.evalrun"
    run.path.rename(other)
    done = opened.ingest(collection="test", runs=[other])
    assert [(outcome.status, outcome.detail) for outcome in done.outcomes] == [("stored", "a")]
    facts = facts_of(store, "a")
    assert (facts.engine, facts.tag, facts.parameters) == ("b m 25", "b_m_25", {"k1": 0.9})
    assert (facts.commit, facts.commit_dirty, facts.host) == ("4f2a9c1", None, "gpu-1")
    assert facts.started_at == start


@both_databases
def test_the_origin_of_a_bundle_is_not_that_of_the_process_that_ingests_it(
    store: Store, opened: ev.Store
) -> None:
    with ev.offline(".").start_run(**E, name="a", checkout=False, host="gpu-1") as run:
        run.log("q1", {"d1": 1})
    opened.ingest(collection="test", runs=run.path)
    facts = facts_of(store, "a")
    assert (facts.host, facts.started_by, facts.commit) == ("gpu-1", None, None)


def test_a_bundle_of_another_collection_is_warned_about(opened: ev.Store) -> None:
    with ev.offline(".").start_run("bm25", "cacm", "a") as run:
        run.log("q1", {"d1": 1})
    [outcome] = opened.ingest(collection="test", runs=run.path).outcomes
    assert outcome.status == "stored"
    assert outcome.warnings[-1].endswith("names collection 'cacm', and is stored in 'test'")


@both_for_the_first(
    "start,message",
    [
        ('{"evalrun": 1, "facts": {"parent": "zz"}}', "there is no run 'zz' in collection 'test'"),
        ('{"evalrun": 1, "run": "a\\u001b[31m"}', "the name of the run has a control character"),
        ('{"evalrun": 1, "engine": "\\ud800"}', "the name of the engine has a control character"),
        ('{"evalrun": 1, "facts": {"note": "\\u0000"}}', "note has a control character"),
        ('{"evalrun": 1, "facts": {"money": 1}}', "money is an amount with its currency"),
        ('{"evalrun": 1, "facts": {"ended_at": "2020-01-01"}}', None),
        ('{"evalrun": 1, "facts": {"started_at": "2030-01-01"}}', "before the start"),
    ],
)
def test_a_bundle_with_a_name_or_fact_that_can_not_be_fails_and_stores_nothing(
    store: Store, opened: ev.Store, start: str, message: str | None
) -> None:
    lines = ['{"qid": "q1", "docs": [["d1", 1]]}', '{"ended_at": "2026-01-01", "queries": 1}']
    Path("x.evalrun").write_text("\n".join([start, *lines]))
    [outcome] = opened.ingest(collection="test", runs="x.evalrun").outcomes
    assert outcome.status == ("stored" if message is None else "failed")
    assert outcome.detail.startswith("x" if message is None else "x.evalrun: ")
    assert (message or "") in outcome.detail
    assert counts(store)["run"] == (message is None)


def test_facts_and_names_given_with_the_ingest_count_more_than_those_of_a_bundle(
    store: Store, opened: ev.Store
) -> None:
    with ev.offline(".").start_run(**E, name="a", note="n", experiment="e") as run:
        run.log("q1", {"d1": 1})
    opened.ingest(collection="test", runs=run.path, engine="other", experiment="f", note="m")
    facts = facts_of(store, "a")
    assert (facts.engine, facts.experiment, facts.note) == ("other", "f", "m")


def test_an_end_is_not_before_the_start(opened: ev.Store, store: Store) -> None:
    """The clock may be set back while the run goes on."""
    later = datetime.now(UTC) + timedelta(days=1)
    with opened.start_run(**E, name="a", started_at=later) as run:
        run.log("q1", {"d1": 1})
    assert facts_of(store, "a").ended_at == later


def test_a_run_is_evaluated_under_the_default_judgments_of_its_collection(
    opened: ev.Store, tmp_path: Path
) -> None:
    opened.ingest(collection="test", runs=[], qrels=write_qrels(tmp_path, {"q1": {"d9": 1}}, "2"))
    with opened.start_run(**E, name="a") as run:
        run.log("q1", {"d9": 2, "d1": 1})
    values = opened.leaderboard("test", measures="RR")["RR"]
    assert values.tolist() == [pytest.approx(0.5 / 3)]
