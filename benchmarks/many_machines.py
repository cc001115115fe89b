"""Ingest 1,000 runs with --jobs 2 and on one and two workers of Dask, in turns, in PostgreSQL.

    python benchmarks/many_machines.py DIRECTORY --postgres URL [--runs 1000] [--dry]

URL names a database of a server on which databases may be made; those made here are dropped.
Scheduler and workers are processes of this machine, started as docs/dask.md says. Also measured:
what a task costs that does nothing, and what one run costs the worker and the database. From that
follows what 100 workers and 100,000 runs would take (`Costs.of_many`). The section 'Many machines'
of RESULTS.md is written anew, the others are left as they are.
"""

# ruff: noqa: T201, S101, S603  (a program that tells where it is; what must hold, or it ends)

from __future__ import annotations

import argparse
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from distributed import Client
from generate import write_many
from report import put_section
from sqlalchemy import create_engine, make_url

from evalstore.evaluation.dask_tasks import each_on_workers
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.prepare import prepare
from evalstore.formats.sources import RunSource
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels
from evalstore.ingest.store_run import store_run
from evalstore.store import Store

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "## Many machines"
DASK = Path(sys.executable).with_name("dask")
QUERIES, DEPTH = 10, 100
SAMPLE = 100
EMPTY_TASKS = 1_000
WORKERS, MANY_RUNS = 100, 100_000


@dataclass(frozen=True)
class Costs:
    """What one run costs, in seconds and bytes.

    Attributes:
        prepare: reading, matching and evaluating, on a worker.
        store: its transaction, on a worker and in the database, with nobody beside it.
        log: bytes of the database's write-ahead log.
        task: what Dask needs for a task that does nothing.
        group: runs in a task.
    """

    prepare: float
    store: float
    log: float
    task: float
    group: int

    def of_many(self, workers: int, runs: int) -> list[tuple[str, float]]:
        """The seconds that each part is busy, were it the only one: the longest gives way first.

        Transactions that take turns are one after the other. Those beside each other end no sooner
        than the server's processors allow; half of a transaction is taken to be work of the server.
        """
        return [
            (
                "workers: reading, evaluating, sending",
                (self.prepare + self.store / 2) * runs / workers,
            ),
            ("scheduler: tasks one after the other", self.task * runs / self.group),
            ("database, transactions one after the other", self.store * runs),
            ("database, transactions side by side on 16 processors", self.store / 2 * runs / 16),
            ("database: its log at 200 MB/s", self.log * runs / 200e6),
        ]


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler with so many workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    asked = [["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]]
    asked += [
        ["server", "worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    ] * workers
    started = [
        subprocess.Popen([DASK, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for words in asked
    ]
    try:
        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


class Databases:
    """New databases of a server, one after the other."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url).set(drivername="postgresql+psycopg")
        self._server = create_engine(self._url, isolation_level="AUTOCOMMIT")
        self._made = 0

    @contextmanager
    def new(self) -> Iterator[str]:
        """The URL of one that is dropped afterwards."""
        self._made += 1
        name = f"evalstore_many_{os.getpid()}_{self._made}"
        self.execute(f"CREATE DATABASE {name}")
        try:
            yield self._url.set(database=name).render_as_string(hide_password=False)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> object:
        """Run a statement; gives the first column of the first row, if there is one."""
        with self._server.connect() as connection:
            done = connection.exec_driver_sql(statement)
            return done.scalar() if done.returns_rows else None

    def log_position(self) -> int:
        """The bytes that the server has written into its log."""
        return int(str(self.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")))


def seconds_to_ingest(url: str, qrels: Path, runs: list[Path], *options: str) -> float:
    """The time of `evalstore ingest` of all runs into an empty database."""
    command = [sys.executable, "-m", "evalstore", "ingest", "--db", url, "--collection", "many"]
    begin = time.monotonic()
    done = subprocess.run(
        [*command, "--no-checkout", "--qrels", qrels, *options, *runs],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - begin
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"{len(runs):,} stored" in done.stdout, done.stdout[-2000:]
    return seconds


def costs(databases: Databases, qrels_path: Path, runs: list[Path], task: float) -> Costs:
    """What one run costs, in this process with nobody beside it: medians."""
    prepare_times, store_times = [], []
    with databases.new() as url, Store.open(url) as store:
        qrels = store_qrels(store, "many", qrels_path=str(qrels_path))
        request = IngestOptions("many")
        ready = CollectionQrels(
            qrels.collection_id, qrels.qrels_id, qrels.qrels_name, qrels.qrels.sorted_once()
        )
        before = databases.log_position()
        for path in runs:
            begin = time.perf_counter()
            prepared = prepare(RunSource(str(path)), ready.qrels, request)
            middle = time.perf_counter()
            store_run(store, ready, prepared, request)
            prepare_times.append(middle - begin)
            store_times.append(time.perf_counter() - middle)
        log = (databases.log_position() - before) / len(runs)
    group = max(1, min(32, (4 << 20) // runs[0].stat().st_size))
    median = statistics.median
    return Costs(median(prepare_times), median(store_times), log, task, group)


def seconds_of_a_task(address: str) -> float:
    """What a task costs that does nothing: sent, done and fetched, some at a time."""
    names = [f"{number}" for number in range(EMPTY_TASKS)]
    begin = time.monotonic()
    done = list(each_on_workers(address, os.fspath, names, name="empty", load=os.fspath))
    assert [one.result for one in done] == names
    return (time.monotonic() - begin) / EMPTY_TASKS


def report(times: dict[str, float], one_run: Costs, runs: int, load: str) -> str:
    """The section of RESULTS.md."""
    first = next(iter(times.values()))
    lines = [
        TITLE,
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {runs:,} runs of "
        f"{QUERIES} queries x {DEPTH} documents into PostgreSQL, everything on one machine of "
        f"{os.cpu_count()} processors ({load}): the figures say what Dask costs, not what it "
        "gains. Made by `benchmarks/many_machines.py`.",
        "",
        "| | seconds | x --jobs 2 |",
        "|---|--:|--:|",
        *(f"| {name} | {value:.1f} | {value / first:.2f} |" for name, value in times.items()),
        "",
        f"A task that does nothing takes {one_run.task * 1e3:.1f} ms, with the connection and the "
        f"check of versions; small files go {one_run.group} to a task. One run by itself "
        f"(median of {min(runs, SAMPLE)}): {one_run.prepare * 1e3:.0f} ms of reading and "
        f"evaluating, {one_run.store * 1e3:.0f} ms of storing, {one_run.log / 1e3:,.0f} KB of the "
        "database's log.",
        "",
        f"Calculated from that for {WORKERS} workers of one thread and {MANY_RUNS:,} such runs: "
        "how long each part is busy, were it the only one.",
        "",
        "| | minutes |",
        "|---|--:|",
        *(
            f"| {name} | {seconds / 60:,.1f} |"
            for name, seconds in one_run.of_many(WORKERS, MANY_RUNS)
        ),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure in turns and write the section."""
    parser = argparse.ArgumentParser(description="Time ingest with --jobs and with --scheduler.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--postgres", required=True, metavar="URL")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--dry", action="store_true", help="print, and leave RESULTS.md")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    runs, qrels = write_many(given.directory, given.runs, DEPTH, queries=QUERIES)
    databases = Databases(given.postgres)
    load = f"load average {os.getloadavg()[0]:.0f}"
    times = {}
    with databases.new() as url:
        times["--jobs 2"] = seconds_to_ingest(url, qrels, runs, "--jobs", "2")
        print(times, flush=True)
    for workers in (1, 2):
        with databases.new() as url, cluster(workers) as address:
            name = f"--scheduler, {workers} worker{'s' * (workers > 1)}"
            times[name] = seconds_to_ingest(url, qrels, runs, "--scheduler", address)
            task = seconds_of_a_task(address)
            print(times, task, flush=True)
    load += f" to {os.getloadavg()[0]:.0f}"
    one_run = costs(databases, qrels, runs[:SAMPLE], task)
    section = report(times, one_run, len(runs), load)
    print(section)
    if not given.dry:
        put_section(RESULTS, TITLE, section)


if __name__ == "__main__":
    main()
