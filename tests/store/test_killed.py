"""Killed at any moment, an ingest leaves each run whole or not at all, and can be done again."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from at_work import context, ingest_all
from samples import BM25, dump, write_qrels, write_run

from evalstore import browse
from evalstore.checking import check
from evalstore.store import Store

KILLS = 30
RUNS = 5
SEED = 20260101


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
    processes = context()

    def started(url: str, collection: str) -> Any:
        """A process that has just begun to ingest."""
        start = processes.Barrier(2)
        arguments = (url, collection, qrels, runs, None, start)
        process = processes.Process(target=ingest_all, args=arguments)
        process.start()
        start.wait(60)
        return process

    def seconds(url: str, collection: str) -> float:
        process = started(url, collection)
        begin = time.monotonic()
        process.join(60)
        return time.monotonic() - begin

    # How long it takes: with the making of the store, and in one that is there.
    seconds(new_database(), "warm")
    making = seconds(new_database(), "first")
    adding = seconds(database_url, "first")
    random_ = random.Random(SEED)
    urls: list[tuple[str, str]] = []
    cut = 0
    while cut < KILLS:
        new = len(urls) % 5 == 4
        url = new_database() if new else database_url
        urls.append((url, f"c{len(urls)}"))
        process = started(*urls[-1])
        process.join(random_.uniform(0, 0.75 * (making if new else adding)))
        process.kill()
        process.join(60)
        cut += process.exitcode == -signal.SIGKILL
        assert len(urls) < 5 * KILLS, "it is always done before it is killed"

    with Store.open(database_url) as store:
        assert list(check(store)) == []
        stored = dict(browse.collections(store)[["collection", "runs"]].to_numpy().tolist())
    halves = sum(0 < count < RUNS for count in stored.values())
    assert halves >= 1, "some were killed between two runs"
    for url, collection in urls:
        ingest_all(url, collection, qrels, runs, str(tmp_path / "said"))
    for url in {url for url, _ in urls}:
        with Store.open(url) as store:
            assert list(check(store)) == []
            found = browse.collections(store)["runs"].tolist()
            assert found == [RUNS] * len(found)
            assert len(dump(store)["qrels"]) == len(found)
