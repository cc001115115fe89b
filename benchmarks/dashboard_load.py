"""Ask a dashboard what browsers ask it, many at once, and write how long they wait.

    python benchmarks/dashboard_load.py STORE [--clients 20] [--think 2] [--seconds 20] [--dry]

STORE is one that has at least two runs in its largest collection, as `scale.py --documents 20`
makes it (the pages of a query and of agreement read documents). Each client is a thread with one
connection: it loads a page as a first visit does (the page and what Dash asks for then, without
files, which browsers keep) and goes on from view to view by callbacks, taking everything
compressed; `--page NAME` measures chosen pages alone. Views are either all different (other runs,
another order), so that each is computed, or a few that return. The section 'The dashboard under
load' of RESULTS.md is written anew, the others are left as they are.
"""

# ruff: noqa: T201, S311  (a program that tells where it is; chance that need not be secret)

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from report import put_section

from evalstore.catalog.links import run_names
from evalstore.sql.ask import ask
from evalstore.store import Store

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "## The dashboard under load"
GRID, ROWS = "board-grid", "board-rows"  # ids of the leaderboard's grid and of its address
BLOCK = 100  # rows that a grid asks for at once
SHOWN = ("AP", "nDCG", "P", "R", "RR", "Rprec", "ERR", "RBP")
RETURNING = 5
FIRST_VIEWS = 8
"""How many different views there are when views return."""

View = Callable[[random.Random], str]


@dataclass
class Times:
    """Milliseconds and bytes of answers, and answers that were no page."""

    waited: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The time within which this share of the answers came."""
        return float(np.percentile(self.waited, share)) if self.waited else float("nan")


class Client:
    """One browser: a connection that stays open, and what is on the screen."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = headers or {}
        self._shell: dict[str, Any] = {}
        self._rows: dict[str, Any] = {}
        self._on_screen: Any = None
        self.address = ""

    def leave(self) -> None:
        """Go elsewhere: what is on the screen is asked for again when one comes back."""
        self._on_screen = None

    def reconnect(self) -> None:
        """Forget a connection that broke: the next request makes another."""
        self._connection.close()
        self.leave()

    def visit(self) -> int:
        """Load the page and what Dash asks for next; returns the bytes."""
        total = 0
        for path in ("/", "/_dash-layout", "/_dash-dependencies"):
            status, packed, content = self._ask("GET", path)
            if status != 200:
                raise SystemExit(f"{path}: status {status}")
            total += packed
        callbacks = json.loads(content)  # the last answer: Dash's list of callbacks
        self._shell = next(c for c in callbacks if "page.children" in c["output"])
        self._rows = next(c for c in callbacks if f"{GRID}.getRowsResponse" in c["output"])
        return total

    def go(self, address: str) -> tuple[int, str]:
        """Show a view, or rows of it; returns the bytes that travelled and the page's title.

        `ADDRESS#200` are the rows from 200 on of a leaderboard, as scrolling asks for them.
        """
        page, _, row = address.partition("#")
        if row:
            return self._scroll(page, int(row))
        self.address = address
        path, _, search = address.partition("?")
        values = {
            "url.pathname": path,
            "url.search": f"?{search}" if search else "",
            "scheme.data": "light",
            "rendered.data": self._on_screen,
        }
        status, packed, response = self._call(self._shell, values, ["url.pathname", "url.search"])
        if status != 200:
            return packed, f"status {status}"
        self._on_screen = response.get("rendered", {}).get("data", self._on_screen)
        # Where only parts of the page change there is no title, but the address is reported.
        title = response.get("title", {}).get("data")
        return packed, str(title or response.get("rendered", {}).get("data", {}).get("href", ""))

    def _scroll(self, address: str, row: int) -> tuple[int, str]:
        """Ask for the rows of a leaderboard from one on."""
        values = {
            f"{GRID}.getRowsRequest": {"startRow": row, "endRow": row + BLOCK},
            f"{ROWS}.data": {"href": address},
        }
        status, packed, response = self._call(self._rows, values, [f"{GRID}.getRowsRequest"])
        if status != 200:
            return packed, f"status {status}"
        rows = response[GRID]["getRowsResponse"]["rowData"]
        return packed, f"{len(rows)} rows" if rows else "There is no row"

    def _call(
        self, callback: dict[str, Any], values: dict[str, Any], changed: list[str]
    ) -> tuple[int, int, dict[str, Any]]:
        """Call a callback as Dash does; returns status, bytes and what it answers."""
        outputs = [part.rsplit(".", 1) for part in callback["output"].strip(".").split("...")]
        asked = {
            kind: [
                {**given, "value": values.get(f"{given['id']}.{given['property']}")}
                for given in callback[kind]
            ]
            for kind in ("inputs", "state")
        }
        body = {
            "output": callback["output"],
            "outputs": [{"id": name, "property": key} for name, key in outputs],
            **asked,
            "changedPropIds": changed,
        }
        status, packed, content = self._ask("POST", "/_dash-update-component", json.dumps(body))
        return status, packed, json.loads(content)["response"] if status == 200 else {}

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, int, bytes]:
        headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json"}
        self._connection.request(method, path, body, {**headers, **self._headers})
        response = self._connection.getresponse()
        content = response.read()
        packed = len(content)
        if response.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return response.status, packed, content


@contextmanager
def dashboard(store: str) -> Iterator[int]:
    """`evalstore dashboard` over a store; gives its port."""
    program = [sys.executable, "-m", "evalstore", "dashboard", "--port", "0", "--db", store]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)  # noqa: S603 (our own)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield int(line.split(":")[2].split()[0])
    finally:
        process.terminate()
        process.wait()


def runs_of_collections(store: Store) -> list[tuple[str, int]]:
    """The collections and their numbers of runs, the most runs first."""
    asked = "SELECT collection, count(*) FROM runs_overview GROUP BY collection ORDER BY 2 DESC"
    return [(str(name), int(count)) for name, count in ask(store, asked).rows]


def views(store: Store) -> dict[str, View]:
    """By page, an address of it made by chance."""
    (name, _), *_ = runs_of_collections(store)
    runs = run_names(store, name)
    asked = f"SELECT DISTINCT qid FROM judgments WHERE collection = '{name}'"  # noqa: S608 (ours)
    qids = [row[0] for row in ask(store, asked).rows]

    def board(chance: random.Random) -> str:
        return f"/c/{name}?base={chance.choice(runs)}"

    def compare(chance: random.Random) -> str:
        return f"/c/{name}/compare?runs={','.join(chance.sample(runs, 2))}"

    def histogram(chance: random.Random) -> str:
        return f"{compare(chance)}&order={chance.choice(['difference', 'distribution'])}"

    def run(chance: random.Random) -> str:
        return f"/c/{name}/run/{chance.choice(runs)}"

    def twelve(chance: random.Random) -> str:
        return f"/c/{name}/compare?runs={','.join(chance.sample(runs, min(12, len(runs))))}"

    def scroll(chance: random.Random) -> str:
        # Every base has tests of its own, so that only a few are asked for.
        return f"{board(random.Random(chance.randrange(RETURNING)))}#{first_row(chance)}"

    def first_row(chance: random.Random) -> int:
        return BLOCK * chance.randrange(-(-len(runs) // BLOCK))

    def query(chance: random.Random) -> str:
        return f"/c/{name}/query/{chance.choice(qids)}?runs={','.join(chance.sample(runs, 2))}"

    def queries(chance: random.Random) -> str:
        return f"/c/{name}/queries?runs={','.join(chance.sample(runs, 2))}"

    def sql(chance: random.Random) -> str:
        chosen = f"run = '{chance.choice(runs)}'"
        statement = f"SELECT measure, value FROM leaderboard WHERE {chosen}"  # noqa: S608 (ours)
        return f"/sql?s={quote(statement)}"

    return {
        "home": lambda _: "/",
        "leaderboard": board,
        "compare": compare,
        "compare, another order": histogram,
        "compare, 12 runs": twelve,
        "leaderboard, scrolling": scroll,
        "agreement": lambda _: f"/c/{name}?view=agreement",
        "query": query,
        "queries": queries,
        "SQL": sql,
        "measures": lambda chance: f"/measures/{chance.choice(SHOWN)}",
        "run": run,
        "history": lambda chance: f"/c/{name}/history?engine=engine{chance.randrange(40):02d}",
    }


def load(
    port: int, view: View, clients: int, think: float, seconds: float, returning: bool
) -> Times:
    """Let clients go from view to view for some seconds."""
    times, lock = Times(), threading.Lock()
    end = time.perf_counter() + seconds
    few = [view(random.Random(number)) for number in range(RETURNING)]

    def work(number: int) -> None:
        chance = random.Random(time.time_ns() + number)
        client = Client(port)
        client.visit()
        time.sleep(chance.uniform(0, think))
        while time.perf_counter() < end:
            address = chance.choice(few) if returning else view(chance)
            if address == client.address:
                client.leave()
            start = time.perf_counter()
            sent, title = client.go(address)
            waited = (time.perf_counter() - start) * 1000
            with lock:
                times.waited.append(waited)
                times.sent.append(sent)
                if not title or title.startswith(("status", "There is no")):
                    times.failed.append(f"{address}: {title}")
            time.sleep(think * chance.uniform(0.5, 1.5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def warm_up(port: int, view: View) -> None:
    """Ask for views side by side, so that each process of the dashboard has shown the page."""

    def ask(number: int) -> None:
        client = Client(port)
        client.visit()
        client.go(view(random.Random(-1 - number)))

    with ThreadPoolExecutor(FIRST_VIEWS) as pool:
        list(pool.map(ask, range(FIRST_VIEWS)))


def measured(port: int, store: Store, given: argparse.Namespace) -> list[str]:
    """The rows of the table: a page each, new views and views that return."""
    rows = []
    for name, view in views(store).items():
        if given.page and name not in given.page:
            continue
        first = Client(port)
        first.visit()
        sent, title = first.go(view(random.Random(1)))
        if title.startswith(("status", "There is no")):
            print(f"{name} is left out: {title}")
            continue
        warm_up(port, view)
        cells = [name, f"{sent / 1000:.1f}"]
        for returning in (False, True):
            calm = load(port, view, given.clients, given.think, given.seconds, returning)
            busy = load(port, view, given.clients, 0, given.seconds / 2, returning)
            for failure in {*calm.failed, *busy.failed}:
                print(f"failed: {failure}")
            cells += [f"{calm.percentile(50):.0f}", f"{calm.percentile(95):.0f}"]
            cells += [f"{len(busy.waited) / (given.seconds / 2):.0f}"]
        rows.append(f"| {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def section(rows: list[str], runs: int, first: int, given: argparse.Namespace) -> str:
    """The section of the report."""
    return "\n".join(
        [
            TITLE,
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, by `benchmarks/dashboard_load.py`: {given.clients} "
            f"clients on a store of {runs:,} runs, with {given.think:g} seconds between clicks "
            "(p50 and p95 of the waiting time in milliseconds) and without any (callbacks a "
            f"second), after {FIRST_VIEWS} views of each page, so that both processes have shown "
            "it. New views have other runs each time and are computed; views that return are "
            f"{RETURNING} a page. The clients run on the same {os.cpu_count()} processors as the "
            f"dashboard. {platform.system()} {platform.release()}, Python "
            f"{platform.python_version()}; load average at the end: {os.getloadavg()[0]:.1f}. A "
            f"first visit takes {first / 1000:.1f} KB beside files; KB are those of one view, "
            "compressed.",
            "",
            "| page | KB | new: p50 | p95 | a second | returning: p50 | p95 | a second |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Serve, ask, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("store", help="the store, as `evalstore --db` takes it")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--think", type=float, default=2, help="seconds between clicks")
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement")
    parser.add_argument("--page", action="append", help="only this page; print, don't write")
    parser.add_argument("--dry", action="store_true", help="print the section, don't write it")
    given = parser.parse_args()
    with Store.open(given.store, create=False) as store, dashboard(given.store) as port:
        first = Client(port).visit()
        rows = measured(port, store, given)
        runs = sum(count for _, count in runs_of_collections(store))
    written = section(rows, runs, first, given)
    if given.dry or given.page:
        print(written)
    else:
        put_section(RESULTS, TITLE, written)


if __name__ == "__main__":
    main()
