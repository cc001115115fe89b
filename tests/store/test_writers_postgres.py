"""What PostgreSQL alone has: transactions that store different runs side by side."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from postgres import Server
from samples import add, dump, statuses, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.ingest import store_run
from evalstore.store import Store
from evalstore.transfer.db_check import db_check

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

PATIENCE = 300


@pytest.fixture(scope="session")
def new_database(postgres: Server) -> Callable[[], str]:
    """The URL of a database that holds nothing yet."""
    return postgres.new_database


class Paused:
    """A run that is being stored by a thread of its own, which waits within its transaction."""

    def __init__(self, store: Store, folder: Path, path: str, patch: pytest.MonkeyPatch) -> None:
        self._go_on, within = threading.Event(), threading.Event()

        def evaluated(*args: Any, **more: Any) -> int:
            if threading.current_thread() is self._thread:
                within.set()
                assert self._go_on.wait(PATIENCE)
            return add_evaluation(*args, **more)

        add_evaluation = store_run.add_evaluation
        patch.setattr(store_run, "add_evaluation", evaluated)
        self.statuses: list[str] = []
        self._thread = threading.Thread(
            target=lambda: self.statuses.extend(statuses(add(store, folder, path)))
        )
        self._thread.start()
        assert within.wait(PATIENCE)

    def end(self) -> list[str]:
        """Let it go on; returns the statuses of its run."""
        self._go_on.set()
        self._thread.join(PATIENCE)
        return self.statuses


@pytest.fixture
def paused(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paused:
    """A run of an engine that is new, in a store with a run."""
    add(store, tmp_path, write_run(tmp_path))
    run = write_run(tmp_path, {"q1": ["d1"]}, "paused.run", "paused")
    return Paused(store, tmp_path, run, monkeypatch)


def waiting(store: Store) -> int:
    """How many sessions wait for a lock."""
    with store.read() as connection:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return int(connection.execute(text(query)).scalar_one())


def wait_until_waiting(store: Store) -> None:
    end = time.monotonic() + PATIENCE
    while not waiting(store):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_run_is_stored_while_another_is_being_stored(
    store: Store, tmp_path: Path, paused: Paused
) -> None:
    other = write_run(tmp_path, {"q1": ["d2"]}, "other.run", "other")
    assert statuses(add(store, tmp_path, other)) == ["stored"]
    assert {row[4] for row in dump(store)["run"]} == {"bm25", "other"}
    assert paused.end() == ["stored"]
    assert {row[4] for row in dump(store)["run"]} == {"bm25", "other", "paused"}
    assert list(db_check(store).problems) == []


def test_the_same_run_waits_and_is_stored_once(
    store: Store, tmp_path: Path, paused: Paused
) -> None:
    (tmp_path / "again").mkdir()
    again = write_run(tmp_path / "again", {"q1": ["d1"]}, "paused.run", "paused")
    with ThreadPoolExecutor() as threads:
        second = threads.submit(lambda: statuses(add(store, tmp_path, again)))
        wait_until_waiting(store)
        assert paused.end() == ["stored"]
        assert second.result(PATIENCE) == ["already stored"]


def test_another_run_of_the_same_name_waits_and_is_refused(
    store: Store, tmp_path: Path, paused: Paused
) -> None:
    (tmp_path / "other").mkdir()
    other = write_run(tmp_path / "other", {"q1": ["d7"]}, "paused.run", "paused")
    with ThreadPoolExecutor() as threads:
        second = threads.submit(lambda: statuses(add(store, tmp_path, other)))
        wait_until_waiting(store)
        assert paused.end() == ["stored"]
        assert second.result(PATIENCE) == ["failed"]


def test_a_purge_waits_for_a_run_that_is_being_stored(store: Store, paused: Paused) -> None:
    with ThreadPoolExecutor() as threads:
        purge = threads.submit(lambda: (remove_runs(store, ["bm25"]), purge_runs(store)))
        wait_until_waiting(store)
        assert not purge.done()
        assert paused.end() == ["stored"]
        purge.result(PATIENCE)
    assert {row[4] for row in dump(store)["run"]} == {"paused"}
    assert list(db_check(store).problems) == []


def test_runs_with_new_engines_and_queries_in_any_order_are_all_stored(
    store: Store, tmp_path: Path
) -> None:
    chance = random.Random(7)
    qrels = write_qrels(tmp_path)
    paths = []
    for number in range(24):
        qids = chance.sample(["q1", *(f"new{n}" for n in range(9))], 6)
        rankings = {"q1": [f"d{number}"], **{qid: ["d1", "d2"] for qid in qids}}
        paths.append(write_run(tmp_path, rankings, f"r{number}.run", f"engine{number % 5}"))
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(
            threads.map(lambda path: statuses(add(store, tmp_path, path, qrels=qrels)), paths * 2)
        )
    assert sorted(status for one in outcomes for status in one) == sorted(
        ["stored", "already stored"] * len(paths)
    )
    assert list(db_check(store).problems) == []
    assert len({row[2] for row in dump(store)["engine_slot"]}) == 5
