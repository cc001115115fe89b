"""What the processes of test_concurrency.py and test_killed.py do."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing.context import BaseContext, ForkServerContext
from multiprocessing.synchronize import Barrier

from evalstore.formats import ReadOptions
from evalstore.store import Store
from evalstore.usecases.ingest import ingest
from evalstore.usecases.prepare_run import Request
from evalstore.usecases.store_qrels import store_qrels


def context() -> BaseContext:
    """Processes that start at once: evalstore is imported before they fork."""
    made = ForkServerContext()
    made.set_forkserver_preload(["evalstore.usecases.ingest", "pytest"])
    return made


def ingest_all(
    url: str,
    collection: str,
    qrels: str,
    runs: Sequence[str],
    said: str | None = None,
    start: Barrier | None = None,
) -> None:
    """Ingest runs; what became of each is written to a file."""
    if start is not None:
        start.wait(60)
    options = ReadOptions(threads=1)
    lines = []
    try:
        with Store.open(url) as store:
            stored_qrels = store_qrels(store, collection, qrels_path=qrels, options=options)
            request = Request(collection, options=options)
            for outcome in ingest(store, request, runs, qrels=stored_qrels).outcomes:
                lines.append(f"{outcome.status}:{outcome.detail}")
    except Exception as error:
        lines.append(f"error:{error!r}")
    if said is not None:
        with open(f"{said}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


def killed_on_demand(warm: str, qrels: str, runs: Sequence[str]) -> None:
    """Fork a process that ingests for every line read, and kill it when it was at it so long.

    A line is a URL, a collection and seconds (or null: it is not killed); what is printed says
    whether it was killed, and how long it was at work. All is imported before the first.
    """
    ingest_all(warm, "warm", qrels, runs)
    say = partial(os.write, sys.stdout.fileno())
    say(b"ready\n")
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
        say(f"{json.dumps([os.WIFSIGNALED(status), time.monotonic() - begin])}\n".encode())


if __name__ == "__main__":
    killed_on_demand(sys.argv[1], sys.argv[2], sys.argv[3:])
