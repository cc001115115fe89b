"""Many processes at once: everything is stored once, none fails, and readers are not blocked."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from databases import both_databases, postgres_by_night
from ingest_processes import context, ingest_all
from leaderboard_frames import collections, leaderboard
from samples import BM25, add, dump, write_qrels, write_run
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import StoreError
from evalstore.measures import named_measures
from evalstore.store import Store, database
from evalstore.store.rows import bulk_insert
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # processes of their own

PROCESSES = 8
OWN, SHARED = 1, 2


@pytest.mark.usefixtures("without_copies")  # a copy is made without the lock of the folder
@postgres_by_night
def test_eight_processes_store_everything_once_while_one_reads(
    database_url: str, tmp_path: Path
) -> None:
    """The store does not exist yet: the processes also make it at the same time."""
    qrels = write_qrels(tmp_path)
    shared = [write_run(tmp_path, {"q1": [f"s{i}", "d1"]}, f"s-{i}.run") for i in range(SHARED)]
    processes = context()
    start, has_been_read = processes.Barrier(PROCESSES + 1), processes.Event()
    began = []
    for p in range(PROCESSES):
        own = [write_run(tmp_path, {"q1": [f"o{p}-{i}"]}, f"o-{p}-{i}.run") for i in range(OWN)]
        runs = [*shared[p % SHARED :], *own, *shared[: p % SHARED]]
        waits_for = has_been_read if p == 0 else None
        report = str(tmp_path / "outcomes")
        arguments = (database_url, "test", qrels, runs, report, start, waits_for)
        began.append(processes.Process(target=ingest_all, args=arguments))
        began[-1].start()
    start.wait(300)
    reads = 0
    with Store.open(database_url) as store:
        while any(process.is_alive() for process in began):
            if not collections(store).empty:
                board = leaderboard(store, "test")
                assert board.values.notna().all(axis=None), "a run is there with all its values"
                ids = board.runs["run_id"].astype(str).tolist()
                if ids:
                    loaded = load_stored_runs(store, ids[-3:], named_measures("AP"))
                    assert all(np.isfinite(run.values["AP"]).all() for run in loaded.runs)
                reads += 1
                if reads == 3:  # the last run of a process waits for that
                    has_been_read.set()
    for process in began:
        process.join(300)
        assert process.exitcode == 0
    outcomes = [
        line for path in tmp_path.glob("outcomes.*") for line in path.read_text().splitlines()
    ]
    stored = {f"stored:o-{p}-{i}" for p in range(PROCESSES) for i in range(OWN)}
    stored |= {f"stored:s-{i}" for i in range(SHARED)}
    again = [f"already stored:s-{i}" for i in range(SHARED)] * (PROCESSES - 1)
    assert sorted(outcomes) == sorted([*stored, *again])
    assert reads >= 3
    with Store.open(database_url) as store:
        assert list(db_check(store).problems) == []
        rows = dump(store)
    counts = [len(rows[name]) for name in ("collection", "qrels", "run", "evaluation")]
    assert counts == [1, 1, len(stored), len(stored)]
    assert multiprocessing.active_children() == []


# --- trying again --------------------------------------------------------------------------------


def asks_to_try_again(store: Store) -> Exception:
    """The error of the driver after a conflict of two transactions."""
    if store.engine.dialect.name == "sqlite":
        import sqlite3

        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT  # type: ignore[misc]
        return error
    import psycopg

    return psycopg.errors.SerializationFailure("could not serialize access")


@both_databases
def test_a_transaction_is_tried_again_when_the_database_asks_for_it(store: Store) -> None:
    tries = []

    def work(connection: object) -> str:
        connection.execute(text("INSERT INTO engine (name) VALUES ('once')"))  # type: ignore[attr-defined]
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("COMMIT", {}, asks_to_try_again(store))
        return "done"

    assert store.transact(work) == "done"
    assert len(tries) == 3
    assert [row[1] for row in dump(store)["engine"]] == ["once"]


@both_databases
def test_a_transaction_is_not_tried_for_ever_nor_on_another_error(store: Store) -> None:
    tries = []

    def busy(_: object) -> None:
        tries.append(1)
        raise OperationalError("COMMIT", {}, asks_to_try_again(store))

    with pytest.raises(StoreError):
        store.transact(busy)
    assert len(tries) == database.TRIES
    with pytest.raises(StoreError, match="nowhere"):
        store.transact(lambda c: tries.append(c.execute(text("SELECT * FROM nowhere"))))
    assert len(tries) == database.TRIES


# --- readers and writers -------------------------------------------------------------------------


@both_databases
def test_what_only_reads_can_not_write(store: Store) -> None:
    with pytest.raises(StoreError, match=r"read-?only"), store.read() as connection:
        connection.execute(text("INSERT INTO engine (name) VALUES ('x')"))
    with store.write() as connection:
        connection.execute(text("INSERT INTO engine (name) VALUES ('y')"))
    assert [row[1] for row in dump(store)["engine"]] == ["y"]


@both_databases
def test_a_reader_sees_one_state_and_a_writer_does_not_wait_for_it(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with store.read() as connection:
        count = text("SELECT count(*) FROM run")
        assert connection.execute(count).scalar() == 1
        add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"))
        assert connection.execute(count).scalar() == 1
    with store.read() as connection:
        assert connection.execute(count).scalar() == 2


@both_databases
def test_writers_take_turns(store: Store) -> None:
    order = []

    def second() -> None:
        with store.write():
            order.append("second")

    with store.write():
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(300)
    assert order == ["first", "second"]


@both_databases
def test_an_error_of_the_driver_in_bulk_rows_is_a_store_error(store: Store) -> None:
    from evalstore.store import models

    table = models.table(models.Engine)
    for rows in ([(1, None)], [(1, "a"), (1, "b")], [(99**99, "a")]):
        with pytest.raises((StoreError, OverflowError)) as caught, store.write() as connection:
            bulk_insert(connection, table, ("id", "name"), rows)
        assert "\n" not in str(caught.value)


FORKED = """
import os, sys
from evalstore.catalog.collections import collections
from evalstore.store import Store

store = Store.open(sys.argv[1])
print([one.runs for one in collections(store)], flush=True)
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        for _ in range(20):
            found = [one.runs for one in collections(store)]
        print(found, flush=True)
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
print([one.runs for one in collections(store)], flush=True)
"""


@both_databases
def test_a_forked_process_makes_connections_of_its_own(
    store: Store, database_url: str, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path, BM25))
    done = subprocess.run(
        [sys.executable, "-c", FORKED, database_url],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
        check=False,
    )
    assert (done.stdout.replace("\n", ""), done.stderr) == ("[1]" * 6, "")
