"""What the processes of test_concurrency.py and test_killed.py do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from multiprocessing.context import BaseContext, ForkServerContext
from multiprocessing.synchronize import Barrier

from evalstore.ingest import Request, ingest, prepare_grounds
from evalstore.store import Store
from evalstore.trec import Reading


def context() -> BaseContext:
    """Processes that start at once: evalstore is imported before they fork."""
    made = ForkServerContext()
    made.set_forkserver_preload(["evalstore.ingest", "pytest"])
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
    how = Reading(threads=1)
    lines = []
    try:
        with Store.open(url) as store:
            grounds = prepare_grounds(store, collection, qrels_path=qrels, how=how)
            for outcome in ingest(store, grounds, runs, Request(collection, how=how)):
                lines.append(f"{outcome.status}:{outcome.detail}")
    except Exception as error:
        lines.append(f"error:{error!r}")
    if said is not None:
        with open(f"{said}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
