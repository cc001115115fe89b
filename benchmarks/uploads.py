"""Send a large run to a server and write how much memory the server took, and how long it took.

    python benchmarks/uploads.py [--megabytes 250] [--dry]

The server is `evalstore server start` over a new SQLite store in a temporary folder. The run is
sent in one request, then in pieces of 16 MiB, each time into a collection of its own. The memory is
that of the processes that answer requests (the resident memory that they do not share, the most of
50 looks a second), beside what they had before; the worker, a process of its own, is listed by
itself. The section 'Sending runs' of RESULTS.md is written anew, the others are left as they are.
"""

# ruff: noqa: T201, S101, S603  (a program that tells where it is; what must hold, or it ends)

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path

from report import put_section

from evalstore.formats import Qrels
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "## Sending runs"
PIECE = 16 << 20
QUERIES = 2_000
MIB = 1 << 20


def write_run(path: Path, megabytes: int) -> None:
    """A run of so many megabytes: the same number of documents for each query."""
    line = "q0000 Q0 document-0000000 1000 100.123456 benchmark\n"
    per_query = megabytes * 1_000_000 // len(line) // QUERIES
    with path.open("w") as file:
        for query in range(QUERIES):
            file.writelines(
                f"q{query:04} Q0 document-{(query * 7919 + rank * 104729) % 10_000_000:07} "
                f"{rank + 1:04} {100 - rank / 100:010.6f} benchmark\n"
                for rank in range(per_query)
            )


class Memory:
    """The most memory that processes took, looked at 50 times a second."""

    def __init__(self, pids: dict[str, list[int]]) -> None:
        self._pids = pids
        self._over = threading.Event()
        self.before = {name: _private(pids[name]) for name in pids}
        self.most = dict(self.before)

    def watch(self) -> None:
        """Look until `watching` ends."""
        while not self._over.wait(0.02):
            for name, pids in self._pids.items():
                self.most[name] = max(self.most[name], _private(pids))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look from another thread."""
        thread = threading.Thread(target=self.watch)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def more(self, name: str) -> float:
        """MiB beside those of before."""
        return (self.most[name] - self.before[name]) / MIB


def _private(pids: list[int]) -> int:
    """The bytes of resident memory that belong to these processes alone."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(
            int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Private_")
        )
    return total


@contextmanager
def serving(database: Path, port: int, log: Path) -> Iterator[dict[str, list[int]]]:
    """A server; gives the ids of the processes that answer, and of the worker."""
    command = [sys.executable, "-m", "evalstore", "serve", "--port", str(port)]
    with log.open("wb") as file:
        process = subprocess.Popen([*command, "--db", str(database)], stdout=file, stderr=file)
        try:
            while True:
                try:
                    if ask(port, "", "GET", "/healthz")[0] == 200:
                        break
                except OSError:
                    assert process.poll() is None, log.read_text()
                time.sleep(0.2)
            time.sleep(5)  # what processes import late
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            pids: dict[str, list[int]] = {"server": [], "worker": []}
            for pid in map(int, children.split()):
                is_worker = b"server.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
                pids["worker" if is_worker else "server"].append(pid)
            yield pids
        finally:
            process.terminate()
            process.wait()


def ask(
    port: int, token: str, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, object]]:
    """The status of an answer and its JSON, if it has any."""
    connection = HTTPConnection("127.0.0.1", port, timeout=600)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Authorization": f"Bearer {token}", **named})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    is_json = answer.headers.get_content_type() == "application/json" and method != "HEAD"
    return answer.status, json.loads(text) if is_json and path != "/healthz" else {}


def store_run(port: int, token: str, collection: str, sha256: str) -> str:
    """Ask for the run until it is stored; returns how the first request was answered."""
    body = json.dumps({"blob": f"sha256:{sha256}", "file": "large.run"}).encode()
    path = f"/api/v1/collections/{collection}/runs"
    status, content = ask(port, token, "POST", path, body, Content_Type="application/json")
    first = status
    while status == 202:
        job = content["id"]
        time.sleep(0.5)
        _, content = ask(port, token, "GET", f"/api/v1/jobs/{job}")
        assert content["state"] not in {"failed", "cancelled"}, content
        status = 201 if content["state"] == "done" else 202
    assert status in {200, 201}, content
    return f"{first}"


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=250)
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, database = folder / "large.run", folder / "store.db"
        write_run(run, asked.megabytes)
        content = run.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with Store.open(str(database)) as store:
            set_up(store, f"http://127.0.0.1:{port}", "ann", "correct horse battery")
            grades = {f"q{query:04}": {"document-0000000": 1} for query in range(QUERIES)}
            for collection in ("whole", "pieces"):
                store_qrels(store, collection, qrels=Qrels.from_dict(grades))
            token = create_token(store, "ci", "contributor")
        with serving(database, port, folder / "log") as pids:
            for collection in ("whole", "pieces"):
                memory = Memory(pids)
                with memory.watching():
                    began = time.perf_counter()
                    path = f"/api/v1/collections/{collection}/blobs/sha256:{sha256}"
                    step = len(content) if collection == "whole" else PIECE
                    for first in range(0, len(content), step):
                        piece = content[first : first + step]
                        range_ = f"bytes {first}-{first + len(piece) - 1}/{len(content)}"
                        status, _ = ask(port, token, "PUT", path, piece, Content_Range=range_)
                        assert status in {201, 202}, status
                    sent = time.perf_counter()
                    first_status = store_run(port, token, collection, sha256)
                    stored = time.perf_counter()
                rows.append(
                    f"| {'one request' if collection == 'whole' else 'pieces of 16 MiB'} "
                    f"| {sent - began:.1f} | {stored - sent:.1f} | {first_status} "
                    f"| {memory.more('server'):.0f} | {memory.more('worker'):.0f} |"
                )
                print(rows[-1], flush=True)
    text = (
        f"{TITLE}\n\n{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, a run of "
        f"{len(content) / 1e6:.0f} MB sent to `evalstore server start` over SQLite on the same "
        "machine, "
        "while it had other work. MiB: the most of the memory that the processes do not share, "
        "beside what they had before. Made by `benchmarks/uploads.py`.\n\n"
        "| sent in | seconds to send | seconds until stored | answer to POST "
        "| MiB more, the server | MiB more, the worker |\n|---|--:|--:|--:|--:|--:|\n"
        + "\n".join(rows)
        + "\n"
    )
    print(text)
    if not asked.dry:
        put_section(RESULTS, TITLE, text)


if __name__ == "__main__":
    main()
