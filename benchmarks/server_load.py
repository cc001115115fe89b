"""Let people read a team's server while runs are sent to it, kill it in the middle, and count.

    python benchmarks/server_load.py [--seconds 60] [--database sqlite] [--calm | --broken] [--dry]

20 readers, who are logged in and may read every collection, go from page to page as browsers do.
Meanwhile 8 clients send 100 runs of 50 queries into the collection that is read, and one sends a
run of 250 MB into another one, by `evalstore ingest --db URL`; a command that fails is given again,
as somebody would. That is done on SQLite and on PostgreSQL (a private server, without fsync), each
time once without trouble and once broken: the whole process group of the server is killed after a
third of the time and started again, and PostgreSQL is restarted after two thirds. At the end every
run must be there once. The section 'A server under load' of RESULTS.md is written anew.
"""

# ruff: noqa: T201, S311, S603, S607, PLR0915  (a program that tells where it is; chance that need
# not be secret; our own programs, and `nice`; a measurement is a list of steps)

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from dashboard_load import Client, View, views
from generate import write_many
from report import put_section
from sqlalchemy import text
from uploads import QUERIES, write_run

from evalstore.formats import Qrels
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.people.accounts import add_person
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from postgres import OwnServer, running_server

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "## A server under load"
READERS, CLIENTS = 20, 8
STORED, SENT, DEPTH = 40, 100, 1000
MEGABYTES = 250
PASSWORD = "correct horse battery"  # noqa: S105  (of a store that is deleted at the end)
OFTEN = {
    **{"leaderboard": 4, "compare": 4, "run": 3, "home": 2, "query": 2, "queries": 2},
    **{"leaderboard, scrolling": 2, "compare, another order": 1, "compare, 12 runs": 1},
    **{"agreement": 1, "SQL": 1, "measures": 1},
}
"""How many clicks of 24 lead to each page."""

LONGEST = 600
"""Seconds after which runs that are not stored count as lost."""

PROGRAM = (sys.executable, "-m", "evalstore")


@dataclass
class Files:
    """What is stored before, and what is sent."""

    folder: Path
    stored: list[Path]
    sent: list[Path]
    qrels: Path
    large: Path

    @classmethod
    def make(cls, folder: Path) -> Files:
        """Write them."""
        paths, qrels = write_many(folder, STORED + SENT, DEPTH)
        large = folder / "large.run"
        write_run(large, MEGABYTES)
        return cls(folder, paths[:STORED], paths[STORED:], qrels, large)

    def fill(self, url: str) -> None:
        """Make a store with the runs that are read from the beginning."""
        with Store.open(url) as store:
            grades = {f"q{query:04}": {"document-0000000": 1} for query in range(QUERIES)}
            store_qrels(store, "large", qrels=Qrels.from_dict(grades))
        asked = ["ingest", "--collection", "many", "--qrels", str(self.qrels)]
        subprocess.run(
            [*PROGRAM, *asked, *map(str, self.stored), "--db", url],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


class Served:
    """`evalstore server start` in a process group of its own, over a store."""

    def __init__(self, url: str, port: int, log: Path) -> None:
        self._url, self.port, self._log = url, port, log
        self._process: subprocess.Popen[bytes] | None = None
        self.computed = 0.0

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [*PROGRAM, "serve", "--port", str(self.port), "--db", self._url]
        with self._log.open("ab") as file:
            self._process = subprocess.Popen(
                command, stdout=file, stderr=file, start_new_session=True
            )
        while True:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return
            except (OSError, HTTPException):
                if self._process.poll() is not None:
                    raise SystemExit(self._log.read_text()[-3000:]) from None
            finally:
                connection.close()
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it with its workers, as a machine that fails does."""
        if self._process is not None:
            self.computed += self.processor_seconds()
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def processor_seconds(self) -> float:
        """What the processes of the server have computed until now."""
        seconds = 0.0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if self._process is not None and int(words[2]) == self._process.pid:
                seconds += sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
        return seconds

    def failures(self) -> Counter[int]:
        """How many answers had each status of 500 and more, by its log; prints their lines."""
        counted: Counter[int] = Counter()
        for line in self._log.read_text(errors="replace").splitlines():
            try:
                status = int(json.loads(line)["status"])
            except (ValueError, KeyError, TypeError):  # no line of a request
                continue
            if status >= 500:
                counted[status] += 1
                print(line)
        return counted


@dataclass
class Clicks:
    """What readers waited for: when each click was, and milliseconds; and what went wrong."""

    waited: list[tuple[float, float, str]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def percentile(self, share: float, before: float = float("inf"), page: str = "") -> float:
        """The time within which this share of the pages came."""
        times = [waited for at, waited, name in self.waited if at < before and page in ("", name)]
        return float(np.percentile(times, share)) if times else float("nan")


def idle_and_all() -> tuple[float, float]:
    """Seconds that the processors of this machine have had nothing to do, and all seconds."""
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in words]
    return ticks[3] + ticks[4], sum(ticks)


def log_in(port: int) -> dict[str, str]:
    """The headers of a browser that is logged in."""
    origin = f"http://127.0.0.1:{port}"
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    form = urlencode({"name": "reader", "password": PASSWORD})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": origin}
    connection.request("POST", "/login", form, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
    if answer.status != 303 or not cookie:
        raise SystemExit(f"the login was answered {answer.status}")
    return {"Cookie": cookie, "Origin": origin}


def read_pages(
    client: Client, pages: dict[str, View], think: float, over: threading.Event, clicks: Clicks
) -> None:
    """Be one reader, who is logged in, until `over`."""
    chance = random.Random()
    is_here = False
    time.sleep(chance.uniform(0, think))
    while not over.is_set():
        name = chance.choices(list(pages), [OFTEN[name] for name in pages])[0]
        address = pages[name](chance)
        if address == client.address:
            client.leave()
        start = time.perf_counter()
        try:
            if not is_here:
                client.visit()
                is_here = True
                start = time.perf_counter()
            _, title = client.go(address)
        except (OSError, HTTPException, SystemExit):
            client.reconnect()
            is_here = False
            with clicks.lock:
                clicks.unanswered += 1
            time.sleep(0.5)
            continue
        with clicks.lock:
            if title.startswith("status"):
                clicks.refused[title] += 1
            else:
                clicks.waited.append((start, (time.perf_counter() - start) * 1000, name))
                if not title or title.startswith(("There is no", "The store can't")):
                    clicks.refused[title or "no title"] += 1
        over.wait(think * chance.uniform(0.5, 1.5))


def send(port: int, token: str, collection: str, files: list[Path], again: Counter[str]) -> None:
    """Send files by the command, and once more where it fails."""
    environment = {**os.environ, "EVALSTORE_TOKEN": token}
    url = f"http://127.0.0.1:{port}"
    asked = [*PROGRAM, "ingest", "--collection", collection, *map(str, files), "--db", url]
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        # Lower priority: these programs are on other machines in truth.
        done = subprocess.run(
            ["nice", *asked], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return
        again[(done.stderr.strip().splitlines() or ["?"])[-1][-160:]] += 1
        time.sleep(1)


def run_counts(url: str) -> Counter[str]:
    """How often each run is there, evaluated, by its name."""
    sql = "SELECT run.name FROM run JOIN evaluation ON evaluation.run_id = run.id"
    with Store.open(url, create=False) as store, store.read() as connection:
        return Counter(str(row[0]) for row in connection.execute(text(sql)))


def measure(
    files: Files, url: str, database: OwnServer | None, is_broken: bool, given: argparse.Namespace
) -> str:
    """Do it once; the row of the table."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with Store.open(url, create=False) as store:
        set_up(store, f"http://127.0.0.1:{port}", "ann", PASSWORD)
        add_person(store, "reader", "reader", None, PASSWORD)
        token = create_token(store, "ci", "contributor")
        pages = {name: view for name, view in views(store).items() if name in OFTEN}
    served = Served(url, port, files.folder / f"log-{port}")
    clicks, again, over = Clicks(), Counter[str](), threading.Event()
    served.start()
    try:
        # One after the other: logins of one name at the same moment count as guesses.
        clients_of_readers = [Client(port, log_in(port)) for _ in range(READERS)]
        readers = [
            threading.Thread(target=read_pages, args=(client, pages, given.think, over, clicks))
            for client in clients_of_readers
        ]
        for reader in readers:
            reader.start()
        began, before = time.perf_counter(), idle_and_all()
        own = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        share = [("many", files.sent[number::CLIENTS]) for number in range(CLIENTS)]
        senders = [
            threading.Thread(target=send, args=(port, token, collection, paths, again))
            for collection, paths in [*share, ("large", [files.large])]
        ]
        for sender in senders:
            sender.start()
        if is_broken:
            time.sleep(given.seconds / 3)
            served.kill()
            time.sleep(1)
            served.start()
            if database is not None:
                time.sleep(given.seconds / 3)
                database.restart()
        for sender in senders:
            sender.join()
        sent = time.perf_counter()
        time.sleep(max(0, given.seconds - (sent - began)))
        over.set()
        for reader in readers:
            reader.join()
        after = idle_and_all()
        now = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        served.kill()
    counts = run_counts(url)
    expected = [path.stem for path in [*files.stored, *files.sent, files.large]]
    once = sum(counts[name] == 1 for name in expected[STORED:])
    if set(counts) != set(expected) or set(counts.values()) != {1}:
        print(f"WRONG: {[name for name in expected if counts[name] != 1]}, {len(counts)} names")
    failed = served.failures()
    for reasons in (again, clicks.refused):
        if reasons:
            print(dict(reasons))
    for page in pages:
        middle, most = clicks.percentile(50, page=page), clicks.percentile(95, page=page)
        print(f"  {page}: p50 {middle:.0f}, p95 {most:.0f}")
    clients = sum(
        (new.ru_utime + new.ru_stime) - (old.ru_utime + old.ru_stime)
        for new, old in zip(now, own, strict=True)
    )
    every = after[1] - before[1]
    idle, server = (after[0] - before[0]) / every, served.computed / every
    others = 1 - idle - server - clients / every
    print(f"processors: server {server:.0%}, clients {clients / every:.0%}, idle {idle:.0%}")
    row = [
        "SQLite" if database is None else "PostgreSQL",
        "broken" if is_broken else "whole",
        f"{once} of {SENT + 1}",
        f"{sent - began:.0f}",
        f"{len(clicks.waited):,}",
        f"{clicks.percentile(50):.0f}",
        f"{clicks.percentile(95, before=sent):.0f}",
        f"{clicks.percentile(95):.0f}",
        ", ".join(f"{count} x {status}" for status, count in sorted(failed.items())) or "none",
        f"{clicks.unanswered}",
        f"{sum(again.values())}",
        f"{others:.0%}",
    ]
    return f"| {' | '.join(row)} |"


@contextmanager
def databases(files: Files, chosen: str | None) -> Iterator[Iterator[tuple[str, OwnServer | None]]]:
    """Stores that are filled: two of each database that was chosen."""

    def stores(server: OwnServer | None) -> Iterator[tuple[str, OwnServer | None]]:
        if chosen in {None, "sqlite"}:
            filled = files.folder / "filled.db"
            files.fill(f"sqlite:///{filled}")
            for number in range(2):
                copy = files.folder / f"store{number}.db"
                shutil.copy(filled, copy)
                yield f"sqlite:///{copy}", None
        if server is not None:
            url = server.new_store()
            files.fill(url)
            for _ in range(2):
                yield server.copy_of(url), server

    if chosen == "sqlite":
        yield stores(None)
        return
    with running_server() as server:
        if not isinstance(server, OwnServer):
            raise SystemExit("unset EVALSTORE_TEST_POSTGRES: the server is restarted")
        yield stores(server)


def section(rows: list[str], given: argparse.Namespace) -> str:
    """The section of the report."""
    return "\n".join(
        [
            TITLE,
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, by "
            "`benchmarks/server_load.py`: `evalstore server start` (gunicorn, 2 processes "
            "of 8 threads) "
            f"and its worker on {os.cpu_count()} processors, which its clients shared, and other "
            f"work of the machine (load average at the end: {os.getloadavg()[0]:.1f}). {READERS} "
            f"readers clicked every {given.think:g} seconds for {given.seconds:g} seconds, and as "
            f"long as runs were sent: {CLIENTS} clients sent {SENT} runs of 50 queries with "
            f"{DEPTH:,} documents each into the collection that was read, which had {STORED}, and "
            f"one a run of {MEGABYTES} MB. Broken: the server with its workers was killed (-9) "
            "after a third of the time and started again a second later; PostgreSQL was restarted "
            "a third of the time after that. Milliseconds are those that a reader waited for a "
            "page.",
            "",
            "| database | | runs there once | seconds until stored | pages | p50 | p95 while runs "
            "were sent | p95 | answers of 500 and more | clicks without an answer | commands given "
            "again | processors that other programs took, PostgreSQL too |",
            "|---|---|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Make the files, measure, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long readers click at least")
    parser.add_argument("--think", type=float, default=2, help="seconds between clicks of a reader")
    parser.add_argument("--database", choices=("sqlite", "postgres"), help="this one only")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--calm", action="store_true", help="nothing is killed")
    kind.add_argument("--broken", action="store_true", help="only with a server that is killed")
    parser.add_argument("--dry", action="store_true", help="print the section, don't write it")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        files = Files.make(Path(name))
        with databases(files, given.database) as stores:
            for number, (url, database) in enumerate(stores):
                is_broken = number % 2 == 1
                if (given.calm and is_broken) or (given.broken and not is_broken):
                    continue
                rows.append(measure(files, url, database, is_broken, given))
                print(rows[-1], flush=True)
    written = section(rows, given)
    print(written)
    if not (given.dry or given.database or given.calm or given.broken):
        put_section(RESULTS, TITLE, written)


if __name__ == "__main__":
    main()
