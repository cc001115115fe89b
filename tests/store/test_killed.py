"""An ingest killed at any moment leaves each run complete or not stored, and can be repeated."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ingest_processes
import pytest
from databases import postgres_by_night
from leaderboard_frames import collections
from samples import BM25, dump, write_qrels, write_run

from evalstore.store import Store
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # processes of their own

KILLS = 6
RUNS = 5
SEED = 20260101


@pytest.mark.slow
@postgres_by_night
def test_what_is_killed_leaves_each_run_whole_or_not_at_all(
    database_url: str, tmp_path: Path, new_database: Callable[[], str]
) -> None:
    qrels = write_qrels(tmp_path)
    runs = [
        write_run(tmp_path, {**BM25, "q2": [f"n{i}" for i in range(300)]}, f"run-{i}.run", f"e{i}")
        for i in range(RUNS)
    ]
    for i, run in enumerate(runs):  # each another
        Path(run).write_text(Path(run).read_text().replace("q3 Q0 d8", f"q3 Q0 other{i}"))
    # It imports also the driver of this database before it forks.
    command = [sys.executable, ingest_processes.__file__, new_database(), qrels, *runs]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        urls = killed(worker, database_url, new_database)
        assert worker.stdin
        worker.stdin.close()

    with Store.open(database_url) as store:
        assert list(db_check(store).problems) == []
    for url, collection in urls:
        ingest_processes.ingest_all(url, collection, qrels, runs)
    for url in {url for url, _ in urls}:
        with Store.open(url) as store:
            assert list(db_check(store).problems) == []
            counts = collections(store)["runs"].tolist()
            assert counts == [RUNS] * len(counts)
            assert len(dump(store)["qrels"]) == len(counts)


def stored_runs(url: str, collection: str) -> int:
    """The number of stored runs of a collection."""
    with Store.open(url) as store:
        runs = collections(store).set_index("collection")["runs"]
    return int(runs.get(collection, 0))


def killed(
    worker: subprocess.Popen[str], old: str, new_database: Callable[[], str]
) -> list[tuple[str, str]]:
    """Kill ingests at random points: into an existing store, and into new ones.

    How long an ingest takes changes while other programs run, so that it is noted again and again.
    """

    def at_it(url: str, collection: str, seconds: float | None) -> tuple[bool, float]:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(json.dumps([url, collection, seconds]) + "\n")
        worker.stdin.flush()
        was_killed, took = json.loads(worker.stdout.readline())
        return was_killed, took

    assert worker.stdout
    assert worker.stdout.readline() == "ready\n"
    _, making = at_it(new_database(), "whole", None)
    _, adding = min(at_it(old, f"whole {i}", None) for i in range(3))
    longest = {True: making, False: adding}  # seconds, by whether the store is new
    random_ = random.Random(SEED)
    urls: list[tuple[str, str]] = []
    cut = halves = 0
    while cut < KILLS or halves < 2:
        new = len(urls) % 5 == 4
        url, collection = new_database() if new else old, f"c{len(urls)}"
        was_killed, took = at_it(url, collection, random_.uniform(0, longest[new]))
        urls.append((url, collection))
        cut += was_killed
        if not was_killed:
            longest[new] = took
        elif not new:
            stored = stored_runs(url, collection)
            halves += 0 < stored < RUNS  # killed between two of them
            longest[new] *= 1 if stored else 1.1
        assert len(urls) < 10 * KILLS, "it is always done before it is killed"
    return urls
