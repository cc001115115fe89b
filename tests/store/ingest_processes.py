"""The program of the processes that test_concurrency.py and test_killed.py start."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing.context import BaseContext, ForkServerContext
from multiprocessing.synchronize import Barrier, Event

from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import ReadOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store


def context() -> BaseContext:
    """Processes that start at once: evalstore is imported before they fork."""
    forkserver_context = ForkServerContext()
    forkserver_context.set_forkserver_preload(["evalstore.ingest.ingest", "pytest"])
    return forkserver_context


def ingest_all(
    url: str,
    collection: str,
    qrels: str,
    runs: Sequence[str],
    report: str | None = None,
    start: Barrier | None = None,
    before_last: Event | None = None,
) -> None:
    """Ingest runs; their outcomes are written to the file `report`.PID.

    The processes begin together where there is a `start`, and the last run is begun once
    `before_last` is set.
    """
    if start is not None:
        start.wait(300)
    options = ReadOptions(threads=1)
    lines = []
    try:
        with Store.open(url) as store:
            stored_qrels = store_qrels(store, collection, qrels_path=qrels, options=options)
            request = IngestOptions(collection, options=options, allow_disjoint=True)
            for part in [runs] if before_last is None else [runs[:-1], runs[-1:]]:
                if before_last is not None and part == runs[-1:]:
                    assert before_last.wait(300)
                for outcome in ingest(store, request, part, qrels=stored_qrels).outcomes:
                    lines.append(f"{outcome.status}:{outcome.detail}")
    except Exception as error:
        lines.append(f"error:{error!r}")
    if report is not None:
        with open(f"{report}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


def killed_on_demand(warm: str, qrels: str, runs: Sequence[str]) -> None:
    """For every line read, fork a process that ingests, and kill it after some seconds.

    A line is a URL, a collection and seconds (null: the process is not killed). The line printed
    tells whether the process was killed, and how long it ran. Modules are imported before.
    """
    ingest_all(warm, "warm", qrels, runs)
    write = partial(os.write, sys.stdout.fileno())
    write(b"ready\n")
    for line in sys.stdin:
        url, collection, seconds = json.loads(line)
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            ingest_all(url, collection, qrels, runs)
            os._exit(0)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        write(f"{json.dumps([os.WIFSIGNALED(status), time.monotonic() - begin])}\n".encode())


if __name__ == "__main__":
    killed_on_demand(sys.argv[1], sys.argv[2], sys.argv[3:])
